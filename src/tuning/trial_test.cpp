#include "ayatori/tuning/trial.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "ayatori/base/random.hpp"

namespace ayatori {
namespace {

/// The first two calls of each way took so long on the slowest rank, or longer.
void begin(Trial& trial, std::size_t ways, double seconds) {
  for (std::size_t call = 0; call < 2 * ways; ++call) {
    const std::size_t way = call % ways;
    EXPECT_EQ(trial.turn(), way);
    EXPECT_FALSE(trial.needs_agreement());
    trial.note((call < ways ? 100 : 1) * seconds / static_cast<double>(way + 2));
  }
  EXPECT_TRUE(trial.needs_agreement());
  EXPECT_EQ(trial.first_times()[0], seconds / 2);
  trial.agree(std::vector<double>(ways, seconds));
  EXPECT_FALSE(trial.needs_agreement());
}

TEST(Trial, WaysTakeTurnsAndTheFirstCallsOfEachAreNotCounted) {
  Trial trial(3, 2);
  begin(trial, 3, 1000.0);
  std::vector<std::size_t> turns;
  while (!trial.over()) {
    turns.push_back(trial.turn());
    trial.note(static_cast<double>(10 * trial.turn() + turns.size()));
  }
  EXPECT_EQ(turns, (std::vector<std::size_t>{0, 1, 2, 1, 2, 0})) << "each round begins with another way";
  EXPECT_EQ(trial.times(), (std::vector<double>{1, 12, 23, 6, 14, 25})) << "by round, and in it by way";
}

TEST(Trial, ATurnOfShortCallsHasSeveralOfThemAndTheMeanOfAllButTheFirstCounts) {
  Trial trial(2, 1);
  begin(trial, 2, 72e-6);
  std::vector<std::size_t> turns;
  while (!trial.over()) {
    turns.push_back(trial.turn());
    trial.note(turns.size() % 4 == 1 ? 900.0 : turns.size() % 4 == 0 ? 30.0 : 0.0);
  }
  EXPECT_EQ(turns, (std::vector<std::size_t>{0, 0, 0, 0, 1, 1, 1, 1})) << "4 calls of 72 us";
  EXPECT_EQ(trial.times(), (std::vector<double>{10, 10}));
}

TEST(Trial, ATurnOfCallsOfUpToTwoMillisecondsHasThreeAtLeast) {
  for (const auto& [call, calls] : {std::pair{1e-3, 3U}, {2e-3, 3U}, {2.1e-3, 1U}}) {
    Trial trial(2, 1);
    begin(trial, 2, call);
    std::size_t of_a_turn = 0;
    for (; trial.turn() == 0; ++of_a_turn) trial.note(call);
    EXPECT_EQ(of_a_turn, calls) << call;
  }
}

TEST(Trial, TurnsOfRanksThatShareCoresAreFourTimesAsLong) {
  for (const auto& [call, calls] : {std::pair{72e-6, 16U}, {1e-9, 128U}, {1.0, 1U}}) {
    Trial trial(2, 1);
    for (std::size_t i = 0; i < 4; ++i) trial.note(1e-6);
    trial.agree({call, call}, true);
    std::size_t of_a_turn = 0;
    for (; trial.turn() == 0; ++of_a_turn) trial.note(1e-6);
    EXPECT_EQ(of_a_turn, calls);
    while (!trial.over()) trial.note(1e-6);
    EXPECT_TRUE(trial.may_go_on(0.07));
    EXPECT_FALSE(trial.may_go_on(0.09));
  }
}

TEST(Trial, GoesOnWithAsManyRoundsAndKeepsTheirTimes) {
  Trial trial(2, 3);
  begin(trial, 2, 3e-3);
  std::size_t calls = 0;
  const auto play = [&] {
    while (!trial.over()) trial.note(static_cast<double>(++calls) * 1e-6);
  };
  play();
  EXPECT_EQ(calls, 6U);
  const std::vector<double> first = trial.times();
  for (std::size_t part = 1; part < Trial::max_parts; ++part) {
    EXPECT_TRUE(trial.may_go_on(trial.seconds() * 1e-3));
    EXPECT_FALSE(trial.may_go_on(1)) << "a trial of a second is long enough";
    trial.go_on();
    EXPECT_FALSE(trial.over());
    play();
    EXPECT_EQ(calls, 6 * (part + 1));
    EXPECT_EQ(trial.times().size(), calls);
    EXPECT_TRUE(std::equal(first.begin(), first.end(), trial.times().begin()));
  }
  EXPECT_FALSE(trial.may_go_on(0));
}

TEST(Trial, AWayThatTakesMillisecondsAndTenTimesAsLongAsAnotherPlaysNoMore) {
  Trial trial(3, 2);
  for (std::size_t call = 0; call < 6; ++call) trial.note(1e-3);
  trial.agree({60e-3, 50e-6, 75e-6});
  std::vector<std::size_t> turns;
  for (const std::size_t part : {0, 1}) {
    if (part == 1) trial.go_on();
    for (; !trial.over(); trial.note(1e-6)) turns.push_back(trial.turn());
  }
  EXPECT_EQ(turns, (std::vector<std::size_t>{1, 1, 1, 1, 2, 2, 2, 2, 1, 1, 1, 1, 2, 2, 2, 2,
                                             2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2}))
      << "turns of four calls of 75 us";
  EXPECT_EQ(trial.times(),
            (std::vector<double>{60e-3, 1e-6, 1e-6, 60e-3, 1e-6, 1e-6, 60e-3, 1e-6, 1e-6, 60e-3, 1e-6, 1e-6}));
  EXPECT_EQ(better_way(trial.times(), 3, 0), 1U);
}

TEST(Trial, AWayThatIsSlowForShortCallsOnlyGoesOn) {
  for (const std::vector<double>& first_times : {std::vector{1e-3, 1e-6}, std::vector{1.0, 0.11}}) {
    Trial trial(2, 1);
    for (std::size_t call = 0; call < 4; ++call) trial.note(1e-6);
    trial.agree(first_times);
    EXPECT_EQ(trial.turn(), 0U);
  }
}

TEST(Trial, SaysWhatAllItsCallsTook) {
  Trial trial(1, 2);
  begin(trial, 1, 2.0);
  while (!trial.over()) trial.note(3);
  EXPECT_DOUBLE_EQ(trial.seconds(), 100 + 1 + 3 + 3);
}

TEST(Trial, CallsThatTakeNoTimeEndIt) {
  Trial trial(2);
  begin(trial, 2, 0);
  std::size_t calls = 0;
  for (; !trial.over(); ++calls) trial.note(0);
  EXPECT_LE(calls, 2U * 7U * 32U);
  EXPECT_GE(trial.calls_until_next(trial.times(), 0), 1U);
}

TEST(TrialCallsUntilNext, LaterTrialsTakeAHundredthOfTheTime) {
  Trial trial(2, 1);
  begin(trial, 2, 1.0);
  while (!trial.over()) trial.note(1);
  // Each way plays three calls, two of which are not counted.
  EXPECT_EQ(trial.calls_until_next({1, 1}, 0), 600U);
  EXPECT_EQ(trial.calls_until_next({99, 1}, 1), 30'000U) << "a trial of a way that is slow comes later";
}

TEST(MediansOf, IgnoreWhatSomethingElseDelayed) {
  EXPECT_EQ(medians_of({3, 900, 1, 2, 3}, 1), (std::vector<double>{3}));
  EXPECT_EQ(medians_of({1, 10, 900, 11, 2, 12}, 2), (std::vector<double>{2, 11}));
}

std::vector<double> alike(std::vector<double> round, std::size_t rounds = 7) {
  std::vector<double> times;
  for (std::size_t i = 0; i < rounds; ++i) times.insert(times.end(), round.begin(), round.end());
  return times;
}

TEST(BetterWay, IsTheMpisOwnUnlessAnotherIsClearlyFaster) {
  EXPECT_EQ(better_way(alike({10, 9.8, 12}), 3, 0), 0U);
  EXPECT_EQ(better_way(alike({10, 9.6, 9.5}), 3, 0), 2U);
  EXPECT_EQ(better_way(alike({10, 10}), 2, 0), 0U);
  EXPECT_EQ(better_way(alike({10}), 1, 0), 0U);
  EXPECT_EQ(better_way(alike({0, 0}), 2, 0), 0U);
}

TEST(BetterWay, ThatPlayedUntilNowStaysUnlessAnotherIsClearlyFasterOrTheMpisOwnIsFasterAtAll) {
  EXPECT_EQ(better_way(alike({10, 9.6, 9.5}), 3, 1), 1U);
  EXPECT_EQ(better_way(alike({10, 9.6, 9.0}), 3, 1), 2U);
  EXPECT_EQ(better_way(alike({9.9, 10, 12}), 3, 1), 0U);
  EXPECT_EQ(better_way(alike({10, 10, 12}), 3, 1), 1U);
}

TEST(BetterWay, ComparesWaysInTheSameRoundAsTheMachinesLoadMayChange) {
  EXPECT_EQ(better_way({10, 11, 20, 22, 30, 33, 40, 44, 50, 55}, 2, 0), 0U);
  EXPECT_EQ(better_way({10, 9, 20, 18, 30, 27, 40, 36, 50, 45}, 2, 0), 1U);
}

TEST(BetterWay, AWayThatIsFasterInTheMedianButLosesAThirdOfTheRoundsIsNotTaken) {
  EXPECT_EQ(better_way({10, 5, 10, 5, 10, 5, 10, 5, 10, 11, 10, 11, 10, 11}, 2, 0), 0U);
  EXPECT_EQ(better_way({10, 5, 10, 5, 10, 5, 10, 5, 10, 5, 10, 11, 10, 11}, 2, 0), 1U);
}

TEST(IsClear, IfTheBetterOneWonSixRoundsOfSevenOrNoOtherWonMoreThanHalfOfThem) {
  EXPECT_TRUE(is_clear(alike({10, 9}), 2, 0, 1));
  EXPECT_TRUE(is_clear(alike({10, 11, 12}), 3, 0, 0));
  EXPECT_TRUE(is_clear({10, 9, 10, 9, 10, 9, 10, 9, 10, 9, 10, 9, 10, 11}, 2, 0, 1));
  EXPECT_FALSE(is_clear({10, 9, 10, 9, 10, 9, 10, 9, 10, 9, 10, 11, 10, 11}, 2, 0, 1)) << "it won five";
  EXPECT_FALSE(is_clear({10, 9, 10, 9, 10, 9, 10, 9, 10, 11, 10, 11, 10, 11}, 2, 0, 0)) << "the other won four";
  EXPECT_TRUE(is_clear({10, 9, 10, 9, 10, 9, 10, 11, 10, 11, 10, 11, 10, 11}, 2, 0, 0)) << "the other won three";
  EXPECT_TRUE(is_clear({}, 1, 0, 0));
}

/// Times of calls on a machine whose other load delays a turn of any way now and then, and changes slowly.
std::vector<double> noisy_times(const std::vector<double>& round, Random& random,
                                std::size_t rounds = Trial::default_rounds) {
  std::vector<double> times;
  for (std::size_t i = 0; i < rounds; ++i) {
    const double load = 1 + static_cast<double>(random.below(100)) / 100;
    for (const double seconds : round) {
      const double delay = random.below(10) == 0 ? 3 : 1;
      times.push_back(seconds * load * delay * (1 + static_cast<double>(random.below(100)) / 1000));
    }
  }
  return times;
}

TEST(BetterWay, OnANoisyMachineAWayThatIsMuchSlowerIsAlmostNeverTakenAndDoesNotStay) {
  constexpr std::uint64_t seed = 1;
  Random random(seed);
  constexpr int trials = 2000;
  int slower = 0;
  int still_slower = 0;
  for (int i = 0; i < trials; ++i) {
    const std::size_t first = better_way(noisy_times({10, 12}, random), 2, 0);
    if (first == 1) ++slower;
    if (better_way(noisy_times({10, 12}, random), 2, 1) == 1) ++still_slower;
  }
  EXPECT_LE(slower, trials / 200) << "seed " << seed;
  EXPECT_LE(still_slower, trials / 5) << "seed " << seed;
}

/// Times of ranks that take turns on the cores: any call may take several times as long as the one before.
std::vector<double> times_of_crowded_ranks(const std::vector<double>& round, Random& random) {
  std::vector<double> times;
  for (std::size_t i = 0; i < Trial::default_rounds; ++i) {
    for (const double seconds : round) times.push_back(seconds * (1 + static_cast<double>(random.below(100)) / 100));
  }
  return times;
}

/// What a trial that goes on comes to.
std::size_t outcome_on_crowded_cores(const std::vector<double>& round, Random& random) {
  std::vector<double> times;
  std::size_t better = 0;
  for (std::size_t part = 0; part < Trial::max_parts; ++part) {
    const std::vector<double> more = times_of_crowded_ranks(round, random);
    times.insert(times.end(), more.begin(), more.end());
    better = better_way(times, round.size(), 0);
    if (is_clear(times, round.size(), 0, better)) break;
  }
  return better;
}

TEST(IsClear, ATrialThatGoesOnUntilItIsTakesFarFewerSlowerWays) {
  constexpr std::uint64_t seed = 2;
  Random random(seed);
  constexpr int trials = 4000;
  int at_once = 0;
  int going_on = 0;
  int faster = 0;
  for (int i = 0; i < trials; ++i) {
    at_once += better_way(times_of_crowded_ranks({10, 11}, random), 2, 0) == 1;
    going_on += outcome_on_crowded_cores({10, 11}, random) == 1;
    faster += outcome_on_crowded_cores({10, 7}, random) == 1;
  }
  EXPECT_GT(at_once, trials / 25) << "seed " << seed;
  EXPECT_LT(going_on, at_once / 3) << "seed " << seed;
  EXPECT_GT(faster, trials * 9 / 10) << "seed " << seed;
}

}  // namespace
}  // namespace ayatori
