// The postconditions of the collectives, written out for three ranks, root 1.
#include "ayatori/schedule/postcondition.hpp"

#include <gtest/gtest.h>

#include "written_schedule_fixtures.hpp"

namespace ayatori {
namespace postcondition_test {

constexpr Rank ranks = 3;
constexpr std::uint32_t blocks = 2;

WrittenSchedule schedule_of(Collective collective) {
  return {{collective, ranks, 1, 4}, std::vector<Bytes>(2 * ranks, 4), blocks, 1};
}

/// By rank: the slots that it has data in.
using SlotsByRank = std::vector<std::vector<Slot>>;

SlotsByRank slots_by_rank(SlotRange (*slots_of)(const Schedule&, Rank), Collective collective) {
  const WrittenSchedule schedule = schedule_of(collective);
  SlotsByRank found;
  for (Rank rank = 0; rank < ranks; ++rank) {
    const SlotRange range = slots_of(schedule, rank);
    found.emplace_back();
    for (Slot slot = range.first; slot < range.first + range.count; ++slot) found.back().push_back(slot);
  }
  return found;
}

TEST(SlotsAtStart, AreTheContributionsOfEachRank) {
  const auto at_start = [](Collective collective) { return slots_by_rank(slots_at_start, collective); };
  const SlotsByRank one_for_each_rank(3, {0, 1, 2});
  const SlotsByRank whole_vector(3, {0, 1});
  EXPECT_EQ(at_start(Collective::alltoall), one_for_each_rank);
  EXPECT_EQ(at_start(Collective::alltoallv), one_for_each_rank);
  EXPECT_EQ(at_start(Collective::reduce_scatter), one_for_each_rank);
  EXPECT_EQ(at_start(Collective::reduce), whole_vector);
  EXPECT_EQ(at_start(Collective::allreduce), whole_vector);
  EXPECT_EQ(at_start(Collective::halo), whole_vector);
  EXPECT_EQ(at_start(Collective::broadcast), (SlotsByRank{{}, {0, 1}, {}}));
  EXPECT_EQ(at_start(Collective::scatter), (SlotsByRank{{}, {0, 1, 2}, {}}));
  EXPECT_EQ(at_start(Collective::allgather), (SlotsByRank{{0}, {1}, {2}}));
  EXPECT_EQ(at_start(Collective::gather), (SlotsByRank{{0}, {1}, {2}}));
  EXPECT_EQ(at_start(Collective::barrier), (SlotsByRank{{}, {}, {}}));
}

TEST(SlotsAtEnd, AreTheResultOfEachRank) {
  const auto at_end = [](Collective collective) { return slots_by_rank(slots_at_end, collective); };
  EXPECT_EQ(at_end(Collective::alltoall), SlotsByRank(3, {3, 4, 5}));
  EXPECT_EQ(at_end(Collective::alltoallv), SlotsByRank(3, {3, 4, 5}));
  EXPECT_EQ(at_end(Collective::broadcast), SlotsByRank(3, {0, 1}));
  EXPECT_EQ(at_end(Collective::allreduce), SlotsByRank(3, {0, 1}));
  EXPECT_EQ(at_end(Collective::halo), SlotsByRank(3, {2, 3}));
  EXPECT_EQ(at_end(Collective::allgather), SlotsByRank(3, {0, 1, 2}));
  EXPECT_EQ(at_end(Collective::reduce), (SlotsByRank{{}, {0, 1}, {}}));
  EXPECT_EQ(at_end(Collective::gather), (SlotsByRank{{}, {0, 1, 2}, {}}));
  EXPECT_EQ(at_end(Collective::reduce_scatter), (SlotsByRank{{0}, {1}, {2}}));
  EXPECT_EQ(at_end(Collective::scatter), (SlotsByRank{{0}, {1}, {2}}));
  EXPECT_EQ(at_end(Collective::barrier), (SlotsByRank{{}, {}, {}}));
}

SlotContent just(Rank rank, Slot slot) { return {SlotContent::Kind::contribution, {rank, slot}}; }
SlotContent combined(Slot slot) { return {SlotContent::Kind::combination, {0, slot}}; }

/// Rank 2's slot `slot`.
SlotContent at_end(Collective collective, Slot slot) { return content_at_end(schedule_of(collective), 2, slot); }

TEST(ContentAtEnd, IsTheTableOfCollectives) {
  EXPECT_EQ(at_end(Collective::alltoall, 3), just(0, 2));
  EXPECT_EQ(at_end(Collective::alltoall, 5), just(2, 2));
  EXPECT_EQ(at_end(Collective::broadcast, 1), just(1, 1));
  EXPECT_EQ(at_end(Collective::scatter, 2), just(1, 2));
  EXPECT_EQ(at_end(Collective::allgather, 0), just(0, 0));
  EXPECT_EQ(at_end(Collective::reduce, 1), combined(1));
  EXPECT_EQ(at_end(Collective::allreduce, 0), combined(0));
  EXPECT_EQ(at_end(Collective::reduce_scatter, 2), combined(2));
  EXPECT_EQ(content_at_end(schedule_of(Collective::gather), 1, 2), just(2, 2));
}

TEST(ContentAtEnd, IsNothingWhereAPairOfAnAlltoallvHasNoBytes) {
  WrittenSchedule schedule = schedule_of(Collective::alltoallv);
  schedule.slot_bytes(2, 3) = 0;
  EXPECT_EQ(content_at_end(schedule, 2, 3), SlotContent{});
  EXPECT_EQ(content_at_end(schedule, 2, 4), just(1, 2));
}

TEST(ContentAtEnd, IsTheOppositeFaceOfAHalosNeighbour) {
  WrittenSchedule schedule = schedule_of(Collective::halo);
  schedule.set_neighbour(2, 1, 0);
  EXPECT_EQ(content_at_end(schedule, 2, 2), SlotContent{});
  EXPECT_EQ(content_at_end(schedule, 2, 3), just(0, 0));
}

}  // namespace postcondition_test
}  // namespace ayatori
