#include "ayatori/tuning/trial.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "ayatori/base/random.hpp"

namespace ayatori {
namespace {

/// All ranks take as long.
void agree(Trial& trial, bool oversubscribed = false) {
  trial.agree(std::vector<double>(trial.numbers()), oversubscribed);
}

/// The next call took so long, and is compared if it is time.
void execute(Trial& trial, double seconds, bool oversubscribed = false) {
  trial.note(seconds);
  if (trial.needs_agreement()) agree(trial, oversubscribed);
}

/// The first two calls of each candidate took so long, by candidate.
void begin(Trial& trial, const std::vector<double>& seconds, bool oversubscribed = false) {
  for (std::size_t call = 0; call < 2 * seconds.size(); ++call) {
    const std::size_t candidate = call % seconds.size();
    EXPECT_EQ(trial.current(), candidate);
    execute(trial, seconds[candidate], oversubscribed);
  }
}

TEST(CallsBeforeTrial, EightAreTimedWithoutTheFirst) {
  CallsBeforeTrial before;
  for (std::size_t call = 0; call < CallsBeforeTrial::timed; ++call) {
    EXPECT_FALSE(before.needs_agreement());
    before.note(call == 0 ? 1 : 2e-6 * static_cast<double>(call));
  }
  EXPECT_TRUE(before.needs_agreement());
  EXPECT_DOUBLE_EQ(before.mean(), 8e-6);
}

TEST(CallsBeforeTrial, TakeAMomentAndAreManyEnoughThatATrialIsSmallComparedWithThem) {
  for (const bool oversubscribed : {false, true}) {
    EXPECT_EQ(CallsBeforeTrial::calls_until_trial(1e-6, oversubscribed), 300U);
    EXPECT_EQ(CallsBeforeTrial::calls_until_trial(1e-3, oversubscribed), 120U) << "128 with those that are timed";
    EXPECT_EQ(CallsBeforeTrial::calls_until_trial(0, oversubscribed), 10'000U);
  }
  EXPECT_EQ(CallsBeforeTrial::calls_until_trial(1, false), 120U);
}

TEST(CallsBeforeTrial, AreFewerWhereRanksSpinForMillisecondsOnCoresThatTheyShare) {
  EXPECT_EQ(CallsBeforeTrial::calls_until_trial(2.1e-3, true), 47U);
  EXPECT_EQ(CallsBeforeTrial::calls_until_trial(20e-3, true), 5U);
  EXPECT_EQ(CallsBeforeTrial::calls_until_trial(1, true), 0U) << "the timed ones were enough";
}

TEST(Trial, CandidatesAlternateAndTheFirstCallsOfEachAreNotCounted) {
  Trial trial(3, 0, 2);
  begin(trial, {1000, 1000, 1000});
  std::vector<std::size_t> calls;
  while (calls.size() < 6) {
    calls.push_back(trial.current());
    execute(trial, static_cast<double>(100 + trial.current() + 2 * calls.size()));
  }
  EXPECT_EQ(calls, (std::vector<std::size_t>{0, 1, 2, 1, 2, 0})) << "each round begins with another candidate";
  EXPECT_EQ(trial.times(), (std::vector<double>{102, 105, 108, 112, 109, 112})) << "by round, and in it by candidate";
}

TEST(Trial, TimesAreThoseOfTheSlowestRank) {
  Trial trial(2, 0, 1);
  begin(trial, {3e-3, 3e-3});
  trial.note(3e-3);
  trial.note(1e-3);
  EXPECT_EQ(trial.numbers(), (std::vector<double>{3e-3, 1e-3}));
  trial.agree({3e-3, 4e-3});
  EXPECT_EQ(trial.times(), (std::vector<double>{3e-3, 4e-3}));
  EXPECT_TRUE(trial.over());
  EXPECT_EQ(trial.best(), 0U);
}

TEST(Trial, ABlockOfShortCallsHasSeveralOfThemAndTheMeanOfAllButTheFirstCounts) {
  Trial trial(2, 0, 1);
  begin(trial, {72e-6, 72e-6});
  std::vector<std::size_t> calls;
  while (!trial.needs_agreement()) {
    calls.push_back(trial.current());
    trial.note(calls.size() % 4 == 1 ? 900.0 : calls.size() % 4 == 0 ? 30.0 : 0.0);
  }
  EXPECT_EQ(calls, (std::vector<std::size_t>{0, 0, 0, 0, 1, 1, 1, 1})) << "4 calls of 72 us";
  EXPECT_EQ(trial.numbers(), (std::vector<double>{10, 10}));
}

std::size_t calls_per_block(double seconds, bool oversubscribed) {
  Trial trial(2);
  begin(trial, {seconds, seconds}, oversubscribed);
  std::size_t calls = 0;
  for (; trial.current() == 0; ++calls) trial.note(seconds);
  return calls;
}

TEST(Trial, ABlockOfCallsOfUpToTwoMillisecondsHasThreeAtLeast) {
  for (const auto& [call, calls] : {std::pair{1e-9, 32U}, {1e-3, 3U}, {2e-3, 3U}, {2.1e-3, 1U}}) {
    EXPECT_EQ(calls_per_block(call, false), calls) << call;
  }
}

TEST(Trial, BlocksOfRanksThatShareCoresAreFourTimesAsLong) {
  for (const auto& [call, calls] : {std::pair{72e-6, 16U}, {1e-9, 128U}, {1.0, 1U}}) {
    EXPECT_EQ(calls_per_block(call, true), calls) << call;
  }
}

TEST(Trial, RanksThatSpinOnSharedCoresAreLeftBehindInTheFirstCallOfEachBlock) {
  // The MPI's own call is over at once where its message is there already.
  for (const double shortest_of_the_mpi : {5e-3, 20e-6}) {
    Trial trial(3, 0, Trial::default_rounds, 100, true);
    std::size_t before = 0;
    double all = 0;
    for (std::size_t call = 0; !trial.over() && trial.pause() == 0; ++call) {
      const std::size_t candidate = trial.current();
      const double of_the_mpi = call % 2 == 0 ? shortest_of_the_mpi : 10e-3;
      // Ranks that come from a call of the MPI's own still hold their cores.
      const double seconds = candidate == 0 ? of_the_mpi : before != candidate ? 8e-3 : 3e-6;
      execute(trial, seconds, true);
      before = candidate;
      all += seconds;
    }
    EXPECT_TRUE(trial.over());
    EXPECT_NE(trial.best(), 0U);
    EXPECT_LT(all, 1) << "seconds";
  }
}

TEST(Trial, GoesOnWithAsManyRoundsWhileTheOutcomeIsNotClear) {
  Trial trial(2);
  begin(trial, {3e-3, 3e-3});
  std::size_t calls = 0;
  // Candidate 1 wins four rounds of seven.
  for (; !trial.over(); ++calls) execute(trial, trial.current() == 0 ? 3e-3 : calls / 2 % 7 < 4 ? 2.95e-3 : 3.05e-3);
  EXPECT_EQ(calls, 2 * Trial::default_rounds * Trial::max_parts);
  EXPECT_EQ(trial.times().size(), calls);
  EXPECT_EQ(trial.best(), 0U) << "near ties are the MPI's own";
}

/// Executes `calls` calls; by candidate, how many it had.
std::vector<std::size_t> calls_in(Trial& trial, const std::vector<double>& seconds, bool oversubscribed = false) {
  std::vector<std::size_t> calls(seconds.size());
  while (!trial.over()) {
    ++calls[trial.current()];
    execute(trial, seconds[trial.current()], oversubscribed);
  }
  return calls;
}

TEST(Trial, TheSlowerACandidateTheSoonerItIsEliminated) {
  Trial trial(4);
  const std::vector<double> seconds{3e-3, 3.03e-3, 4.5e-3, 6.3e-3};
  EXPECT_EQ(calls_in(trial, seconds), (std::vector<std::size_t>{9, 9, 4, 3}))
      << "two first calls, and 7, 7, 2 and 1 rounds of one call";
  EXPECT_EQ(trial.best(), 0U);
  EXPECT_DOUBLE_EQ(trial.medians()[3], seconds[3]);
}

TEST(Trial, ACandidateThatTakesThreeTimesAsLongIsEliminatedAfterItsFirstCallsUnlessRanksShareCores) {
  Trial trial(2);
  EXPECT_EQ(calls_in(trial, {1e-3, 3.1e-3}), (std::vector<std::size_t>{2, 2}));
  EXPECT_EQ(trial.best(), 0U);
  EXPECT_EQ(trial.medians(), (std::vector<double>{1e-3, 3.1e-3}));
  Trial oversubscribed(2);
  EXPECT_GT(calls_in(oversubscribed, {1e-3, 3.1e-3}, true)[1], 2U);
  Trial of_short_calls(2);
  EXPECT_GT(calls_in(of_short_calls, {1e-6, 4e-6})[1], 2U) << "a single short call tells nothing";
}

TEST(Trial, OneDelayIsNotEnoughToLeave) {
  Trial trial(2);
  begin(trial, {3e-3, 1e-3});
  execute(trial, 3e-3);
  execute(trial, 90e-3);
  ASSERT_FALSE(trial.over());
  calls_in(trial, {3e-3, 1e-3});
  EXPECT_EQ(trial.best(), 1U);
}

TEST(Trial, ACandidateThatTakesMillisecondsAndTenTimesAsLongAsAnotherIsNotExecutedAgain) {
  for (const bool oversubscribed : {false, true}) {
    Trial trial(3);
    for (const double seconds : {60e-3, 50e-6, 75e-6}) execute(trial, seconds, oversubscribed);
    EXPECT_EQ(trial.current(), 1U) << "it is not tried a second time";
  }
}

TEST(Trial, TheIncumbentStaysForFourRoundsAndTheOthersAreThenFaster) {
  Trial trial(2);
  EXPECT_EQ(calls_in(trial, {3e-3, 2e-3}), (std::vector<std::size_t>{6, 6}));
  EXPECT_EQ(trial.best(), 1U);
  Trial again(2, 1);
  EXPECT_EQ(calls_in(again, {3e-3, 2e-3}), (std::vector<std::size_t>{4, 4}));
  EXPECT_EQ(again.best(), 1U);
}

TEST(Trial, PausesUntilItHasLostATenthOfTheTimeOfAllCalls) {
  Trial trial(2, 0, Trial::default_rounds, 32);
  execute(trial, 1e-3);
  execute(trial, 10e-3);
  // 9 calls' time is lost: a tenth of 90, of which 34 have been.
  EXPECT_EQ(trial.pause(), 56U);
  Trial faster(2, 0, Trial::default_rounds, 32);
  execute(faster, 1e-3);
  execute(faster, 0.5e-3);
  EXPECT_EQ(faster.pause(), 0U);
}

TEST(Trial, CallsThatTakeNoTimeEndIt) {
  Trial trial(2);
  std::size_t calls = 0;
  for (; !trial.over(); ++calls) execute(trial, 0);
  EXPECT_LE(calls, 2U * 3U * 7U * 32U + 4U);
  EXPECT_GE(trial.calls_until_next(), 1U);
}

TEST(TrialCallsUntilNext, LaterTrialsTakeAHundredthOfTheTime) {
  Trial trial(2, 0, 1);
  EXPECT_EQ(calls_in(trial, {1, 1}), (std::vector<std::size_t>{3, 3}));
  EXPECT_EQ(trial.calls_until_next(), 600U);
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

TEST(BetterCandidate, IsTheMpisOwnUnlessAnotherIsClearlyFaster) {
  EXPECT_EQ(better_candidate(alike({10, 9.8, 12}), 3, 0), 0U);
  EXPECT_EQ(better_candidate(alike({10, 9.6, 9.5}), 3, 0), 2U);
  EXPECT_EQ(better_candidate(alike({10, 10}), 2, 0), 0U);
  EXPECT_EQ(better_candidate(alike({10}), 1, 0), 0U);
  EXPECT_EQ(better_candidate(alike({0, 0}), 2, 0), 0U);
}

TEST(BetterCandidate, ThatExecutedUntilNowStaysUnlessAnotherIsClearlyFasterOrTheMpisOwnIsFasterAtAll) {
  EXPECT_EQ(better_candidate(alike({10, 9.6, 9.5}), 3, 1), 1U);
  EXPECT_EQ(better_candidate(alike({10, 9.6, 9.0}), 3, 1), 2U);
  EXPECT_EQ(better_candidate(alike({9.9, 10, 12}), 3, 1), 0U);
  EXPECT_EQ(better_candidate(alike({10, 10, 12}), 3, 1), 1U);
}

TEST(BetterCandidate, ComparesCandidatesInTheSameRoundAsTheMachinesLoadMayChange) {
  EXPECT_EQ(better_candidate({10, 11, 20, 22, 30, 33, 40, 44, 50, 55}, 2, 0), 0U);
  EXPECT_EQ(better_candidate({10, 9, 20, 18, 30, 27, 40, 36, 50, 45}, 2, 0), 1U);
}

TEST(BetterCandidate, ACandidateThatIsFasterInTheMedianButLosesAThirdOfTheRoundsIsNotTaken) {
  EXPECT_EQ(better_candidate({10, 5, 10, 5, 10, 5, 10, 5, 10, 11, 10, 11, 10, 11}, 2, 0), 0U);
  EXPECT_EQ(better_candidate({10, 5, 10, 5, 10, 5, 10, 5, 10, 5, 10, 11, 10, 11}, 2, 0), 1U);
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

/// Times of calls on a machine whose other load delays a block of any candidate now and then, and changes slowly.
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

TEST(BetterCandidate, OnANoisyMachineACandidateThatIsMuchSlowerIsAlmostNeverTakenAndDoesNotStay) {
  constexpr std::uint64_t seed = 1;
  Random random(seed);
  constexpr int trials = 2000;
  int slower = 0;
  int still_slower = 0;
  for (int i = 0; i < trials; ++i) {
    const std::size_t first = better_candidate(noisy_times({10, 12}, random), 2, 0);
    if (first == 1) ++slower;
    if (better_candidate(noisy_times({10, 12}, random), 2, 1) == 1) ++still_slower;
  }
  EXPECT_LE(slower, trials / 200) << "seed " << seed;
  EXPECT_LE(still_slower, trials / 5) << "seed " << seed;
}

/// Times of ranks that share cores: any call may take several times as long as the one before.
std::vector<double> times_of_oversubscribed_ranks(const std::vector<double>& round, Random& random) {
  std::vector<double> times;
  for (std::size_t i = 0; i < Trial::default_rounds; ++i) {
    for (const double seconds : round) times.push_back(seconds * (1 + static_cast<double>(random.below(100)) / 100));
  }
  return times;
}

/// What a trial that goes on comes to.
std::size_t outcome_on_oversubscribed_cores(const std::vector<double>& round, Random& random) {
  std::vector<double> times;
  std::size_t better = 0;
  for (std::size_t part = 0; part < Trial::max_parts; ++part) {
    const std::vector<double> more = times_of_oversubscribed_ranks(round, random);
    times.insert(times.end(), more.begin(), more.end());
    better = better_candidate(times, round.size(), 0);
    if (is_clear(times, round.size(), 0, better)) break;
  }
  return better;
}

TEST(IsClear, ATrialThatGoesOnUntilItIsClearTakesFarFewerSlowerCandidates) {
  constexpr std::uint64_t seed = 2;
  Random random(seed);
  constexpr int trials = 4000;
  int at_once = 0;
  int going_on = 0;
  int faster = 0;
  for (int i = 0; i < trials; ++i) {
    at_once += better_candidate(times_of_oversubscribed_ranks({10, 11}, random), 2, 0) == 1;
    going_on += outcome_on_oversubscribed_cores({10, 11}, random) == 1;
    faster += outcome_on_oversubscribed_cores({10, 7}, random) == 1;
  }
  EXPECT_GT(at_once, trials / 25) << "seed " << seed;
  EXPECT_LT(going_on, at_once / 3) << "seed " << seed;
  EXPECT_GT(faster, trials * 9 / 10) << "seed " << seed;
}

/// A machine: each call may be delayed, as by another process that has its core.
struct Noise {
  double spread;
  double delays;  ///< share of calls
  double delay;   ///< seconds, at most
  bool oversubscribed;
};

double noisy(double seconds, const Noise& noise, Random& random) {
  const auto share = [&] { return static_cast<double>(random.below(1'000'000)) / 1e6; };
  const double delay = share() < noise.delays ? noise.delay * share() : 0;
  return seconds * (1 + noise.spread * share()) + delay;
}

struct Outcome {
  std::size_t best = 0;
  double extra = 0;  ///< of the first calls, as a share of what they take if all are the MPI's own
};

/// A program that makes `calls` calls of 100 us by the MPI's own collective, ours taking these multiples, on two ranks.
Outcome outcome_of(const std::vector<double>& candidates, const Noise& noise, std::size_t calls, Random& random) {
  constexpr double own = 100e-6;
  const std::uint64_t before = CallsBeforeTrial::timed + CallsBeforeTrial::calls_until_trial(own, noise.oversubscribed);
  Trial trials[] = {Trial(candidates.size(), 0, Trial::default_rounds, before,
                          CallsBeforeTrial::ranks_spin(own, noise.oversubscribed)),
                    Trial(candidates.size(), 0, Trial::default_rounds, before,
                          CallsBeforeTrial::ranks_spin(own, noise.oversubscribed))};
  std::uint64_t left_out = before;
  double extra = 0;
  std::size_t call = 0;
  for (; !trials[0].over() || call < calls; ++call) {
    if (trials[0].over() || left_out > 0) {
      if (left_out > 0) --left_out;
      extra += call < calls ? candidates[trials[0].best()] - 1 : 0;
      continue;
    }
    EXPECT_EQ(trials[0].current(), trials[1].current());
    extra += call < calls ? candidates[trials[0].current()] - 1 : 0;
    for (Trial& one : trials) one.note(noisy(own * candidates[one.current()], noise, random));
    EXPECT_EQ(trials[0].needs_agreement(), trials[1].needs_agreement());
    if (!trials[0].needs_agreement()) continue;
    std::vector<double> longest = trials[0].numbers();
    for (std::size_t i = 0; i < longest.size(); ++i) longest[i] = std::max(longest[i], trials[1].numbers()[i]);
    for (Trial& one : trials) one.agree(longest, noise.oversubscribed);
    EXPECT_EQ(trials[0].over(), trials[1].over());
    EXPECT_EQ(trials[0].best(), trials[1].best());
    left_out = trials[0].pause();
    EXPECT_EQ(left_out, trials[1].pause());
  }
  return {trials[0].best(), extra / static_cast<double>(calls)};
}

/// The outcome if all candidates have blocks in all rounds, without elimination.
std::size_t best_of_all_rounds(const std::vector<double>& candidates, const Noise& noise, Random& random) {
  constexpr std::size_t counted = 3;
  std::vector<double> times;
  for (std::size_t round = 0; round < Trial::max_parts * Trial::default_rounds; ++round) {
    for (const double candidate : candidates) {
      double sum = 0;
      for (std::size_t call = 0; call < counted; ++call) sum += noisy(100e-6 * candidate, noise, random);
      times.push_back(sum / counted);
    }
  }
  return better_candidate(times, candidates.size(), 0);
}

constexpr Noise machines[] = {{0.1, 0.002, 500e-6, false}, {0.3, 0.02, 2e-3, false}, {1, 0.05, 1e-3, true}};

TEST(Trial, EndsAsWellAsOneWithoutEliminationAndRanksAgree) {
  constexpr std::uint64_t seed = 3;
  Random random(seed);
  constexpr int draws = 200;
  for (const Noise& noise : machines) {
    for (const std::vector<double>& candidates :
         {std::vector{1.0, 1.3, 2.0, 5.0}, {1, 20, 3, 4}, {1, 0.5, 1.5, 3}, {1, 0.7, 2, 1}}) {
      int good = 0;
      int good_of_all_rounds = 0;
      const double best = *std::ranges::min_element(candidates);
      for (int i = 0; i < draws; ++i) {
        good += candidates[outcome_of(candidates, noise, 1, random).best] <= 1.05 * best;
        good_of_all_rounds += candidates[best_of_all_rounds(candidates, noise, random)] <= 1.05 * best;
      }
      EXPECT_GE(good, good_of_all_rounds - draws / 10)
          << "seed " << seed << ", " << candidates[1] << ", " << noise.delay;
    }
  }
}

TEST(Trial, LosesLittleOfTheTimeOfCallsThatAreMadeHoweverSeldom) {
  constexpr std::uint64_t seed = 4;
  Random random(seed);
  constexpr int draws = 100;
  for (const Noise& noise : machines) {
    for (const std::vector<double>& candidates : {std::vector{1.0, 1.3, 2.0, 5.0}, {1, 20, 3, 4}, {1, 1.1, 1.1, 1.1}}) {
      for (const auto& [calls, bound] : {std::pair<std::size_t, double>{10, 0}, {128, 0}, {200, 0.2}, {1000, 0.12}}) {
        double extra = 0;
        for (int i = 0; i < draws; ++i) extra += outcome_of(candidates, noise, calls, random).extra / draws;
        EXPECT_LE(extra, bound) << "seed " << seed << ", " << calls << " calls, " << candidates[1] << ", "
                                << noise.delay;
      }
    }
  }
}

}  // namespace
}  // namespace ayatori
