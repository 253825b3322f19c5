#include "epochs.hpp"

#include <gtest/gtest.h>

namespace ayatori::transport {
namespace epochs_test {

TEST(EpochClock, NextAlwaysRises) {
  EpochClock clock;
  const Epoch first = clock.next(Time(Duration(1000)));
  EXPECT_EQ(first, 1000U);
  EXPECT_EQ(clock.next(Time(Duration(1000))), 1001U);
  EXPECT_EQ(clock.next(Time(Duration(-5))), 1002U) << "a clock that goes back must not matter";
  clock.raise(5000);
  EXPECT_EQ(clock.next(Time(Duration(2000))), 5001U);
}

TEST(EpochFloors, FloorIsTheHighestEpochOfItsCell) {
  EpochFloors floors(4, 0);
  floors.raise({1, Lane::messages}, 10);
  floors.raise({5, Lane::messages}, 7);  // the same cell
  EXPECT_EQ(floors.of({1, Lane::messages}), 10U);
  EXPECT_EQ(floors.of({5, Lane::messages}), 10U);
  EXPECT_EQ(floors.of({2, Lane::messages}), 0U);
  EXPECT_EQ(floors.highest(), 10U);
  EXPECT_EQ(EpochFloors(4, 9).of({3, Lane::replies}), 9U);
}

}  // namespace epochs_test
}  // namespace ayatori::transport
