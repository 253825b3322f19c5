// The trees of Open MPI's collectives where they differ from ours, so that its algorithms can be predicted and its
// selection tables written. Which rank sends how much to which is proven by what Open MPI 4.1 sends
// (bench/validation/mpi_tables.py).
#include <array>
#include <bit>

#include "families.hpp"
#include "tree.hpp"

namespace ayatori {

namespace {

/// v's parent lacks its highest bit; children are served one after the other, the nearest first.
class HighestBitTree final : public RootedTree {
 public:
  using RootedTree::RootedTree;
  [[nodiscard]] std::uint32_t fan() const override { return 1; }
  [[nodiscard]] std::size_t period() const override { return std::max<std::size_t>(1, rounds()); }

 protected:
  [[nodiscard]] Rank parent_of(Rank v) const override { return v - std::bit_floor(v); }
  void children_of(Rank v, std::vector<Rank>& children) const override {
    for (std::uint64_t bit = v == 0 ? 1 : 2 * std::uint64_t{std::bit_floor(v)}; v + bit < ranks(); bit *= 2) {
      children.push_back(static_cast<Rank>(v + bit));
    }
  }
  [[nodiscard]] std::size_t arrival_of(Rank v) const override { return std::bit_width(v) - 1; }
};

/// Level l of the tree has 2^l ranks, and v on it has the children v + 2^l and v + 2 · 2^l.
class LevelledBinaryTree final : public RootedTree {
 public:
  using RootedTree::RootedTree;
  [[nodiscard]] std::uint32_t fan() const override { return 2; }

 protected:
  [[nodiscard]] Rank parent_of(Rank v) const override {
    const Rank width = width_at(v);
    const bool first_child = v - width / 2 < width - 1;
    return first_child ? v - width / 2 : v - width;
  }
  void children_of(Rank v, std::vector<Rank>& children) const override {
    for (const std::uint64_t times : {1, 2}) {
      const std::uint64_t child = v + times * width_at(v);
      if (child < ranks()) children.push_back(static_cast<Rank>(child));
    }
  }
  [[nodiscard]] std::size_t arrival_of(Rank v) const override { return std::bit_width(v + 1) - 2; }

 private:
  /// Of v's level, which has the ranks width − 1 … 2 · width − 2.
  static Rank width_at(Rank v) { return std::bit_floor(v + 1); }
};

/// The root sends to the heads of some chains, which are as equally long as can be; the first ones are longer.
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

/// Post-order: the last rank is the root, and of the ranks before it the first half, rounded up, is below its one
/// child, and the others below the other. Partial results of neighbours are combined in the order of ranks.
class InOrderBinaryTree final : public SpanningTree {
 public:
  explicit InOrderBinaryTree(Rank ranks) : parent_(ranks, no_id), arrival_(ranks, 0), children_(ranks) {
    place(0, ranks);
    for (Rank r = 0; r < ranks; ++r) rounds_ = std::max(rounds_, ranks > 1 ? arrival_[r] + 1 : 0);
  }
  [[nodiscard]] Rank parent(Rank r) const override { return parent_[r]; }
  [[nodiscard]] std::vector<Rank> children(Rank r) const override { return children_[r]; }
  [[nodiscard]] std::size_t arrival(Rank r) const override { return arrival_[r]; }
  [[nodiscard]] std::size_t rounds() const override { return rounds_; }
  [[nodiscard]] std::uint32_t fan() const override { return 2; }

 private:
  /// The subtree of `count` ranks from `first` on, whose root is the last; its arrival is known.
  void place(Rank first, Rank count) {
    const Rank top = first + count - 1;
    const Rank left = count / 2;
    for (const auto& [begin, size] : {std::pair{first, left}, std::pair{first + left, count - 1 - left}}) {
      if (size == 0) continue;
      const Rank child = begin + size - 1;
      parent_[child] = top;
      children_[top].push_back(child);
      arrival_[child] = parent_[top] == no_id ? 0 : arrival_[top] + 1;
      place(begin, size);
    }
  }

  std::vector<Rank> parent_;
  std::vector<std::size_t> arrival_;
  std::vector<std::vector<Rank>> children_;
  std::size_t rounds_ = 0;
};

/// Pieces of chunk_bytes and a rest; without chunk_bytes one piece.
SlotLayout in_pieces(const CollectiveCall& call, const SpanningTree& tree, const AlgorithmOptions& options) {
  constexpr Bytes most = 1 << 20;
  SlotLayout layout{call.bytes, 1, 1, call.collective == Collective::reduce ? tree.fan() : 0};
  if (options.chunk_bytes > 0 && call.bytes > options.chunk_bytes) {
    layout.chunk = std::max(options.chunk_bytes, (call.bytes + most - 1) / most);
    layout.blocks = static_cast<std::uint32_t>((call.bytes + layout.chunk - 1) / layout.chunk);
  }
  return layout;
}

std::shared_ptr<PhasedSchedule> along(const CollectiveCall& call, TreePtr tree, const AlgorithmOptions& options) {
  const SlotLayout layout = in_pieces(call, *tree, options);
  auto program = std::make_shared<PhasedSchedule>(call, layout);
  const Chunks chunks{0, layout.blocks};
  const bool down = call.collective == Collective::broadcast;
  program->then(down ? broadcast_down(std::move(tree), chunks)
                     : reduce_up(std::move(tree), chunks, layout, call.ranks));
  return program;
}

/// Halves of the vector, each in pieces; the first has an element more if their number is odd.
class Halves {
 public:
  Halves(Bytes bytes, Bytes piece) : bytes_{bytes - bytes / 2, bytes / 2} {
    constexpr Bytes most = 1 << 20;
    piece_ = piece == 0 ? bytes_[0] : std::max(piece, (bytes + most - 1) / most);
  }

  [[nodiscard]] bool fit(Bytes piece) const { return bytes_[1] > 0 && piece <= bytes_[1]; }
  [[nodiscard]] std::uint32_t pieces(std::size_t half) const {
    return static_cast<std::uint32_t>((bytes_[half] + piece_ - 1) / piece_);
  }
  [[nodiscard]] SlotRange all(std::size_t half) const { return {half == 0 ? 0 : pieces(0), pieces(half)}; }
  [[nodiscard]] SlotRange piece(std::size_t half, std::size_t i) const {
    return {all(half).first + static_cast<Slot>(i), 1};
  }
  [[nodiscard]] Bytes slot_bytes(Slot slot) const {
    const std::size_t half = slot < pieces(0) ? 0 : 1;
    return std::min(piece_, bytes_[half] - (slot - all(half).first) * piece_);
  }

 private:
  std::array<Bytes, 2> bytes_;
  Bytes piece_ = 0;
};

/// Down the tree of openmpi-binary, but each half of the vector to one of the root's two subtrees.
PhasePtr halves_down(TreePtr tree, const Halves& halves, Rank ranks, Rank root) {
  if (ranks == 1) return phase(0, [](Rank, std::size_t, StepActions&) {});
  const std::size_t steps = tree->rounds() + halves.pieces(0) - 1;
  return phase(steps, [tree, halves, ranks, root](Rank r, std::size_t step, StepActions& actions) {
    const auto half_of = [&](Rank rank) { return static_cast<std::size_t>((rank + ranks - root) % ranks + 1) % 2; };
    const auto is_due = [&](Rank rank) {
      return step >= tree->arrival(rank) && step - tree->arrival(rank) < halves.pieces(half_of(rank));
    };
    const auto due = [&](Rank rank) { return halves.piece(half_of(rank), step - tree->arrival(rank)); };
    if (r != root && is_due(r)) actions.receive(tree->parent(r), due(r));
    for (const Rank child : tree->children(r)) {
      if (is_due(child)) actions.send(child, due(child));
    }
  });
}

/// Ranks next to each other have different halves, but for the root and, of an even number of ranks, the last one.
PhasePtr halves_exchanged(const Halves& halves, Rank ranks, Rank root) {
  return phase(ranks > 1 ? 1 : 0, [halves, ranks, root](Rank r, std::size_t, StepActions& actions) {
    const Rank last = (root + ranks - 1) % ranks;
    const std::size_t half = ((r + ranks - root) % ranks + 1) % 2;
    if (ranks % 2 == 0 && r == root) actions.send(last, halves.all(1));
    if (ranks % 2 == 0 && r == last) actions.receive(root, halves.all(1));
    if (r == root || (ranks % 2 == 0 && r == last)) return;
    const Rank partner = half == 0 ? (r + 1) % ranks : (r + ranks - 1) % ranks;
    actions.receive(partner, halves.all(1 - half));
    actions.send(partner, halves.all(half));
  });
}

}  // namespace

Result<SchedulePtr> make_openmpi_binomial(const CollectiveCall& call, const Places&, const AlgorithmOptions& options) {
  return along(call, std::make_shared<HighestBitTree>(call.ranks, call.root), options);
}

Result<SchedulePtr> make_openmpi_binary(const CollectiveCall& call, const Places&, const AlgorithmOptions& options) {
  return along(call, std::make_shared<LevelledBinaryTree>(call.ranks, call.root), options);
}

Result<SchedulePtr> make_openmpi_chains(const CollectiveCall& call, const Places&, const AlgorithmOptions& options) {
  const std::uint32_t chains = options.radix == 0 ? 4 : options.radix;
  return along(call, std::make_shared<ChainsTree>(call.ranks, call.root, chains), options);
}

// A vector that has not a piece for each half goes along one chain.
Result<SchedulePtr> make_openmpi_split_binary(const CollectiveCall& call, const Places&,
                                              const AlgorithmOptions& options) {
  const Halves halves(call.bytes, options.chunk_bytes);
  if (!halves.fit(options.chunk_bytes)) {
    return along(call, std::make_shared<ChainsTree>(call.ranks, call.root, 1), options);
  }
  auto program =
      std::make_shared<PhasedSchedule>(call, SlotLayout{call.bytes, halves.pieces(0) + halves.pieces(1), 1, 0});
  program->set_slot_sizes([halves](Rank, Slot slot) { return halves.slot_bytes(slot); });
  program->then(
      halves_down(std::make_shared<LevelledBinaryTree>(call.ranks, call.root), halves, call.ranks, call.root));
  program->then(halves_exchanged(halves, call.ranks, call.root));
  return program;
}

// The root signals one rank after the other, which then sends its data and, as a second message, the rest: nothing,
// where a table names no size of the first.
Result<SchedulePtr> make_openmpi_linear_sync(const CollectiveCall& call, const Places&, const AlgorithmOptions&) {
  auto program = std::make_shared<PhasedSchedule>(call, SlotLayout{call.bytes, 1, call.ranks, 0});
  const std::size_t turns = call.ranks - 1;
  if (turns == 0) return program;
  program->then(phase(2 * turns + 1, [turns, root = call.root](Rank r, std::size_t step, StepActions& actions) {
    const auto sender = [root](std::size_t turn) { return static_cast<Rank>(turn < root ? turn : turn + 1); };
    const auto message = [&](Rank from, Rank to, SlotRange slots) {
      if (r == from) actions.send(to, slots);
      if (r == to) actions.receive(from, slots);
    };
    const std::size_t turn = step / 2;
    if (step % 2 == 1) return message(sender(turn), root, {sender(turn), 1});
    if (turn < turns) message(root, sender(turn), {});
    if (turn > 0) message(sender(turn - 1), root, {});
  }));
  return program;
}

// Its tree is that of the last rank, which hands the result to the root in one message.
Result<SchedulePtr> make_openmpi_in_order_binary(const CollectiveCall& call, const Places&,
                                                 const AlgorithmOptions& options) {
  auto program = along(call, std::make_shared<InOrderBinaryTree>(call.ranks), options);
  const Rank last = call.ranks - 1;
  if (call.root == last) return program;
  const SlotRange all{0, program->block_count()};
  program->then(phase(1, [last, root = call.root, all](Rank r, std::size_t, StepActions& actions) {
    if (r == last) actions.send(root, all);
    if (r == root) actions.receive(last, all);
  }));
  return program;
}

}  // namespace ayatori
