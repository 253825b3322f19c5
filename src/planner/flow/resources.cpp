#include "resources.hpp"

#include <algorithm>

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
  const double injection = options.costs.between.bandwidth;
  if (injection > 0) capacity_.insert(capacity_.end(), std::size_t{paths.nic_count()} * 2, injection);
  for (const SteadyFlow& flow : options.background) {
    background_.push_back(flow.links);
    background_.back().push_back(static_cast<Constraint>(capacity_.size()));
    capacity_.push_back(flow.bytes_per_second);
  }
  first_bus_ = static_cast<Constraint>(capacity_.size());
  const double bus = options.costs.inside.bandwidth;
  if (bus > 0) capacity_.insert(capacity_.end(), paths.machine_count(), bus);
  if (options.costs.cores > 0) count_pairs();
}

void Resources::count_pairs() {
  std::vector<double> ranks(paths_.machine_count(), 0);
  for (Rank rank = 0; rank < paths_.participant_count(); ++rank) {
    if (has_processor(rank)) ++ranks[paths_.machine(rank)];
  }
  const auto cores = static_cast<double>(options_.costs.cores);
  if (ranks.empty() || *std::ranges::max_element(ranks) <= cores) return;
  for (const double count : ranks) pairs_.push_back(count > cores ? count / cores / 2 : 0);
}

std::uint32_t Resources::part_count(Rank from, Rank to, Bytes bytes) const {
  if (paths_.machine(from) == paths_.machine(to)) return 1;
  return static_cast<std::uint32_t>(std::clamp<Bytes>(bytes, 1, paths_.part_count(from, to, bytes)));
}

void Resources::find_route(Rank from, Rank to, Bytes bytes, std::uint32_t part, Route& route) const {
  route.shared.clear();
  route.path.links.clear();
  // Half of the latency lies at each end, and routers have none.
  const int ranks_at_ends = (has_processor(from) ? 1 : 0) + (has_processor(to) ? 1 : 0);
  route.delay = costs(from, to, bytes).latency * ranks_at_ends / 2;
  route.delay += scheduling_delay(to, bytes);
  route.within_machine = within_machine(from, to);
  if (route.within_machine) {
    if (options_.costs.inside.bandwidth > 0) route.shared.push_back(bus_of(paths_.machine(from)));
    return;
  }
  paths_.part(part, from, to, route.path, bytes);
  const bool limited = options_.costs.between.bandwidth > 0;
  if (limited && route.path.from_nic != no_id) route.shared.push_back(out_of(route.path.from_nic));
  for (const Constraint link : route.path.links) {
    route.delay += latency_[link];
    route.shared.push_back(link);
  }
  if (limited && route.path.to_nic != no_id) route.shared.push_back(into(route.path.to_nic));
}

}  // namespace ayatori
