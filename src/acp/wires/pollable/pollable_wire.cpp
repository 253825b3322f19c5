#include "ayatori/pollable/pollable_wire.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace ayatori::wires {

Result<Descriptor> PollableWire::make_interrupt_event() {
  Descriptor interrupt_event(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!interrupt_event.is_open()) return refused("a wire can't make an eventfd", errno);
  return interrupt_event;
}

void PollableWire::wait(Duration timeout) {
  const Duration allowed = prepare_to_sleep(timeout);
  if (allowed > Duration::zero()) sleep(allowed);
  woken();
}

void PollableWire::sleep(Duration timeout) {
  polled_.assign({{interrupt_event_.number(), POLLIN, 0}});
  add_descriptors(polled_);
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(timeout);
  const timespec parts{seconds.count(), (timeout - seconds).count()};
  const int ready = ppoll(polled_.data(), polled_.size(), &parts, nullptr);
  std::uint64_t count = 0;
  if (ready > 0 && polled_[0].revents != 0) (void)!read(interrupt_event_.number(), &count, sizeof count);
}

void PollableWire::interrupt() {
  const std::uint64_t once = 1;
  // It can only fail when the counter is full, and then the descriptor is ready already.
  (void)!write(interrupt_event_.number(), &once, sizeof once);
}

}  // namespace ayatori::wires
