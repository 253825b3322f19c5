#include "channel_dependencies.hpp"

#include <atomic>
#include <bit>

#include "cycle_search.hpp"

namespace ayatori {

void ChannelDependencies::add(PortId arrival, PortNumber out) {
  const std::atomic_ref<std::uint64_t> set(waits_for_[arrival][out / bits]);
  const std::uint64_t bit = std::uint64_t{1} << out % bits;
  // Most packets repeat a known dependency: reading first keeps the line shared between cores.
  if ((set.load(std::memory_order_relaxed) & bit) == 0) set.fetch_or(bit, std::memory_order_relaxed);
}

std::vector<PortId> ChannelDependencies::find_cycle() const {
  return ayatori::find_cycle(network_.port_count(), [&](PortId link, std::uint32_t out) -> std::optional<Successor> {
    const PortId arrival = network_.port(link).peer;
    if (arrival == no_id) return std::nullopt;
    for (std::size_t word = out / bits; word < waits_for_[arrival].size(); ++word) {
      std::uint64_t set = waits_for_[arrival][word];
      if (word == out / bits) set &= ~std::uint64_t{0} << out % bits;
      if (set == 0) continue;
      const auto number = static_cast<PortNumber>(word * bits + static_cast<unsigned>(std::countr_zero(set)));
      return Successor{network_.port_id(network_.port(arrival).device, number), number + 1U};
    }
    return std::nullopt;
  });
}

}  // namespace ayatori
