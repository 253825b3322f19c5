#include "grid_trees.hpp"

#include <algorithm>

#include "grid_points.hpp"

namespace ayatori {

namespace {

class TrinaryTree final : public SpanningTree {
 public:
  TrinaryTree(std::shared_ptr<const MachineRanks> ranks, std::uint32_t root, std::uint32_t colour)
      : ranks_(std::move(ranks)), points_(ranks_->placement()), root_(ranks_->placement().point[root]) {
    if (points_.axes() == 0) return;
    first_axis_ = colour % points_.axes();
    sign_ = colour < points_.axes() ? 1 : -1;
  }

  [[nodiscard]] Rank parent(Rank machine) const override {
    const std::uint32_t point = ranks_->placement().point[machine];
    if (point == root_) return no_id;
    if (away(point, 0) == 0) return next(point, 0, sign_);
    return next(point, last_bend(point), -sign_);
  }

  [[nodiscard]] std::vector<Rank> children(Rank machine) const override {
    const std::uint32_t point = ranks_->placement().point[machine];
    std::vector<Rank> found;
    if (points_.axes() == 0) return found;
    if (point == root_) return {next(point, 0, sign_)};
    if (away(point, 0) == 0) return found;
    const std::uint32_t last = last_bend(point);
    for (std::uint32_t i = last; i < points_.axes(); ++i) {
      if (away(point, i) + 1 < points_.length(axis(i))) found.push_back(next(point, i, sign_));
    }
    const bool above_ghost = away(point, 0) == 1 && last > 0;
    if (above_ghost) found.push_back(next(point, 0, -sign_));
    return found;
  }

  [[nodiscard]] std::size_t arrival(Rank machine) const override {
    const std::uint32_t point = ranks_->placement().point[machine];
    std::size_t hops = 0;
    for (std::uint32_t i = 0; i < points_.axes(); ++i) hops += away(point, i);
    const bool ghost = points_.axes() > 0 && away(point, 0) == 0;
    return ghost ? hops + 1 : hops - 1;
  }

  [[nodiscard]] std::size_t rounds() const override {
    if (points_.axes() == 0) return 0;
    std::size_t others = 0;
    for (std::uint32_t i = 1; i < points_.axes(); ++i) others += points_.length(axis(i)) - 1;
    const std::size_t straight = others + points_.length(axis(0)) - 1;
    return points_.axes() == 1 ? straight : std::max(straight, others + 2);
  }

  [[nodiscard]] std::uint32_t fan() const override { return std::max(3U, points_.axes()); }

 private:
  /// The colour's i-th axis.
  [[nodiscard]] std::uint32_t axis(std::uint32_t i) const { return (first_axis_ + i) % points_.axes(); }
  /// How far a point lies from the root on it, in the colour's direction.
  [[nodiscard]] std::uint32_t away(std::uint32_t point, std::uint32_t i) const {
    const std::uint32_t length = points_.length(axis(i));
    const std::uint32_t up = points_.coordinate(point, axis(i)) + length - points_.coordinate(root_, axis(i));
    return (sign_ > 0 ? up : 2 * length - up) % length;
  }
  /// The last axis that the way from the root to here takes.
  [[nodiscard]] std::uint32_t last_bend(std::uint32_t point) const {
    std::uint32_t last = points_.axes() - 1;
    while (last > 0 && away(point, last) == 0) --last;
    return last;
  }
  [[nodiscard]] Rank next(std::uint32_t point, std::uint32_t i, int by) const {
    return ranks_->machine_at(points_.moved(point, axis(i), by));
  }

  std::shared_ptr<const MachineRanks> ranks_;
  GridPoints points_;
  std::uint32_t root_;
  std::uint32_t first_axis_ = 0;
  int sign_ = 1;
};

class TreeOnMachines final : public SpanningTree {
 public:
  TreeOnMachines(TreePtr inner, std::shared_ptr<const MachineRanks> ranks, Rank root)
      : inner_(std::move(inner)), ranks_(std::move(ranks)), root_(root), max_ranks_(ranks_->max_ranks()) {}

  [[nodiscard]] Rank parent(Rank r) const override {
    const std::uint32_t machine = ranks_->machine(r);
    const std::uint32_t place = place_in_chain(r);
    if (place > 0) return in_chain(machine, place - 1);
    const std::uint32_t above = inner_->parent(machine);
    return above == no_id ? no_id : in_chain(above, 0);
  }

  [[nodiscard]] std::vector<Rank> children(Rank r) const override {
    const std::uint32_t machine = ranks_->machine(r);
    const std::uint32_t place = place_in_chain(r);
    std::vector<Rank> found;
    if (place == 0) found = inner_->children(machine);
    for (Rank& child : found) child = in_chain(child, 0);
    if (place + 1 < ranks_->ranks(machine).size()) found.push_back(in_chain(machine, place + 1));
    return found;
  }

  [[nodiscard]] std::size_t arrival(Rank r) const override {
    const std::uint32_t machine = ranks_->machine(r);
    const bool at_root = inner_->parent(machine) == no_id;
    return (at_root ? 0 : inner_->arrival(machine) + 1) + place_in_chain(r) - 1;
  }

  [[nodiscard]] std::size_t rounds() const override { return inner_->rounds() + max_ranks_ - 1; }
  [[nodiscard]] std::uint32_t fan() const override { return inner_->fan() + (max_ranks_ > 1 ? 1 : 0); }

 private:
  /// The chain of a machine: its ranks in their order, but the root first.
  [[nodiscard]] std::uint32_t place_in_chain(Rank r) const {
    const std::uint32_t local = ranks_->local(r);
    const std::uint32_t head = head_of(ranks_->machine(r));
    return local == head ? 0 : local + (local < head ? 1 : 0);
  }
  [[nodiscard]] Rank in_chain(std::uint32_t machine, std::uint32_t place) const {
    const std::uint32_t head = head_of(machine);
    if (place == 0) return ranks_->rank(machine, head);
    return ranks_->rank(machine, place <= head ? place - 1 : place);
  }
  [[nodiscard]] std::uint32_t head_of(std::uint32_t machine) const {
    return machine == ranks_->machine(root_) ? ranks_->local(root_) : 0;
  }

  TreePtr inner_;
  std::shared_ptr<const MachineRanks> ranks_;
  Rank root_;
  std::uint32_t max_ranks_;
};

}  // namespace

TreePtr trinary_tree(std::shared_ptr<const MachineRanks> ranks, std::uint32_t root_machine, std::uint32_t colour) {
  return std::make_shared<TrinaryTree>(std::move(ranks), root_machine, colour);
}

std::uint32_t colours_of(const Placement& placement) { return std::max(1U, GridPoints(placement).axes()); }

TreePtr tree_on_machines(TreePtr inner, std::shared_ptr<const MachineRanks> ranks, Rank root) {
  return std::make_shared<TreeOnMachines>(std::move(inner), std::move(ranks), root);
}

}  // namespace ayatori
