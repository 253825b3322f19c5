#include "ayatori/schedule/verify.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "symbolic_execution.hpp"

namespace ayatori {

namespace {

/// What slot `slot` of `rank` must hold at the end. Halo has a rule of its own.
Value promised(const Schedule& schedule, Rank rank, Slot slot, Contributions& contributions) {
  const CollectiveCall& call = schedule.call();
  switch (call.collective) {
    case Collective::alltoallv:
      if (schedule.slot_bytes(rank, slot) == 0) return Contributions::nothing;
      return contributions.one(slot - call.ranks, rank);
    case Collective::alltoall:
      return contributions.one(slot - call.ranks, rank);
    case Collective::broadcast:
    case Collective::scatter:
      return contributions.one(call.root, slot);
    case Collective::reduce:
    case Collective::allreduce:
    case Collective::reduce_scatter:
      return contributions.of_all(call.ranks, slot);
    case Collective::allgather:
    case Collective::gather:
      return contributions.one(slot, slot);
    case Collective::barrier:
    case Collective::halo:
      break;
  }
  return Contributions::nothing;
}

Result<> check_slots(const Schedule& schedule, SymbolicExecution& execution) {
  const CollectiveCall& call = schedule.call();
  for (Rank rank = 0; rank < call.ranks; ++rank) {
    const SlotRange result = slots_at_end(call, schedule.block_count(), rank);
    for (Slot slot = result.first; slot < result.first + result.count; ++slot) {
      const Value expected = promised(schedule, rank, slot, execution.contributions());
      const Value found = execution.value(rank, slot);
      if (found == expected) continue;
      return fail("at the end, slot {} of rank {} holds {} instead of {}", slot, rank,
                  execution.contributions().describe(found), execution.contributions().describe(expected));
    }
  }
  return {};
}

/// Who exchanges faces must hang together: else some neighbours don't.
Result<> check_halo_is_whole(const Schedule& schedule, SymbolicExecution& execution) {
  const std::uint32_t faces = schedule.block_count();
  std::vector<bool> seen(schedule.call().ranks);
  std::vector<Rank> reached{0};
  seen[0] = true;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (std::uint32_t face = 0; face < faces; ++face) {
      const Rank neighbour = execution.contributions().only(execution.value(reached[i], faces + face)).first;
      if (neighbour == no_id || seen[neighbour]) continue;
      seen[neighbour] = true;
      reached.push_back(neighbour);
    }
  }
  const auto lonely = std::find(seen.begin(), seen.end(), false);
  if (lonely == seen.end()) return {};
  return fail("no faces go from rank 0 to rank {}, by way of whichever neighbours", lonely - seen.begin());
}

/// Neighbours agree: who has my face for it has sent me one of its own, from the side that points at me. Which grid it
/// is, a schedule doesn't say.
Result<> check_halo(const Schedule& schedule, SymbolicExecution& execution) {
  const std::uint32_t faces = schedule.block_count();
  for (Rank rank = 0; rank < schedule.call().ranks; ++rank) {
    for (std::uint32_t face = 0; face < faces; ++face) {
      const Value found = execution.value(rank, faces + face);
      if (found == Contributions::nothing) continue;
      const auto [neighbour, sent] = execution.contributions().only(found);
      const bool opposite = neighbour != no_id && sent == (face ^ 1U);
      if (!opposite || execution.value(neighbour, faces + sent) != execution.contributions().one(rank, face)) {
        return fail("at the end, slot {} of rank {} holds {}, which is no neighbour's face", faces + face, rank,
                    execution.contributions().describe(found));
      }
    }
  }
  return check_halo_is_whole(schedule, execution);
}

Result<> check_barrier(const Schedule& schedule, const SymbolicExecution& execution) {
  for (Rank rank = 0; rank < schedule.call().ranks; ++rank) {
    for (Rank other = 0; other < schedule.call().ranks; ++other) {
      if (!execution.has_heard(rank, other)) {
        return fail("rank {} can leave the barrier before rank {} has begun", rank, other);
      }
    }
  }
  return {};
}

Bytes bytes_in(const Schedule& schedule, Rank rank, SlotRange slots) {
  Bytes bytes = 0;
  for (Slot slot = slots.first; slot < slots.first + slots.count; ++slot) bytes += schedule.slot_bytes(rank, slot);
  return bytes;
}

/// All that goes out, and all that comes in, is what the call says. That it fits pair by pair is for messages to prove.
Result<> check_sizes_of_pairs(const Schedule& schedule) {
  const CollectiveCall& call = schedule.call();
  for (const auto slots_of : {&slots_at_start, &slots_at_end}) {
    Bytes found = 0;
    for (Rank rank = 0; rank < call.ranks; ++rank) {
      found += bytes_in(schedule, rank, slots_of(call, schedule.block_count(), rank));
    }
    if (found != call.bytes) return fail("the ranks' slots hold {} bytes, the alltoallv has {}", found, call.bytes);
  }
  return {};
}

/// The slots that the collective names exist, and hold as much as the call says.
Result<> check_layout(const Schedule& schedule) {
  const CollectiveCall& call = schedule.call();
  const bool one_vector = call.collective == Collective::broadcast || call.collective == Collective::reduce ||
                          call.collective == Collective::allreduce;
  for (Rank rank = 0; rank < call.ranks; ++rank) {
    for (const SlotRange slots :
         {slots_at_start(call, schedule.block_count(), rank), slots_at_end(call, schedule.block_count(), rank)}) {
      if (slots.count == 0) continue;
      if (slots.first + slots.count > schedule.slot_count()) {
        return fail("{} needs the slots 0 ... {}, but there are {}", to_word(call.collective),
                    slots.first + slots.count - 1, schedule.slot_count());
      }
      if (call.collective == Collective::alltoallv) continue;
      const Bytes expected = one_vector ? call.bytes : call.bytes * slots.count;
      const Bytes found = bytes_in(schedule, rank, slots);
      if (found != expected) {
        return fail("slots {} ... {} hold {} bytes, the {} has {}", slots.first, slots.first + slots.count - 1, found,
                    to_word(call.collective), expected);
      }
    }
  }
  return call.collective == Collective::alltoallv ? check_sizes_of_pairs(schedule) : Result<>();
}

}  // namespace

Result<> verify(const Schedule& schedule) {
  if (auto ok = check_layout(schedule); !ok) return ok;
  SymbolicExecution execution(schedule);
  if (auto ok = execution.run(); !ok) return ok;
  switch (schedule.call().collective) {
    case Collective::barrier:
      return check_barrier(schedule, execution);
    case Collective::halo:
      return check_halo(schedule, execution);
    default:
      return check_slots(schedule, execution);
  }
}

}  // namespace ayatori
