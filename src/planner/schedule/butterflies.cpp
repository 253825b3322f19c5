// Pairs that exchange, log2 n times. A number of ranks that is not a power of two is folded first: of the first 2 (n −
// core) ranks, core being the largest power of two, the even ones hand what they have to their upper neighbour and wait
// for the result (Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, 2005).
#include <algorithm>
#include <bit>

#include "families.hpp"

namespace ayatori {

namespace {

struct Fold {
  explicit Fold(Rank ranks) : core(std::bit_floor(ranks)), folded(ranks - core) {}
  Rank core;
  Rank folded;

  [[nodiscard]] Rank member(Rank r) const {
    if (r >= 2 * folded) return r - folded;
    return r % 2 == 1 ? r / 2 : no_id;
  }
  [[nodiscard]] Rank rank(Rank member) const { return member < folded ? 2 * member + 1 : member + folded; }
  [[nodiscard]] bool hands_over(Rank r) const { return r < 2 * folded && r % 2 == 0; }
  [[nodiscard]] bool takes_over(Rank r) const { return r < 2 * folded && r % 2 == 1; }
  /// The ranks that a member stands for.
  [[nodiscard]] SlotRange stands_for(Rank member) const {
    return member < folded ? SlotRange{2 * member, 2} : SlotRange{member + folded, 1};
  }
};

/// Members on a grid whose lengths are powers of two, and what each exchanges with whom. In step s members pair up
/// along one dimension, partner(partner(v)) = v, and after all steps each has reached each other one in exactly one
/// way.
class Butterfly {
 public:
  virtual ~Butterfly() = default;
  [[nodiscard]] virtual std::size_t levels() const = 0;
  [[nodiscard]] virtual Rank partner(Rank v, std::size_t step) const = 0;

  /// Those whom v reaches by the steps from `step` on, itself included, in rising order.
  [[nodiscard]] std::vector<Rank> reach(Rank v, std::size_t step) const {
    std::vector<Rank> found{v};
    for (; step < levels(); ++step) {
      for (std::size_t i = found.size(); i-- > 0;) found.push_back(partner(found[i], step));
    }
    std::sort(found.begin(), found.end());
    return found;
  }
};

using ButterflyPtr = std::shared_ptr<const Butterfly>;

/// v and v xor 2^s, from the lowest bit or from the highest.
class Hypercube final : public Butterfly {
 public:
  enum class From : std::uint8_t { lowest, highest };
  Hypercube(Rank members, From from) : levels_(std::bit_width(members) - 1), from_(from) {}
  [[nodiscard]] std::size_t levels() const override { return levels_; }
  [[nodiscard]] Rank partner(Rank v, std::size_t step) const override {
    return v ^ (Rank{1} << (from_ == From::lowest ? step : levels_ - 1 - step));
  }

 private:
  std::size_t levels_;
  From from_;
};

/// Negabinary distances on a ring of L = 2^k: in its i-th step an even v pairs with v + ρ(i), an odd one with v − ρ(i),
///
///     ρ(i) = Σ_{j <= i} (−2)^j = (1 − (−2)^(i+1)) / 3 = 1, −1, 3, −5, 11, …
///
/// which is as near as powers of two in sum, but swings to both sides (De Sensi et al., Swing, 2024, section 3; the
/// same distances make Bine trees, 2025). A torus takes its dimensions cyclically, beginning with number `first`;
/// mirrored, plus and minus change places.
class NegabinaryTorus final : public Butterfly {
 public:
  NegabinaryTorus(std::span<const std::uint32_t> lengths, std::size_t first, bool mirrored) : mirrored_(mirrored) {
    std::vector<std::uint32_t> strides(lengths.size(), 1);
    for (std::size_t i = lengths.size(); i-- > 1;) strides[i - 1] = strides[i] * lengths[i];
    for (std::uint32_t distance = 0, left = 1; left > 0; ++distance) {
      left = 0;
      for (std::size_t i = 0; i < lengths.size(); ++i) {
        const std::size_t axis = (first + i) % lengths.size();
        if (lengths[axis] >> (distance + 1) == 0) continue;
        hops_.push_back({lengths[axis], strides[axis], distance});
        ++left;
      }
    }
  }

  [[nodiscard]] std::size_t levels() const override { return hops_.size(); }

  [[nodiscard]] Rank partner(Rank v, std::size_t step) const override {
    const Hop& hop = hops_[step];
    const std::int64_t here = v / hop.stride % hop.length;
    const std::int64_t rho = (1 - (hop.distance % 2 == 0 ? -2 : 2) * (std::int64_t{1} << hop.distance)) / 3;
    const bool upwards = (here % 2 == 0) != mirrored_;
    const std::int64_t length = hop.length;
    const std::int64_t there = ((here + (upwards ? rho : -rho)) % length + length) % length;
    return v + (static_cast<Rank>(there) - static_cast<Rank>(here)) * hop.stride;
  }

 private:
  struct Hop {
    std::uint32_t length;
    std::uint32_t stride;
    std::uint32_t distance;
  };
  bool mirrored_;
  std::vector<Hop> hops_;  // one a step
};

/// Which slots belong to a member at the end of a reduce-scatter, at the start of an allgather.
template <typename Owned>
std::vector<SlotRange> slots_of(const std::vector<Rank>& members, const Owned& owned) {
  std::vector<SlotRange> ranges;
  for (const Rank member : members) append_slots(ranges, owned(member));
  return ranges;
}

/// Halves what is left in each step: v gives away what its partner can still reach, and keeps the rest. What arrives
/// lies `scratch` slots further on until it is added.
template <typename Owned>
PhasePtr reduce_scatter(ButterflyPtr pairs, Slot scratch, Owned owned) {
  return phase(pairs->levels(), [=](Rank v, std::size_t step, StepActions& actions) {
    const Rank partner = pairs->partner(v, step);
    actions.send(partner, slots_of(pairs->reach(partner, step + 1), owned));
    auto arriving = slots_of(pairs->reach(v, step + 1), owned);
    for (SlotRange& range : arriving) {
      const Slot target = range.first;
      range.first += scratch;
      actions.reduce(range, target);
    }
    actions.receive(partner, arriving);
  });
}

/// The same backwards: doubles what v has.
template <typename Owned>
PhasePtr allgather(ButterflyPtr pairs, Owned owned) {
  return phase(pairs->levels(), [=](Rank v, std::size_t step, StepActions& actions) {
    const std::size_t level = pairs->levels() - 1 - step;
    const Rank partner = pairs->partner(v, level);
    actions.send(partner, slots_of(pairs->reach(v, level + 1), owned));
    actions.receive(partner, slots_of(pairs->reach(partner, level + 1), owned));
  });
}

/// Partners exchange all that they have. What the lower one has comes first: then both get the same bits.
PhasePtr exchange_all(ButterflyPtr pairs, std::uint32_t slots) {
  return phase(pairs->levels(), [=](Rank v, std::size_t step, StepActions& actions) {
    const Rank partner = pairs->partner(v, step);
    actions.send(partner, SlotRange{0, slots});
    actions.receive(partner, SlotRange{slots, slots});
    actions.combine_alike({slots, slots}, 0, partner < v);
  });
}

PhasePtr fold_in(const Fold& fold, SlotRange slots, Slot scratch) {
  return phase(fold.folded > 0 ? 1 : 0, [=](Rank r, std::size_t, StepActions& actions) {
    if (fold.hands_over(r)) actions.send(r + 1, slots);
    if (!fold.takes_over(r)) return;
    actions.receive(r - 1, SlotRange{slots.first + scratch, slots.count});
    actions.reduce({slots.first + scratch, slots.count}, slots.first);
  });
}

PhasePtr fold_out(const Fold& fold, SlotRange slots) {
  return phase(fold.folded > 0 ? 1 : 0, [=](Rank r, std::size_t, StepActions& actions) {
    if (fold.takes_over(r)) actions.send(r - 1, slots);
    if (fold.hands_over(r)) actions.receive(r + 1, slots);
  });
}

/// Ranks by their points on the placement's grid.
struct ByPoint {
  std::shared_ptr<const MachineRanks> ranks;
  [[nodiscard]] Rank member(Rank r) const { return ranks->placement().point[ranks->machine(r)]; }
  [[nodiscard]] Rank rank(Rank member) const { return ranks->ranks(ranks->machine_at(member)).front(); }
};

/// One stream a butterfly, each for its share of the vector: `members` blocks of it.
template <typename Map>
void reduce_scatter_allgather(PhasedSchedule& program, const std::vector<ButterflyPtr>& streams, Rank members,
                              const Map& map) {
  const auto total = static_cast<std::uint32_t>(streams.size()) * members;
  for (std::uint32_t c = 0; c < streams.size(); ++c) {
    const auto owned = [first = c * members](Rank v) { return SlotRange{first + v, 1}; };
    program.then(c, among(map, reduce_scatter(streams[c], total, owned)));
    program.then(c, among(map, allgather(streams[c], owned)));
  }
}

SchedulePtr folded_allreduce(const CollectiveCall& call, const std::vector<ButterflyPtr>& streams) {
  const Fold fold(call.ranks);
  const auto colours = static_cast<std::uint32_t>(streams.size());
  auto program = std::make_shared<PhasedSchedule>(call, SlotLayout{call.bytes, colours * fold.core, 2, 0});
  const auto share = [&](std::uint32_t c) { return SlotRange{c * fold.core, fold.core}; };
  for (std::uint32_t c = 0; c < colours; ++c) program->then(c, fold_in(fold, share(c), colours * fold.core));
  reduce_scatter_allgather(*program, streams, fold.core, fold);
  for (std::uint32_t c = 0; c < colours; ++c) program->then(c, fold_out(fold, share(c)));
  return program;
}

bool is_grid_of_powers_of_two(const Placement& placement) {
  const bool one_rank_a_machine = placement.machine.size() == placement.machine_count();
  return one_rank_a_machine && !placement.dimensions.empty() &&
         std::all_of(placement.dimensions.begin(), placement.dimensions.end(),
                     [](std::uint32_t length) { return std::has_single_bit(length); });
}

std::vector<ButterflyPtr> negabinary_streams(std::span<const std::uint32_t> lengths) {
  std::vector<ButterflyPtr> streams;
  for (const bool mirrored : {false, true}) {
    for (std::size_t first = 0; first < lengths.size(); ++first) {
      streams.push_back(std::make_shared<NegabinaryTorus>(lengths, first, mirrored));
    }
  }
  return streams;
}

}  // namespace

Result<SchedulePtr> make_recursive_doubling(const CollectiveCall& call, const Placement&, const AlgorithmOptions&) {
  const Fold fold(call.ranks);
  const auto pairs = std::make_shared<Hypercube>(fold.core, Hypercube::From::lowest);
  return one_by_one(call, SlotLayout{call.bytes, 1, 2, 0}, fold_in(fold, {0, 1}, 1),
                    among(fold, exchange_all(pairs, 1)), fold_out(fold, {0, 1}));
}

// Distances from large to small, as MPICH's recursive halving has them: pieces are contiguous and end at their ranks.
// Rabenseifner himself (2004) doubles distances while he halves the vector, so that its largest pieces go to
// neighbours: as many steps and bytes, but other pairs.
Result<SchedulePtr> make_rabenseifner(const CollectiveCall& call, const Placement&, const AlgorithmOptions&) {
  return folded_allreduce(call, {std::make_shared<Hypercube>(Fold(call.ranks).core, Hypercube::From::highest)});
}

// On a torus of powers of two with a rank a machine, 2D streams use all 2D ports of a machine at once (the paper's
// multiport form); on a mesh likewise, though messages over its end take more hops. Elsewhere ranks are taken for
// a ring in their order, with two streams that mirror each other.
Result<SchedulePtr> make_swing(const CollectiveCall& call, const Placement& placement, const AlgorithmOptions&) {
  if (!is_grid_of_powers_of_two(placement)) {
    const std::uint32_t ring[] = {Fold(call.ranks).core};
    return folded_allreduce(call, negabinary_streams(ring));
  }
  const auto streams = negabinary_streams(placement.dimensions);
  const auto blocks = static_cast<std::uint32_t>(streams.size()) * call.ranks;
  auto program = std::make_shared<PhasedSchedule>(call, SlotLayout{call.bytes, blocks, 2, 0});
  reduce_scatter_allgather(*program, streams, call.ranks, ByPoint{std::make_shared<const MachineRanks>(placement)});
  return program;
}

// The paper's form for large vectors: a reduce-scatter over the Bine butterfly, nearest partners first, and an
// allgather back. Ranks count in their order, for which neighbours should be near each other in the network.
Result<SchedulePtr> make_bine(const CollectiveCall& call, const Placement&, const AlgorithmOptions&) {
  const std::uint32_t ring[] = {Fold(call.ranks).core};
  return folded_allreduce(call, {std::make_shared<NegabinaryTorus>(ring, 0, false)});
}

Result<SchedulePtr> make_halving_reduce_scatter(const CollectiveCall& call, const Placement&, const AlgorithmOptions&) {
  const Rank n = call.ranks;
  const Fold fold(n);
  auto program = std::make_shared<PhasedSchedule>(call, SlotLayout{call.bytes, 1, 2 * n, 0});
  const auto owned = [fold](Rank v) { return fold.stands_for(v); };
  program->then(fold_in(fold, {0, n}, n));
  program->then(
      among(fold, reduce_scatter(std::make_shared<Hypercube>(fold.core, Hypercube::From::highest), n, owned)));
  program->then(phase(fold.folded > 0 ? 1 : 0, [fold](Rank r, std::size_t, StepActions& actions) {
    if (fold.takes_over(r)) actions.send(r - 1, SlotRange{r - 1, 1});
    if (fold.hands_over(r)) actions.receive(r + 1, SlotRange{r, 1});
  }));
  return program;
}

Result<SchedulePtr> make_doubling_allgather(const CollectiveCall& call, const Placement&, const AlgorithmOptions&) {
  const Rank n = call.ranks;
  const Fold fold(n);
  auto program = std::make_shared<PhasedSchedule>(call, SlotLayout{call.bytes, 1, n, 0});
  const auto owned = [fold](Rank v) { return fold.stands_for(v); };
  program->then(phase(fold.folded > 0 ? 1 : 0, [fold](Rank r, std::size_t, StepActions& actions) {
    if (fold.hands_over(r)) actions.send(r + 1, SlotRange{r, 1});
    if (fold.takes_over(r)) actions.receive(r - 1, SlotRange{r - 1, 1});
  }));
  program->then(among(fold, allgather(std::make_shared<Hypercube>(fold.core, Hypercube::From::highest), owned)));
  program->then(phase(fold.folded > 0 ? 1 : 0, [fold, n](Rank r, std::size_t, StepActions& actions) {
    const auto all_but = [n](Rank own) { return CyclicRange(0, n, own + 1, n - 1); };
    if (fold.takes_over(r)) actions.send(r - 1, all_but(r - 1));
    if (fold.hands_over(r)) actions.receive(r + 1, all_but(r));
  }));
  return program;
}

}  // namespace ayatori
