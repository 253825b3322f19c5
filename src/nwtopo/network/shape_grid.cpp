#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <utility>

#include "shape_parts.hpp"

namespace ayatori {

namespace {

/// Recognises the Cartesian product of lines and rings. In one, two cables of a router that lie in different dimensions
/// span a square: their far ends have exactly one more neighbour in common, and no cable between them. Two cables
/// along one dimension do not. (A ring of 4 is its own square: it is the product of two lines of 2 and is
/// found as such first.) So squares determine the dimensions at one corner and the place of every router; then
/// the comparison with the finished grid proves that all cables fit.
class GridFinder {
 public:
  GridFinder(const Network& network, const RouterGraph& graph) : network_(network), graph_(graph) {}

  [[nodiscard]] std::expected<Shape, std::string> find();

 private:
  /// Routers along a dimension, from the corner on.
  struct Line {
    std::vector<DeviceId> routers;
    bool ring = false;
  };
  using Found = std::expected<void, std::string>;

  [[nodiscard]] std::string name(DeviceId router) const { return std::string(network_.name(router)); }
  [[nodiscard]] bool same_dimension(DeviceId a, DeviceId b) const {
    return graph_.joins(a, b) || graph_.common_neighbours(a, b).size() == 1;
  }
  [[nodiscard]] Found check_degrees() const;
  [[nodiscard]] DeviceId corner() const;
  [[nodiscard]] Found draw_lines(DeviceId corner);
  [[nodiscard]] std::expected<Line, std::string> follow(DeviceId corner, DeviceId first) const;
  [[nodiscard]] DeviceId straight_on(DeviceId from, DeviceId here) const;

  [[nodiscard]] Found place_all();
  [[nodiscard]] DeviceId router_at(std::size_t place) const;
  [[nodiscard]] std::size_t coordinate(std::size_t place, std::size_t dimension) const {
    return place / strides_[dimension] % lines_[dimension].routers.size();
  }

  [[nodiscard]] Shape lines_as_grid() const;
  [[nodiscard]] Shape shape() const;
  void merge_squares(Shape& shape) const;

  const Network& network_;
  const RouterGraph& graph_;
  std::vector<Line> lines_;           // one a dimension
  std::vector<std::size_t> strides_;  // the last dimension runs fastest
  std::vector<DeviceId> at_;          // router by place
};

/// A router with the fewest neighbours is at the ends of lines. Of several the first by name is taken, so that
/// coordinates do not depend on the order of discovery.
DeviceId GridFinder::corner() const {
  const auto routers = network_.routers_in_order();
  return *std::ranges::min_element(routers, {}, [&](DeviceId router) { return graph_.neighbours(router).size(); });
}

GridFinder::Found GridFinder::draw_lines(DeviceId corner) {
  std::vector<RouterGraph::Neighbour> starts(graph_.neighbours(corner).begin(), graph_.neighbours(corner).end());
  std::sort(starts.begin(), starts.end(), [](auto& a, auto& b) { return a.first_port < b.first_port; });
  while (!starts.empty()) {
    const DeviceId first = starts.front().router;
    auto line = follow(corner, first);
    if (!line) return std::unexpected(line.error());
    const DeviceId last = line->routers.back();
    std::erase_if(starts,
                  [&](const auto& start) { return start.router == first || (line->ring && start.router == last); });
    lines_.push_back(std::move(*line));
  }
  return {};
}

std::expected<GridFinder::Line, std::string> GridFinder::follow(DeviceId corner, DeviceId first) const {
  Line line{{corner, first}, false};
  while (line.routers.size() <= graph_.size()) {
    const DeviceId next = straight_on(line.routers.end()[-2], line.routers.back());
    line.ring = next == corner;
    if (next == no_id || line.ring) return line;
    line.routers.push_back(next);
  }
  return std::unexpected(fmt::format("the line from {} through {} does not end", name(corner), name(first)));
}

DeviceId GridFinder::straight_on(DeviceId from, DeviceId here) const {
  for (const auto& neighbour : graph_.neighbours(here)) {
    if (neighbour.router != from && same_dimension(from, neighbour.router)) return neighbour.router;
  }
  return no_id;
}

GridFinder::Found GridFinder::place_all() {
  std::size_t places = 1;
  strides_.assign(lines_.size(), 1);
  for (std::size_t i = lines_.size(); i-- > 0 && places <= graph_.size(); places *= lines_[i].routers.size()) {
    strides_[i] = places;
  }
  if (places != graph_.size()) {
    std::vector<std::size_t> lengths;
    for (const Line& line : lines_) lengths.push_back(line.routers.size());
    return std::unexpected(fmt::format("the lines through {} are {} long, which does not make {} routers",
                                       name(lines_.front().routers.front()), fmt::join(lengths, " x "), graph_.size()));
  }
  std::vector<bool> placed(graph_.size());
  for (std::size_t place = 0; place < places; ++place) {
    const DeviceId router = router_at(place);
    if (router == no_id) return std::unexpected(fmt::format("no square is complete after {}", name(at_.back())));
    if (placed[router]) return std::unexpected(fmt::format("{} would stand at two places", name(router)));
    placed[router] = true;
    at_.push_back(router);
  }
  return {};
}

/// Completes the square of the three routers at the places before it.
DeviceId GridFinder::router_at(std::size_t place) const {
  std::vector<std::size_t> away;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if (coordinate(place, i) > 0) away.push_back(i);
  }
  if (away.empty()) return lines_.front().routers.front();
  if (away.size() == 1) return lines_[away[0]].routers[coordinate(place, away[0])];
  const std::size_t i = strides_[away[0]];
  const std::size_t j = strides_[away[1]];
  auto corners = graph_.common_neighbours(at_[place - i], at_[place - j]);
  std::erase(corners, at_[place - i - j]);
  return corners.size() == 1 ? corners.front() : no_id;
}

Shape GridFinder::lines_as_grid() const {
  Shape shape;
  shape.kind = ShapeKind::grid;
  for (const Line& line : lines_) {
    shape.dimensions.push_back(static_cast<std::uint32_t>(line.routers.size()));
    shape.periodic.push_back(line.ring);
  }
  shape.at = at_;
  return shape;
}

/// A line of 2 and a ring of 2 have the same cable. They count as rings unless a longer dimension shows that this is a
/// mesh; two rings of 2 together are reported as a ring of 4.
void GridFinder::merge_squares(Shape& shape) const {
  const bool mesh =
      std::any_of(lines_.begin(), lines_.end(), [](const Line& line) { return !line.ring && line.routers.size() > 2; });
  std::vector<std::vector<std::size_t>> steps;  // per dimension: what its coordinates add to a place
  std::optional<std::size_t> lone_two;          // position in shape.dimensions
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const Line& line = lines_[i];
    const std::size_t stride = strides_[i];
    const bool is_two = line.routers.size() == 2;
    if (is_two && !mesh && lone_two) {
      const std::size_t first = steps[*lone_two][1];
      steps[*lone_two] = {0, first, first + stride, stride};  // once around the square
      shape.dimensions[*std::exchange(lone_two, std::nullopt)] = 4;
      continue;
    }
    if (is_two) lone_two = shape.dimensions.size();
    shape.dimensions.push_back(static_cast<std::uint32_t>(line.routers.size()));
    shape.periodic.push_back(line.ring || (is_two && !mesh));
    steps.emplace_back();
    for (std::size_t c = 0; c < line.routers.size(); ++c) steps.back().push_back(c * stride);
  }
  std::vector<std::size_t> places = {0};
  for (const auto& dimension : steps) {
    std::vector<std::size_t> longer;
    for (const std::size_t place : places) {
      for (const std::size_t step : dimension) longer.push_back(place + step);
    }
    places = std::move(longer);
  }
  for (const std::size_t place : places) shape.at.push_back(at_[place]);
}

Shape GridFinder::shape() const {
  Shape shape;
  shape.kind = ShapeKind::grid;
  merge_squares(shape);
  std::vector<std::uint32_t> cables;
  for (DeviceId router = 0; router < graph_.size(); ++router) {
    for (const auto& neighbour : graph_.neighbours(router)) cables.push_back(neighbour.cables);
  }
  shape.cables = {most_common<std::uint32_t>(cables)};
  for (DeviceId router = 0; router < graph_.size(); ++router) {
    for (const auto& other : graph_.neighbours(router)) {
      if (router < other.router) {
        name_unusual_cables(network_, router, other.router, other.cables, shape.cables.front(), shape);
      }
    }
  }
  return shape;
}

/// n routers make at most log2(n) dimensions. A router with more neighbours shows at once that this is not a grid.
GridFinder::Found GridFinder::check_degrees() const {
  const std::size_t most = 2 * (std::bit_width(graph_.size()) - 1);
  for (DeviceId router = 0; router < graph_.size(); ++router) {
    const std::size_t degree = graph_.neighbours(router).size();
    if (degree <= most) continue;
    return std::unexpected(fmt::format("{} has {} neighbours, a grid of {} routers has at most {}", name(router),
                                       degree, graph_.size(), most));
  }
  return {};
}

std::expected<Shape, std::string> GridFinder::find() {
  if (graph_.size() < 2) return std::unexpected("there are fewer than two routers");
  if (auto checked = check_degrees(); !checked) return std::unexpected(checked.error());
  const DeviceId start = corner();
  if (graph_.neighbours(start).empty()) return std::unexpected(fmt::format("{} has no neighbour", name(start)));
  if (auto drawn = draw_lines(start); !drawn) return std::unexpected(drawn.error());
  if (auto placed = place_all(); !placed) return std::unexpected(placed.error());
  if (auto compared = compare_with_grid(network_, graph_, lines_as_grid()); !compared) {
    return std::unexpected(compared.error());
  }
  return shape();
}

}  // namespace

std::expected<void, std::string> compare_with_grid(const Network& network, const RouterGraph& graph,
                                                   const Shape& grid) {
  std::size_t pairs = 0;
  std::size_t stride = grid.at.size();
  for (std::size_t i = 0; i < grid.dimensions.size(); ++i) {
    const std::size_t length = grid.dimensions[i];
    stride /= length;
    for (std::size_t place = 0; place < grid.at.size(); ++place) {
      const bool at_edge = place / stride % length + 1 == length;
      if (at_edge && (!grid.periodic[i] || length <= 2)) continue;
      const DeviceId here = grid.at[place];
      const DeviceId next = grid.at[at_edge ? place - (length - 1) * stride : place + stride];
      if (!graph.joins(here, next)) {
        return std::unexpected(fmt::format("{} and {} would be neighbours", network.name(here), network.name(next)));
      }
      ++pairs;
    }
  }
  if (pairs == graph.pair_count()) return {};
  return std::unexpected(fmt::format("{} pairs of routers are cabled, {} would be", graph.pair_count(), pairs));
}

std::optional<Shape> declared_shape(const Network& network) {
  if (!network.declared_grid()) return std::nullopt;
  Shape shape;
  shape.kind = ShapeKind::grid;
  shape.dimensions = network.declared_grid()->dimensions;
  shape.periodic = network.declared_grid()->periodic;
  std::size_t points = 1;
  for (const std::size_t length : shape.dimensions) {
    if (length == 0 || length > network.router_count() / points) return std::nullopt;
    points *= length;
  }
  if (points != network.router_count() || shape.periodic.size() != shape.dimensions.size()) return std::nullopt;
  shape.at.resize(points);
  std::iota(shape.at.begin(), shape.at.end(), 0);
  if (!compare_with_grid(network, RouterGraph(network), shape)) return std::nullopt;
  return shape;
}

std::optional<MachineGrid> machine_grid(const Network& network) {
  if (!network.direct()) return std::nullopt;
  const Shape shape = declared_shape(network).value_or(recognise(network));
  if (shape.kind != ShapeKind::grid || shape.missing_pairs > 0) return std::nullopt;
  std::vector<std::uint32_t> point_of_router(network.router_count());
  for (std::uint32_t point = 0; point < shape.at.size(); ++point) point_of_router[shape.at[point]] = point;
  MachineGrid grid{shape.dimensions, shape.periodic, {}};
  for (const Machine& machine : network.machines()) {
    grid.point.push_back(machine.endpoints.empty() ? no_id
                                                   : point_of_router[network.router_of(machine.endpoints.front())]);
  }
  return grid;
}

std::expected<Shape, std::string> find_grid(const Network& network, const RouterGraph& graph) {
  return GridFinder(network, graph).find();
}

}  // namespace ayatori
