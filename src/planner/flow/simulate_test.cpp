#include "ayatori/flow/simulate.hpp"

#include <gtest/gtest.h>

#include "flow_fixtures.hpp"
#include "resources.hpp"

namespace ayatori::test {
namespace {

TEST(Simulate, AScheduleWithoutMessagesTakesNoTime) {
  expect_both(ListedSchedule(3, {std::map<Rank, RankStep>{}}), one_switch(3, 1), {}, 0);
  expect_both(ListedSchedule(1, std::vector<std::map<Rank, RankStep>>{}), one_switch(1, 1), {}, 0);
}

TEST(Simulate, OneMessageTakesItsLatenciesAndItsBytesOverTheRate) {
  const ListedPaths paths = one_switch(2, 1e9, 3e-6);
  const ListedSchedule schedule = at_once(2, {{0, 1, 1000000}});
  FlowOptions options;
  options.costs.between.latency = 1e-6;
  expect_both(schedule, paths, options, 1e-6 + 2 * 3e-6 + 1e-3);
  const Prediction prediction = run(schedule, paths, options);
  EXPECT_EQ(prediction.messages, 1U);
  EXPECT_EQ(prediction.network_bytes, 1000000U);
  ASSERT_EQ(prediction.hot_links.size(), 2U);
  EXPECT_EQ(prediction.hot_links[0].link, 0U);
  EXPECT_EQ(prediction.hot_links[0].bytes, 1000000U);
  EXPECT_NEAR(prediction.hot_links[0].saturated, 1e-3 / (1e-3 + 7e-6), 1e-9);
  EXPECT_NEAR(prediction.hot_links[0].busy, 1e-3 / (1e-3 + 7e-6), 1e-9);
}

TEST(Simulate, ARankThatIsLateBeginsLaterAndOthersOnlyWaitForItsMessages) {
  const ListedPaths paths = one_switch(3, 1e9);
  FlowOptions options;
  options.costs.between.eager_limit = 1 << 20;
  options.late = {5e-3, 0};  // rank 2, beyond the end, is not late
  const Prediction found = run(at_once(3, {{0, 1, 1000000}, {1, 2, 1000000}}), paths, options);
  EXPECT_NEAR(found.seconds, 5e-3 + 1e-3, 1e-9);
  EXPECT_NEAR(found.rank_seconds[2], 1e-3, 1e-9);
  // A receiver that is late takes what came meanwhile at once.
  options.late = {0, 5e-3};
  EXPECT_NEAR(run(at_once(2, {{0, 1, 1000000}}), paths, options).seconds, 5e-3, 1e-9);
  options.steps = StepMode::synchronous;
  EXPECT_FALSE(simulate(at_once(2, {{0, 1, 1}}), paths, options));
  options = {};
  options.late = {-1};
  EXPECT_FALSE(simulate(at_once(2, {{0, 1, 1}}), paths, options));
}

TEST(Simulate, AMessageCostsWhatMessagesOnItsPlaneCost) {
  const PathsOnPlanes paths(std::make_unique<ListedPaths>(one_switch(4, 1e9)));
  FlowOptions options;
  options.costs.between.latency = 1e-6;
  options.costs.between.eager_limit = 1 << 20;
  MessageCosts slow;
  slow.latency = 1e-3;
  slow.rendezvous = 1e-2;
  options.on_planes = {std::nullopt, slow};
  expect_both(at_once(4, {{0, 1, 1000000}}), paths, options, 1e-3 + 1e-2 + 1e-3);
  expect_both(at_once(4, {{0, 2, 1000000}}), paths, options, 1e-6 + 1e-3);
  options.on_planes[1]->latency = -1;
  EXPECT_FALSE(simulate(at_once(4, {{0, 1, 1}}), paths, options));
}

TEST(Simulate, AMessageWithoutBytesTakesItsLatency) {
  expect_both(at_once(2, {{0, 1, 0}}), one_switch(2, 1e9, 3e-6), {}, 6e-6);
}

TEST(Simulate, TwoFlowsShareALinkUntilTheShorterEnds) {
  // Both out of machine 0; the shorter ends at 2 s, then the longer has the link for itself.
  expect_both(at_once(3, {{0, 1, 100}, {0, 2, 300}}), one_switch(3, 100), {}, 4);
  const Prediction prediction = run(at_once(3, {{0, 1, 100}, {0, 2, 300}}), one_switch(3, 100));
  EXPECT_NEAR(prediction.rank_seconds[1], 2, 1e-9);
  EXPECT_NEAR(prediction.rank_seconds[2], 4, 1e-9);
}

TEST(Simulate, FlowsOverSeveralLinksGetMaxMinFairRates) {
  // One flow over three links, one over each; capacities 100, 200, 300: rates 50, 50, 150, 250.
  const ListedPaths paths({100, 200, 300}, {0, 1, 2, 3, 4, 5, 6, 7},
                          {{{0, 1}, {0, 1, 2}}, {{2, 3}, {0}}, {{4, 5}, {1}}, {{6, 7}, {2}}});
  const Prediction prediction = run(at_once(8, {{0, 1, 100}, {2, 3, 100}, {4, 5, 300}, {6, 7, 250}}), paths);
  expect_seconds(prediction, 2);
  for (const Rank rank : {1U, 3U, 5U}) EXPECT_NEAR(prediction.rank_seconds[rank], 2, 1e-9);
  EXPECT_NEAR(prediction.rank_seconds[7], 1, 1e-9);
}

TEST(Simulate, AFlowThatBeginsLaterTakesItsShareFromThen) {
  // 0 → 1 has the link for 1 s, then shares it with 2 → 3, whose latency is 1 s: 100 bytes are left for each.
  const ListedPaths paths({100, 1e9}, {0, 1, 2, 3}, {{{0, 1}, {0}}, {{2, 3}, {1, 0}}}, {0, 1});
  const Prediction prediction = run(at_once(4, {{0, 1, 200}, {2, 3, 150}}), paths);
  EXPECT_NEAR(prediction.rank_seconds[1], 3, 1e-9);
  EXPECT_NEAR(prediction.rank_seconds[3], 3.5, 1e-9);
}

TEST(Simulate, InjectionLimitsANic) {
  // Two ranks on machine 0, links of their own; the NIC lets 100 out.
  ListedPaths paths({100, 100}, {0, 0, 1, 2}, {{{0, 2}, {0}}, {{1, 3}, {1}}});
  const ListedSchedule schedule = at_once(4, {{0, 2, 100}, {1, 3, 100}});
  expect_both(schedule, paths, {}, 1);
  FlowOptions options;
  options.costs.between.bandwidth = 100;
  expect_both(schedule, paths, options, 2);
  options.costs.between.bandwidth = 50;
  expect_both(schedule, paths, options, 4);
  // A NIC each.
  paths.nics = {0, 1, 2, 3};
  expect_both(schedule, paths, options, 2);
}

TEST(Resources, FindRouteUsesTheBusWithinAMachineAndNoBusBetweenMachines) {
  ListedPaths paths({10, 10}, {0, 0, 1, 1}, {{{0, 2}, {0}}, {{1, 3}, {1}}, {{2, 0}, {1}}, {{3, 1}, {0}}});
  paths.nics = {0, 1, 2, 3};
  FlowOptions options;
  options.costs.between.bandwidth = 3;
  options.costs.inside.bandwidth = 7;
  const Resources resources(paths, options);
  Route route;
  for (const auto& [from, to] : std::vector<std::pair<Rank, Rank>>{{0, 1}, {3, 2}, {0, 2}, {1, 3}, {2, 0}, {3, 1}}) {
    resources.find_route(from, to, 1, 0, route);
    EXPECT_EQ(route.shared.size(), route.within_machine ? 1U : 3U);
    for (const Constraint shared : route.shared) {
      EXPECT_EQ(resources.is_bus(shared), route.within_machine) << from << " to " << to << ", " << shared;
    }
  }
}

TEST(Simulate, MessagesWithinAMachineShareItsBus) {
  const ListedPaths paths({100}, {0, 0, 0, 1}, {});
  const ListedSchedule schedule = at_once(4, {{0, 1, 100}, {1, 2, 300}});
  expect_both(schedule, paths, {}, 0);
  FlowOptions options;
  options.costs.inside.latency = 0.5;
  expect_both(schedule, paths, options, 0.5);
  options.costs.inside.bandwidth = 200;
  expect_both(schedule, paths, options, 2.5);
  EXPECT_EQ(run(schedule, paths, options).network_bytes, 0U);
  EXPECT_EQ(run(schedule, paths, options).messages, 2U);
}

/// Rank 2 keeps rank 1 busy for 5 s, then 1 receives what 0 has sent.
ListedSchedule late_receiver() {
  std::map<Rank, RankStep> first;
  first[0].sends = {{1, 100}};
  first[2].sends = {{1, 500}};
  first[1].receives = {2};
  std::map<Rank, RankStep> second;
  second[1].receives = {0};
  return {3, {first, second}};
}

TEST(Simulate, ARendezvousMessageWaitsForItsReceive) {
  const ListedPaths paths({100, 100}, {0, 1, 2}, {{{0, 1}, {0}}, {{2, 1}, {1}}});
  const Prediction late = run(late_receiver(), paths);
  EXPECT_NEAR(late.rank_seconds[0], 6, 1e-9);
  EXPECT_NEAR(late.rank_seconds[1], 6, 1e-9);
  FlowOptions options;
  options.costs.between.eager_limit = 100;
  const Prediction eager = run(late_receiver(), paths, options);
  EXPECT_EQ(eager.rank_seconds[0], 0);
  EXPECT_NEAR(eager.rank_seconds[1], 5, 1e-9);
}

TEST(Simulate, AnEagerSenderGoesOnAtOnceAndItsReceiverWaits) {
  // The receiver is there first and waits; the sender has gone on.
  const ListedPaths paths({100}, {0, 1}, {{{0, 1}, {0}}});
  FlowOptions options;
  options.costs.between.eager_limit = 1000;
  const Prediction prediction = run(at_once(2, {{0, 1, 100}}), paths, options);
  EXPECT_EQ(prediction.rank_seconds[0], 0);
  EXPECT_NEAR(prediction.rank_seconds[1], 1, 1e-9);
}

TEST(Simulate, MessagesBetweenTwoRanksMatchInTheOrderOfTheirPosts) {
  // Two messages from 0 to 1: the first send meets the first receive, whatever their sizes.
  std::map<Rank, RankStep> first{{0, {{{1, 100}}, {}}}, {1, {{}, {0}}}};
  std::map<Rank, RankStep> second{{0, {{{1, 300}}, {}}}, {1, {{}, {0}, 50}}};
  const ListedPaths paths({100}, {0, 1}, {{{0, 1}, {0}}});
  FlowOptions options;
  options.costs.reduce = bytes_a_second(100);
  const Prediction prediction = run(ListedSchedule(2, {first, second}), paths, options);
  EXPECT_NEAR(prediction.rank_seconds[0], 4, 1e-9);
  EXPECT_NEAR(prediction.rank_seconds[1], 4.5, 1e-9);
  options.steps = StepMode::synchronous;
  expect_seconds(run(ListedSchedule(2, {first, second}), paths, options), 4.5);
}

/// Three steps of a ring of three; the link out of rank 0 has half the speed.
TEST(Simulate, DriftingRanksBeginAStepWhenTheirOwnMessagesAreComplete) {
  const ListedPaths paths({50, 100, 100}, {0, 1, 2}, {{{0, 1}, {0}}, {{1, 2}, {1}}, {{2, 0}, {2}}});
  const ListedSchedule ring(3, test::exchanges(3, 3, 100, [](Rank r, std::size_t) { return (r + 1) % 3; }));
  // Each step of 0 and 1 takes 2 s. Rank 2 is through its first at 1 s, but 0 and 1 begin theirs at 2 s.
  const Prediction prediction = run(ring, paths);
  expect_seconds(prediction, 6);
  EXPECT_NEAR(prediction.rank_seconds[2], 5, 1e-9);
}

TEST(Simulate, SynchronousStepsBeginTogether) {
  // 0 → 1 takes 2 s in step 1, 2 → 3 in step 2: drifting 3 s, in lockstep 4 s.
  const ListedPaths paths({100}, {0, 1, 2, 3}, {{{0, 1}, {0}}, {{2, 3}, {}}});
  const ListedPaths apart({100, 100}, {0, 1, 2, 3}, {{{0, 1}, {0}}, {{2, 3}, {1}}});
  std::map<Rank, RankStep> first{{0, {{{1, 200}}, {}}}, {1, {{}, {0}}}, {2, {{{3, 100}}, {}}}, {3, {{}, {2}}}};
  std::map<Rank, RankStep> second{{0, {{{1, 100}}, {}}}, {1, {{}, {0}}}, {2, {{{3, 200}}, {}}}, {3, {{}, {2}}}};
  const ListedSchedule schedule(4, {first, second});
  expect_seconds(run(schedule, apart), 3);
  FlowOptions options;
  options.steps = StepMode::synchronous;
  expect_seconds(run(schedule, apart, options), 4);
}

TEST(Simulate, StreamsAdvanceIndependently) {
  // Two streams over one link each: 3 × 1 s and 1 × 2 s.
  const ListedPaths paths({100, 100}, {0, 1, 2}, {{{0, 1}, {0}}, {{0, 2}, {1}}});
  const std::map<Rank, RankStep> to_one{{0, {{{1, 100}}, {}}}, {1, {{}, {0}}}};
  const std::map<Rank, RankStep> to_two{{0, {{{2, 200}}, {}}}, {2, {{}, {0}}}};
  const ListedSchedule schedule(3, ListedSchedule::Steps{{to_one, to_one, to_one}, {to_two}});
  const Prediction prediction = run(schedule, paths);
  EXPECT_NEAR(prediction.rank_seconds[0], 3, 1e-9);
  EXPECT_NEAR(prediction.rank_seconds[2], 2, 1e-9);
  FlowOptions options;
  options.steps = StepMode::synchronous;
  expect_seconds(run(schedule, paths, options), 4);
}

/// Costs of the processors in messages between machines.
FlowOptions with_overheads(SizeCost send, SizeCost receive) {
  FlowOptions options;
  options.costs.between.send = std::move(send);
  options.costs.between.receive = std::move(receive);
  return options;
}

TEST(Simulate, OneMessageTakesTheOverheadsOfBothEnds) {
  FlowOptions options = with_overheads({{0, 1, 0.01}}, {{0, 2, 0.02}});
  options.costs.between.latency = 0.5;
  // 1 + 200/100 to send, 0.5 and 2 · 0.25 of latency, 200 bytes at 100, 2 + 200/50 to receive.
  expect_both(at_once(2, {{0, 1, 200}}), one_switch(2, 100, 0.25), options, 3 + 1 + 2 + 6);
  options.costs.between.eager_limit = 200;
  const Prediction eager = run(at_once(2, {{0, 1, 200}}), one_switch(2, 100, 0.25), options);
  EXPECT_NEAR(eager.rank_seconds[0], 3, 1e-9);
  EXPECT_NEAR(eager.rank_seconds[1], 12, 1e-9);
}

TEST(Simulate, TheLineOfAMessagesSizeSaysItsOverhead) {
  const FlowOptions options = with_overheads({{10, 1, 0}, {100, 0, 0.05}}, {});
  for (const auto& [bytes, seconds] : std::vector<std::pair<Bytes, double>>{{9, 0}, {10, 1}, {99, 1}, {100, 5}}) {
    expect_both(at_once(2, {{0, 1, bytes}}), one_switch(2, 100), options, seconds + static_cast<double>(bytes) / 100);
  }
}

TEST(Simulate, ARankSendsItsMessagesOneAfterTheOther) {
  // The sends leave at 1 s, 2 s and 3 s; each then has a link for itself.
  const ListedPaths paths({100, 100, 100}, {0, 1, 2, 3}, {{{0, 1}, {0}}, {{0, 2}, {1}}, {{0, 3}, {2}}});
  const FlowOptions options = with_overheads({{0, 1, 0}}, {});
  const Prediction prediction = run(at_once(4, {{0, 1, 100}, {0, 2, 100}, {0, 3, 100}}), paths, options);
  for (const Rank rank : {1U, 2U, 3U}) EXPECT_NEAR(prediction.rank_seconds[rank], rank + 1.0, 1e-9);
}

TEST(Simulate, ARankReceivesItsMessagesOneAfterTheOther) {
  // All arrive at 1 s; the receiver takes 2 s for each, and the senders wait until it is done with theirs.
  const ListedPaths paths({100, 100, 100}, {0, 1, 2, 3}, {{{1, 0}, {0}}, {{2, 0}, {1}}, {{3, 0}, {2}}});
  const FlowOptions options = with_overheads({}, {{0, 2, 0}});
  expect_both(at_once(4, {{1, 0, 100}, {2, 0, 100}, {3, 0, 100}}), paths, options, 1 + 3 * 2);
  const Prediction prediction = run(at_once(4, {{1, 0, 100}, {2, 0, 100}, {3, 0, 100}}), paths, options);
  EXPECT_NEAR(prediction.rank_seconds[1] + prediction.rank_seconds[2] + prediction.rank_seconds[3], 3 + 5 + 7, 1e-9);
}

TEST(Simulate, AnUnexpectedMessageIsReceivedWhenItsReceiveIsPosted) {
  const ListedPaths paths({100, 100}, {0, 1, 2}, {{{0, 1}, {0}}, {{2, 1}, {1}}});
  FlowOptions options = with_overheads({}, {{0, 2, 0}});
  options.costs.between.eager_limit = 100;
  // The message of rank 2 is there at 5 s and received at 7 s; then that of rank 0, which came at 1 s, until 9 s.
  EXPECT_NEAR(run(late_receiver(), paths, options).rank_seconds[1], 9, 1e-9);
}

TEST(Simulate, MessagesLeaveANicOneGapAfterTheOther) {
  ListedPaths paths({100, 100, 100}, {0, 0, 1, 2}, {{{0, 2}, {0}}, {{1, 3}, {1}}, {{0, 3}, {2}}});
  FlowOptions options;
  options.costs.between.gap = 0.5;
  const ListedSchedule schedule = at_once(4, {{0, 2, 100}, {1, 3, 100}, {0, 3, 100}});
  expect_both(schedule, paths, options, 1 + 2 * 0.5);
  paths.nics = {0, 1, 2, 3};
  expect_both(schedule, paths, options, 1 + 0.5);
  // Inside a machine each rank counts for itself, and the bus has no limit.
  options.costs.inside.gap = 0.25;
  expect_both(at_once(3, {{0, 1, 100}, {0, 2, 100}, {1, 2, 100}}), ListedPaths({}, {0, 0, 0}, {}), options, 0.25);
}

TEST(Simulate, OnlyMessagesAboveTheEagerLimitTakeARendezvous) {
  FlowOptions options;
  options.costs.between.eager_limit = 100;
  options.costs.between.rendezvous = 3;
  expect_both(at_once(2, {{0, 1, 100}}), one_switch(2, 100), options, 1);
  expect_both(at_once(2, {{0, 1, 200}}), one_switch(2, 100), options, 3 + 2);
}

TEST(Simulate, MessagesInsideAMachineHaveCostsOfTheirOwn) {
  const ListedPaths paths({100}, {0, 0, 1}, {{{0, 2}, {0}}});
  FlowOptions options = with_overheads({{0, 10, 0}}, {{0, 10, 0}});
  options.costs.inside.send = {{0, 1, 0}};
  options.costs.inside.receive = {{0, 2, 0}};
  options.costs.inside.latency = 4;
  expect_both(at_once(3, {{0, 1, 100}}), paths, options, 1 + 4 + 2);
}

/// A broadcast of S chunks through a chain of n ranks: (n − 1 + S − 1) chunks one after the other.
TEST(Simulate, APipelinedChainTakesRanksPlusChunksMinusTwoSteps) {
  constexpr Rank ranks = 6;
  constexpr std::size_t chunks = 9;
  std::vector<std::map<Rank, RankStep>> steps(ranks + chunks);
  for (Rank rank = 0; rank < ranks; ++rank) {
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
      // A rank receives chunk s in its step rank + s − 1 and sends it in the next one.
      if (rank + 1 < ranks) steps[rank + chunk][rank].sends = {{rank + 1, 1000}};
      if (rank > 0) steps[rank + chunk - 1][rank].receives = {rank - 1};
    }
  }
  FlowOptions options;
  options.costs.between.latency = 0.25;
  expect_both(ListedSchedule(ranks, steps), one_switch(ranks, 1000), options, (ranks - 1 + chunks - 1) * 1.25);
}

TEST(Simulate, ShiftsOnASwitchHaveNoContention) {
  // n − 1 steps without contention.
  expect_both(test::shift_schedule(16, 1 << 20), one_switch(16, 1e9, 1e-6), {}, 15 * ((1 << 20) / 1e9 + 2e-6));
}

TEST(Simulate, MessagesSentAllAtOnceShareTheLinksOfTheirEnds) {
  std::vector<std::tuple<Rank, Rank, Bytes>> messages;
  for (Rank a = 0; a < 12; ++a) {
    for (Rank b = 0; b < 12; ++b) {
      if (a != b) messages.emplace_back(a, b, 1000);
    }
  }
  expect_both(at_once(12, messages), one_switch(12, 1e6), {}, 11 * 1e-3);
}

TEST(Simulate, HeadOfLineBlockingSlowsFlowsThatShareAnEarlierLink) {
  // 0 → 2 and 1 → 3 share a link; the next link of 0's route is slower. Rank 1's message waits for 0's, then has the
  // link for itself.
  const ListedPaths paths({100, 20}, {0, 1, 2, 3}, {{{0, 2}, {0, 1}}, {{1, 3}, {0}}});
  const ListedSchedule schedule = at_once(4, {{0, 2, 100}, {1, 3, 200}});
  EXPECT_NEAR(run(schedule, paths).rank_seconds[3], 2.5, 1e-9);
  FlowOptions options;
  options.head_of_line = true;
  const Prediction held = run(schedule, paths, options);
  EXPECT_NEAR(held.rank_seconds[2], 5, 1e-9);
  EXPECT_NEAR(held.rank_seconds[3], 6, 1e-9);
}

TEST(Simulate, RanksOfASymmetricScheduleEndAtTheSameTimeBitForBit) {
  // Awkward sizes and rates, many steps: all ranks end at the same time, bit for bit.
  const ListedSchedule schedule(7, test::exchanges(7, 500, 1234567, [](Rank r, std::size_t s) {
                                  return static_cast<Rank>((r + s % 6 + 1) % 7);
                                }));
  const Prediction prediction = run(schedule, one_switch(7, 0.3e9, 1.1e-7));
  for (const double seconds : prediction.rank_seconds) EXPECT_EQ(seconds, prediction.seconds);
}

TEST(Simulate, ADeadlockNamesParticipantStreamStepAndPeer) {
  // Both ranks receive first, so none sends.
  std::map<Rank, RankStep> receive{{0, {{}, {1}}}, {1, {{}, {0}}}};
  std::map<Rank, RankStep> send{{0, {{{1, 100}}, {}}}, {1, {{{0, 100}}, {}}}};
  const auto stuck = simulate(ListedSchedule(2, {receive, send}), one_switch(2, 1), {});
  ASSERT_FALSE(stuck);
  EXPECT_EQ(stuck.error().message, "the schedule deadlocks: participant 0 never ends step 0 of stream 0");
  EXPECT_EQ(stuck.error().cause, "1 never sends it a message");
  // Both ranks send first, which works for eager messages only.
  EXPECT_FALSE(simulate(ListedSchedule(2, {send, receive}), one_switch(2, 1), {}));
  FlowOptions options;
  options.costs.between.eager_limit = 100;
  EXPECT_TRUE(simulate(ListedSchedule(2, {send, receive}), one_switch(2, 1), options));
}

TEST(Simulate, RefusesUnknownPeersAndNegativeOptions) {
  const ListedSchedule schedule = at_once(4, {{0, 3, 1}});
  EXPECT_FALSE(simulate(schedule, one_switch(3, 1), {}));
  const ListedSchedule unknown_peer(2, {std::map<Rank, RankStep>{{0, {{{7, 100}}, {}}}}});
  for (const StepMode mode : {StepMode::drift, StepMode::synchronous}) {
    FlowOptions options;
    options.steps = mode;
    const auto failed = simulate(unknown_peer, one_switch(2, 1), options);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().message, "participant 0 talks to 7 in step 0 of stream 0, but there are 2");
  }
  FlowOptions options;
  options.costs.inside.bandwidth = -1;
  EXPECT_FALSE(simulate(schedule, one_switch(4, 1), options));
  options.costs.inside.bandwidth = 0;
  options.costs.between.receive = {{100, 1, 0}, {100, 2, 0}};
  EXPECT_EQ(simulate(schedule, one_switch(4, 1), options).error().message,
            "the sizes of the overhead of receiving must rise");
}

}  // namespace
}  // namespace ayatori::test
