#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "router_groups.hpp"
#include "shape_parts.hpp"

namespace ayatori {

namespace {

using Pair = std::pair<DeviceId, DeviceId>;

class DragonflyDescriber {
 public:
  DragonflyDescriber(const Network& network, const RouterGraph& graph, GroupNumbers group)
      : network_(network), graph_(graph), group_(std::move(group)) {}

  [[nodiscard]] Shape describe(const std::vector<FullRows>& rows);
  [[nodiscard]] Shape describe_plus(const std::vector<bool>& is_leaf);

 private:
  void add_groups(const std::vector<bool>& is_leaf);
  void add_sizes();
  void add_hosts();
  void add_cables_inside(const std::vector<Pair>& pairs);
  void add_cables_between();
  void name_uneven_groups();
  void name_strays(const std::vector<bool>& is_leaf);
  [[nodiscard]] std::string name_of_group(std::size_t number) const {
    return fmt::format("the group of {}", network_.name(shape_.groups[number].routers.front()));
  }

  const Network& network_;
  const RouterGraph& graph_;
  GroupNumbers group_;
  Shape shape_;
};

/// Numbers the groups anew, in the order of their first routers.
void DragonflyDescriber::add_groups(const std::vector<bool>& is_leaf) {
  std::map<std::uint32_t, std::uint32_t> numbers;
  for (const bool leaves : {true, false}) {
    for (const DeviceId router : network_.routers_in_order()) {
      if (is_leaf[router] != leaves) continue;
      const auto number = numbers.try_emplace(group_[router], static_cast<std::uint32_t>(numbers.size())).first->second;
      if (number == shape_.groups.size()) shape_.groups.emplace_back();
      (leaves ? shape_.groups[number].routers : shape_.groups[number].spines).push_back(router);
    }
  }
  for (std::uint32_t& group : group_) group = numbers.at(group);
}

void DragonflyDescriber::add_sizes() {
  const bool has_spines = shape_.kind == ShapeKind::dragonfly_plus;
  std::vector<std::pair<std::size_t, std::size_t>> sizes;
  for (const RouterGroup& group : shape_.groups) sizes.emplace_back(group.routers.size(), group.spines.size());
  const auto usual = most_common<std::pair<std::size_t, std::size_t>>(sizes);
  shape_.routers = {static_cast<std::uint32_t>(usual.first)};
  if (has_spines) shape_.routers.push_back(static_cast<std::uint32_t>(usual.second));
  const auto in_words = [&](const std::pair<std::size_t, std::size_t>& size) {
    if (!has_spines) return counted(size.first, "router", "routers");
    return fmt::format("{} and {}", counted(size.first, "leaf", "leaves"), counted(size.second, "spine", "spines"));
  };
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == usual) continue;
    shape_.irregularities.push_back(
        {IrregularityKind::unequal_groups,
         fmt::format("{} has {}, most have {}", name_of_group(i), in_words(sizes[i]), in_words(usual))});
  }
}

void DragonflyDescriber::add_hosts() {
  const auto counts = endpoints_per_router(network_);
  std::vector<DeviceId> with_hosts;
  std::vector<std::uint32_t> hosts;
  for (const RouterGroup& group : shape_.groups) {
    with_hosts.insert(with_hosts.end(), group.routers.begin(), group.routers.end());
    for (const DeviceId spine : group.spines) {
      if (counts[spine] == 0) continue;
      shape_.irregularities.push_back(
          {IrregularityKind::hosts_above_leaves,
           fmt::format("the spine {} has {}", network_.name(spine), counted(counts[spine], "host", "hosts"))});
    }
  }
  for (const DeviceId router : with_hosts) hosts.push_back(counts[router]);
  shape_.hosts = most_common<std::uint32_t>(hosts);
  name_unequal_hosts(network_, with_hosts, shape_);
}

/// Cables between pairs of routers that are alike.
void DragonflyDescriber::add_cables_inside(const std::vector<Pair>& pairs) {
  std::vector<std::uint32_t> counts;
  for (const auto& [a, b] : pairs) {
    if (const auto cables = graph_.cable_count(a, b); cables > 0) counts.push_back(cables);
  }
  const auto usual = most_common<std::uint32_t>(counts);
  shape_.cables.push_back(usual);
  for (const auto& [a, b] : pairs) name_unusual_cables(network_, a, b, graph_.cable_count(a, b), usual, shape_);
}

/// Where the numbers of cables between groups differ anyway, only their range and the groups without any are named.
void DragonflyDescriber::add_cables_between() {
  const std::size_t count = shape_.groups.size();
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> cables;
  for (DeviceId router = 0; router < graph_.size(); ++router) {
    for (const auto& neighbour : graph_.neighbours(router)) {
      if (group_[router] < group_[neighbour.router]) {
        cables[{group_[router], group_[neighbour.router]}] += neighbour.cables;
      }
    }
  }
  std::vector<std::uint32_t> counts;
  for (const auto& [pair, number] : cables) counts.push_back(number);
  const auto usual = most_common<std::uint32_t>(counts);
  shape_.cables.push_back(usual);
  const bool are_alike = are_most(static_cast<std::size_t>(std::ranges::count(counts, usual)), counts.size());
  if (!are_alike) {
    shape_.irregularities.push_back(
        {IrregularityKind::unequal_groups, fmt::format("there are {} to {} cables between two groups",
                                                       std::ranges::min(counts), std::ranges::max(counts))});
  }
  for (std::uint32_t a = 0; a < count; ++a) {
    for (std::uint32_t b = a + 1; b < count; ++b) {
      const auto found = cables.find({a, b});
      const std::uint32_t number = found == cables.end() ? 0 : found->second;
      if (number == usual || (number > 0 && !are_alike)) continue;
      shape_.irregularities.push_back(unusual_cables(name_of_group(a), name_of_group(b), number, usual));
    }
  }
}

/// In how many cables to other groups its routers have, each group should be like most.
void DragonflyDescriber::name_uneven_groups() {
  std::vector<std::vector<std::uint32_t>> cables(shape_.groups.size());
  for (std::size_t i = 0; i < cables.size(); ++i) {
    const RouterGroup& group = shape_.groups[i];
    for (const DeviceId router : group.spines.empty() ? group.routers : group.spines) {
      cables[i].push_back(0);
      for (const auto& cable : graph_.cables(router)) cables[i].back() += group_[cable.peer] == i ? 0 : 1;
    }
    std::ranges::sort(cables[i], std::greater{});
  }
  const auto usual = most_common<std::vector<std::uint32_t>>(cables);
  if (!are_most(static_cast<std::size_t>(std::ranges::count(cables, usual)), cables.size())) {
    shape_.irregularities.push_back({IrregularityKind::unequal_groups,
                                     "cables to other groups are not spread over the routers of all groups alike"});
    return;
  }
  const auto total = [](const std::vector<std::uint32_t>& counts) {
    return std::accumulate(counts.begin(), counts.end(), 0U);
  };
  for (std::size_t i = 0; i < cables.size(); ++i) {
    // Of a group with fewer cables or routers, those have been named.
    if (cables[i] == usual || cables[i].size() != usual.size() || total(cables[i]) != total(usual)) continue;
    shape_.irregularities.push_back(
        {IrregularityKind::unequal_groups,
         fmt::format("the routers of {} have {} cables to other groups, most have {}", name_of_group(i).substr(4),
                     fmt::join(cables[i], ", "), fmt::join(usual, ", "))});
  }
}

/// Cables of a dragonfly+ that join two leaves, a leaf and a spine of another group, or two spines of one group.
void DragonflyDescriber::name_strays(const std::vector<bool>& is_leaf) {
  for (DeviceId a = 0; a < graph_.size(); ++a) {
    for (const auto& [b, cables, port] : graph_.neighbours(a)) {
      const bool same_group = group_[a] == group_[b];
      if (b < a || (is_leaf[a] != is_leaf[b] ? same_group : !is_leaf[a] && !same_group)) continue;
      const std::string_view what = is_leaf[a] && is_leaf[b]   ? "both leaves"
                                    : is_leaf[a] == is_leaf[b] ? "both spines of one group"
                                                               : "a leaf and a spine of two groups";
      shape_.irregularities.push_back(
          {IrregularityKind::foreign_cables,
           fmt::format("{} and {}, {}, are cabled", network_.name(a), network_.name(b), what)});
    }
  }
}

Shape DragonflyDescriber::describe(const std::vector<FullRows>& rows) {
  shape_.kind = ShapeKind::dragonfly;
  const auto members = members_of(group_);  // in the order of `rows`
  add_groups(std::vector<bool>(graph_.size(), true));
  add_sizes();
  std::vector<std::vector<Pair>> pairs(rows.empty() ? 1 : rows.front().dimensions.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for_pairs_of_rows(rows[i], [&](std::uint32_t a, std::uint32_t b, std::size_t dimension) {
      pairs[dimension].emplace_back(members[i][a], members[i][b]);
    });
  }
  if (!rows.empty()) shape_.dimensions = rows.front().dimensions;
  for (std::size_t i = 0; i < (rows.empty() ? shape_.groups.size() : 0); ++i) {
    const auto& routers = shape_.groups[i].routers;
    for (auto a = routers.begin(); a != routers.end(); ++a) {
      for (auto b = a + 1; b != routers.end(); ++b) pairs.front().emplace_back(*a, *b);
    }
  }
  for (const auto& alike : pairs) add_cables_inside(alike);
  add_cables_between();
  name_uneven_groups();
  add_hosts();
  return std::move(shape_);
}

Shape DragonflyDescriber::describe_plus(const std::vector<bool>& is_leaf) {
  shape_.kind = ShapeKind::dragonfly_plus;
  add_groups(is_leaf);
  add_sizes();
  std::vector<Pair> pairs;
  for (const RouterGroup& group : shape_.groups) {
    for (const DeviceId leaf : group.routers) {
      for (const DeviceId spine : group.spines) pairs.emplace_back(leaf, spine);
    }
  }
  add_cables_inside(pairs);
  add_cables_between();
  name_uneven_groups();
  name_strays(is_leaf);
  add_hosts();
  return std::move(shape_);
}

}  // namespace

std::optional<Shape> find_dragonfly(const Network& network, const RouterGraph& graph, const Adjacency& adjacency) {
  if (auto plus = dragonfly_plus_groups(adjacency, endpoints_per_router(network))) {
    return DragonflyDescriber(network, graph, std::move(plus->group)).describe_plus(plus->is_leaf);
  }
  auto group = dragonfly_groups(graph, adjacency);
  if (!group) return std::nullopt;
  const auto fit = fit_dragonfly(graph, adjacency, *group);
  Shape shape = DragonflyDescriber(network, graph, std::move(*group)).describe(fit->rows);
  // Two fully cabled parts are a dragonfly only if nothing contradicts it; an Aries' groups are unmistakable.
  const bool is_regular = std::ranges::none_of(shape.irregularities, [](const auto& irregular) {
    return irregular.text.contains(" <-> ") || irregular.text.contains("to other groups");
  });
  if (shape.groups.size() == 2 && fit->rows.empty() && !is_regular) return std::nullopt;
  return shape;
}

}  // namespace ayatori
