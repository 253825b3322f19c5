#include "ayatori/plan_in_use/applied_plan.hpp"

#include <gtest/gtest.h>

namespace ayatori {
namespace {

/// Ranks 0 and 1 on LIDs 4 to 7, 2 on 8 to 11, 3 on 12 to 15.
PlanFile example() {
  PlanFile file;
  file.lmc = 2;
  file.machines = {{"a", 2}, {"b", 1}, {"c", 1}};
  file.ranks = {{0x11, 4}, {0x11, 4}, {0x22, 8}, {0x33, 12}};
  file.plan = Plan::per_pair(4, {0, 0, 1, 2,  //
                                 0, 0, 3, 2,  //
                                 2, 1, 0, 0,  //
                                 3, 3, 1, 0});
  return file;
}

AppliedFile record(std::vector<AppliedConnections> connections) {
  AppliedFile file;
  file.host = "a";
  file.connections = std::move(connections);
  return file;
}

AppliedConnections connections(Lid slid, Lid dlid, std::uint64_t count) {
  return {{.datagram = false, .port_guid = 0, .slid = slid, .dlid = dlid, .planned = true}, count};
}

TEST(ApplyRecords, PlannedPathsMakeThePlan) {
  const PlanFile plan = example();
  const AppliedFile records[] = {
      record({connections(4 + 2, 8 + 1, 1), connections(4 + 1, 8 + 3, 2)}),
      record({connections(8 + 1, 4 + 2, 1), connections(8 + 3, 4 + 1, 1), connections(12 + 0, 8 + 1, 5)})};
  const AppliedPlan applied = apply_records(plan, records);
  EXPECT_EQ(applied.connections, 10);
  EXPECT_EQ(applied.as_planned, 10);
  EXPECT_EQ(applied.port_pairs, 6);
  EXPECT_EQ(applied.connected_pairs, 3);
  EXPECT_EQ(applied.elsewhere, 0);
  EXPECT_TRUE(applied.not_as_planned.empty());
  for (Rank from = 0; from < 4; ++from) {
    for (Rank to = 0; to < 4; ++to) EXPECT_EQ(applied.plan.path_bits(from, to), plan.plan.path_bits(from, to));
  }
}

TEST(ApplyRecords, RanksThatShareAConnectionShareItsPath) {
  // Rank 2 has one connection to the port of ranks 0 and 1, with the path of rank 0.
  const AppliedFile records[] = {record({connections(8 + 1, 4 + 2, 1)})};
  const AppliedPlan applied = apply_records(example(), records);
  EXPECT_EQ(applied.as_planned, 1);
  EXPECT_EQ(applied.plan.path_bits(2, 0), 2);
  EXPECT_EQ(applied.plan.path_bits(2, 1), 2);
}

TEST(ApplyRecords, OtherPathsAreNamedAndTaken) {
  // The right destination with a source LID that the peer does not send to; and base LIDs.
  const AppliedFile records[] = {record({connections(4 + 0, 8 + 1, 1), connections(8, 12, 3), connections(8, 13, 1)})};
  const AppliedPlan applied = apply_records(example(), records);
  EXPECT_EQ(applied.connections, 5);
  EXPECT_EQ(applied.as_planned, 0);
  ASSERT_EQ(applied.not_as_planned.size(), 3);
  EXPECT_EQ(applied.not_as_planned[1].from, 2);
  EXPECT_EQ(applied.not_as_planned[1].to, 3);
  EXPECT_EQ(applied.not_as_planned[1].slid, 8);
  EXPECT_EQ(applied.not_as_planned[1].dlid, 12);
  EXPECT_EQ(applied.not_as_planned[1].count, 3);
  EXPECT_EQ(applied.plan.path_bits(2, 3), 0);
  const AppliedFile base_lids[] = {record({connections(12, 8, 1)})};
  EXPECT_EQ(apply_records(example(), base_lids).plan.path_bits(3, 2), 0);
}

TEST(ApplyRecords, PathsThatFollowThePlannedOneAreAsPlannedWhereTheyWereAskedFor) {
  AppliedFile records[] = {record({connections(8 + 2, 12 + 1, 1)})};
  EXPECT_EQ(apply_records(example(), records).as_planned, 0);
  records[0].paths_per_pair = 4;
  EXPECT_EQ(apply_records(example(), records).as_planned, 1);
}

TEST(ApplyRecords, OtherPortsDoNotCount) {
  const AppliedFile records[] = {record({connections(4, 99, 2), connections(99, 4, 1), connections(4, 5, 1)})};
  const AppliedPlan applied = apply_records(example(), records);
  EXPECT_EQ(applied.elsewhere, 4);
  EXPECT_EQ(applied.connections, 0);
}

TEST(ApplyRecords, NoRecordsLeaveThePlan) {
  const AppliedPlan applied = apply_records(example(), {});
  EXPECT_EQ(applied.connected_pairs, 0);
  EXPECT_EQ(applied.plan.path_bits(0, 3), 2);
}

}  // namespace
}  // namespace ayatori
