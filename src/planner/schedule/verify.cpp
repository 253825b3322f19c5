#include "ayatori/schedule/verify.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "ayatori/schedule/postcondition.hpp"
#include "symbolic_execution.hpp"

namespace ayatori {

namespace {

Value as_value(const SlotContent& content, Rank ranks, Contributions& contributions) {
  switch (content.kind) {
    case SlotContent::Kind::nothing:
      break;
    case SlotContent::Kind::contribution:
      return contributions.one(content.contribution.rank, content.contribution.slot);
    case SlotContent::Kind::combination:
      return contributions.of_all(ranks, content.contribution.slot);
  }
  return Contributions::nothing;
}

Result<> check_slots(const Schedule& schedule, SymbolicExecution& execution) {
  const Rank ranks = schedule.call().ranks;
  for (Rank rank = 0; rank < ranks; ++rank) {
    const SlotRange result = slots_at_end(schedule, rank);
    for (Slot slot = result.first; slot < result.first + result.count; ++slot) {
      const Value expected = as_value(content_at_end(schedule, rank, slot), ranks, execution.contributions());
      const Value found = execution.value(rank, slot);
      if (found == expected) continue;
      return fail("at the end, slot {} of rank {} holds {} instead of {}", slot, rank,
                  execution.contributions().describe(found), execution.contributions().describe(expected));
    }
  }
  return {};
}

/// As far as it can be checked without the grid itself, a halo's neighbours are those of a grid: they name each other
/// on opposite sides, and connect all ranks.
Result<> check_neighbours(const Schedule& schedule) {
  const Rank ranks = schedule.call().ranks;
  std::vector<bool> seen(ranks);
  std::vector<Rank> reached{0};
  seen[0] = true;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (std::uint32_t face = 0; face < schedule.block_count(); ++face) {
      const Rank neighbour = schedule.neighbour(reached[i], face);
      if (neighbour == no_id) continue;
      if (neighbour >= ranks) return fail("rank {} has the neighbour {} of {} ranks", reached[i], neighbour, ranks);
      if (schedule.neighbour(neighbour, face ^ 1U) != reached[i]) {
        return fail("rank {} has the neighbour {} on side {}, which has another neighbour on the opposite side",
                    reached[i], neighbour, face);
      }
      if (!seen[neighbour]) reached.push_back(neighbour);
      seen[neighbour] = true;
    }
  }
  const auto isolated = std::find(seen.begin(), seen.end(), false);
  if (isolated == seen.end()) return {};
  return fail("no chain of neighbours leads from rank 0 to rank {}", isolated - seen.begin());
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

/// The slots at the start and at the end hold as many bytes as the call has. That they fit pair by pair follows from
/// the messages.
Result<> check_sizes_of_pairs(const Schedule& schedule) {
  const CollectiveCall& call = schedule.call();
  for (const auto slots_of : {&slots_at_start, &slots_at_end}) {
    Bytes found = 0;
    for (Rank rank = 0; rank < call.ranks; ++rank) found += bytes_in(schedule, rank, slots_of(schedule, rank));
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
    for (const SlotRange slots : {slots_at_start(schedule, rank), slots_at_end(schedule, rank)}) {
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

Result<> check_slot_limit(const Schedule& schedule, const VerificationLimits& limits) {
  const std::uint64_t participants = schedule.participant_count();
  std::uint64_t each = std::max<std::uint64_t>(schedule.slot_count(), schedule.stream_count());
  // Of a barrier it is remembered, in bits, who has heard of whom.
  if (schedule.call().collective == Collective::barrier) each += participants * schedule.stream_count() / 64;
  if (participants == 0 || each <= limits.slots / participants) return {};
  return fail("{} participants with {} slots and {} streams each are more than the {} slots that can be verified",
              participants, schedule.slot_count(), schedule.stream_count(), limits.slots);
}

Result<> verify(const Schedule& schedule, const VerificationLimits& limits) {
  if (auto ok = check_slot_limit(schedule, limits); !ok) return ok;
  if (auto ok = check_layout(schedule); !ok) return ok;
  SymbolicExecution execution(schedule, limits);
  if (auto ok = execution.run(); !ok) return ok;
  const Collective collective = schedule.call().collective;
  if (collective == Collective::barrier) return check_barrier(schedule, execution);
  if (auto ok = check_slots(schedule, execution); !ok) return ok;
  return collective == Collective::halo ? check_neighbours(schedule) : Result<>();
}

}  // namespace ayatori
