#include "ayatori/schedule/postcondition.hpp"

namespace ayatori {

SlotRange slots_at_start(const Schedule& schedule, Rank rank) {
  const CollectiveCall& call = schedule.call();
  const SlotRange none;
  switch (call.collective) {
    case Collective::alltoall:
    case Collective::alltoallv:
    case Collective::reduce_scatter:
      return {0, call.ranks};
    case Collective::broadcast:
      return rank == call.root ? SlotRange{0, schedule.block_count()} : none;
    case Collective::reduce:
    case Collective::allreduce:
    case Collective::halo:
      return {0, schedule.block_count()};
    case Collective::allgather:
    case Collective::gather:
      return {rank, 1};
    case Collective::scatter:
      return rank == call.root ? SlotRange{0, call.ranks} : none;
    case Collective::barrier:
      return none;
  }
  return none;
}

SlotRange slots_at_end(const Schedule& schedule, Rank rank) {
  const CollectiveCall& call = schedule.call();
  const SlotRange none;
  switch (call.collective) {
    case Collective::alltoall:
    case Collective::alltoallv:
      return {call.ranks, call.ranks};
    case Collective::broadcast:
    case Collective::allreduce:
      return {0, schedule.block_count()};
    case Collective::reduce:
      return rank == call.root ? SlotRange{0, schedule.block_count()} : none;
    case Collective::reduce_scatter:
    case Collective::scatter:
      return {rank, 1};
    case Collective::allgather:
      return {0, call.ranks};
    case Collective::gather:
      return rank == call.root ? SlotRange{0, call.ranks} : none;
    case Collective::halo:
      return {schedule.block_count(), schedule.block_count()};
    case Collective::barrier:
      return none;
  }
  return none;
}

namespace {

SlotContent contribution(Rank rank, Slot slot) { return {SlotContent::Kind::contribution, {rank, slot}}; }

/// What the neighbour on this side has sent towards `rank`: its face on the opposite side.
SlotContent neighbours_face(const Schedule& schedule, Rank rank, std::uint32_t face) {
  const Rank neighbour = schedule.neighbour(rank, face);
  return neighbour == no_id ? SlotContent{} : contribution(neighbour, face ^ 1U);
}

}  // namespace

SlotContent content_at_end(const Schedule& schedule, Rank rank, Slot slot) {
  const CollectiveCall& call = schedule.call();
  switch (call.collective) {
    case Collective::alltoallv:
      if (schedule.slot_bytes(rank, slot) == 0) return {};
      return contribution(slot - call.ranks, rank);
    case Collective::alltoall:
      return contribution(slot - call.ranks, rank);
    case Collective::broadcast:
    case Collective::scatter:
      return contribution(call.root, slot);
    case Collective::reduce:
    case Collective::allreduce:
    case Collective::reduce_scatter:
      return {SlotContent::Kind::combination, {0, slot}};
    case Collective::allgather:
    case Collective::gather:
      return contribution(slot, slot);
    case Collective::halo:
      return neighbours_face(schedule, rank, slot - schedule.block_count());
    case Collective::barrier:
      break;
  }
  return {};
}

}  // namespace ayatori
