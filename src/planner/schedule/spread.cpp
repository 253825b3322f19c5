// Everybody sends to everybody at once. Few steps and many messages: for ranks that share memory, where a step costs
// more than a message, because everybody must have had the processor once before it ends.
//
// What is combined is combined in the order of the ranks, so that the result is the same wherever it is computed, and
// right for operations that are not commutative.
#include "families.hpp"

namespace ayatori {

namespace {

/// Where the part of rank r that comes from rank `from` lies: n − 1 slots from `first` on, in the order of the ranks.
Slot arrival(Slot first, Rank r, Rank from) { return first + from - (from > r ? 1 : 0); }

/// Combines slot `own` with what the others sent, into `own`.
void reduce_in_rank_order(Rank n, Rank r, Slot own, Slot first_arrival, StepActions& actions) {
  const auto part = [&](Rank rank) { return rank == r ? own : arrival(first_arrival, r, rank); };
  for (Rank rank = 1; rank < n; ++rank) actions.reduce({part(rank), 1}, part(0));
  if (r != 0) actions.copy({part(0), 1}, own);
}

/// Calls each(peer) for all others, each rank beginning with another one.
template <typename Each>
void visit_others(Rank n, Rank r, Each each) {
  for (Rank d = 1; d < n; ++d) each((r + d) % n);
}

/// Slots of `bytes` cut into `blocks`, and after them n − 1 slots for what arrives of block `block_of(rank)`.
std::shared_ptr<PhasedSchedule> with_arrivals(const CollectiveCall& call, const SlotLayout& layout,
                                              std::function<Bytes(Rank)> arrival_bytes) {
  SlotLayout with_more = layout;
  // A pair of scratch slots for each other rank would be twice as many as are needed.
  with_more.pairs = call.ranks / 2;
  auto program = std::make_shared<PhasedSchedule>(call, with_more);
  const Slot first = layout.slots();
  program->set_slot_sizes([layout, first, n = call.ranks, arrival_bytes = std::move(arrival_bytes)](Rank r, Slot slot) {
    if (slot < first) return layout.slot_bytes(slot);
    return slot - first < n - 1 ? arrival_bytes(r) : 0;
  });
  return program;
}

/// Block r from everybody, combined at r.
PhasePtr spread_reduce_scatter(Rank n, Slot first_arrival) {
  return phase(1, [n, first_arrival](Rank r, std::size_t, StepActions& actions) {
    visit_others(n, r, [&](Rank peer) {
      actions.send(peer, SlotRange{peer, 1});
      actions.receive(peer, SlotRange{arrival(first_arrival, r, peer), 1});
    });
    reduce_in_rank_order(n, r, r, first_arrival, actions);
  });
}

PhasePtr spread_allgather(Rank n) {
  return phase(1, [n](Rank r, std::size_t, StepActions& actions) {
    visit_others(n, r, [&](Rank peer) {
      actions.send(peer, SlotRange{r, 1});
      actions.receive(peer, SlotRange{peer, 1});
    });
  });
}

}  // namespace

Result<SchedulePtr> make_spread_allreduce(const CollectiveCall& call, const Placement&, const AlgorithmOptions&) {
  const Rank n = call.ranks;
  auto program = with_arrivals(call, {call.bytes, 1, 1, 0}, [bytes = call.bytes](Rank) { return bytes; });
  program->then(phase(1, [n](Rank r, std::size_t, StepActions& actions) {
    visit_others(n, r, [&](Rank peer) {
      actions.send(peer, SlotRange{0, 1});
      actions.receive(peer, SlotRange{arrival(1, r, peer), 1});
    });
    reduce_in_rank_order(n, r, 0, 1, actions);
  }));
  return program;
}

Result<SchedulePtr> make_two_step_allreduce(const CollectiveCall& call, const Placement&, const AlgorithmOptions&) {
  const Rank n = call.ranks;
  const SlotLayout layout{call.bytes, n, 1, 0};
  auto program = with_arrivals(call, layout, [layout](Rank r) { return layout.block_bytes(r); });
  program->then(spread_reduce_scatter(n, n));
  program->then(spread_allgather(n));
  return program;
}

Result<SchedulePtr> make_spread_reduce_scatter(const CollectiveCall& call, const Placement&, const AlgorithmOptions&) {
  const Rank n = call.ranks;
  auto program = with_arrivals(call, {call.bytes, 1, n, 0}, [bytes = call.bytes](Rank) { return bytes; });
  program->then(spread_reduce_scatter(n, n));
  return program;
}

Result<SchedulePtr> make_spread_allgather(const CollectiveCall& call, const Placement&, const AlgorithmOptions&) {
  return one_by_one(call, SlotLayout{call.bytes, 1, call.ranks, 0}, spread_allgather(call.ranks));
}

Result<SchedulePtr> make_spread_reduce(const CollectiveCall& call, const Placement&, const AlgorithmOptions&) {
  const Rank n = call.ranks;
  auto program = with_arrivals(call, {call.bytes, 1, 1, 0}, [call](Rank r) { return r == call.root ? call.bytes : 0; });
  program->then(phase(1, [n, root = call.root](Rank r, std::size_t, StepActions& actions) {
    if (r != root) return actions.send(root, SlotRange{0, 1});
    visit_others(n, r, [&](Rank peer) { actions.receive(peer, SlotRange{arrival(1, r, peer), 1}); });
    reduce_in_rank_order(n, r, 0, 1, actions);
  }));
  return program;
}

Result<SchedulePtr> make_two_step_reduce(const CollectiveCall& call, const Placement&, const AlgorithmOptions&) {
  const Rank n = call.ranks;
  const SlotLayout layout{call.bytes, n, 1, 0};
  auto program = with_arrivals(call, layout, [layout](Rank r) { return layout.block_bytes(r); });
  program->then(spread_reduce_scatter(n, n));
  program->then(phase(1, [n, root = call.root](Rank r, std::size_t, StepActions& actions) {
    if (r != root) return actions.send(root, SlotRange{r, 1});
    visit_others(n, r, [&](Rank peer) { actions.receive(peer, SlotRange{peer, 1}); });
  }));
  return program;
}

Result<SchedulePtr> make_spread_barrier(const CollectiveCall& call, const Placement&, const AlgorithmOptions&) {
  const Rank n = call.ranks;
  auto program = std::make_shared<PhasedSchedule>(call, SlotLayout{0, 1, 0, 0});
  program->then(phase(1, [n](Rank r, std::size_t, StepActions& actions) {
    visit_others(n, r, [&](Rank peer) {
      actions.send(peer, SlotRange{});
      actions.receive(peer, SlotRange{});
    });
  }));
  return program;
}

}  // namespace ayatori
