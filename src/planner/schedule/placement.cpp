#include "ayatori/schedule/placement.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "ayatori/network/interval.hpp"
#include "ayatori/network/router_graph.hpp"
#include "ayatori/network/shape.hpp"

namespace ayatori {

namespace {

/// Machines 0 … machines − 1 with equally many ranks each, all in one group.
Placement uniform(std::uint32_t machines, Rank ranks, std::uint32_t ranks_per_machine) {
  Placement placement;
  placement.machine.resize(ranks);
  for (Rank r = 0; r < ranks; ++r) placement.machine[r] = r / ranks_per_machine;
  placement.group.assign(machines, 0);
  placement.gateway.assign(machines, true);
  return placement;
}

DeviceId first_router(const Network& network, const Machine& machine) {
  return machine.endpoints.empty() ? no_id : network.router_of(machine.endpoints.front());
}

std::set<PlaneId> planes_of(const Network& network, const Machine& machine) {
  std::set<PlaneId> planes;
  for (const PortId endpoint : machine.endpoints) planes.insert(network.device(network.port(endpoint).device).plane);
  return planes;
}

/// By router: its group in a dragonfly or dragonfly+; empty for all other shapes.
std::vector<std::uint32_t> router_groups(const Network& network) {
  const Shape shape = recognise(network);
  std::vector<std::uint32_t> group(shape.groups.empty() ? 0 : network.router_count());
  for (std::uint32_t number = 0; number < shape.groups.size(); ++number) {
    for (const DeviceId router : shape.groups[number].routers) group[router] = number;
    for (const DeviceId router : shape.groups[number].spines) group[router] = number;
  }
  return group;
}

/// `routers`: of each group the first that the job uses.
void add_groups(const Network& network, std::span<const MachineId> machines, Placement& placement,
                std::vector<DeviceId>& routers) {
  const auto dragonfly = router_groups(network);
  std::map<std::uint32_t, std::uint32_t> known_groups;
  for (const MachineId machine : machines) {
    const DeviceId router = first_router(network, network.machine(machine));
    const std::uint32_t unit = dragonfly.empty() || router == no_id ? router : dragonfly[router];
    const auto [known, is_new] = known_groups.try_emplace(unit, static_cast<std::uint32_t>(routers.size()));
    if (is_new) routers.push_back(router);
    placement.group.push_back(known->second);
  }
}

void add_gateways(const Network& network, std::span<const MachineId> machines, Placement& placement) {
  std::set<PlaneId> all;
  for (const MachineId machine : machines) all.merge(planes_of(network, network.machine(machine)));
  for (const MachineId machine : machines) {
    placement.gateway.push_back(planes_of(network, network.machine(machine)) == all);
  }
}

/// A router from which all of `routers` are as near as can be (in sum), not one of them: where their sums meet.
std::optional<DeviceId> router_above(const Network& network, const std::vector<DeviceId>& routers) {
  const RouterGraph graph(network);
  std::vector<std::uint64_t> sums(graph.size(), 0);
  for (const DeviceId start : routers) {
    const auto hops = graph.hops_from(start);
    for (DeviceId router = 0; router < graph.size(); ++router)
      sums[router] += hops[router] == no_id ? graph.size() : hops[router] + 1;
  }
  for (const DeviceId router : routers) sums[router] = std::numeric_limits<std::uint64_t>::max();
  const auto best = std::min_element(sums.begin(), sums.end());
  if (best == sums.end() || *best == std::numeric_limits<std::uint64_t>::max()) return std::nullopt;
  return static_cast<DeviceId>(best - sums.begin());
}

void add_aggregators(const Network& network, const std::vector<DeviceId>& routers, Placement& placement) {
  if (std::find(routers.begin(), routers.end(), no_id) != routers.end()) return;
  placement.aggregators = routers;
  if (routers.size() == 1) return;
  if (const auto above = router_above(network, routers)) {
    placement.aggregators.push_back(*above);
  } else {
    placement.aggregators.push_back(routers.front());
  }
}

std::vector<std::uint32_t> coordinates(std::uint32_t point, std::span<const std::uint32_t> lengths) {
  std::vector<std::uint32_t> found(lengths.size());
  for (std::size_t i = lengths.size(); i-- > 0; point /= lengths[i]) found[i] = point % lengths[i];
  return found;
}

/// A grid, and where in it each machine is, by the row-major number of its point; no_id if it is not in it.
struct PointsOnGrid {
  std::vector<std::uint32_t> dimensions;
  std::vector<bool> periodic;
  std::vector<std::uint32_t> point;
};

/// The box that the machines fill, if they do, with their points in it.
void put_in_box(const PointsOnGrid& grid, Placement& placement) {
  std::vector<std::vector<std::uint32_t>> at;
  for (const std::uint32_t point : grid.point) {
    if (point == no_id) return;
    at.push_back(coordinates(point, grid.dimensions));
  }
  std::vector<Interval> box;
  std::size_t points = 1;
  for (std::size_t i = 0; i < grid.dimensions.size(); ++i) {
    std::vector<bool> taken(grid.dimensions[i]);
    for (const auto& place : at) taken[place[i]] = true;
    box.push_back(shortest_around(taken, grid.periodic[i]));
    points *= box.back().length;
  }
  std::set<std::vector<std::uint32_t>> different(at.begin(), at.end());
  if (points != at.size() || different.size() != at.size()) return;
  for (std::size_t i = 0; i < box.size(); ++i) {
    placement.dimensions.push_back(box[i].length);
    placement.periodic.push_back(grid.periodic[i] && box[i].length == grid.dimensions[i]);
  }
  for (const auto& place : at) {
    std::uint32_t point = 0;
    for (std::size_t i = 0; i < box.size(); ++i) {
      const std::uint32_t length = grid.dimensions[i];
      point = point * box[i].length + (place[i] + length - box[i].start) % length;
    }
    placement.point.push_back(point);
  }
}

void add_grid(const Network& network, std::span<const MachineId> machines, Placement& placement) {
  const auto found = machine_grid(network);
  if (!found) return;
  PointsOnGrid grid{
      {found->dimensions.begin(), found->dimensions.end()}, {found->periodic.begin(), found->periodic.end()}, {}};
  for (const MachineId machine : machines) grid.point.push_back(found->point[machine]);
  put_in_box(grid, placement);
}

/// Gives numbers to what comes, in the order in which it first comes.
class Renumbering {
 public:
  explicit Renumbering(std::size_t known) : number_(known, no_id) {}
  std::uint32_t operator()(std::uint32_t old) {
    if (number_[old] == no_id) {
      number_[old] = static_cast<std::uint32_t>(old_.size());
      old_.push_back(old);
    }
    return number_[old];
  }
  [[nodiscard]] const std::vector<std::uint32_t>& old() const { return old_; }

 private:
  std::vector<std::uint32_t> number_;
  std::vector<std::uint32_t> old_;
};

}  // namespace

Placement placement_of_ranks(Rank ranks, std::uint32_t ranks_per_machine) {
  return uniform(ranks / ranks_per_machine + (ranks % ranks_per_machine > 0 ? 1 : 0), ranks, ranks_per_machine);
}

Placement placement_on_grid(std::span<const std::uint32_t> dimensions, std::span<const bool> periodic,
                            std::uint32_t ranks_per_machine) {
  std::uint32_t machines = 1;
  for (const std::uint32_t length : dimensions) machines *= length;
  Placement placement = uniform(machines, machines * ranks_per_machine, ranks_per_machine);
  placement.dimensions.assign(dimensions.begin(), dimensions.end());
  placement.periodic.assign(periodic.begin(), periodic.end());
  placement.point.resize(machines);
  std::iota(placement.point.begin(), placement.point.end(), 0U);
  return placement;
}

Placement placement_of_job(const Network& network, const Job& job) {
  Placement placement;
  Renumbering machine(network.machines().size());
  for (const MachineId id : job.machine_of_rank) placement.machine.push_back(machine(id));
  std::vector<DeviceId> routers;
  add_groups(network, machine.old(), placement, routers);
  add_gateways(network, machine.old(), placement);
  add_aggregators(network, routers, placement);
  add_grid(network, machine.old(), placement);
  return placement;
}

Placement placement_of_part(const Placement& whole, std::span<const Rank> ranks) {
  Placement part;
  Renumbering machine(whole.machine_count());
  Renumbering group(whole.machine_count());
  for (const Rank rank : ranks) part.machine.push_back(machine(whole.machine[rank]));
  PointsOnGrid grid{whole.dimensions, whole.periodic, {}};
  for (const std::uint32_t old : machine.old()) {
    part.group.push_back(group(whole.group[old]));
    part.gateway.push_back(whole.gateway[old]);
    if (!whole.point.empty()) grid.point.push_back(whole.point[old]);
  }
  if (!whole.dimensions.empty()) put_in_box(grid, part);
  return part;
}

}  // namespace ayatori
