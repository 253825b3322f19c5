#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <span>

#include "shape_parts.hpp"

namespace ayatori {

namespace {

/// A connected component of the routers of two neighbouring levels. In a regular tree (XGFT) all lower routers are
/// cabled to all upper ones: between leaves and middle routers these groups are the pods.
struct Group {
  std::vector<DeviceId> lower;
  std::vector<DeviceId> upper;
  std::size_t cabled_pairs = 0;

  [[nodiscard]] std::size_t pairs() const { return lower.size() * upper.size(); }
  [[nodiscard]] bool is_dense() const { return 2 * cabled_pairs > pairs(); }
};

class TreeDescriber {
 public:
  TreeDescriber(const Network& network, const RouterGraph& graph, const Levels& levels)
      : network_(network), graph_(graph), levels_(levels), endpoints_(endpoints_per_router(network)) {}

  [[nodiscard]] TreeShape describe();

 private:
  [[nodiscard]] std::string_view name(DeviceId router) const { return network_.name(router); }
  [[nodiscard]] std::uint8_t level(DeviceId router) const { return levels_.level[router]; }
  [[nodiscard]] bool idle(DeviceId router) const { return levels_.idle[router]; }
  [[nodiscard]] std::vector<DeviceId> routers_of(std::uint8_t level) const;
  [[nodiscard]] std::vector<Group> groups_above(std::uint8_t level) const;
  [[nodiscard]] std::uint32_t usual_cables(const std::vector<Group>& groups) const;
  [[nodiscard]] double usual_capacity() const;
  void add_oversubscription(std::uint8_t level, Shape& shape) const;
  [[nodiscard]] std::optional<double> oversubscription(DeviceId router) const;

  void name_machines_above_leaves(Shape& shape) const;
  void name_idle(Shape& shape) const;
  [[nodiscard]] std::string describe_idle(const std::vector<DeviceId>& routers,
                                          const std::vector<DeviceId>& hang_on) const;
  void name_unusual_groups(const std::vector<Group>& groups, Shape& shape) const;
  void name_missing_cables(const Group& group, std::uint32_t usual, Shape& shape) const;

  const Network& network_;
  const RouterGraph& graph_;
  const Levels& levels_;
  std::vector<std::uint32_t> endpoints_;
  double usual_capacity_ = 0;
};

std::vector<DeviceId> TreeDescriber::routers_of(std::uint8_t wanted) const {
  std::vector<DeviceId> found;
  for (DeviceId router = 0; router < graph_.size(); ++router) {
    if (level(router) == wanted && !idle(router)) found.push_back(router);
  }
  return found;
}

std::vector<Group> TreeDescriber::groups_above(std::uint8_t lower_level) const {
  std::vector<Group> groups;
  std::vector<bool> seen(graph_.size());
  std::vector<DeviceId> waiting;
  for (const DeviceId start : routers_of(lower_level)) {
    if (seen[start]) continue;
    Group group;
    seen[start] = true;
    waiting.push_back(start);
    while (!waiting.empty()) {
      const DeviceId router = waiting.back();
      waiting.pop_back();
      const bool is_lower = level(router) == lower_level;
      (is_lower ? group.lower : group.upper).push_back(router);
      for (const auto& other : graph_.neighbours(router)) {
        if (idle(other.router) || level(other.router) != (is_lower ? lower_level + 1 : lower_level)) continue;
        if (is_lower) ++group.cabled_pairs;
        if (seen[other.router]) continue;
        seen[other.router] = true;
        waiting.push_back(other.router);
      }
    }
    std::sort(group.lower.begin(), group.lower.end());
    std::sort(group.upper.begin(), group.upper.end());
    groups.push_back(std::move(group));
  }
  return groups;
}

std::uint32_t TreeDescriber::usual_cables(const std::vector<Group>& groups) const {
  std::vector<std::uint32_t> counts;
  for (const Group& group : groups) {
    for (const DeviceId router : group.lower) {
      for (const auto& other : graph_.neighbours(router)) {
        if (level(other.router) > level(router) && !idle(other.router)) counts.push_back(other.cables);
      }
    }
  }
  return most_common<std::uint32_t>(counts);
}

// --- oversubscription -----------------------------------------------------------------------------------------------

/// The capacity that a cable of unknown rate is taken to have; 0 if no rate is known at all.
double TreeDescriber::usual_capacity() const {
  const auto is_idle = [&](DeviceId device) { return network_.is_router(device) && idle(device); };
  std::vector<double> known;
  for (PortId id = 0; id < network_.port_count(); ++id) {
    const Port& port = network_.port(id);
    if (!port.connected() || !port.rate.known()) continue;
    const bool leads_to_idle = is_idle(port.device) || is_idle(network_.port(port.peer).device);
    if (!leads_to_idle) known.push_back(port.rate.bytes_per_second());
  }
  return known.empty() ? 0 : most_common<double>(known);
}

/// Capacity down : capacity up. Nothing for a router without cables upwards: that is a defect, not a ratio.
std::optional<double> TreeDescriber::oversubscription(DeviceId router) const {
  double down = 0;
  double up = 0;
  for (const Port& port : network_.ports(router)) {
    if (!port.connected()) continue;
    const double capacity = port.rate.known() ? port.rate.bytes_per_second() : usual_capacity_;
    const DeviceId other = network_.port(port.peer).device;
    const bool is_router = network_.is_router(other);
    if (is_router && idle(other)) continue;
    if (is_router && level(other) > level(router)) up += capacity;
    if (is_router ? level(other) < level(router) : network_.device(other).kind == DeviceKind::nic) down += capacity;
  }
  return up > 0 ? std::optional(down / up) : std::nullopt;
}

/// What most routers of the level have is how the network was designed; the worst router is named as an
/// irregularity. A source without any rate (Slurm's topology.conf) does not know the number of cables either, so no
/// oversubscription is given.
void TreeDescriber::add_oversubscription(std::uint8_t wanted, Shape& shape) const {
  if (usual_capacity_ == 0) return;
  std::vector<double> ratios;
  DeviceId worst = no_id;
  double worst_ratio = 0;
  for (const DeviceId router : routers_of(wanted)) {
    const auto ratio = oversubscription(router);
    if (!ratio) continue;
    ratios.push_back(*ratio);
    if (*ratio <= worst_ratio) continue;
    worst = router;
    worst_ratio = *ratio;
  }
  if (ratios.empty()) return;
  shape.oversubscription.push_back(most_common<double>(ratios));
  if (worst_ratio <= shape.oversubscription.back()) return;
  shape.irregularities.push_back(
      {IrregularityKind::oversubscribed_routers, fmt::format("{} is oversubscribed {:.3g}:1, most are {:.3g}:1",
                                                             name(worst), worst_ratio, shape.oversubscription.back())});
}

// --- irregularities -------------------------------------------------------------------------------------------------

void TreeDescriber::name_machines_above_leaves(Shape& shape) const {
  for (DeviceId router = 0; router < graph_.size(); ++router) {
    if (level(router) == 0 || endpoints_[router] == 0) continue;
    shape.irregularities.push_back(
        {IrregularityKind::hosts_above_leaves, fmt::format("{} stands above the leaves and has {}", name(router),
                                                           counted(endpoints_[router], "host", "hosts"))});
  }
}

/// Idle routers that are cabled to each other are named together. name_separate_parts() names those that hang on
/// nothing.
void TreeDescriber::name_idle(Shape& shape) const {
  std::vector<bool> seen(graph_.size());
  for (DeviceId start = 0; start < graph_.size(); ++start) {
    if (!idle(start) || seen[start]) continue;
    std::vector<DeviceId> found = {start};
    std::vector<DeviceId> hang_on;
    seen[start] = true;
    for (std::size_t i = 0; i < found.size(); ++i) {
      for (const auto& other : graph_.neighbours(found[i])) {
        if (!idle(other.router)) hang_on.push_back(other.router);
        if (!idle(other.router) || seen[other.router]) continue;
        seen[other.router] = true;
        found.push_back(other.router);
      }
    }
    if (hang_on.empty()) continue;
    std::ranges::sort(found);
    shape.irregularities.push_back({IrregularityKind::idle_routers, describe_idle(found, hang_on)});
  }
}

/// "a pod of 4 leaves and 4 spines has no hosts: A, B, C, …", "A hangs on L3 and has no hosts", "A has no hosts".
std::string TreeDescriber::describe_idle(const std::vector<DeviceId>& routers,
                                         const std::vector<DeviceId>& hang_on) const {
  constexpr std::size_t max_names = 3;
  const bool on_one = std::ranges::all_of(hang_on, [&](DeviceId other) { return other == hang_on.front(); });
  if (routers.size() == 1) {
    const std::string hangs = on_one ? fmt::format(" hangs on {} and", name(hang_on.front())) : "";
    return fmt::format("{}{} has no hosts", name(routers.front()), hangs);
  }
  std::vector<std::string_view> names;
  for (const DeviceId router : std::span(routers).first(std::min(routers.size(), max_names))) {
    names.push_back(name(router));
  }
  if (routers.size() > max_names) names.emplace_back("…");
  const auto is_leaf = [&](DeviceId router) { return level(router) == 0; };
  const auto leaves = static_cast<std::size_t>(std::ranges::count_if(routers, is_leaf));
  const bool is_pod = std::ranges::none_of(hang_on, is_leaf) && leaves > 0 && leaves < routers.size();
  if (is_pod) {
    return fmt::format("a pod of {} and {} has no hosts: {}", counted(leaves, "leaf", "leaves"),
                       counted(routers.size() - leaves, "spine", "spines"), fmt::join(names, ", "));
  }
  return fmt::format("{} routers{} have no hosts: {}", routers.size(),
                     on_one ? fmt::format(" that hang on {}", name(hang_on.front())) : "", fmt::join(names, ", "));
}

void TreeDescriber::name_unusual_groups(const std::vector<Group>& groups, Shape& shape) const {
  std::vector<std::pair<std::size_t, std::size_t>> sizes;
  for (const Group& group : groups) {
    if (!group.upper.empty()) sizes.emplace_back(group.lower.size(), group.upper.size());
  }
  const auto usual = most_common<std::pair<std::size_t, std::size_t>>(sizes);
  for (const Group& group : groups) {
    const DeviceId first = group.lower.front();
    if (group.upper.empty()) {
      shape.irregularities.push_back(
          {IrregularityKind::missing_cables, fmt::format("{} has no cable upwards", name(first))});
    } else if (std::pair(group.lower.size(), group.upper.size()) != usual) {
      shape.irregularities.push_back({IrregularityKind::unequal_groups,
                                      fmt::format("{} is in a group of {} below {}; most groups are of {} below {}",
                                                  name(first), counted(group.lower.size(), "router", "routers"),
                                                  group.upper.size(), usual.first, usual.second)});
    }
  }
}

void TreeDescriber::name_missing_cables(const Group& group, std::uint32_t usual, Shape& shape) const {
  // So few cables must be on purpose: thousands of "missing" cables would hide the real faults.
  if (!group.is_dense()) {
    shape.irregularities.push_back(
        {IrregularityKind::unequal_groups,
         fmt::format("{} and those next to it: {} of {} pairs of {} routers below {} are cabled",
                     name(group.lower.front()), group.cabled_pairs, group.pairs(), group.lower.size(),
                     group.upper.size())});
    return;
  }
  for (const DeviceId lower : group.lower) {
    for (const DeviceId upper : group.upper) {
      name_unusual_cables(network_, lower, upper, graph_.cable_count(lower, upper), usual, shape);
    }
  }
}

TreeShape TreeDescriber::describe() {
  TreeShape tree;
  Shape& shape = tree.shape;
  shape.kind = ShapeKind::fat_tree;
  usual_capacity_ = usual_capacity();
  const auto leaves = routers_of(0);
  tree.plausible = leaves.size() >= 2 || levels_.count == 1;
  for (std::uint8_t i = 0; i < levels_.count; ++i) {
    shape.routers.push_back(static_cast<std::uint32_t>(routers_of(i).size()));
    if (i + 1 == levels_.count) break;
    const auto groups = groups_above(i);
    shape.cables.push_back(usual_cables(groups));
    add_oversubscription(i, shape);
    name_unusual_groups(groups, shape);
    for (const Group& group : groups) {
      if (group.upper.empty()) continue;
      tree.plausible &= group.is_dense();
      name_missing_cables(group, shape.cables.back(), shape);
    }
  }
  name_machines_above_leaves(shape);
  name_idle(shape);
  name_unequal_hosts(network_, leaves, shape);
  return tree;
}

}  // namespace

TreeShape describe_tree(const Network& network, const RouterGraph& graph, const Levels& levels) {
  return TreeDescriber(network, graph, levels).describe();
}

}  // namespace ayatori
