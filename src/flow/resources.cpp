#include "resources.hpp"

namespace ayatori {

Resources::Resources(const Paths& paths, const FlowOptions& options)
    : paths_(paths),
      options_(options),
      first_nic_(static_cast<Constraint>(paths.link_count())),
      first_bus_(first_nic_) {
  for (std::uint32_t link = 0; link < paths.link_count(); ++link) {
    capacity_.push_back(paths.bytes_per_second(link));
    latency_.push_back(paths.latency(link));
  }
  if (options.injection > 0) capacity_.insert(capacity_.end(), std::size_t{paths.nic_count()} * 2, options.injection);
  first_bus_ = static_cast<Constraint>(capacity_.size());
  if (options.bus > 0) capacity_.insert(capacity_.end(), paths.machine_count(), options.bus);
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
  const bool limited = options_.injection > 0;
  if (limited && paths_.nic(from) != no_id) route.shared.push_back(out_of(paths_.nic(from)));
  for (const Constraint link : route.links) {
    route.delay += latency_[link];
    route.shared.push_back(link);
  }
  if (limited && paths_.nic(to) != no_id) route.shared.push_back(into(paths_.nic(to)));
}

}  // namespace ayatori
