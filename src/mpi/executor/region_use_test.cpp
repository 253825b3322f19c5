#include "ayatori/executor/region_use.hpp"

#include <gtest/gtest.h>

#include "written_schedule_fixtures.hpp"

namespace ayatori {
namespace {

TEST(RegionUses, AreTheBytesThatMessagesAndLocalOperationsTouch) {
  WrittenSchedule schedule({Collective::barrier, 2, 0, 0}, {1, 2, 4, 8, 16, 32}, 1, 2, 1);
  schedule.at(0, 0).send(1, SlotRange{1, 1});
  schedule.at(0, 0).send(1, SlotRange{2, 1});
  schedule.at(0, 1).receive(1, SlotRange{4, 1});
  schedule.at(0, 1).copy({4, 1}, 4);
  ProgramOptions options;
  options.region_starts = {0, 3, 5};
  const auto uses = region_uses(RankProgram::compile(schedule, 0, options).value());
  ASSERT_EQ(uses.size(), 3U);
  EXPECT_EQ(uses[0].first, 1U);
  EXPECT_EQ(uses[0].end, 7U);
  EXPECT_FALSE(uses[0].written);
  EXPECT_EQ(uses[1].first, 8U);
  EXPECT_EQ(uses[1].end, 24U);
  EXPECT_TRUE(uses[1].written);
  EXPECT_EQ(uses[2].end, 0U) << "nothing touches slot 5";
}

}  // namespace
}  // namespace ayatori
