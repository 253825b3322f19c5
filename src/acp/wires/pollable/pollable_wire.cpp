#include "ayatori/pollable/pollable_wire.hpp"

namespace ayatori::wires {

void poll_for(std::vector<pollfd>& polled, Duration timeout) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(timeout);
  const timespec parts{seconds.count(), (timeout - seconds).count()};
  ppoll(polled.data(), polled.size(), &parts, nullptr);
}

void PollableWire::wait(Duration timeout) {
  const Duration allowed = prepare_to_sleep(timeout);
  if (allowed > Duration::zero()) {
    polled_.clear();
    add_descriptors(polled_);
    poll_for(polled_, allowed);
  }
  woken();
}

}  // namespace ayatori::wires
