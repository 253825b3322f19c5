// Every rank has a message for every other. Slot j is what it has for j; slot n + j becomes what j had for it. What
// needs no other slots does alltoallv as well: only the sizes differ.
#include <algorithm>
#include <bit>

#include "families.hpp"

namespace ayatori {

namespace {

SlotRange for_rank(Rank to) { return {to, 1}; }
SlotRange from_rank(Rank ranks, Rank from) { return {ranks + from, 1}; }

/// A program whose phases begin in step 0: there each rank copies what it has for itself, while the first messages
/// travel.
std::shared_ptr<PhasedSchedule> program_of(const CollectiveCall& call, std::uint32_t vectors) {
  const Rank n = call.ranks;
  auto program = std::make_shared<PhasedSchedule>(call, SlotLayout{call.bytes, 1, vectors * n, 0});
  program->at_start(phase(1, [n](Rank r, std::size_t, StepActions& actions) { actions.copy(for_rank(r), n + r); }));
  return program;
}

/// Without transit slots: of one size, or each pair's own.
std::shared_ptr<PhasedSchedule> direct_program_of(const CollectiveCall& call, const AlgorithmOptions& options) {
  auto program = program_of(call, 2);
  if (call.collective == Collective::alltoallv) {
    program->set_slot_sizes([n = call.ranks, pair = options.pair_sizes.bytes](Rank rank, Slot slot) {
      return slot < n ? pair(rank, slot) : pair(slot - n, rank);
    });
  }
  return program;
}

void exchange(Rank ranks, Rank to, Rank from, StepActions& actions) {
  actions.send(to, for_rank(to));
  actions.receive(from, from_rank(ranks, from));
}

}  // namespace

/// r sends to r + s, receives from r − s, s = 1 … n − 1.
Result<SchedulePtr> make_shift(const CollectiveCall& call, const Placement&, const AlgorithmOptions& options) {
  const Rank n = call.ranks;
  auto program = direct_program_of(call, options);
  program->at_start(phase(n - 1, [n](Rank r, std::size_t step, StepActions& actions) {
    const Rank d = static_cast<Rank>(step) + 1;
    exchange(n, (r + d) % n, (r + n - d) % n, actions);
  }));
  return program;
}

Result<SchedulePtr> make_planned(const CollectiveCall& call, const Placement&, const AlgorithmOptions& options) {
  if (options.planned_steps == nullptr) return make_shift(call, {}, options);
  const Rank n = call.ranks;
  if (options.planned_steps->rank_count() != n) {
    return fail("the call has {} ranks, the planned steps are those of {}", n, options.planned_steps->rank_count());
  }
  auto program = direct_program_of(call, options);
  program->at_start(phase(options.planned_steps->step_count(),
                          [n, steps = options.planned_steps](Rank r, std::size_t step, StepActions& actions) {
                            const Rank to = steps->destination(step, r);
                            const Rank from = steps->source(step, r);
                            if (to != no_id) actions.send(to, for_rank(to));
                            if (from != no_id) actions.receive(from, from_rank(n, from));
                          }));
  return program;
}

Result<SchedulePtr> make_pairwise(const CollectiveCall& call, const Placement&, const AlgorithmOptions& options) {
  const Rank n = call.ranks;
  auto program = direct_program_of(call, options);
  if (std::has_single_bit(n)) {
    program->at_start(phase(n - 1, [n](Rank r, std::size_t step, StepActions& actions) {
      const Rank partner = r ^ static_cast<Rank>(step + 1);
      exchange(n, partner, partner, actions);
    }));
  } else {
    program->at_start(phase(n, [n](Rank r, std::size_t step, StepActions& actions) {
      const Rank partner = (static_cast<Rank>(step) + n - r) % n;
      if (partner != r) exchange(n, partner, partner, actions);
    }));
  }
  return program;
}

Result<SchedulePtr> make_spread(const CollectiveCall& call, const Placement&, const AlgorithmOptions& options) {
  const Rank n = call.ranks;
  auto program = direct_program_of(call, options);
  program->at_start(phase(1, [n](Rank r, std::size_t, StepActions& actions) {
    for (Rank d = 1; d < n; ++d) actions.send((r + d) % n, for_rank((r + d) % n));
    for (Rank d = 1; d < n; ++d) actions.receive((r + n - d) % n, from_rank(n, (r + n - d) % n));
  }));
  return program;
}

// Step s: the messages that have gone s hops and have not arrived go one hop on. What rank q has for q + d travels in
// transit slot d of one of two sets, alternating, since what arrives must not overwrite what leaves in the same step.
Result<SchedulePtr> make_ring_alltoall(const CollectiveCall& call, const Placement&, const AlgorithmOptions&) {
  const Rank n = call.ranks;
  auto program = program_of(call, 4);
  const auto transit = [n](std::size_t step, Rank distance) {
    return static_cast<Slot>(2 * n + (step % 2) * n + distance);
  };
  program->at_start(phase(n - 1, [n, transit](Rank r, std::size_t step, StepActions& actions) {
    const Rank hops = static_cast<Rank>(step) + 1;
    const Rank next = (r + 1) % n;
    const Rank previous = (r + n - 1) % n;
    const Rank source = (r + n - hops) % n;  // whose messages arrive here in this step
    if (step == 0) {
      actions.send(next, CyclicRange(0, n, r + 1, n - 1));
    } else {
      actions.send(next, SlotRange{transit(step, hops), n - hops});
    }
    const SlotRange arriving[] = {from_rank(n, source), {transit(step + 1, hops + 1), n - 1 - hops}};
    actions.receive(previous, arriving);
  }));
  return program;
}

// Paper 1, figure 7. The text: for j = 0 ... Nc − 1 (machines), for k = 0 ... Nlp − 1 (ranks within a machine):
//
//     Comm: send to ((lc + j) mod Nc) · Nlp + (llp + k) mod Nlp,
//           receive from ((lc − j) mod Nc) · Nlp + (llp − k) mod Nlp
//
// where (lc, llp) are the rank's machine and its number on it: so all Nlp² messages between two machines follow each
// other, and the ranks of a machine send to different ranks of one machine. Three things it leaves open, and what we
// do: with machines of different size Nlp is the largest, and a rank without partner is idle; j = k = 0 is the rank
// itself, a copy; and whether a rank waits after each Comm ("two-level-ring-blocking") or after the inner loop
// ("two-level-ring").
class TwoLevelRing {
 public:
  TwoLevelRing(const Placement& placement, Rank ranks) : machine_ranks_(placement), ranks_(ranks) {}

  [[nodiscard]] std::uint32_t machines() const { return machine_ranks_.machine_count(); }
  [[nodiscard]] std::uint32_t width() const { return machine_ranks_.max_ranks(); }

  void comm(Rank r, std::uint32_t j, std::uint32_t k, StepActions& actions) const {
    if (j == 0 && k == 0) return;
    const std::uint32_t machine = machine_ranks_.machine(r);
    const std::uint32_t local = machine_ranks_.local(r);
    const Rank to = machine_ranks_.rank((machine + j) % machines(), (local + k) % width());
    const Rank from = machine_ranks_.rank((machine + machines() - j) % machines(), (local + width() - k) % width());
    if (to != no_id) actions.send(to, for_rank(to));
    if (from != no_id) actions.receive(from, from_rank(ranks_, from));
  }

 private:
  MachineRanks machine_ranks_;
  Rank ranks_;
};

Result<SchedulePtr> make_two_level_ring(const CollectiveCall& call, const Placement& placement,
                                        const AlgorithmOptions& options) {
  auto program = direct_program_of(call, options);
  const auto ring = std::make_shared<const TwoLevelRing>(placement, call.ranks);
  program->at_start(phase(ring->machines(), [ring](Rank r, std::size_t j, StepActions& actions) {
    for (std::uint32_t k = 0; k < ring->width(); ++k) ring->comm(r, static_cast<std::uint32_t>(j), k, actions);
  }));
  return program;
}

Result<SchedulePtr> make_two_level_ring_blocking(const CollectiveCall& call, const Placement& placement,
                                                 const AlgorithmOptions& options) {
  auto program = direct_program_of(call, options);
  const auto ring = std::make_shared<const TwoLevelRing>(placement, call.ranks);
  program->at_start(
      phase(std::size_t{ring->machines()} * ring->width(), [ring](Rank r, std::size_t step, StepActions& actions) {
        ring->comm(r, static_cast<std::uint32_t>(step / ring->width()),
                   static_cast<std::uint32_t>(step % ring->width()), actions);
      }));
  return program;
}

// Bruck et al., 1997, without its rotations and copies (Träff, Rougier, Hunold: "Implementing a classic", 2014). The
// message for r + d goes 2^k ranks on in step k if bit k of d is set. Before its first hop it lies in its own slot,
// after its last in the result, in between in one of two transit slots for d, alternating.
Result<SchedulePtr> make_bruck_alltoall(const CollectiveCall& call, const Placement&, const AlgorithmOptions&) {
  const Rank n = call.ranks;
  auto program = program_of(call, 4);
  program->at_start(phase(std::bit_width(n - 1), [n](Rank r, std::size_t step, StepActions& actions) {
    const Rank hop = Rank{1} << step;
    const auto transit = [n](int hops, Rank distance) -> Slot { return (2 + hops % 2) * n + distance; };
    std::vector<SlotRange> leaving;
    std::vector<SlotRange> arriving;
    for (Rank distance = hop; distance < n; distance = (distance + 1) | hop) {
      const Rank done = distance & (hop - 1);
      const bool last = distance >> (step + 1) == 0;
      const int hops = std::popcount(done);
      leaving.push_back({done == 0 ? (r + distance) % n : transit(hops, distance), 1});
      arriving.push_back({last ? n + (r + n - distance) % n : transit(hops + 1, distance), 1});
    }
    actions.send((r + hop) % n, leaving);
    actions.receive((r + n - hop % n) % n, arriving);
  }));
  return program;
}

}  // namespace ayatori
