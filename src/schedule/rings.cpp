// Ring algorithms, Bruck's allgather and the pairwise-exchange reduce-scatter.
#include <algorithm>
#include <bit>

#include "families.hpp"
#include "rings.hpp"

namespace ayatori {

// In step s, block r − 1 − s leaves r, and r − 2 − s arrives: block b starts at b + 1, and after n − 1 hops is combined
// at b.
PhasePtr ring_reduce_scatter(Rank n, const SlotLayout& layout) {
  return phase(n - 1, [n, layout](Rank r, std::size_t step, StepActions& actions) {
    const auto s = static_cast<Rank>(step);
    const Rank leaving = (r + 2 * n - 1 - s) % n;
    const Rank arriving = (r + 2 * n - 2 - s) % n;
    const SlotRange scratch{layout.scratch(0, layout.blocks == 1 ? 0 : arriving), 1};
    actions.send((r + 1) % n, SlotRange{leaving, 1});
    actions.receive((r + n - 1) % n, scratch);
    actions.reduce(scratch, arriving);
  });
}

PhasePtr ring_allgather(Rank n) {
  return phase(n - 1, [n](Rank r, std::size_t step, StepActions& actions) {
    const auto s = static_cast<Rank>(step);
    actions.send((r + 1) % n, SlotRange{(r + n - s) % n, 1});
    actions.receive((r + n - 1) % n, SlotRange{(r + 2 * n - 1 - s) % n, 1});
  });
}

Result<SchedulePtr> make_ring_allgather(const CollectiveCall& call, const Places&, const AlgorithmOptions&) {
  auto program = std::make_shared<PhasedSchedule>(call, SlotLayout{call.bytes, 1, call.ranks, 0});
  program->then(ring_allgather(call.ranks));
  return program;
}

Result<SchedulePtr> make_ring_reduce_scatter(const CollectiveCall& call, const Places&, const AlgorithmOptions&) {
  const SlotLayout layout{call.bytes, 1, call.ranks, 1};
  auto program = std::make_shared<PhasedSchedule>(call, layout);
  program->then(ring_reduce_scatter(call.ranks, layout));
  return program;
}

// Patarasuk and Yuan, Bandwidth optimal all-reduce algorithms, 2009.
Result<SchedulePtr> make_ring_allreduce(const CollectiveCall& call, const Places&, const AlgorithmOptions&) {
  const SlotLayout layout{call.bytes, call.ranks, 1, 1};
  auto program = std::make_shared<PhasedSchedule>(call, layout);
  program->then(ring_reduce_scatter(call.ranks, layout));
  program->then(ring_allgather(call.ranks));
  return program;
}

// Bruck et al., 1997: r has the blocks r … r + 2^k − 1 before step k, and fetches as many from r + 2^k.
Result<SchedulePtr> make_bruck_allgather(const CollectiveCall& call, const Places&, const AlgorithmOptions&) {
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

// In step s, rank r sends its contribution for rank r + s + 1 to it, and receives one for itself from r − s − 1.
Result<SchedulePtr> make_pairwise_reduce_scatter(const CollectiveCall& call, const Places&, const AlgorithmOptions&) {
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
