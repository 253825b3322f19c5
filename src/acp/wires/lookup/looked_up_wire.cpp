#include "ayatori/lookup/looked_up_wire.hpp"

namespace ayatori::wires {

namespace {

/// One of so many polls serves queries, too: each needs a system call.
constexpr std::uint32_t polls_between_queries = 16;

}  // namespace

std::size_t LookedUpWire::poll(std::size_t max_datagrams, const std::function<void(std::span<const std::byte>)>& take) {
  if (polls_++ % polls_between_queries == 0) lookup_->serve();
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
}

}  // namespace ayatori::wires
