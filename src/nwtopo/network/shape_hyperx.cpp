#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <ranges>

#include "full_rows.hpp"
#include "shape_parts.hpp"

namespace ayatori {

namespace {

/// The dimensions in the order of the ports at the first router by name, which has coordinates 0.
FullRows in_order_of_ports(const RouterGraph& graph, const FullRows& rows) {
  std::vector<std::size_t> first_port(rows.dimensions.size(), no_id);
  std::size_t stride = rows.at.size();
  for (std::size_t k = 0; k < rows.dimensions.size(); ++k) {
    stride /= rows.dimensions[k];
    for (const auto& neighbour : graph.neighbours(rows.at.front())) {
      for (std::size_t i = 1; i < rows.dimensions[k]; ++i) {
        if (rows.at[i * stride] == neighbour.router) {
          first_port[k] = std::min<std::size_t>(first_port[k], neighbour.first_port);
        }
      }
    }
  }
  std::vector<std::size_t> order(rows.dimensions.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t k) { return first_port[k]; });
  return with_dimensions_in_order(rows, order);
}

std::vector<std::uint32_t> usual_cables(const RouterGraph& graph, const FullRows& rows) {
  std::vector<std::vector<std::uint32_t>> counts(rows.dimensions.size());
  for_pairs_of_rows(rows, [&](DeviceId a, DeviceId b, std::size_t dimension) {
    if (const auto cables = graph.cable_count(a, b); cables > 0) counts[dimension].push_back(cables);
  });
  std::vector<std::uint32_t> usual;
  for (const auto& of_dimension : counts) usual.push_back(most_common<std::uint32_t>(of_dimension));
  return usual;
}

/// Rows of 3 are rings, and two dimensions of 2 are a ring of 4: this is a torus of which cables are missing.
void make_torus(Shape& shape) {
  const FullRows rows{shape.dimensions, shape.at};
  std::vector<std::size_t> order(rows.dimensions.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t k) { return rows.dimensions[k]; });
  const FullRows sorted = with_dimensions_in_order(rows, order);
  const auto twos = static_cast<std::size_t>(std::ranges::count(sorted.dimensions, 2U));
  shape.kind = ShapeKind::grid;
  shape.dimensions.assign(twos / 2, 4);
  shape.dimensions.insert(shape.dimensions.end(), sorted.dimensions.begin() + static_cast<std::ptrdiff_t>(twos / 2 * 2),
                          sorted.dimensions.end());
  shape.periodic.assign(shape.dimensions.size(), true);
  std::size_t rest = sorted.at.size();
  for (std::size_t i = 0; i < twos / 2; ++i) rest /= 4;
  for (std::size_t point = 0; point < sorted.at.size(); ++point) {
    std::size_t before = 0;
    for (std::size_t quarter = sorted.at.size() / 4; quarter >= rest && quarter > 0; quarter /= 4) {
      constexpr std::array<std::size_t, 4> once_around = {0, 1, 3, 2};
      before += once_around[point / quarter % 4] * quarter;
    }
    shape.at[point] = sorted.at[before + point % rest];
  }
}

}  // namespace

std::expected<Shape, std::string> find_hyperx(const Network& network, const RouterGraph& graph,
                                              const Adjacency& adjacency) {
  const auto found = find_full_rows(adjacency, network.routers_in_order());
  if (!found) return std::unexpected(std::string(found.error()));
  const FullRows rows = in_order_of_ports(graph, *found);
  Shape shape;
  shape.kind = ShapeKind::hyperx;
  shape.dimensions = rows.dimensions;
  shape.at = rows.at;
  shape.cables = usual_cables(graph, rows);
  if (std::ranges::max(rows.dimensions) <= 3) make_torus(shape);
  for_pairs_of_rows(rows, [&](DeviceId a, DeviceId b, std::size_t dimension) {
    const auto [low, high] = std::minmax(a, b);
    name_unusual_cables(network, low, high, graph.cable_count(low, high), shape.cables[dimension], shape);
  });
  for (const auto& [a, b] : joined_across_rows(adjacency, rows)) {
    shape.irregularities.push_back(
        {IrregularityKind::foreign_cables,
         fmt::format("{} and {} are cabled, but differ in several coordinates", network.name(a), network.name(b))});
  }
  return shape;
}

}  // namespace ayatori
