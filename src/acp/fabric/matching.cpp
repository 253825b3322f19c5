#include "matching.hpp"

#include <algorithm>

namespace ayatori::fabric {

std::optional<Receive> Matching::take_receive(const Arrival& arrival) {
  const auto found = receives_.find([&](const Receive& receive) { return receive.takes(arrival); });
  if (found == receives_.all().end()) return std::nullopt;
  if (!found->shared) return receives_.take(found);
  Receive part = *found;
  const std::size_t size = std::min<std::uint64_t>(arrival.size(), part.buffer.size());
  part.buffer = part.buffer.first(size);
  found->buffer = found->buffer.subspan(size);
  ++part.shared->under_way;
  if (found->buffer.size() < part.shared->least) {
    part.shared->used_up = true;
    (void)receives_.take(found);
  }
  return part;
}

std::optional<Arrival> Matching::take_arrival(const Receive& receive) {
  return arrivals_.take_first([&](const Arrival& arrival) { return receive.takes(arrival); });
}

const Arrival* Matching::peek(const Receive& receive) {
  const auto found = arrivals_.find([&](const Arrival& arrival) { return receive.takes(arrival); });
  return found == arrivals_.all().end() ? nullptr : &*found;
}

std::optional<Arrival> Matching::take_claimed(void* context) {
  const auto found = std::ranges::find(claimed_, context, &Claimed::context);
  if (found == claimed_.end()) return std::nullopt;
  Arrival arrival = std::move(found->arrival);
  claimed_.erase(found);
  return arrival;
}

std::optional<Receive> Matching::cancel(void* context) {
  auto found = receives_.take_first([&](const Receive& receive) { return receive.context == context; });
  if (found) found->shared.reset();
  return found;
}

std::vector<Receive> Matching::cancel_from(Rank rank) {
  std::vector<Receive> cancelled;
  while (auto found =
             receives_.take_first([&](const Receive& receive) { return receive.from && receive.from->rank == rank; })) {
    found->shared.reset();
    cancelled.push_back(std::move(*found));
  }
  return cancelled;
}

void Matching::add_awaited(std::vector<Rank>& ranks) {
  for (const Receive& receive : receives_.all()) {
    if (receive.from) ranks.push_back(receive.from->rank);
  }
}

}  // namespace ayatori::fabric
