#include <algorithm>
#include <set>

#include "grid_points.hpp"
#include "grid_trees.hpp"

namespace ayatori {

namespace {

/// A point's place in the tree.
struct Branch {
  std::uint32_t parent = no_id;
  std::uint32_t children = 0;
  std::uint32_t depth = 0;
};

/// Grows the tree over points; see mapped_binary_tree.
class Growth {
 public:
  Growth(const GridPoints& points, std::uint32_t root) : points_(points), root_(root) {}

  /// By machine.
  TreePtr grow(const MachineRanks& ranks) {
    start();
    for (std::size_t i = 0; i < order_.size(); ++i) take_neighbours(order_[i]);
    for (std::size_t i = 0; i < order_.size() && order_.size() < points_.size(); ++i) take_over_two_hops(order_[i]);
    if (order_.size() < points_.size()) wind();
    const auto tree = std::make_shared<TableTree>(points_.size());
    for (const std::uint32_t point : order_) {
      const auto [parent, children, depth] = branches_[point];
      if (parent != no_id) tree->add(ranks.machine_at(parent), ranks.machine_at(point), depth - 1);
    }
    return tree;
  }

 private:
  struct Step {
    std::uint32_t to;
    std::uint32_t cable;  ///< numbered by its lower end and axis
    std::uint32_t axis;
    bool up;
  };

  void start() {
    branches_.assign(points_.size(), {});
    taken_.assign(points_.size(), false);
    used_.assign(std::size_t{points_.size()} * points_.axes(), false);
    taken_[root_] = true;
    order_ = {root_};
  }

  [[nodiscard]] std::vector<Step> steps_from(std::uint32_t point) const {
    std::vector<Step> found;
    for (std::uint32_t axis = 0; axis < points_.axes(); ++axis) {
      for (const int by : {1, -1}) {
        if (!points_.has_cable(point, axis, by > 0)) continue;
        const std::uint32_t to = points_.moved(point, axis, by);
        found.push_back({to, (by > 0 ? point : to) * points_.axes() + axis, axis, by > 0});
      }
    }
    return found;
  }

  [[nodiscard]] std::size_t free_around(std::uint32_t point) const {
    const auto steps = steps_from(point);
    return static_cast<std::size_t>(
        std::count_if(steps.begin(), steps.end(), [&](const Step& step) { return !taken_[step.to]; }));
  }

  [[nodiscard]] bool has_room(std::uint32_t point) const { return branches_[point].children < 2; }

  void attach(std::uint32_t parent, std::uint32_t child) {
    ++branches_[parent].children;
    branches_[child].parent = parent;
    branches_[child].depth = branches_[parent].depth + 1;
    taken_[child] = true;
    order_.push_back(child);
  }

  void take_neighbours(std::uint32_t point) {
    auto steps = steps_from(point);
    std::stable_sort(steps.begin(), steps.end(),
                     [&](const Step& a, const Step& b) { return free_around(a.to) < free_around(b.to); });
    for (const Step& step : steps) {
      if (!has_room(point)) return;
      if (taken_[step.to] || used_[step.cable]) continue;
      used_[step.cable] = true;
      attach(point, step.to);
    }
  }

  /// Packets go through the dimensions in their order, the shorter way round, upwards if both are equal.
  [[nodiscard]] bool is_route(const Step& first, const Step& second) const {
    if (first.axis != second.axis) return first.axis < second.axis;
    const bool shortest = points_.length(first.axis) > 4 || first.up;
    return first.up == second.up && shortest && points_.length(first.axis) > 3;
  }

  void take_over_two_hops(std::uint32_t point) {
    for (const Step& first : steps_from(point)) {
      for (const Step& second : steps_from(first.to)) {
        if (!has_room(point)) return;
        if (taken_[second.to] || used_[first.cable] || used_[second.cable] || !is_route(first, second)) continue;
        used_[first.cable] = used_[second.cable] = true;
        attach(point, second.to);
        take_neighbours(second.to);
      }
    }
  }

  /// A line that turns back at each edge, down and up from the root's place on it.
  void wind() {
    start();
    std::vector<std::uint32_t> line(points_.size());
    for (std::uint32_t i = 0; i < points_.size(); ++i) line[i] = winding_point(i);
    const auto at = static_cast<std::size_t>(std::find(line.begin(), line.end(), root_) - line.begin());
    for (std::size_t i = at; i + 1 < line.size(); ++i) attach(line[i], line[i + 1]);
    for (std::size_t i = at; i > 0; --i) attach(line[i], line[i - 1]);
  }

  /// The i-th point of the reflected mixed-radix Gray code: neighbours differ by one in one coordinate.
  [[nodiscard]] std::uint32_t winding_point(std::uint32_t i) const {
    std::uint32_t point = 0;
    std::uint32_t rows = 0;  // of the coordinates so far: odd ones run backwards
    std::uint32_t stride = points_.size();
    for (std::uint32_t axis = 0; axis < points_.axes(); ++axis) {
      const std::uint32_t length = points_.length(axis);
      stride /= length;
      const std::uint32_t digit = i / stride % length;
      point += (rows % 2 == 0 ? digit : length - 1 - digit) * stride;
      rows = i / stride;
    }
    return point;
  }

  const GridPoints& points_;
  std::uint32_t root_;
  std::vector<Branch> branches_;      // by point
  std::vector<bool> taken_;           // by point
  std::vector<bool> used_;            // by cable
  std::vector<std::uint32_t> order_;  // in which points were taken
};

}  // namespace

TreePtr mapped_binary_tree(const MachineRanks& ranks, std::uint32_t root_machine) {
  const GridPoints points(ranks.placement());
  return Growth(points, ranks.placement().point[root_machine]).grow(ranks);
}

}  // namespace ayatori
