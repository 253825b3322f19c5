#include "tree.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace ayatori {

namespace {

/// Of a pipeline whose first chunk is due in step `first`: the chunk that is due in `step`.
std::optional<std::size_t> chunk_due(std::size_t first, const SpanningTree& tree, const Chunks& chunks,
                                     std::size_t step) {
  if (step < first || (step - first) % tree.period() != 0) return std::nullopt;
  const std::size_t chunk = (step - first) / tree.period();
  return chunk < chunks.count ? std::optional(chunk) : std::nullopt;
}

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
    const Rank parent = tree_->parent(r);
    const auto own = parent == no_id ? std::nullopt : leaving(r, step);
    if (own) actions.send(parent, chunks_.chunk(*own));
    std::uint32_t pair = first_pair_;
    bool has_some = r < contributors_;
    for (const Rank child : tree_->children(r)) {
      const auto chunk = leaving(child, step);
      if (!chunk) continue;
      const SlotRange target = chunks_.chunk(*chunk);
      const bool add_to_it = std::exchange(has_some, true) && target.count > 0;
      const SlotRange arriving = add_to_it ? scratch(target, pair++) : target;
      actions.receive(child, arriving);
      if (add_to_it) actions.reduce(arriving, target.first);
    }
  }

 private:
  [[nodiscard]] std::optional<std::size_t> leaving(Rank r, std::size_t step) const {
    return chunk_due(tree_->rounds() - 1 - tree_->arrival(r), *tree_, chunks_, step);
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

class ChainsTree final : public RootedTree {
 public:
  ChainsTree(Rank ranks, Rank root, std::uint32_t chains)
      : RootedTree(ranks, root),
        chains_(std::max(1U, std::min(chains, ranks - 1))),
        length_((ranks - 1) / chains_),
        longer_((ranks - 1) % chains_) {}
  [[nodiscard]] std::uint32_t fan() const override { return chains_; }
  [[nodiscard]] std::size_t rounds() const override { return length_ + (longer_ > 0); }

 protected:
  [[nodiscard]] Rank parent_of(Rank v) const override { return arrival_of(v) == 0 ? 0 : v - 1; }
  void children_of(Rank v, std::vector<Rank>& children) const override {
    if (v > 0) {
      if (v + 1 < ranks() && arrival_of(v + 1) > 0) children.push_back(v + 1);
      return;
    }
    for (Rank chain = 0; chain < chains_ && ranks() > 1; ++chain) children.push_back(head(chain));
  }
  [[nodiscard]] std::size_t arrival_of(Rank v) const override {
    const Rank in_longer = longer_ * (length_ + 1);
    return v <= in_longer ? (v - 1) % (length_ + 1) : (v - 1 - in_longer) % length_;
  }

 private:
  [[nodiscard]] Rank head(Rank chain) const { return 1 + chain * length_ + std::min(chain, longer_); }

  Rank chains_;
  Rank length_;
  Rank longer_;
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
  return along_edges(tree, steps_for(*tree, chunks), Direction::down, [tree, chunks](Rank child, std::size_t step) {
    const auto chunk = chunk_due(tree->arrival(child), *tree, chunks, step);
    return chunk ? std::optional(chunks.chunk(*chunk)) : std::nullopt;
  });
}

PhasePtr reduce_up(TreePtr tree, const Chunks& chunks, const SlotLayout& layout, Rank contributors,
                   std::uint32_t first_pair) {
  return std::make_unique<ReduceUp>(std::move(tree), chunks, layout, contributors, first_pair);
}

PhasePtr scatter_down(TreePtr tree) {
  return along_edges(tree, tree->rounds(), Direction::down, [tree](Rank child, std::size_t step) {
    return tree->arrival(child) == step ? std::optional(slots_below(*tree, child)) : std::nullopt;
  });
}

PhasePtr gather_up(TreePtr tree) {
  return along_edges(tree, tree->rounds(), Direction::up, [tree](Rank child, std::size_t step) {
    const bool is_due = tree->rounds() - 1 - tree->arrival(child) == step;
    return is_due ? std::optional(slots_below(*tree, child)) : std::nullopt;
  });
}

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

TreePtr chains_tree(Rank ranks, Rank root, std::uint32_t chains) {
  return std::make_shared<ChainsTree>(ranks, root, chains);
}

TreePtr chain_tree(Rank ranks, Rank root) { return chains_tree(ranks, root, 1); }

TreePtr binary_tree(Rank ranks, Rank root) { return std::make_shared<BinaryTree>(ranks, root); }

}  // namespace ayatori
