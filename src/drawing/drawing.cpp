#include "ayatori/drawing/drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "ayatori/base/text.hpp"
#include "ayatori/network/levels.hpp"
#include "layout.hpp"

namespace ayatori::drawing {

namespace {

constexpr std::size_t max_settled = 400;  // routers that are placed by their distances: the square of it is computed

Levels levels_of_tree(const ayatori::Levels& levels) { return {levels.level.begin(), levels.level.end()}; }

/// Distances from the routers with hosts, as levels; nothing if these are most of them, if a part of the network has
/// none, or if many cables stay within a level.
std::optional<Levels> rough_levels(const Scene& scene) {
  std::vector<Row> neighbours(scene.size());
  for (const CableBundle& bundle : scene.bundles) {
    neighbours[bundle.from].push_back(bundle.to);
    neighbours[bundle.to].push_back(bundle.from);
  }
  constexpr std::uint8_t unknown = 255;
  Levels levels(scene.size(), unknown);
  Row reached;
  for (DeviceId router = 0; router < scene.size(); ++router) {
    if (scene.endpoints[router].empty()) continue;
    levels[router] = 0;
    reached.push_back(router);
  }
  if (reached.size() * 5 > scene.size() * 4) return std::nullopt;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const DeviceId next : neighbours[reached[i]]) {
      if (levels[next] != unknown) continue;
      if (levels[reached[i]] + 1 == unknown) return std::nullopt;
      levels[next] = static_cast<std::uint8_t>(levels[reached[i]] + 1);
      reached.push_back(next);
    }
  }
  const auto level_stays = [&](const CableBundle& bundle) { return levels[bundle.from] == levels[bundle.to]; };
  const auto staying = static_cast<std::size_t>(std::ranges::count_if(scene.bundles, level_stays));
  if (reached.size() < scene.size() || staying * 4 > scene.bundles.size()) return std::nullopt;
  return levels;
}

/// The grid that the cables make, or the one that the source told of, where cables are missing.
std::optional<GridPoints> grid_of(const Network& network, const Shape& shape, std::vector<bool>& periodic) {
  if (shape.kind == ShapeKind::grid) {
    periodic = shape.periodic;
    return GridPoints{shape.dimensions, shape.at, false};
  }
  const auto& told = network.told_grid();
  if (!told || shape.kind != ShapeKind::graph) return std::nullopt;
  periodic = told->periodic;
  GridPoints grid{told->dimensions, Row(network.router_count()), false};
  std::iota(grid.at.begin(), grid.at.end(), 0);
  return grid;
}

Row by_name(const Scene& scene) {
  Row order(scene.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](auto a, auto b) { return natural_less(scene.names[a], scene.names[b]); });
  return order;
}

Drawing draw_grid(const Network& network, const Scene& scene, const GridPoints& grid,
                  const std::vector<bool>& periodic) {
  Drawing drawing;
  if (grid.dimensions.size() == 1 && periodic[0]) {
    drawing = circle_layout(network, scene, {{grid.at, {}}});
  } else {
    drawing = grid_layout(scene, grid);
  }
  drawing.missing = missing_in_grid(scene, grid, periodic);
  return drawing;
}

Drawing draw_tree(const Network& network, const Scene& scene, const Levels& levels) {
  Drawing drawing = tree_layout(network, scene, levels);
  drawing.missing = missing_in_tree(scene, tree_rows(network, scene, levels));
  return drawing;
}

Drawing draw_groups(const Network& network, const Scene& scene, const std::vector<RouterGroup>& groups) {
  Drawing drawing = circle_layout(network, scene, groups);
  drawing.missing = missing_in_groups(scene, groups);
  return drawing;
}

Drawing draw_shape(const Network& network, const Scene& scene, const Shape& shape) {
  if (shape.kind == ShapeKind::fat_tree || scene.size() == 1) {
    if (const auto levels = rank_levels(network)) return draw_tree(network, scene, levels_of_tree(*levels));
  }
  if (shape.kind == ShapeKind::full) return draw_groups(network, scene, {{by_name(scene), {}}});
  std::vector<bool> periodic;
  if (const auto grid = grid_of(network, shape, periodic)) return draw_grid(network, scene, *grid, periodic);
  if (shape.kind == ShapeKind::hyperx) {
    const GridPoints grid{shape.dimensions, shape.at, true};
    Drawing drawing = grid_layout(scene, grid);
    drawing.missing = missing_in_grid(scene, grid, {});
    return drawing;
  }
  if (!shape.groups.empty()) return draw_groups(network, scene, shape.groups);
  if (const auto levels = rough_levels(scene)) return draw_tree(network, scene, *levels);
  if (scene.size() <= max_settled) return force_layout(scene);
  return circle_layout(network, scene, {{by_name(scene), {}}});
}

/// How far from a box's centre its border is, in the direction of a point.
double to_border(const Box& box, Point to) {
  const double x = std::abs(to.x - box.x);
  const double y = std::abs(to.y - box.y);
  const double length = std::hypot(x, y);
  if (length == 0) return 0;
  if (box.round) return box.width / 2;
  const double across = x > 0 ? box.width / 2 / x : 1e9;
  const double down = y > 0 ? box.height / 2 / y : 1e9;
  return std::min(across, down) * length;
}

/// Moves a point that is a box's centre to its border, in the direction of another one, if that lies outside.
void stop_at_box(const Box& box, Point& end, Point towards) {
  if (end.x != box.x || end.y != box.y) return;
  const double length = std::hypot(towards.x - end.x, towards.y - end.y);
  const double moved = to_border(box, towards);
  if (moved >= length) return;
  end.x += (towards.x - end.x) * moved / length;
  end.y += (towards.y - end.y) * moved / length;
}

/// Layouts may draw strands from centre to centre; their ends must be seen, since arrows come there.
void stop_at_boxes(const Network& network, Drawing& drawing) {
  for (Strand& strand : drawing.strands) {
    const Port& port = network.port(strand.ports.front());
    const Box& first = drawing.boxes[port.device];
    const Box& last = drawing.boxes[network.port(port.peer).device];
    std::vector<Point>& at = strand.points;
    const bool stubs = strand.form == Strand::Form::stubs;
    const std::vector<Point> whole = at;
    stop_at_box(first, at.front(), whole[1]);
    stop_at_box(last, stubs ? at[2] : at.back(), whole[stubs ? 3 : at.size() - 2]);
  }
}

}  // namespace

Result<Drawing> draw(const Network& network) {
  const Scene scene = scene_of(network);
  if (scene.size() == 0) return with_hint(fail("the network has no router to draw"), "dot draws hosts alone");
  if (scene.size() > max_routers || scene.bundles.size() > max_bundles) {
    return with_hint(fail("{} routers with {} pairs cabled are too many to draw", scene.size(), scene.bundles.size()),
                     fmt::format("up to {} routers and {} pairs", max_routers, max_bundles));
  }
  const Shape shape = recognise(network);
  Drawing drawing = draw_shape(network, scene, shape);
  stop_at_boxes(network, drawing);
  drawing.shape = shape;
  drawing.names = scene.names;
  drawing.labels = scene.labels;
  for (MissingCables& missing : drawing.missing) {
    const Box& a = drawing.boxes[missing.from];
    const Box& b = drawing.boxes[missing.to];
    missing.points = {{a.x, a.y}, {b.x, b.y}};
  }
  return drawing;
}

}  // namespace ayatori::drawing
