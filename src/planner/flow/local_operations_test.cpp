/// What a rank does besides its messages: copies, reductions, and beginning.

#include "ayatori/flow/simulate.hpp"

#include <gtest/gtest.h>

#include "flow_fixtures.hpp"

namespace ayatori::test {
namespace {

TEST(Simulate, LocalCopiesAndReductionsTakeTheirBytesOverTheirRates) {
  std::map<Rank, RankStep> step;
  step[0].copies = 100;
  step[0].reduces = 60;
  const ListedSchedule schedule(1, {step});
  const ListedPaths paths = one_switch(1, 1);
  FlowOptions options;
  expect_both(schedule, paths, options, 0);
  options.costs.copy = bytes_a_second(200);
  expect_both(schedule, paths, options, 100 / 200.0);
  options.costs.reduce = bytes_a_second(50);
  expect_both(schedule, paths, options, 100 / 200.0 + 60 / 50.0);
  options.costs.copy = {};
  expect_both(schedule, paths, options, 60 / 50.0);
  options.costs.copy = {{0, 0, -1}};
  EXPECT_FALSE(simulate(schedule, paths, options));
}

/// Both ranks send 100 bytes, in 1 s, and reduce 60: into what they have sent, into what they have not, or not at all.
TEST(Simulate, AReductionIntoWhatTheStepHasSentTakesLonger) {
  FlowOptions options;
  options.costs.cache_refill = {{0, 0.25, 1 / 120.0}};
  const auto seconds = [&](Slot reduced, Bytes reduces) {
    std::map<Rank, RankStep> step;
    step[0] = {.sends = {{1, 100}}, .receives = {1}, .reduces = reduces, .reduced = reduced};
    step[1] = {.sends = {{0, 100}}, .receives = {0}, .reduces = reduces, .reduced = reduced};
    return run(ListedSchedule(2, {step}), one_switch(2, 100), options).seconds;
  };
  EXPECT_NEAR(seconds(100, 60), 1 + 0.25 + 0.5, 1e-9);
  EXPECT_NEAR(seconds(99, 60), 1, 1e-9);
  EXPECT_NEAR(seconds(100, 0), 1, 1e-9);
  options.costs.reduce = bytes_a_second(60);
  EXPECT_NEAR(seconds(100, 60), 1 + 1 + 0.25 + 0.5, 1e-9);
  EXPECT_NEAR(seconds(99, 60), 1 + 1, 1e-9);
  options.costs.cache_refill = {{0, -1, 0}};
  EXPECT_FALSE(simulate(at_once(2, {{0, 1, 100}}), one_switch(2, 100), options));
}

TEST(Simulate, AllRanksBeginAfterTheStart) {
  FlowOptions options;
  options.costs.start = 0.5;
  const ListedSchedule schedule = at_once(3, {{0, 1, 100}});
  expect_both(schedule, one_switch(3, 100), options, 0.5 + 1);
  const Prediction prediction = run(schedule, one_switch(3, 100), options);
  EXPECT_EQ(prediction.rank_seconds, (std::vector<double>{1.5, 1.5, 0.5}));
  EXPECT_NEAR(prediction.hot_links.front().busy, 1 / 1.5, 1e-9);
  options.costs.start = -1;
  EXPECT_FALSE(simulate(schedule, one_switch(3, 100), options));
}

/// Rank 1 receives for 1 s, reduces for 0.5 s, and sends on for 1 s; rank 0 is done after its own message.
TEST(Simulate, LocalOperationsComeBetweenTheMessagesOfTwoSteps) {
  std::map<Rank, RankStep> first{{0, {{{1, 100}}, {}}}, {1, {{}, {0}, 50}}};
  std::map<Rank, RankStep> second{{1, {{{2, 100}}, {}}}, {2, {{}, {1}}}};
  const ListedSchedule schedule(3, {first, second});
  FlowOptions options;
  options.costs.reduce = bytes_a_second(100);
  expect_both(schedule, one_switch(3, 100), options, 1 + 0.5 + 1);
  EXPECT_NEAR(run(schedule, one_switch(3, 100), options).rank_seconds[0], 1, 1e-9);
}

TEST(Simulate, StreamsOfARankShareItsProcessor) {
  std::map<Rank, RankStep> reduces;
  reduces[0].reduces = 100;
  std::map<Rank, RankStep> copies;
  copies[0].copies = 300;
  const ListedSchedule schedule(1, ListedSchedule::Steps{{reduces}, {copies}});
  FlowOptions options;
  options.costs.reduce = bytes_a_second(100);
  options.costs.copy = bytes_a_second(100);
  expect_both(schedule, one_switch(1, 1), options, 1 + 3);
}

}  // namespace
}  // namespace ayatori::test
