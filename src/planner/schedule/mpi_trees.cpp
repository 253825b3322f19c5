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

/// Post-order: the last rank is the root, and of the ranks before it the first half, rounded up, is below its one
/// child, and the others below the other. Partial results of neighbours are combined in the order of ranks. Adds the
/// subtree of `count` ranks from `first` on, whose children have what comes down in step `arrival`.
void add_in_order(Rank first, Rank count, std::size_t arrival, TableTree& tree) {
  const Rank top = first + count - 1;
  const Rank left = count / 2;
  for (const auto& [begin, size] : {std::pair{first, left}, std::pair{first + left, count - 1 - left}}) {
    if (size == 0) continue;
    tree.add(top, begin + size - 1, arrival);
    add_in_order(begin, size, arrival + 1, tree);
  }
}

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
  return along_edges(tree, steps, Direction::down, [tree, halves, ranks, root](Rank child, std::size_t step) {
    const auto half = static_cast<std::size_t>((child + ranks - root) % ranks + 1) % 2;
    const bool is_due = step >= tree->arrival(child) && step - tree->arrival(child) < halves.pieces(half);
    return is_due ? std::optional(halves.piece(half, step - tree->arrival(child))) : std::nullopt;
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

Result<SchedulePtr> make_openmpi_binomial(const CollectiveCall& call, const Placement&,
                                          const AlgorithmOptions& options) {
  return along(call, std::make_shared<HighestBitTree>(call.ranks, call.root), options);
}

Result<SchedulePtr> make_openmpi_binary(const CollectiveCall& call, const Placement&, const AlgorithmOptions& options) {
  return along(call, std::make_shared<LevelledBinaryTree>(call.ranks, call.root), options);
}

Result<SchedulePtr> make_openmpi_chains(const CollectiveCall& call, const Placement&, const AlgorithmOptions& options) {
  const std::uint32_t chains = options.radix == 0 ? 4 : options.radix;
  return along(call, chains_tree(call.ranks, call.root, chains), options);
}

// A vector that has not a piece for each half goes along one chain.
Result<SchedulePtr> make_openmpi_split_binary(const CollectiveCall& call, const Placement&,
                                              const AlgorithmOptions& options) {
  const Halves halves(call.bytes, options.chunk_bytes);
  if (!halves.fit(options.chunk_bytes)) {
    return along(call, chain_tree(call.ranks, call.root), options);
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
Result<SchedulePtr> make_openmpi_linear_sync(const CollectiveCall& call, const Placement&, const AlgorithmOptions&) {
  auto program = std::make_shared<PhasedSchedule>(call, SlotLayout{call.bytes, 1, call.ranks, 0});
  const std::size_t senders = call.ranks - 1;
  if (senders == 0) return program;
  program->then(phase(2 * senders + 1, [senders, root = call.root](Rank r, std::size_t step, StepActions& actions) {
    const auto sender = [root](std::size_t index) { return static_cast<Rank>(index < root ? index : index + 1); };
    const auto message = [&](Rank from, Rank to, SlotRange slots) {
      if (r == from) actions.send(to, slots);
      if (r == to) actions.receive(from, slots);
    };
    const std::size_t index = step / 2;
    if (step % 2 == 1) return message(sender(index), root, {sender(index), 1});
    if (index < senders) message(root, sender(index), {});
    if (index > 0) message(sender(index - 1), root, {});
  }));
  return program;
}

// Its tree is that of the last rank, which hands the result to the root in one message.
Result<SchedulePtr> make_openmpi_in_order_binary(const CollectiveCall& call, const Placement&,
                                                 const AlgorithmOptions& options) {
  const auto tree = std::make_shared<TableTree>(call.ranks);
  add_in_order(0, call.ranks, 0, *tree);
  auto program = along(call, tree, options);
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
