#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "shape_parts.hpp"

namespace ayatori {

namespace {

/// Recognises the Cartesian product of lines and rings. In one, two cables of a router that lie in different dimensions
/// span a square: their far ends have exactly one more neighbour in common, and no cable between them. Two cables
/// along one dimension span none. (A ring of 4 is its own square: it is the product of two lines of 2 and is
/// found as such first.) So squares tell the dimensions at one corner, give every router its place, and the
/// comparison with the finished grid proves the rest.
class GridFinder {
 public:
  GridFinder(const Network& network, const RouterGraph& graph) : network_(network), graph_(graph) {}

  [[nodiscard]] std::expected<Shape, std::string> find();

 private:
  /// Routers along a dimension, from the corner on.
  struct Line {
    std::vector<NodeId> routers;
    bool ring = false;
  };
  using Found = std::expected<void, std::string>;

  [[nodiscard]] std::string name(NodeId router) const { return std::string(network_.name(router)); }
  [[nodiscard]] bool same_dimension(NodeId a, NodeId b) const {
    return graph_.joins(a, b) || graph_.common_neighbours(a, b).size() == 1;
  }
  [[nodiscard]] Found check_degrees() const;
  [[nodiscard]] NodeId corner() const;
  [[nodiscard]] Found draw_lines(NodeId corner);
  [[nodiscard]] std::expected<Line, std::string> follow(NodeId corner, NodeId first) const;
  [[nodiscard]] NodeId straight_on(NodeId from, NodeId here) const;

  [[nodiscard]] Found place_all();
  [[nodiscard]] NodeId router_at(std::size_t place) const;
  [[nodiscard]] std::size_t coordinate(std::size_t place, std::size_t dimension) const {
    return place / strides_[dimension] % lines_[dimension].routers.size();
  }
  [[nodiscard]] Found compare() const;

  [[nodiscard]] Shape shape();
  void merge_squares(Shape& shape);
  void number_points(Shape& shape) const;
  [[nodiscard]] std::size_t first_line_of(std::size_t dimension) const {
    return static_cast<std::size_t>(std::find(dimension_of_.begin(), dimension_of_.end(), dimension) -
                                    dimension_of_.begin());
  }

  const Network& network_;
  const RouterGraph& graph_;
  std::vector<Line> lines_;           // one a dimension
  std::vector<std::size_t> strides_;  // the last dimension runs fastest
  std::vector<NodeId> at_;            // router by place
  /// By line: its dimension. Two lines of 2 that make a ring of 4 share one.
  std::vector<std::size_t> dimension_of_;
};

/// The ends of lines have fewest neighbours.
NodeId GridFinder::corner() const {
  NodeId found = 0;
  for (NodeId router = 1; router < graph_.size(); ++router) {
    if (graph_.neighbours(router).size() < graph_.neighbours(found).size()) found = router;
  }
  return found;
}

GridFinder::Found GridFinder::draw_lines(NodeId corner) {
  std::vector<RouterGraph::Neighbour> starts(graph_.neighbours(corner).begin(), graph_.neighbours(corner).end());
  std::sort(starts.begin(), starts.end(), [](auto& a, auto& b) { return a.first_port < b.first_port; });
  while (!starts.empty()) {
    const NodeId first = starts.front().router;
    auto line = follow(corner, first);
    if (!line) return std::unexpected(line.error());
    const NodeId last = line->routers.back();
    std::erase_if(starts,
                  [&](const auto& start) { return start.router == first || (line->ring && start.router == last); });
    lines_.push_back(std::move(*line));
  }
  return {};
}

std::expected<GridFinder::Line, std::string> GridFinder::follow(NodeId corner, NodeId first) const {
  Line line{{corner, first}, false};
  while (line.routers.size() <= graph_.size()) {
    const NodeId next = straight_on(line.routers.end()[-2], line.routers.back());
    line.ring = next == corner;
    if (next == no_id || line.ring) return line;
    line.routers.push_back(next);
  }
  return std::unexpected(fmt::format("the line from {} through {} does not end", name(corner), name(first)));
}

NodeId GridFinder::straight_on(NodeId from, NodeId here) const {
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
    const NodeId router = router_at(place);
    if (router == no_id) return std::unexpected(fmt::format("no square is complete behind {}", name(at_.back())));
    if (placed[router]) return std::unexpected(fmt::format("{} would stand at two places", name(router)));
    placed[router] = true;
    at_.push_back(router);
  }
  return {};
}

/// Completes the square of the three routers at the places before it.
NodeId GridFinder::router_at(std::size_t place) const {
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

GridFinder::Found GridFinder::compare() const {
  std::size_t pairs = 0;
  for (std::size_t place = 0; place < at_.size(); ++place) {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const std::size_t length = lines_[i].routers.size();
      const bool at_edge = coordinate(place, i) + 1 == length;
      if (at_edge && !lines_[i].ring) continue;
      const NodeId next = at_[at_edge ? place - (length - 1) * strides_[i] : place + strides_[i]];
      if (!graph_.joins(at_[place], next)) {
        return std::unexpected(fmt::format("{} and {} would be neighbours", name(at_[place]), name(next)));
      }
      ++pairs;
    }
  }
  if (pairs == graph_.pair_count()) return {};
  return std::unexpected(fmt::format("{} pairs of routers are cabled, {} would be", graph_.pair_count(), pairs));
}

/// Lines of 2 have no edge to go around. They count as rings unless something longer says that this is a mesh,
/// and then two of them together are a ring of 4.
void GridFinder::merge_squares(Shape& shape) {
  const bool mesh =
      std::any_of(lines_.begin(), lines_.end(), [](const Line& line) { return !line.ring && line.routers.size() > 2; });
  std::optional<std::size_t> lone_two;  // position in shape.dimensions
  for (const Line& line : lines_) {
    const bool is_two = line.routers.size() == 2;
    if (is_two && !mesh && lone_two) {
      dimension_of_.push_back(*lone_two);
      shape.dimensions[*std::exchange(lone_two, std::nullopt)] = 4;
      continue;
    }
    if (is_two) lone_two = shape.dimensions.size();
    dimension_of_.push_back(shape.dimensions.size());
    shape.dimensions.push_back(static_cast<std::uint32_t>(line.routers.size()));
    shape.periodic.push_back(line.ring || (is_two && !mesh));
  }
}

void GridFinder::number_points(Shape& shape) const {
  shape.point.resize(at_.size());
  std::vector<std::uint32_t> coordinates(shape.dimensions.size());
  for (std::size_t place = 0; place < at_.size(); ++place) {
    std::fill(coordinates.begin(), coordinates.end(), 0U);
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      std::uint32_t& along = coordinates[dimension_of_[i]];
      const auto here = static_cast<std::uint32_t>(coordinate(place, i));
      // Around a square: (0, 0), (1, 0), (1, 1), (0, 1).
      along = first_line_of(dimension_of_[i]) < i ? 2 * here + (along ^ here) : here;
    }
    std::uint32_t point = 0;
    for (std::size_t i = 0; i < coordinates.size(); ++i) point = point * shape.dimensions[i] + coordinates[i];
    shape.point[at_[place]] = point;
  }
}

Shape GridFinder::shape() {
  Shape shape;
  shape.kind = ShapeKind::grid;
  merge_squares(shape);
  number_points(shape);
  std::vector<std::uint32_t> cables;
  for (NodeId router = 0; router < graph_.size(); ++router) {
    for (const auto& neighbour : graph_.neighbours(router)) cables.push_back(neighbour.cables);
  }
  shape.cables = {most_common<std::uint32_t>(cables)};
  for (NodeId router = 0; router < graph_.size(); ++router) {
    for (const auto& other : graph_.neighbours(router)) {
      if (router < other.router) {
        name_unusual_cables(network_, router, other.router, other.cables, shape.cables.front(), shape);
      }
    }
  }
  return shape;
}

/// n routers make at most log2(n) dimensions. What has more neighbours is recognised as no grid at once.
GridFinder::Found GridFinder::check_degrees() const {
  const std::size_t most = 2 * (std::bit_width(graph_.size()) - 1);
  for (NodeId router = 0; router < graph_.size(); ++router) {
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
  const NodeId start = corner();
  if (graph_.neighbours(start).empty()) return std::unexpected(fmt::format("{} has no neighbour", name(start)));
  if (auto drawn = draw_lines(start); !drawn) return std::unexpected(drawn.error());
  if (auto placed = place_all(); !placed) return std::unexpected(placed.error());
  if (auto compared = compare(); !compared) return std::unexpected(compared.error());
  return shape();
}

}  // namespace

std::expected<Shape, std::string> find_grid(const Network& network, const RouterGraph& graph) {
  return GridFinder(network, graph).find();
}

}  // namespace ayatori
