#include "ayatori/network/shape.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

#include "shape_parts.hpp"

namespace ayatori {

namespace {

// --- the machines ---------------------------------------------------------------------------------------------------

std::vector<std::uint32_t> endpoints_per_machine(const Network& network, bool named) {
  std::vector<std::uint32_t> counts;
  for (const Machine& machine : network.machines()) {
    if (machine.named == named && !machine.endpoints.empty()) {
      counts.push_back(static_cast<std::uint32_t>(machine.endpoints.size()));
    }
  }
  return counts;
}

/// An unnamed HCA is one rail of an unknown host, so it does not count for the number of rails.
std::uint32_t usual_rails(const Network& network) {
  const auto named = endpoints_per_machine(network, true);
  return most_common<std::uint32_t>(named.empty() ? endpoints_per_machine(network, false) : named);
}

void count_machines(const Network& network, Shape& shape) {
  shape.machines = static_cast<std::uint32_t>(network.machines().size());
  shape.rails = usual_rails(network);
  for (const MachineId id : network.machines_in_order()) {
    const Machine& machine = network.machine(id);
    if (machine.endpoints.empty()) {
      shape.irregularities.push_back(
          {IrregularityKind::hosts_without_cables, fmt::format("the host {} has no cable", machine.name)});
    } else if (machine.named && machine.endpoints.size() != shape.rails) {
      const bool fewer = machine.endpoints.size() < shape.rails;
      shape.irregularities.push_back(
          {fewer ? IrregularityKind::hosts_with_fewer_rails : IrregularityKind::hosts_with_more_rails,
           fmt::format("the host {} has {}, most have {}", machine.name,
                       counted(machine.endpoints.size(), "rail", "rails"), shape.rails)});
    }
  }
}

/// "120 hosts with 4 rails and 69 HCAs without a host name".
std::string describe_machines(const Network& network, const Shape& shape) {
  const auto is_named = [](const Machine& machine) { return machine.named; };
  const auto machines = network.machines();
  const auto named = static_cast<std::size_t>(std::count_if(machines.begin(), machines.end(), is_named));
  const std::string hosts = named == 0 || shape.rails == 0 ? counted(named, "host", "hosts")
                                                           : fmt::format("{} with {}", counted(named, "host", "hosts"),
                                                                         counted(shape.rails, "rail", "rails"));
  if (named == machines.size()) return hosts;
  const std::string unnamed = counted(machines.size() - named, "HCA", "HCAs") + " without a host name";
  return named == 0 ? unnamed : hosts + " and " + unnamed;
}

// --- irregularities of every shape ----------------------------------------------------------------------------------

void name_loops(const Network& network, Shape& shape) {
  for (DeviceId router = 0; router < network.router_count(); ++router) {
    for (const Port& port : network.ports(router)) {
      if (!port.connected() || network.port(port.peer).device != router) continue;
      const PortNumber other = network.port(port.peer).number;
      if (port.number > other) continue;
      shape.irregularities.push_back(
          {IrregularityKind::foreign_cables,
           fmt::format("{} port {} and port {} are cabled to each other", network.name(router), port.number, other)});
    }
  }
}

void name_separate_parts(const Network& network, const RouterGraph& graph, Shape& shape) {
  const auto parts = graph.parts();
  const auto part_of = graph.part_numbers();
  std::vector<bool> has_hosts(parts.size());
  for (const PortId endpoint : network.endpoints()) {
    const DeviceId router = network.router_of(endpoint);
    if (router != no_id) has_hosts[part_of[router]] = true;
  }
  const auto with_hosts = std::ranges::find(has_hosts, true) - has_hosts.begin();
  const auto first = with_hosts == std::ssize(parts) ? 0 : static_cast<std::size_t>(with_hosts);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i == first) continue;
    shape.irregularities.push_back(
        {has_hosts[i] ? IrregularityKind::separate_parts : IrregularityKind::idle_routers,
         fmt::format("no cables lead from {} to {}", network.name(parts[first]), network.name(parts[i]))});
  }
}

// --- full, or no known shape ----------------------------------------------------------------------------------------

/// Nothing if any two routers are not cabled.
std::optional<Shape> find_full(const Network& network, const RouterGraph& graph) {
  if (graph.pair_count() != graph.size() * (graph.size() - 1) / 2) return std::nullopt;
  Shape shape;
  shape.kind = ShapeKind::full;
  shape.routers = {static_cast<std::uint32_t>(graph.size())};
  std::vector<std::uint32_t> cables;
  for (DeviceId router = 0; router < graph.size(); ++router) {
    for (const auto& other : graph.neighbours(router)) cables.push_back(other.cables);
  }
  shape.cables = {most_common<std::uint32_t>(cables)};
  for (DeviceId router = 0; router < graph.size(); ++router) {
    for (const auto& other : graph.neighbours(router)) {
      if (other.router > router) {
        name_unusual_cables(network, router, other.router, other.cables, shape.cables.front(), shape);
      }
    }
  }
  return shape;
}

std::string why_not_full(const Network& network, const RouterGraph& graph) {
  for (DeviceId router = 0; router < graph.size(); ++router) {
    if (graph.neighbours(router).size() + 1 == graph.size()) continue;
    for (DeviceId other = 0; other < graph.size(); ++other) {
      if (other != router && !graph.joins(router, other)) {
        return fmt::format("{} and {} are not cabled", network.name(router), network.name(other));
      }
    }
  }
  return "there is no router";
}

void name_unequal_hosts_of_all(const Network& network, Shape& shape) {
  std::vector<DeviceId> all(network.router_count());
  std::iota(all.begin(), all.end(), 0);
  name_unequal_hosts(network, all, shape);
}

bool has_one_leaf_among_idle(const Levels& levels) {
  return levels.idle.size() > 1 && std::ranges::count(levels.idle, false) == 1;
}

Shape find_shape(const Network& network, const RouterGraph& graph) {
  if (graph.size() == 0) return {};
  const auto levels = rank_levels(network);
  const bool has_levels = levels.has_value() && (levels->count > 1 || has_one_leaf_among_idle(*levels));
  TreeShape tree;
  if (has_levels) tree = describe_tree(network, graph, *levels);
  if (tree.plausible) return tree.shape;
  if (auto full = find_full(network, graph)) {
    name_unequal_hosts_of_all(network, *full);
    return *full;
  }
  auto grid = find_grid(network, graph);
  if (grid) {
    name_unequal_hosts_of_all(network, *grid);
    return *grid;
  }
  const Adjacency adjacency = adjacency_of(graph);
  auto hyperx = find_hyperx(network, graph, adjacency);
  if (hyperx) {
    name_unequal_hosts_of_all(network, *hyperx);
    return *hyperx;
  }
  if (auto dragonfly = find_dragonfly(network, graph, adjacency)) return *dragonfly;
  if (has_levels) return tree.shape;
  Shape shape;
  for (std::string& reason : std::vector<std::string>{
           fmt::format("no tree: {}", levels ? "no router stands above the leaves" : levels.error().reason),
           fmt::format("no grid: {}", grid.error()), fmt::format("not full: {}", why_not_full(network, graph)),
           fmt::format("no HyperX: {}", hyperx.error()),
           "no dragonfly: the routers do not fall into groups, most pairs of which are cabled"}) {
    shape.irregularities.push_back({IrregularityKind::no_shape, std::move(reason)});
  }
  return shape;
}

// --- the summary ----------------------------------------------------------------------------------------------------

std::string describe_levels(const Shape& shape) {
  std::vector<std::string> levels = {counted(shape.routers.front(), "leaf", "leaves")};
  for (std::size_t i = 1; i + 1 < shape.routers.size(); ++i) {
    levels.push_back(counted(shape.routers[i], "middle router", "middle routers"));
  }
  levels.push_back(counted(shape.routers.back(), "spine", "spines"));
  return fmt::format("{}", fmt::join(levels, " x "));
}

std::string describe_cables(const std::vector<std::uint32_t>& cables) {
  const bool all_equal = std::all_of(cables.begin(), cables.end(), [&](auto c) { return c == cables.front(); });
  if (all_equal) return counted(cables.front(), "cable", "cables") + " a pair";
  return fmt::format("{} cables a pair", fmt::join(cables, " and "));
}

std::string describe_tree(const Shape& shape) {
  if (shape.routers.size() == 1) return "one router";
  const std::string tree = fmt::format("fat tree, {} levels, {}, {}", shape.routers.size(), describe_levels(shape),
                                       describe_cables(shape.cables));
  if (shape.oversubscription.empty()) return tree;
  return fmt::format("{}, oversubscription {:.3g}:1", tree, std::ranges::max(shape.oversubscription));
}

std::string describe_grid(const Shape& shape) {
  const auto rings = static_cast<std::size_t>(std::count(shape.periodic.begin(), shape.periodic.end(), true));
  std::string text = rings == shape.periodic.size() ? "torus " : rings == 0 ? "mesh " : "grid ";
  text += fmt::format("{}", fmt::join(shape.dimensions, "x"));
  if (rings == 0 || rings == shape.periodic.size()) return text + ", " + describe_cables(shape.cables);
  std::vector<std::string> open;
  for (std::size_t i = 0; i < shape.periodic.size(); ++i) {
    if (!shape.periodic[i]) open.push_back(std::to_string(i + 1));
  }
  return fmt::format("{} with edges in dimension {}, {}", text, fmt::join(open, " and "),
                     describe_cables(shape.cables));
}

std::string describe_hyperx(const Shape& shape) {
  return fmt::format("HyperX {}, {}", fmt::join(shape.dimensions, "x"), describe_cables(shape.cables));
}

/// "dragonfly, 9 groups of 4 routers, 1 cable a pair, 1 cable between two groups"
std::string describe_dragonfly(const Shape& shape) {
  std::string group = counted(shape.routers.front(), "router", "routers");
  if (shape.kind == ShapeKind::dragonfly_plus) {
    group = fmt::format("{} x {}", counted(shape.routers.front(), "leaf", "leaves"),
                        counted(shape.routers.back(), "spine", "spines"));
  }
  if (!shape.dimensions.empty()) group += fmt::format(" as HyperX {}", fmt::join(shape.dimensions, "x"));
  return fmt::format(
      "{}, {} of {}, {}, {} between two groups", shape.kind == ShapeKind::dragonfly ? "dragonfly" : "dragonfly+",
      counted(shape.groups.size(), "group", "groups"), group,
      describe_cables({shape.cables.begin(), shape.cables.end() - 1}), counted(shape.cables.back(), "cable", "cables"));
}

std::string describe(const Network& network, const RouterGraph& graph, const Shape& shape) {
  switch (shape.kind) {
    case ShapeKind::fat_tree:
      return describe_tree(shape);
    case ShapeKind::grid:
      return describe_grid(shape);
    case ShapeKind::full:
      if (graph.size() == 1) return "one router";
      return fmt::format("full, {} routers, {}", graph.size(), describe_cables(shape.cables));
    case ShapeKind::hyperx:
      return describe_hyperx(shape);
    case ShapeKind::dragonfly:
    case ShapeKind::dragonfly_plus:
      return describe_dragonfly(shape);
    case ShapeKind::graph:
      break;
  }
  if (graph.size() == 0) return network.link_count() > 0 ? "no router, hosts back to back" : "no router";
  return fmt::format("no regular shape, {}, {} of them cabled", counted(graph.size(), "router", "routers"),
                     counted(graph.pair_count(), "pair", "pairs"));
}

}  // namespace

std::string_view to_words(IrregularityKind kind) {
  switch (kind) {
    case IrregularityKind::missing_cables:
      return "missing cables";
    case IrregularityKind::separate_parts:
      return "parts without cables between them";
    case IrregularityKind::hosts_without_cables:
      return "hosts without a cable";
    case IrregularityKind::hosts_with_fewer_rails:
      return "hosts with fewer rails";
    case IrregularityKind::idle_routers:
      return "switches without hosts";
    case IrregularityKind::unequal_hosts:
      return "switches with more or fewer hosts";
    case IrregularityKind::hosts_above_leaves:
      return "hosts above the leaves";
    case IrregularityKind::oversubscribed_routers:
      return "oversubscribed more than most";
    case IrregularityKind::unequal_groups:
      return "unequal groups";
    case IrregularityKind::foreign_cables:
      return "cables outside of the shape";
    case IrregularityKind::more_cables:
      return "more cables than usual";
    case IrregularityKind::hosts_with_more_rails:
      return "hosts with more rails";
    case IrregularityKind::no_shape:
      return "why no regular shape";
  }
  return "";
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::vector<std::uint32_t> endpoints_per_router(const Network& network) {
  std::vector<std::uint32_t> counts(network.router_count());
  for (const PortId endpoint : network.endpoints()) {
    const DeviceId router = network.router_of(endpoint);
    if (router != no_id) ++counts[router];
  }
  return counts;
}

void name_unequal_hosts(const Network& network, std::span<const DeviceId> routers, Shape& shape) {
  const auto everywhere = endpoints_per_router(network);
  std::vector<std::uint32_t> counts;
  for (const DeviceId router : routers) counts.push_back(everywhere[router]);
  const auto usual = most_common<std::uint32_t>(counts);
  for (const DeviceId router : routers) {
    if (everywhere[router] == usual) continue;
    shape.irregularities.push_back(
        {IrregularityKind::unequal_hosts, fmt::format("{} has {} to hosts, most have {}", network.name(router),
                                                      counted(everywhere[router], "cable", "cables"), usual)});
  }
}

Irregularity unusual_cables(std::string_view a, std::string_view b, std::uint32_t cables, std::uint32_t usual) {
  if (cables < usual) {
    return {IrregularityKind::missing_cables,
            fmt::format("{} <-> {}: {} of {}", a, b, cables, counted(usual, "cable", "cables"))};
  }
  return {IrregularityKind::more_cables,
          fmt::format("{} <-> {}: {}, most have {}", a, b, counted(cables, "cable", "cables"), usual)};
}

void name_unusual_cables(const Network& network, DeviceId a, DeviceId b, std::uint32_t cables, std::uint32_t usual,
                         Shape& shape) {
  if (cables == usual) return;
  if (cables == 0) ++shape.missing_pairs;
  shape.irregularities.push_back(unusual_cables(network.name(a), network.name(b), cables, usual));
}

Shape recognise(const Network& network) {
  const RouterGraph graph(network);
  Shape shape = find_shape(network, graph);
  name_loops(network, shape);
  name_separate_parts(network, graph, shape);
  count_machines(network, shape);
  std::ranges::stable_sort(shape.irregularities, {}, &Irregularity::kind);
  shape.summary = describe(network, graph, shape) + ", " + describe_machines(network, shape);
  return shape;
}

}  // namespace ayatori
