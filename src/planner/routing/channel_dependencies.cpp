#include "channel_dependencies.hpp"

#include <algorithm>
#include <atomic>
#include <bit>

namespace ayatori {

void ChannelDependencies::add(PortId arrival, PortNumber out) {
  const std::atomic_ref<std::uint64_t> set(waits_for_[arrival][out / bits]);
  const std::uint64_t bit = std::uint64_t{1} << out % bits;
  // Most packets repeat a known dependency: reading first keeps the line shared between cores.
  if ((set.load(std::memory_order_relaxed) & bit) == 0) set.fetch_or(bit, std::memory_order_relaxed);
}

PortId ChannelDependencies::next_waited_for(PortId link, unsigned out) const {
  const PortId arrival = network_.port(link).peer;
  for (unsigned word = out / bits; word < waits_for_[arrival].size(); ++word) {
    std::uint64_t set = waits_for_[arrival][word];
    if (word == out / bits) set &= ~std::uint64_t{0} << out % bits;
    if (set == 0) continue;
    const auto number = static_cast<PortNumber>(word * bits + static_cast<unsigned>(std::countr_zero(set)));
    return network_.port_id(network_.port(arrival).device, number);
  }
  return no_id;
}

std::vector<PortId> ChannelDependencies::find_cycle() const {
  enum class Mark : std::uint8_t { unseen, on_path, done };
  struct Visit {
    PortId link;
    unsigned next_out;  // where to look on
  };
  std::vector<Mark> mark(network_.port_count(), Mark::unseen);
  std::vector<Visit> path;
  const auto enter = [&](PortId link) {
    mark[link] = Mark::on_path;
    path.push_back({link, 0});
  };
  for (PortId start = 0; start < network_.port_count(); ++start) {
    if (mark[start] != Mark::unseen || !network_.port(start).connected()) continue;
    enter(start);
    while (!path.empty()) {
      Visit& here = path.back();
      const PortId next = here.next_out > 255 ? no_id : next_waited_for(here.link, here.next_out);
      if (next == no_id) {
        mark[here.link] = Mark::done;
        path.pop_back();
        continue;
      }
      here.next_out = network_.port(next).number + 1U;
      if (mark[next] == Mark::on_path) {
        const auto begin = std::find_if(path.begin(), path.end(), [&](const Visit& v) { return v.link == next; });
        std::vector<PortId> cycle;
        for (auto visit = begin; visit != path.end(); ++visit) cycle.push_back(visit->link);
        return cycle;
      }
      if (mark[next] == Mark::unseen) enter(next);
    }
  }
  return {};
}

}  // namespace ayatori
