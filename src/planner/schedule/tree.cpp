#include "tree.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace ayatori {

namespace {

/// The chunk that arrives at `r` in `step`, if one does.
bool arrives(const SpanningTree& tree, Rank r, const Chunks& chunks, std::size_t step, std::size_t& chunk) {
  const std::size_t first = tree.arrival(r);
  if (step < first || (step - first) % tree.period() != 0) return false;
  chunk = (step - first) / tree.period();
  return chunk < chunks.count;
}

class BroadcastDown final : public Phase {
 public:
  BroadcastDown(TreePtr tree, const Chunks& chunks) : tree_(std::move(tree)), chunks_(chunks) {}

  [[nodiscard]] std::size_t steps() const override { return steps_for(*tree_, chunks_); }

  void add(Rank r, std::size_t step, StepActions& actions) const override {
    std::size_t chunk = 0;
    const Rank parent = tree_->parent(r);
    if (parent != no_id && arrives(*tree_, r, chunks_, step, chunk)) actions.receive(parent, chunks_.chunk(chunk));
    for (const Rank child : tree_->children(r)) {
      if (arrives(*tree_, child, chunks_, step, chunk)) actions.send(child, chunks_.chunk(chunk));
    }
  }

 private:
  TreePtr tree_;
  Chunks chunks_;
};

/// A chunk leaves r in step rounds − 1 − arrival(r) + s · period: parents after children, chunks in their order.
class ReduceUp final : public Phase {
 public:
  ReduceUp(TreePtr tree, const Chunks& chunks, const SlotLayout& layout, Rank contributors, std::uint32_t first_pair)
      : tree_(std::move(tree)),
        chunks_(chunks),
        layout_(layout),
        contributors_(contributors),
        first_pair_(first_pair) {}

  [[nodiscard]] std::size_t steps() const override { return steps_for(*tree_, chunks_); }

  void add(Rank r, std::size_t step, StepActions& actions) const override {
    std::size_t chunk = 0;
    const Rank parent = tree_->parent(r);
    if (parent != no_id && leaves(r, step, chunk)) actions.send(parent, chunks_.chunk(chunk));
    std::uint32_t pair = first_pair_;
    bool has_some = r < contributors_;
    for (const Rank child : tree_->children(r)) {
      if (!leaves(child, step, chunk)) continue;
      const SlotRange target = chunks_.chunk(chunk);
      const bool add_to_it = std::exchange(has_some, true) && target.count > 0;
      const SlotRange arriving = add_to_it ? scratch(target, pair++) : target;
      actions.receive(child, arriving);
      if (add_to_it) actions.reduce(arriving, target.first);
    }
  }

 private:
  [[nodiscard]] bool leaves(Rank r, std::size_t step, std::size_t& chunk) const {
    const std::size_t first = tree_->rounds() - 1 - tree_->arrival(r);
    if (step < first || (step - first) % tree_->period() != 0) return false;
    chunk = (step - first) / tree_->period();
    return chunk < chunks_.count;
  }

  [[nodiscard]] SlotRange scratch(const SlotRange& target, std::uint32_t pair) const {
    if (target.count > 1) return {layout_.blocks + target.first, target.count};
    return {layout_.scratch(pair, target.first), 1};
  }

  TreePtr tree_;
  Chunks chunks_;
  SlotLayout layout_;
  Rank contributors_;
  std::uint32_t first_pair_;
};

class ScatterDown final : public Phase {
 public:
  explicit ScatterDown(TreePtr tree) : tree_(std::move(tree)) {}
  [[nodiscard]] std::size_t steps() const override { return tree_->rounds(); }

  void add(Rank r, std::size_t step, StepActions& actions) const override {
    const Rank parent = tree_->parent(r);
    if (parent != no_id && tree_->arrival(r) == step) actions.receive(parent, slots_below(*tree_, r));
    for (const Rank child : tree_->children(r)) {
      if (tree_->arrival(child) == step) actions.send(child, slots_below(*tree_, child));
    }
  }

 private:
  TreePtr tree_;
};

class GatherUp final : public Phase {
 public:
  explicit GatherUp(TreePtr tree) : tree_(std::move(tree)) {}
  [[nodiscard]] std::size_t steps() const override { return tree_->rounds(); }

  void add(Rank r, std::size_t step, StepActions& actions) const override {
    const std::size_t mirrored = steps() - 1 - step;
    const Rank parent = tree_->parent(r);
    if (parent != no_id && tree_->arrival(r) == mirrored) actions.send(parent, slots_below(*tree_, r));
    for (const Rank child : tree_->children(r)) {
      if (tree_->arrival(child) == mirrored) actions.receive(child, slots_below(*tree_, child));
    }
  }

 private:
  TreePtr tree_;
};

class ChainTree final : public RootedTree {
 public:
  using RootedTree::RootedTree;
  [[nodiscard]] std::uint32_t fan() const override { return 1; }

 protected:
  [[nodiscard]] Rank parent_of(Rank v) const override { return v - 1; }
  void children_of(Rank v, std::vector<Rank>& children) const override {
    if (v + 1 < ranks()) children.push_back(v + 1);
  }
  [[nodiscard]] std::size_t arrival_of(Rank v) const override { return v - 1; }
};

class BinaryTree final : public RootedTree {
 public:
  using RootedTree::RootedTree;
  [[nodiscard]] std::uint32_t fan() const override { return 2; }

 protected:
  [[nodiscard]] Rank parent_of(Rank v) const override { return (v - 1) / 2; }
  void children_of(Rank v, std::vector<Rank>& children) const override {
    for (std::uint64_t child = std::uint64_t{2} * v + 1; child <= std::uint64_t{2} * v + 2; ++child) {
      if (child < ranks()) children.push_back(static_cast<Rank>(child));
    }
  }
  [[nodiscard]] std::size_t arrival_of(Rank v) const override { return std::bit_width(v + 1) - 2; }
};

}  // namespace

std::size_t steps_for(const SpanningTree& tree, const Chunks& chunks) {
  return tree.rounds() == 0 ? 0 : tree.rounds() + (chunks.count - 1) * tree.period();
}

PhasePtr broadcast_down(TreePtr tree, const Chunks& chunks) {
  return std::make_unique<BroadcastDown>(std::move(tree), chunks);
}

PhasePtr reduce_up(TreePtr tree, const Chunks& chunks, const SlotLayout& layout, Rank contributors,
                   std::uint32_t first_pair) {
  return std::make_unique<ReduceUp>(std::move(tree), chunks, layout, contributors, first_pair);
}

PhasePtr scatter_down(TreePtr tree) { return std::make_unique<ScatterDown>(std::move(tree)); }

PhasePtr gather_up(TreePtr tree) { return std::make_unique<GatherUp>(std::move(tree)); }

std::vector<SlotRange> slots_below(const SpanningTree& tree, Rank r) {
  std::vector<Rank> below{r};
  for (std::size_t i = 0; i < below.size(); ++i) {
    for (const Rank child : tree.children(below[i])) below.push_back(child);
  }
  std::sort(below.begin(), below.end());
  std::vector<SlotRange> ranges;
  for (const Rank rank : below) append_slots(ranges, {rank, 1});
  return ranges;
}

std::uint32_t chunk_count(Bytes bytes, const SpanningTree& tree, Bytes chunk_bytes) {
  constexpr double most = 1 << 20;
  constexpr double h = 16 << 10;
  const double m = static_cast<double>(bytes);
  const double depth = static_cast<double>(tree.rounds()) / static_cast<double>(tree.period());
  const double best =
      chunk_bytes > 0 ? std::ceil(m / static_cast<double>(chunk_bytes)) : std::sqrt(std::max(0.0, depth - 1) * m / h);
  return static_cast<std::uint32_t>(std::max(1.0, std::min({std::round(best), m, most})));
}

std::vector<Rank> RootedTree::children(Rank r) const {
  std::vector<Rank> found;
  children_of(relative(r), found);
  for (Rank& child : found) child = real(child);
  return found;
}

KnomialTree::KnomialTree(Rank ranks, Rank root, std::uint32_t radix) : RootedTree(ranks, root), radix_(radix) {
  for (std::uint64_t reach = 1; reach < ranks; reach *= radix) ++digits_;
}

Rank KnomialTree::parent_of(Rank v) const {
  std::uint64_t lowest = 1;
  while (v / lowest % radix_ == 0) lowest *= radix_;
  return static_cast<Rank>(v - v / lowest % radix_ * lowest);
}

void KnomialTree::children_of(Rank v, std::vector<Rank>& children) const {
  std::uint64_t value = 1;
  for (std::size_t i = 0; i < digits_ && v / value % radix_ == 0; ++i) value *= radix_;
  for (value /= radix_; value > 0; value /= radix_) {
    for (std::uint64_t digit = 1; digit < radix_ && v + digit * value < ranks(); ++digit) {
      children.push_back(static_cast<Rank>(v + digit * value));
    }
  }
}

std::size_t KnomialTree::arrival_of(Rank v) const {
  std::size_t digit = 0;
  for (; v != 0 && v % radix_ == 0; v /= radix_) ++digit;
  return digits_ - 1 - digit;
}

TreePtr chain_tree(Rank ranks, Rank root) { return std::make_shared<ChainTree>(ranks, root); }

TreePtr binary_tree(Rank ranks, Rank root) { return std::make_shared<BinaryTree>(ranks, root); }

}  // namespace ayatori
