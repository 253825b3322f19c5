#include "ayatori/tuning/trial.hpp"

#include <gtest/gtest.h>

namespace ayatori {
namespace {

/// The first call of each way took so long on the slowest rank.
void begin(Trial& trial, std::size_t ways, double seconds) {
  for (std::size_t way = 0; way < ways; ++way) {
    EXPECT_EQ(trial.turn(), way);
    EXPECT_FALSE(trial.needs_agreement());
    trial.note(seconds / static_cast<double>(way + 2));
  }
  EXPECT_TRUE(trial.needs_agreement());
  EXPECT_EQ(trial.first_time(), seconds / 2);
  trial.agree(seconds);
  EXPECT_FALSE(trial.needs_agreement());
}

TEST(Trial, WaysTakeTurnsAndTheFirstCallOfEachIsNotCounted) {
  Trial trial(3, 2);
  begin(trial, 3, 1000.0);
  std::vector<std::size_t> turns;
  while (!trial.over()) {
    turns.push_back(trial.turn());
    trial.note(static_cast<double>(10 * trial.turn() + turns.size()));
  }
  EXPECT_EQ(turns, (std::vector<std::size_t>{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(trial.medians(), (std::vector<double>{4, 15, 26})) << "of two times, the later";
}

TEST(Trial, ATurnOfShortCallsHasSeveralOfThemAndTheirMeanCounts) {
  Trial trial(2, 1);
  begin(trial, 2, 12e-6);
  std::vector<std::size_t> turns;
  while (!trial.over()) {
    turns.push_back(trial.turn());
    trial.note(turns.size() % 4 == 0 ? 40.0 : 0.0);
  }
  EXPECT_EQ(turns, (std::vector<std::size_t>{0, 0, 0, 0, 1, 1, 1, 1})) << "4 calls of 12 us";
  EXPECT_EQ(trial.medians(), (std::vector<double>{10, 10}));
}

TEST(Trial, CallsThatTakeNoTimeEndIt) {
  Trial trial(2);
  begin(trial, 2, 0);
  std::size_t calls = 0;
  for (; !trial.over(); ++calls) trial.note(0);
  EXPECT_LE(calls, 2U * 7U * 16U);
}

TEST(Trial, MediansIgnoreWhatSomethingElseDelayed) {
  Trial trial(1, 5);
  begin(trial, 1, 1.0);
  for (const double seconds : {3.0, 900.0, 1.0, 2.0, 3.0}) trial.note(seconds);
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
