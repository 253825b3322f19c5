#include "ayatori/lookup/looked_up_wire.hpp"

namespace ayatori::wires {

namespace {

/// One of how many polls looks for questions, too: each look is a system call.
constexpr std::uint32_t polls_between_looks = 16;

}  // namespace

Result<std::unique_ptr<PollableWire>> LookedUpWire::make(std::unique_ptr<AddressLookup> lookup,
                                                         std::unique_ptr<PollableWire> inner) {
  auto interrupt_event = make_interrupt_event();
  if (!interrupt_event) return Failure(interrupt_event.error());
  return std::unique_ptr<PollableWire>(
      new LookedUpWire(std::move(*interrupt_event), std::move(lookup), std::move(inner)));
}

LookedUpWire::LookedUpWire(Descriptor interrupt_event, std::unique_ptr<AddressLookup> lookup,
                           std::unique_ptr<PollableWire> inner)
    : PollableWire(std::move(interrupt_event)), lookup_(std::move(lookup)), inner_(std::move(inner)) {}

std::size_t LookedUpWire::poll(std::size_t max_datagrams, const std::function<void(std::span<const std::byte>)>& take) {
  if (polls_++ % polls_between_looks == 0) lookup_->serve();
  return inner_->poll(max_datagrams, take);
}

void LookedUpWire::woken() {
  inner_->woken();
  lookup_->serve();
}

void LookedUpWire::add_descriptors(std::vector<pollfd>& polled) const {
  inner_->add_descriptors(polled);
  polled.push_back({lookup_->descriptor(), POLLIN, 0});
}

void LookedUpWire::disown() {
  inner_->disown();
  lookup_->close();
  PollableWire::disown();
}

}  // namespace ayatori::wires
