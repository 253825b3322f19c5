// Collectives by pairs that exchange, as Open MPI and MPICH execute them where they differ from ours: the pairs that
// are nearest to each other exchange most. Which rank sends how much to which is proven by what Open MPI 4.1 and
// MPICH 4.0 send (bench/validation/mpi_tables.py).
#include <bit>

#include "families.hpp"
#include "rings.hpp"
#include "tree.hpp"

namespace ayatori {

namespace {

/// How a number of ranks that is not a power of two is folded: of each of the first pairs (even, odd) one stays.
enum class FoldTo : std::uint8_t {
  whole_to_odd,    ///< MPICH's allreduce: the even one hands over its vector
  whole_to_even,   ///< MPICH's reduce
  halves_to_even,  ///< Open MPI: each combines one half, then the odd one hands over its half
};

/// Rabenseifner's algorithm with the largest pieces between neighbours: in step s of the reduce-scatter members that
/// differ in bit s exchange halves of what they have, the one without the bit keeping the lower half. Then the same
/// backwards, to all or to the root.
class NearFirst {
 public:
  NearFirst(const CollectiveCall& call, FoldTo fold)
      : call_(call),
        fold_(fold),
        core_(std::bit_floor(call.ranks)),
        folded_(call.ranks - core_),
        levels_(std::bit_width(core_) - 1) {}

  [[nodiscard]] Rank core() const { return core_; }
  [[nodiscard]] std::size_t levels() const { return levels_; }
  [[nodiscard]] bool folds() const { return folded_ > 0; }
  [[nodiscard]] SlotRange all() const { return {0, core_}; }

  /// Number among those that stay; no_id if the rank does not stay.
  [[nodiscard]] Rank member(Rank r) const {
    if (r >= 2 * folded_) return r - folded_;
    return (r % 2 == 1) == odd_stays() ? r / 2 : no_id;
  }
  [[nodiscard]] Rank rank(Rank member) const {
    return member < folded_ ? 2 * member + (odd_stays() ? 1 : 0) : member + folded_;
  }

  /// What member v still combines, or has, when it has halved `steps` times.
  [[nodiscard]] SlotRange window(Rank v, std::size_t steps) const {
    SlotRange window{0, core_};
    for (std::size_t s = 0; s < steps; ++s) {
      window.count /= 2;
      if (v >> s & 1) window.first += window.count;
    }
    return window;
  }

  /// Open MPI gives the lower half what remains when a length is halved, rounded down; MPICH the first blocks a byte
  /// more.
  [[nodiscard]] Bytes block_bytes(std::uint32_t block) const {
    Bytes bytes = call_.bytes;
    for (std::uint32_t half = core_ / 2; half > 0; half /= 2) bytes = block & half ? bytes - bytes / 2 : bytes / 2;
    return bytes;
  }

  void fold_whole(Rank r, StepActions& actions) const {
    if (r >= 2 * folded_) return;
    const Rank partner = r ^ 1;
    if (member(r) == no_id) {
      actions.send(partner, all());
    } else {
      take(partner, all(), actions);
    }
  }

  void fold_halves(Rank r, std::size_t step, StepActions& actions) const {
    if (r >= 2 * folded_) return;
    const Rank partner = r ^ 1;
    const bool even = r % 2 == 0;
    const SlotRange lower{0, core_ / 2};
    const SlotRange upper{core_ / 2, core_ - core_ / 2};
    if (step == 0) {
      actions.send(partner, even ? upper : lower);
      take(partner, even ? lower : upper, actions);
    } else if (even) {
      actions.receive(partner, upper);
    } else {
      actions.send(partner, upper);
    }
  }

  void halve(Rank r, std::size_t step, StepActions& actions) const {
    const Rank v = member(r);
    if (v == no_id) return;
    const Rank partner = v ^ Rank { 1 } << step;
    actions.send(rank(partner), window(partner, step + 1));
    take(rank(partner), window(v, step + 1), actions);
  }

  void double_up(Rank r, std::size_t step, StepActions& actions) const {
    const Rank v = member(r);
    if (v == no_id) return;
    const std::size_t halved = levels_ - step;
    const Rank partner = v ^ Rank { 1 } << (halved - 1);
    actions.send(rank(partner), window(v, halved));
    actions.receive(rank(partner), window(partner, halved));
  }

  void unfold(Rank r, StepActions& actions) const {
    if (r >= 2 * folded_) return;
    if (member(r) == no_id) {
      actions.receive(r ^ 1, all());
    } else {
      actions.send(r ^ 1, all());
    }
  }

  /// A root that does not stay takes the place and the block of member 0.
  [[nodiscard]] bool root_takes_over() const { return member(call_.root) == no_id; }
  void take_over(Rank r, StepActions& actions) const {
    const SlotRange block = window(0, levels_);
    if (r == rank(0)) actions.send(call_.root, block);
    if (r == call_.root) actions.receive(rank(0), block);
  }

  /// Member v's window goes to the member that differs in the highest bit in which v differs from the root.
  void gather(Rank r, std::size_t step, StepActions& actions) const {
    const bool takes_over = root_takes_over();
    const Rank v = takes_over && r == call_.root ? 0 : takes_over && r == rank(0) ? no_id : member(r);
    if (v == no_id) return;
    const Rank root = takes_over ? 0 : member(call_.root);
    const std::size_t bit = levels_ - 1 - step;
    if (v >> (bit + 1) != root >> (bit + 1)) return;
    const Rank partner = v ^ Rank { 1 } << bit;
    const auto real = [&](Rank m) { return takes_over && m == 0 ? call_.root : rank(m); };
    if ((v >> bit & 1) == (root >> bit & 1)) {
      actions.receive(real(partner), window(partner, bit + 1));
    } else {
      actions.send(real(partner), window(v, bit + 1));
    }
  }

 private:
  [[nodiscard]] bool odd_stays() const { return fold_ == FoldTo::whole_to_odd; }

  void take(Rank from, SlotRange slots, StepActions& actions) const {
    const SlotRange arriving{slots.first + core_, slots.count};
    actions.receive(from, arriving);
    actions.reduce(arriving, slots.first);
  }

  CollectiveCall call_;
  FoldTo fold_;
  Rank core_;
  Rank folded_;
  std::size_t levels_;
};

using NearFirstPtr = std::shared_ptr<const NearFirst>;

void add_fold(PhasedSchedule& program, const NearFirstPtr& near, FoldTo fold) {
  if (!near->folds()) return;
  if (fold == FoldTo::halves_to_even) {
    program.then(
        phase(2, [near](Rank r, std::size_t step, StepActions& actions) { near->fold_halves(r, step, actions); }));
  } else {
    program.then(phase(1, [near](Rank r, std::size_t, StepActions& actions) { near->fold_whole(r, actions); }));
  }
}

SchedulePtr near_first(const CollectiveCall& call, FoldTo fold) {
  const auto near = std::make_shared<const NearFirst>(call, fold);
  auto program = std::make_shared<PhasedSchedule>(call, SlotLayout{call.bytes, near->core(), 2, 0});
  if (fold == FoldTo::halves_to_even) {
    program->set_slot_sizes([near](Rank, Slot slot) { return near->block_bytes(slot % near->core()); });
  }
  add_fold(*program, near, fold);
  program->then(
      phase(near->levels(), [near](Rank r, std::size_t step, StepActions& actions) { near->halve(r, step, actions); }));
  if (call.collective == Collective::allreduce) {
    program->then(phase(near->levels(),
                        [near](Rank r, std::size_t step, StepActions& actions) { near->double_up(r, step, actions); }));
    if (near->folds()) {
      program->then(phase(1, [near](Rank r, std::size_t, StepActions& actions) { near->unfold(r, actions); }));
    }
    return program;
  }
  if (near->root_takes_over()) {
    program->then(phase(1, [near](Rank r, std::size_t, StepActions& actions) { near->take_over(r, actions); }));
  }
  program->then(phase(near->levels(),
                      [near](Rank r, std::size_t step, StepActions& actions) { near->gather(r, step, actions); }));
  return program;
}

/// The blocks of a broadcast, of which all but the last are equal: the length by the ranks, rounded up.
SlotLayout rounded_blocks(const CollectiveCall& call) {
  return {call.bytes, call.ranks, 1, 0, std::max<Bytes>(1, (call.bytes + call.ranks - 1) / call.ranks)};
}

/// After a binomial scatter, subtrees of 2^level ranks exchange all that they have, level by level, ranks and blocks
/// counted from the root. Where the other subtree is incomplete, some ranks have no partner: those that have one pass
/// on what it sent, over the highest bit first.
class DoublingOfBlocks {
 public:
  explicit DoublingOfBlocks(Rank ranks) : ranks_(ranks) {
    for (std::size_t level = 0; Rank{1} << level < ranks_; ++level) {
      for (std::size_t bit = level + 1; bit-- > 0;) steps_.push_back({level, bit});
    }
  }

  [[nodiscard]] std::size_t steps() const { return steps_.size(); }

  void add(Rank v, std::size_t step, StepActions& actions) const {
    const auto [level, bit] = steps_[step];
    const Rank partner = v ^ Rank { 1 } << bit;
    const Rank width = Rank{1} << level;
    const Rank own = v / width * width;
    const Rank other = own ^ width;
    if (bit == level) {
      if (partner >= ranks_) return;
      actions.send(partner, blocks(own, width));
      actions.receive(partner, blocks(other, width));
    } else if (other > own && other < ranks_) {
      pass_on(v, partner, v >> (bit + 1) << (bit + 1), blocks(other, width), ranks_ - other, actions);
    }
  }

 private:
  struct Step {
    std::size_t level;  ///< of the subtrees that exchange
    std::size_t bit;    ///< in which partners differ: `level` itself, or a lower one when blocks are passed on
  };

  /// Of the 2 · 2^bit ranks from `group` on, the first `served` have the blocks, or all have them.
  static void pass_on(Rank v, Rank partner, Rank group, SlotRange late, Rank served, StepActions& actions) {
    const Rank edge = group + served;
    if (partner > v && v < edge && partner >= edge) actions.send(partner, late);
    if (partner < v && partner < edge && v >= edge) actions.receive(partner, late);
  }

  [[nodiscard]] SlotRange blocks(Rank first, Rank width) const { return {first, std::min(width, ranks_ - first)}; }

  Rank ranks_;
  std::vector<Step> steps_;
};

/// Numbers ranks from the root.
struct CountedFromRoot {
  Rank ranks;
  Rank root;
  [[nodiscard]] Rank member(Rank rank) const { return (rank + ranks - root) % ranks; }
  [[nodiscard]] Rank rank(Rank member) const { return (member + root) % ranks; }
};

/// Block i is that of the i-th rank after the root.
PhasePtr from_root(PhasePtr inner, const CollectiveCall& call) {
  return among(CountedFromRoot{call.ranks, call.root}, std::move(inner));
}

std::shared_ptr<PhasedSchedule> scattered(const CollectiveCall& call) {
  return one_by_one(call, rounded_blocks(call),
                    from_root(scatter_down(std::make_shared<KnomialTree>(call.ranks, 0, 2)), call));
}

}  // namespace

Result<SchedulePtr> make_openmpi_rabenseifner(const CollectiveCall& call, const Placement&, const AlgorithmOptions&) {
  return near_first(call, FoldTo::halves_to_even);
}

// The reduce-scatter goes round once for each part of the blocks, the allgather once with whole blocks. A vector that
// has less than chunk_bytes for each rank is not cut.
Result<SchedulePtr> make_openmpi_segmented_ring(const CollectiveCall& call, const Placement&,
                                                const AlgorithmOptions& options) {
  constexpr Bytes most = 1 << 20;
  const Rank n = call.ranks;
  const Bytes cut = n * std::max<Bytes>(1, std::min(options.chunk_bytes, call.bytes));
  const Bytes rest = call.bytes % cut;
  const Bytes cuts = options.chunk_bytes == 0 ? 1 : call.bytes / cut + (rest >= n && rest > cut / 2 ? 1 : 0);
  const auto parts = static_cast<std::uint32_t>(std::clamp<Bytes>(cuts, 1, std::max<Bytes>(1, most / n)));
  const SlotLayout blocks{call.bytes, n, 1, 0};
  auto program = std::make_shared<PhasedSchedule>(call, SlotLayout{call.bytes, n * parts, 2, 0});
  program->set_slot_sizes([=](Rank, Slot slot) {
    const std::uint32_t block = slot / parts % n;
    return SlotLayout{blocks.block_bytes(block), parts, 1, 0}.block_bytes(slot % parts);
  });
  program->then(phase(std::size_t{parts} * (n - 1), [=](Rank r, std::size_t step, StepActions& actions) {
    const auto part = static_cast<Slot>(step / (n - 1));
    const auto s = static_cast<Rank>(step % (n - 1));
    const Slot leaving = (r + n - s) % n * parts + part;
    const Slot arriving = (r + 2 * n - 1 - s) % n * parts + part;
    actions.send((r + 1) % n, SlotRange{leaving, 1});
    actions.receive((r + n - 1) % n, SlotRange{n * parts + arriving, 1});
    actions.reduce({n * parts + arriving, 1}, arriving);
  }));
  program->then(phase(n - 1, [=](Rank r, std::size_t step, StepActions& actions) {
    const auto s = static_cast<Rank>(step);
    actions.send((r + 1) % n, SlotRange{(r + 1 + n - s) % n * parts, parts});
    actions.receive((r + n - 1) % n, SlotRange{(r + n - s) % n * parts, parts});
  }));
  return program;
}

Result<SchedulePtr> make_mpich_rabenseifner(const CollectiveCall& call, const Placement&, const AlgorithmOptions&) {
  return near_first(call, call.collective == Collective::reduce ? FoldTo::whole_to_even : FoldTo::whole_to_odd);
}

Result<SchedulePtr> make_scatter_doubling(const CollectiveCall& call, const Placement&, const AlgorithmOptions&) {
  auto program = scattered(call);
  const auto doubling = std::make_shared<const DoublingOfBlocks>(call.ranks);
  program->then(
      from_root(phase(doubling->steps(),
                      [doubling](Rank v, std::size_t step, StepActions& actions) { doubling->add(v, step, actions); }),
                call));
  return program;
}

Result<SchedulePtr> make_scatter_ring(const CollectiveCall& call, const Placement&, const AlgorithmOptions&) {
  auto program = scattered(call);
  program->then(from_root(ring_allgather(call.ranks), call));
  return program;
}

}  // namespace ayatori
