#pragma once
/// \file
/// The parts of recognise(), one for each shape.

#include <algorithm>
#include <expected>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adjacency.hpp"
#include "ayatori/network/levels.hpp"
#include "ayatori/network/router_graph.hpp"
#include "ayatori/network/shape.hpp"

namespace ayatori {

/// The value that occurs most often, the largest of several; 0 if there is none.
template <typename Value>
[[nodiscard]] Value most_common(std::span<const Value> values) {
  std::map<Value, std::size_t> counts;
  for (const Value& value : values) ++counts[value];
  const auto by_count = [](const auto& a, const auto& b) { return a.second <= b.second; };
  const auto best = std::max_element(counts.begin(), counts.end(), by_count);
  return best == counts.end() ? Value{} : best->first;
}

/// "1 leaf", "31 leaves".
[[nodiscard]] std::string counted(std::size_t count, std::string_view one, std::string_view many);

/// Endpoints on each router.
[[nodiscard]] std::vector<std::uint32_t> endpoints_per_router(const Network& network);
/// Names those among `routers` that have more or fewer hosts than is common.
void name_unequal_hosts(const Network& network, std::span<const DeviceId> routers, Shape& shape);
/// Two routers, or groups of them, with another number of cables than is usual.
[[nodiscard]] Irregularity unusual_cables(std::string_view a, std::string_view b, std::uint32_t cables,
                                          std::uint32_t usual);
/// Names a pair of routers whose number of cables is not the usual one.
void name_unusual_cables(const Network& network, DeviceId a, DeviceId b, std::uint32_t cables, std::uint32_t usual,
                         Shape& shape);

/// The result of describe_tree().
struct TreeShape {
  Shape shape;
  /// True if one router has all hosts, or if there are at least two leaves, and most pairs of routers on neighbouring
  /// levels of a group are cabled. A grid with few hosts can be ranked into levels too, but then has few of the cables
  /// of a tree.
  bool plausible = false;
};
[[nodiscard]] TreeShape describe_tree(const Network& network, const RouterGraph& graph, const Levels& levels);

/// Compares all cables with those of the grid that has these routers at its points. Error: the first difference, with
/// names.
[[nodiscard]] std::expected<void, std::string> compare_with_grid(const Network& network, const RouterGraph& graph,
                                                                 const Shape& grid);

/// Error: why it is not a grid, with names.
[[nodiscard]] std::expected<Shape, std::string> find_grid(const Network& network, const RouterGraph& graph);

/// Error: why it is not a HyperX.
[[nodiscard]] std::expected<Shape, std::string> find_hyperx(const Network& network, const RouterGraph& graph,
                                                            const Adjacency& adjacency);
/// Nothing if it is neither a dragonfly nor a dragonfly+.
[[nodiscard]] std::optional<Shape> find_dragonfly(const Network& network, const RouterGraph& graph,
                                                  const Adjacency& adjacency);

}  // namespace ayatori
