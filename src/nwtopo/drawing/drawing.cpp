#include "ayatori/drawing/drawing.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "ayatori/base/text.hpp"
#include "ayatori/network/levels.hpp"
#include "joined.hpp"
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

/// The grid that the cables make, or the one that the source declares, where cables are missing.
std::optional<GridPoints> grid_of(const Network& network, const Shape& shape, std::vector<bool>& periodic) {
  if (shape.kind == ShapeKind::grid) {
    periodic = shape.periodic;
    return GridPoints{shape.dimensions, shape.at, false};
  }
  const auto& declared = network.declared_grid();
  if (!declared || shape.kind != ShapeKind::graph) return std::nullopt;
  periodic = declared->periodic;
  GridPoints grid{declared->dimensions, Row(network.router_count()), false};
  std::iota(grid.at.begin(), grid.at.end(), 0);
  return grid;
}

Row by_name(const Scene& scene) {
  Row order(scene.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](auto a, auto b) { return natural_less(scene.names[a], scene.names[b]); });
  return order;
}

/// How routers stand to each other: one of these, or nothing that is known.
struct Arrangement {
  std::optional<Levels> levels;
  std::vector<bool> idle;  // with levels: by router, those from which no cable is missing
  std::optional<GridPoints> grid;
  std::vector<bool> periodic;       // of the grid
  std::vector<RouterGroup> groups;  // on a circle
};

Arrangement arrangement_of(const Network& network, const Scene& scene, const Shape& shape) {
  Arrangement found;
  if (shape.kind == ShapeKind::fat_tree || scene.size() == 1) {
    if (const auto levels = rank_levels(network)) {
      found.levels = levels_of_tree(*levels);
      found.idle = levels->idle;
      return found;
    }
  }
  if (shape.kind == ShapeKind::full) {
    found.groups = {{by_name(scene), {}}};
  } else if (auto grid = grid_of(network, shape, found.periodic)) {
    found.grid = std::move(grid);
  } else if (shape.kind == ShapeKind::hyperx) {
    found.grid = GridPoints{shape.dimensions, shape.at, true};
  } else if (!shape.groups.empty()) {
    found.groups = shape.groups;
  } else {
    found.levels = rough_levels(scene);
    found.idle.assign(scene.size(), false);
  }
  return found;
}

Drawing lay_out(const Network& network, const Scene& scene, const Arrangement& arrangement) {
  if (arrangement.levels) return tree_layout(network, scene, *arrangement.levels);
  if (const auto& grid = arrangement.grid) {
    const bool ring = grid->dimensions.size() == 1 && !grid->full_rows && arrangement.periodic[0];
    return ring ? circle_layout(network, scene, {{grid->at, {}}}) : grid_layout(scene, *grid);
  }
  if (!arrangement.groups.empty()) return circle_layout(network, scene, arrangement.groups);
  if (scene.size() <= max_settled) return force_layout(scene);
  return circle_layout(network, scene, {{by_name(scene), {}}});
}

std::vector<MissingCables> missing_cables(const Network& network, const Scene& scene, const Arrangement& arrangement) {
  if (arrangement.levels) {
    auto rows = tree_rows(network, scene, *arrangement.levels);
    for (Row& row : rows) std::erase_if(row, [&](DeviceId router) { return arrangement.idle[router]; });
    return missing_in_tree(scene, rows);
  }
  if (arrangement.grid) return missing_in_grid(scene, *arrangement.grid, arrangement.periodic);
  return missing_in_groups(scene, arrangement.groups);
}

Drawing draw_joined(const Network& network, const Scene& scene, const Arrangement& arrangement,
                    const DrawingLimits& limits) {
  RouterSets sets;
  Arrangement of_sets;
  if (arrangement.levels) {
    sets = sets_of_tree(scene, tree_rows(network, scene, *arrangement.levels), limits.sets);
    of_sets.levels.emplace();
    for (const Row& routers : sets.sets) of_sets.levels->push_back((*arrangement.levels)[routers.front()]);
  } else if (arrangement.grid) {
    const bool is_line = arrangement.grid->dimensions.size() == 1;
    sets = sets_of_grid(scene, *arrangement.grid, is_line ? limits.sets : limits.blocks, of_sets.grid.emplace());
    of_sets.periodic = arrangement.periodic;
  } else {
    const bool grouped = arrangement.groups.size() > 1;
    sets = grouped ? sets_of_groups(scene, arrangement.groups, limits.sets)
                   : sets_of_row(scene, by_name(scene), limits.sets);
    Row circle(sets.sets.size());
    std::iota(circle.begin(), circle.end(), 0);
    of_sets.groups = {{std::move(circle), {}}};
  }
  Drawing drawing = lay_out(network, join(network, scene, sets), of_sets);
  finish_joined(network, scene, sets, drawing);
  return drawing;
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

/// Layouts may draw bundles from centre to centre; their ends must be seen, since arrows come there.
void stop_at_boxes(const Network& network, Drawing& drawing) {
  for (DrawnBundle& drawn : drawing.bundles) {
    const Port& port = network.port(drawn.ports.front());
    const Box& first = drawing.boxes[drawing.box_of_router(port.device)];
    const Box& last = drawing.boxes[drawing.box_of_router(network.port(port.peer).device)];
    std::vector<Point>& at = drawn.points;
    const bool two_ends = drawn.form == DrawnBundle::Form::ends;
    const std::vector<Point> whole = at;
    stop_at_box(first, at.front(), whole[1]);
    stop_at_box(last, two_ends ? at[2] : at.back(), whole[two_ends ? 3 : at.size() - 2]);
  }
}

}  // namespace

Result<Drawing> draw(const Network& network, const DrawingLimits& limits) {
  const Scene scene = scene_of(network);
  if (scene.size() == 0) return with_hint(fail("the network has no router to draw"), "dot draws hosts alone");
  const Shape shape = recognise(network);
  const Arrangement arrangement = arrangement_of(network, scene, shape);
  const bool too_many = scene.size() > limits.routers || scene.bundles.size() > limits.bundles;
  Drawing drawing = too_many ? draw_joined(network, scene, arrangement, limits) : lay_out(network, scene, arrangement);
  stop_at_boxes(network, drawing);
  drawing.shape = shape;
  drawing.names = scene.names;
  drawing.labels = scene.labels;
  drawing.missing = missing_cables(network, scene, arrangement);
  for (MissingCables& missing : drawing.missing) {
    const Box& a = drawing.boxes[drawing.box_of_router(missing.from)];
    const Box& b = drawing.boxes[drawing.box_of_router(missing.to)];
    missing.points = {{a.x, a.y}, {b.x, b.y}};
  }
  return drawing;
}

}  // namespace ayatori::drawing
