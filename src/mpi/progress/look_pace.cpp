#include "ayatori/progress/look_pace.hpp"

#include <algorithm>

namespace ayatori {

namespace {

constexpr double forgotten = 1 + 1.0 / 4096;

}  // namespace

void LookPace::grow() { pause_ = std::min(longest_ns, pause_ + pause_ / 2); }

/// The shortest looks found nothing. Looks may become longer for good (more connections, say), so what was the shortest
/// is forgotten slowly.
void LookPace::looked(std::int64_t nanoseconds) {
  const auto taken = static_cast<double>(nanoseconds);
  idle_look_ = idle_look_ == 0 ? taken : std::min(taken, idle_look_ * forgotten);
  if (taken > 3 * idle_look_) {
    const std::int64_t pause = nanoseconds < long_look_ns ? share_of_pause * nanoseconds : shortest_ns;
    pause_ = std::clamp(pause, shortest_ns, longest_ns);
  } else {
    grow();
  }
}

}  // namespace ayatori
