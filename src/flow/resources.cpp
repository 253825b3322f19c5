#include "resources.hpp"

#include <algorithm>

namespace ayatori {

Resources::Resources(const Paths& paths, Rank ranks, const FlowOptions& options)
    : paths_(paths),
      ranks_(ranks),
      options_(options),
      first_nic_(static_cast<Constraint>(paths.link_count())),
      first_bus_(first_nic_) {
  for (std::uint32_t link = 0; link < paths.link_count(); ++link) {
    capacity_.push_back(paths.bytes_per_second(link));
    latency_.push_back(paths.latency(link));
  }
  std::uint32_t machines = 0;
  std::uint32_t nics = 0;
  for (Rank r = 0; r < paths.participant_count(); ++r) machines = std::max(machines, paths.machine(r) + 1);
  for (Rank r = 0; r < ranks; ++r) nics = std::max(nics, paths.nic(r) + 1);
  capacity_.insert(capacity_.end(), std::size_t{nics} * 2, options.injection);
  first_bus_ = static_cast<Constraint>(capacity_.size());
  capacity_.insert(capacity_.end(), machines, options.bus);
}

void Resources::find_route(Rank from, Rank to, Route& route) const {
  route.shared.clear();
  route.links.clear();
  route.delay = options_.overhead;
  const std::uint32_t source = paths_.machine(from);
  const std::uint32_t target = paths_.machine(to);
  route.within_machine = source == target;
  if (route.within_machine) {
    route.delay += options_.bus_latency;
    if (options_.bus > 0) route.shared.push_back(bus_of(source));
    return;
  }
  paths_.path(from, to, route.links);
  if (options_.injection > 0 && from < ranks_) route.shared.push_back(out_of(from));
  for (const Constraint link : route.links) {
    route.delay += latency_[link];
    route.shared.push_back(link);
  }
  if (options_.injection > 0 && to < ranks_) route.shared.push_back(into(to));
}

}  // namespace ayatori
