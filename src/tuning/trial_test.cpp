#include "ayatori/tuning/trial.hpp"

#include <gtest/gtest.h>

namespace ayatori {
namespace {

TEST(Trial, WaysTakeTurnsAndTheFirstTurnOfEachIsNotCounted) {
  Trial trial(3, 2);
  std::vector<std::size_t> turns;
  while (!trial.over()) {
    turns.push_back(trial.turn());
    trial.note(turns.size() <= 3 ? 1000.0 : static_cast<double>(10 * trial.turn() + turns.size()));
  }
  EXPECT_EQ(turns, (std::vector<std::size_t>{0, 1, 2, 0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(trial.medians(), (std::vector<double>{7, 18, 29})) << "of two times, the later";
}

TEST(Trial, MediansIgnoreWhatSomethingElseDelayed) {
  Trial trial(1, 5);
  for (const double seconds : {0.0, 3.0, 900.0, 1.0, 2.0, 3.0}) trial.note(seconds);
  ASSERT_TRUE(trial.over());
  EXPECT_EQ(trial.medians(), (std::vector<double>{3}));
}

TEST(FastestWay, IsTheMpisOwnUnlessAnotherIsClearlyFaster) {
  EXPECT_EQ(fastest_way({10, 9.8, 12}), 0U);
  EXPECT_EQ(fastest_way({10, 9.6, 9.5}), 2U);
  EXPECT_EQ(fastest_way({10, 10}), 0U);
  EXPECT_EQ(fastest_way({10}), 0U);
}

}  // namespace
}  // namespace ayatori
