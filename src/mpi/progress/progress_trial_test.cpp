// A program whose cycles take a given time with progress, and another without, against what the trial finds.
#include "ayatori/progress/progress_trial.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "ayatori/base/random.hpp"

namespace ayatori {
namespace {

struct Program {
  double with;
  double without;
  double noise = 0.05;      ///< of a cycle, at most
  bool alternates = false;  ///< every other cycle takes four times as long
};

struct Found {
  std::optional<ProgressTrial::Outcome> outcome;
  double seconds = 0;  ///< until then
};

/// Cycles until the trial ends; a cycle takes what the slice says in which it begins.
Found run(ProgressTrial& trial, const Program& program, double& now, Random& random, double seconds) {
  const double begin = now;
  for (int cycle = 0; now < begin + seconds; ++cycle) {
    if (const auto outcome = trial.begin_cycle(now)) return {outcome, now - begin};
    const double exact = trial.on(now) ? program.with : program.without;
    const double longer = program.alternates && cycle % 2 == 1 ? 4 : 1;
    now += longer * exact * (1 + program.noise * static_cast<double>(random.below(1000)) / 1000);
  }
  return {};
}

TEST(ProgressTrial, FindsWhatIsFasterWithinASecond) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const bool pays = seed % 2 == 0;
    const bool alternates = seed % 3 == 0;
    const double longest = alternates ? 0.0005 : 0.015;  // such that there are enough in a second
    const double cycle = longest * static_cast<double>(1 + random.below(1000)) / 1000;
    const Program program{cycle, cycle * (pays ? 1.1 : 0.9), 0.05, alternates};
    double now = 1e6 + static_cast<double>(random.below(1000));
    ProgressTrial trial;
    const Found found = run(trial, program, now, random, 10);
    ASSERT_TRUE(found.outcome) << "seed " << seed;
    EXPECT_EQ(found.outcome->pays, pays) << "seed " << seed;
    EXPECT_TRUE(found.seconds < 1.1) << "seed " << seed << ": " << found.seconds << " s";
    EXPECT_EQ(trial.on(now), pays) << "seed " << seed;
  }
}

TEST(ProgressTrial, WhatGainsNothingDoesNotPay) {
  Random random(3);
  ProgressTrial trial;
  double now = 5;
  const Found found = run(trial, {0.004, 0.004, 0.01, false}, now, random, 10);
  ASSERT_TRUE(found.outcome);
  EXPECT_FALSE(found.outcome->pays);
}

TEST(ProgressTrial, CyclesLongerThanASliceAreComparedAfterSomeOfThem) {
  Random random(4);
  ProgressTrial trial;
  double now = 100;
  const Found found = run(trial, {0.15, 0.2, 0.01, false}, now, random, 20);
  ASSERT_TRUE(found.outcome);
  EXPECT_TRUE(found.outcome->pays);
  EXPECT_TRUE(found.outcome->with > 0) << "there were cycles to compare";
}

TEST(ProgressTrial, LongCyclesAreComparedWithinSomeFortyOfThem) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const double cycle = 0.03 + 0.0001 * static_cast<double>(random.below(1000));
    const bool pays = seed % 2 == 0;
    double now = 1e6 + static_cast<double>(random.below(1000)) / 7;
    ProgressTrial trial;
    const Found found = run(trial, {cycle, cycle * (pays ? 1.5 : 0.8), 0.05, false}, now, random, 20);
    ASSERT_TRUE(found.outcome && found.outcome->with > 0) << "seed " << seed;
    EXPECT_EQ(found.outcome->pays, pays) << "seed " << seed;
    EXPECT_TRUE(found.seconds < std::max(1.1, 48 * cycle * (pays ? 1.5 : 1)))
        << "seed " << seed << ": " << found.seconds / cycle << " cycles";
  }
}

TEST(ProgressTrial, FewCyclesOfSeveralKindsAreNotTakenForADifference) {
  // Of three exchanges one is hidden by progress, as in a program that measures how much is hidden, and now and then
  // one takes three times as long.
  int right = 0;
  constexpr int programs = 200;
  for (std::uint64_t seed = 0; seed < programs; ++seed) {
    Random random(seed);
    double now = 1e6 + static_cast<double>(random.below(1000)) / 7;
    ProgressTrial trial;
    std::optional<ProgressTrial::Outcome> outcome;
    for (int cycle = 0; !outcome; ++cycle) {
      outcome = trial.begin_cycle(now);
      const double hidden = cycle % 3 == 2 && trial.on(now) ? 0.046 : 0.086;
      now += hidden * (random.below(20) == 0 ? 3 : 1);
    }
    right += outcome->pays ? 1 : 0;
  }
  EXPECT_GT(right, programs * 98 / 100);
}

TEST(ProgressTrial, OneLongCycleDoesNotMakeATrialLonger) {
  Random random(8);
  ProgressTrial trial;
  double now = 10;
  trial.begin_cycle(now);
  now += 0.9;
  trial.begin_cycle(now);
  const Found found = run(trial, {0.002, 0.0022, 0.01, false}, now, random, 20);
  ASSERT_TRUE(found.outcome);
  EXPECT_TRUE(found.outcome->pays);
  EXPECT_TRUE(found.seconds < 1.1) << found.seconds;
}

TEST(ProgressTrial, WhereNothingCanBeComparedOperationsAreMoved) {
  ProgressTrial trial;
  EXPECT_TRUE(trial.on(0));
  std::optional<ProgressTrial::Outcome> outcome;
  for (double now = 0; now < 100 && !outcome; now += 9) outcome = trial.begin_cycle(now);
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->pays);
  EXPECT_EQ(outcome->with, 0);
}

TEST(ProgressTrial, IsRepeatedSinceProgramsChange) {
  for (const bool pays_at_first : {false, true}) {
    Random random(5);
    ProgressTrial trial;
    double now = 0;
    const Program one{0.01, 0.012};
    const Program other{0.012, 0.01};
    const Found first = run(trial, pays_at_first ? one : other, now, random, 5);
    ASSERT_TRUE(first.outcome);
    EXPECT_EQ(first.outcome->pays, pays_at_first);
    const Found second = run(trial, pays_at_first ? other : one, now, random, 60);
    ASSERT_TRUE(second.outcome);
    EXPECT_EQ(second.outcome->pays, !pays_at_first);
  }
}

TEST(ProgressTrial, WhatDidNotPayAtFirstIsTriedAgainSoon) {
  Random random(9);
  ProgressTrial trial;
  double now = 0;
  const Program beginning{0.01, 0.008};
  const Program then{0.01, 0.012};
  const Found first = run(trial, beginning, now, random, 5);
  ASSERT_TRUE(first.outcome && !first.outcome->pays);
  const Found second = run(trial, then, now, random, 60);
  ASSERT_TRUE(second.outcome && second.outcome->pays);
  EXPECT_TRUE(second.seconds < 5 * first.seconds) << second.seconds;
}

/// Time on trial may be time without what pays.
TEST(ProgressTrial, TakesLittleOfTheTime) {
  Random random(6);
  ProgressTrial trial;
  const Program program{0.01, 0.012, 0.01, false};
  double now = 0;
  double on_trial = 0;
  while (now < 300) {
    trial.begin_cycle(now);
    const double cycle = trial.on(now) ? program.with : program.without;
    if (trial.on_trial()) on_trial += cycle;
    now += cycle;
  }
  EXPECT_TRUE(on_trial > 1 && on_trial < now / 25) << on_trial << " of " << now;
}

}  // namespace
}  // namespace ayatori
