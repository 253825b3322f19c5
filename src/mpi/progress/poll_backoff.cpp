#include "ayatori/progress/poll_backoff.hpp"

#include <algorithm>

namespace ayatori {

namespace {

constexpr double forgotten = 1 + 1.0 / 4096;

}  // namespace

void PollBackoff::grow() { pause_ = std::min(longest_ns, pause_ + pause_ / 2); }

/// The shortest polls found nothing. Polls may become longer for good (more connections, say), so the minimum is
/// forgotten slowly.
void PollBackoff::polled(std::int64_t nanoseconds) {
  const auto taken = static_cast<double>(nanoseconds);
  idle_poll_ = idle_poll_ == 0 ? taken : std::min(taken, idle_poll_ * forgotten);
  if (taken > 3 * idle_poll_) {
    const std::int64_t pause = nanoseconds < long_poll_ns ? share_of_pause * nanoseconds : shortest_ns;
    pause_ = std::clamp(pause, shortest_ns, longest_ns);
  } else {
    grow();
  }
}

}  // namespace ayatori
