// Ring algorithms, Bruck's allgather and the pairwise-exchange reduce-scatter.
#include <algorithm>
#include <bit>

#include "families.hpp"
#include "rings.hpp"

namespace ayatori {

// In step s, block r − 1 − s leaves r, and r − 2 − s arrives: block b starts at b + 1, and after n − 1 hops is combined
// at b. With `ahead` all blocks are that many further on.
PhasePtr ring_reduce_scatter(Rank n, const SlotLayout& layout, Rank ahead) {
  return phase(n - 1, [n, layout, ahead](Rank r, std::size_t step, StepActions& actions) {
    const auto s = static_cast<Rank>(step);
    const Rank leaving = (r + ahead + 2 * n - 1 - s) % n;
    const Rank arriving = (r + ahead + 2 * n - 2 - s) % n;
    const SlotRange scratch{layout.scratch(0, layout.blocks == 1 ? 0 : arriving), 1};
    actions.send((r + 1) % n, SlotRange{leaving, 1});
    actions.receive((r + n - 1) % n, scratch);
    actions.reduce(scratch, arriving);
  });
}

PhasePtr ring_allgather(Rank n, Rank ahead) {
  return phase(n - 1, [n, ahead](Rank r, std::size_t step, StepActions& actions) {
    const auto s = static_cast<Rank>(step);
    actions.send((r + 1) % n, SlotRange{(r + ahead + n - s) % n, 1});
    actions.receive((r + n - 1) % n, SlotRange{(r + ahead + 2 * n - 1 - s) % n, 1});
  });
}

Result<SchedulePtr> make_ring_allgather(const CollectiveCall& call, const Placement&, const AlgorithmOptions&) {
  return one_by_one(call, SlotLayout{call.bytes, 1, call.ranks, 0}, ring_allgather(call.ranks));
}

Result<SchedulePtr> make_ring_reduce_scatter(const CollectiveCall& call, const Placement&, const AlgorithmOptions&) {
  const SlotLayout layout{call.bytes, 1, call.ranks, 1};
  return one_by_one(call, layout, ring_reduce_scatter(call.ranks, layout));
}

// Patarasuk and Yuan, Bandwidth optimal all-reduce algorithms, 2009. As in Open MPI block b starts at rank b.
Result<SchedulePtr> make_ring_allreduce(const CollectiveCall& call, const Placement&, const AlgorithmOptions&) {
  const SlotLayout layout{call.bytes, call.ranks, 1, 1};
  return one_by_one(call, layout, ring_reduce_scatter(call.ranks, layout, 1), ring_allgather(call.ranks, 1));
}

// Bruck et al., 1997: r has the blocks r … r + 2^k − 1 before step k, and fetches as many from r + 2^k.
Result<SchedulePtr> make_bruck_allgather(const CollectiveCall& call, const Placement&, const AlgorithmOptions&) {
  const Rank n = call.ranks;
  auto program = std::make_shared<PhasedSchedule>(call, SlotLayout{call.bytes, 1, n, 0});
  program->then(phase(std::bit_width(n - 1), [n](Rank r, std::size_t step, StepActions& actions) {
    const Rank have = Rank{1} << step;
    const Rank count = std::min(have, n - have);
    actions.send((r + n - have) % n, CyclicRange(0, n, r, count));
    actions.receive((r + have) % n, CyclicRange(0, n, r + have, count));
  }));
  return program;
}

// Chen et al., Performance evaluation of allgather algorithms on terascale Linux cluster with fast Ethernet, 2005. Even
// ranks exchange with the neighbour above and the one below alternately, beginning above, odd ones the other way round:
// first of their own blocks, then of the two that arrived last. An odd number of ranks takes the ring, as Open MPI
// does.
Result<SchedulePtr> make_neighbour_exchange(const CollectiveCall& call, const Placement& placement,
                                            const AlgorithmOptions& options) {
  const Rank n = call.ranks;
  if (n % 2 == 1) return make_ring_allgather(call, placement, options);
  auto program = std::make_shared<PhasedSchedule>(call, SlotLayout{call.bytes, 1, n, 0});
  program->then(phase(n / 2, [n](Rank r, std::size_t step, StepActions& actions) {
    const auto s = static_cast<Rank>(step);
    const bool upwards = (r % 2 == 0) == (s % 2 == 0);
    const Rank partner = (upwards ? r + 1 : r + n - 1) % n;
    if (s == 0) {
      actions.send(partner, SlotRange{r, 1});
      actions.receive(partner, SlotRange{partner, 1});
      return;
    }
    // Of a pair of ranks (even, odd), the pair of blocks that each got in step i is i / 2 pairs away, rounded up, on
    // the side of its partner of that step.
    const auto pair_after = [n](Rank rank, Rank i) {
      const Rank pairs = n / 2;
      const Rank away = (i + 1) / 2;
      const bool above = (rank % 2 == 0) == (i % 2 == 0);
      return 2 * ((rank / 2 + (above ? away : 2 * pairs - away)) % pairs);
    };
    actions.send(partner, SlotRange{pair_after(r, s - 1), 2});
    actions.receive(partner, SlotRange{pair_after(partner, s - 1), 2});
  }));
  return program;
}

// In step s, rank r sends its contribution for rank r + s + 1 to it, and receives one for itself from r − s − 1.
Result<SchedulePtr> make_pairwise_reduce_scatter(const CollectiveCall& call, const Placement&,
                                                 const AlgorithmOptions&) {
  const Rank n = call.ranks;
  const SlotLayout layout{call.bytes, 1, n, 1};
  auto program = std::make_shared<PhasedSchedule>(call, layout);
  program->then(phase(n - 1, [n, layout](Rank r, std::size_t step, StepActions& actions) {
    const Rank d = static_cast<Rank>(step) + 1;
    const SlotRange scratch{layout.scratch(0, 0), 1};
    actions.send((r + d) % n, SlotRange{(r + d) % n, 1});
    actions.receive((r + n - d) % n, scratch);
    actions.reduce(scratch, r);
  }));
  return program;
}

}  // namespace ayatori
