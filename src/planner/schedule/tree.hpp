#pragma once
/// \file
/// Trees, and what flows along them: broadcasts down, reductions up, in chunks.

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "machine_ranks.hpp"
#include "phased_schedule.hpp"

namespace ayatori {

/// A tree, or a forest, over participants. It also says when: chunk s arrives at participant r in step
/// arrival(r) + s · period() of a broadcast, and the parent sends it in the same step. So arrival grows from parent to
/// child; where children share a step, they are served at the same time. A reduction runs the same steps backwards.
class SpanningTree {
 public:
  virtual ~SpanningTree() = default;
  [[nodiscard]] virtual Rank parent(Rank r) const = 0;  ///< no_id at a root
  [[nodiscard]] virtual std::vector<Rank> children(Rank r) const = 0;
  [[nodiscard]] virtual std::size_t arrival(Rank r) const = 0;  ///< from 0; of no meaning at a root
  [[nodiscard]] virtual std::size_t rounds() const = 0;         ///< largest arrival + 1; 0 if it has no edge
  [[nodiscard]] virtual std::size_t period() const { return 1; }
  /// Most children of one parent that are served in one step.
  [[nodiscard]] virtual std::uint32_t fan() const = 0;
};

using TreePtr = std::shared_ptr<const SpanningTree>;

/// What flows: `count` chunks of `width` slots each, from `first` on. No slots at all: one empty signal.
struct Chunks {
  Slot first = 0;
  std::uint32_t count = 1;
  std::uint32_t width = 1;
  [[nodiscard]] SlotRange chunk(std::size_t i) const { return {first + static_cast<Slot>(i) * width, width}; }
};

enum class Direction : std::uint8_t { down, up };

/// Messages along the edges of a tree: in each step `slots(child, step)` is what travels between a child and its
/// parent, or std::nullopt.
template <typename Slots>
[[nodiscard]] PhasePtr along_edges(TreePtr tree, std::size_t steps, Direction direction, Slots slots) {
  const bool down = direction == Direction::down;
  return phase(steps, [tree = std::move(tree), down, slots](Rank r, std::size_t step, StepActions& actions) {
    const Rank parent = tree->parent(r);
    if (const auto own = parent == no_id ? std::nullopt : slots(r, step)) {
      down ? actions.receive(parent, *own) : actions.send(parent, *own);
    }
    for (const Rank child : tree->children(r)) {
      if (const auto its = slots(child, step)) down ? actions.send(child, *its) : actions.receive(child, *its);
    }
  });
}

[[nodiscard]] std::size_t steps_for(const SpanningTree& tree, const Chunks& chunks);

[[nodiscard]] PhasePtr broadcast_down(TreePtr tree, const Chunks& chunks);
/// Chunks of one slot arrive in the layout's scratch pairs, of which it needs tree->fan(), those from `first_pair`
/// on; wider ones in the vector's second copy, one child at a time. Participants from `contributors` on (routers) have
/// nothing to add.
[[nodiscard]] PhasePtr reduce_up(TreePtr tree, const Chunks& chunks, const SlotLayout& layout, Rank contributors,
                                 std::uint32_t first_pair = 0);

/// Slot j is rank j's. From a root that has all slots, each goes to its rank; and back. Whole subtrees travel together.
[[nodiscard]] PhasePtr scatter_down(TreePtr tree);
[[nodiscard]] PhasePtr gather_up(TreePtr tree);
/// The slots of r and all below it.
[[nodiscard]] std::vector<SlotRange> slots_below(const SpanningTree& tree, Rank r);

/// How many chunks a pipeline cuts m bytes into. A step of it takes α + β m / S, and it has rounds + (S − 1) · period
/// of them. The product is least at
///
///     S = sqrt((rounds / period − 1) · m / h),   h = α / β = 16 KiB: a message that takes as long as its overhead
///
/// and never more than m. AlgorithmOptions::chunk_bytes > 0 sets m / S instead.
[[nodiscard]] std::uint32_t chunk_count(Bytes bytes, const SpanningTree& tree, Bytes chunk_bytes);

/// Numbers relative to the root, so that formulas may have the root at 0.
class RootedTree : public SpanningTree {
 public:
  RootedTree(Rank ranks, Rank root) : ranks_(ranks), root_(root) {}
  [[nodiscard]] Rank parent(Rank r) const final { return r == root_ ? no_id : real(parent_of(relative(r))); }
  [[nodiscard]] std::vector<Rank> children(Rank r) const final;
  [[nodiscard]] std::size_t arrival(Rank r) const final { return arrival_of(relative(r)); }
  [[nodiscard]] std::size_t rounds() const override { return ranks_ == 1 ? 0 : arrival_of(last_to_hear()) + 1; }

 protected:
  [[nodiscard]] virtual Rank parent_of(Rank v) const = 0;
  virtual void children_of(Rank v, std::vector<Rank>& children) const = 0;
  [[nodiscard]] virtual std::size_t arrival_of(Rank v) const = 0;
  [[nodiscard]] virtual Rank last_to_hear() const { return ranks_ - 1; }
  [[nodiscard]] Rank ranks() const { return ranks_; }

 private:
  [[nodiscard]] Rank relative(Rank r) const { return r >= root_ ? r - root_ : r + ranks_ - root_; }
  [[nodiscard]] Rank real(Rank v) const { return v < ranks_ - root_ ? v + root_ : v - (ranks_ - root_); }

  Rank ranks_;
  Rank root_;
};

/// v's parent lacks its lowest digit to the base `radix`; all radix − 1 children of a digit are served at once. Digits
/// of high value come first. Radix 2: binomial.
class KnomialTree final : public RootedTree {
 public:
  KnomialTree(Rank ranks, Rank root, std::uint32_t radix);
  [[nodiscard]] std::size_t rounds() const override { return digits_; }
  [[nodiscard]] std::uint32_t fan() const override { return radix_ - 1; }

 protected:
  [[nodiscard]] Rank parent_of(Rank v) const override;
  void children_of(Rank v, std::vector<Rank>& children) const override;
  [[nodiscard]] std::size_t arrival_of(Rank v) const override;

 private:
  std::uint32_t radix_;
  std::size_t digits_ = 0;
};

/// A tree, or a forest, that is written down edge by edge.
class TableTree final : public SpanningTree {
 public:
  explicit TableTree(std::uint32_t members) : members_(members) {}

  void add(Rank parent, Rank child, std::size_t arrival) {
    members_[child].parent = parent;
    members_[child].arrival = arrival;
    members_[parent].children.push_back(child);
    rounds_ = std::max(rounds_, arrival + 1);
    fan_ = std::max(fan_, static_cast<std::uint32_t>(members_[parent].children.size()));
  }

  [[nodiscard]] Rank parent(Rank r) const override { return members_[r].parent; }
  [[nodiscard]] std::vector<Rank> children(Rank r) const override { return members_[r].children; }
  [[nodiscard]] std::size_t arrival(Rank r) const override { return members_[r].arrival; }
  [[nodiscard]] std::size_t rounds() const override { return rounds_; }
  [[nodiscard]] std::uint32_t fan() const override { return fan_; }

 private:
  struct Member {
    Rank parent = no_id;
    std::vector<Rank> children = {};
    std::size_t arrival = 0;
  };
  std::vector<Member> members_;
  std::size_t rounds_ = 0;
  std::uint32_t fan_ = 0;
};

/// The root sends to the heads of some chains, which are as equally long as can be; the first ones are longer.
[[nodiscard]] TreePtr chains_tree(Rank ranks, Rank root, std::uint32_t chains);
/// v to v + 1.
[[nodiscard]] TreePtr chain_tree(Rank ranks, Rank root);
/// v to 2v + 1 and 2v + 2.
[[nodiscard]] TreePtr binary_tree(Rank ranks, Rank root);

}  // namespace ayatori
