/// Bytes that pass at once through NICs whose rate a token bucket limits. All NICs: 100 bytes a second, 200 at once.

#include <gtest/gtest.h>

#include "ayatori/flow/simulate.hpp"
#include "flow_fixtures.hpp"

namespace ayatori::test {
namespace {

FlowOptions with_bucket(double latency = 0) {
  FlowOptions options;
  options.costs.between.bandwidth = 100;
  options.costs.between.burst = 200;
  options.costs.between.latency = latency;
  return options;
}

const double fast = 1e12;

/// Rank 0 sends to rank 1, `times` times, one after the other.
ListedSchedule one_after_the_other(std::size_t times, Bytes bytes) {
  std::vector<std::map<Rank, RankStep>> steps(times);
  for (auto& step : steps) {
    step[0].sends.emplace_back(1, bytes);
    step[1].receives.push_back(0);
  }
  return {2, steps};
}

TEST(SimulateBurst, OneMessageHasItsFirstBytesForNothing) {
  const auto seconds = [](Bytes bytes) {
    return run(at_once(2, {{0, 1, bytes}}), one_switch(2, fast), with_bucket()).seconds;
  };
  EXPECT_NEAR(seconds(1000), 8, 1e-6);
  EXPECT_NEAR(seconds(201), 0.01, 1e-6);
  EXPECT_NEAR(seconds(200), 0, 1e-6);
  EXPECT_NEAR(seconds(1), 0, 1e-6);
}

TEST(SimulateBurst, ABucketIsFilledWhileNothingFlows) {
  // The first leaves it empty.
  EXPECT_NEAR(run(one_after_the_other(2, 1000), one_switch(2, fast), with_bucket()).seconds, 8 + 10, 1e-6);
  // While the second waits for its latency of 1 s, 100 bytes come.
  EXPECT_NEAR(run(one_after_the_other(2, 1000), one_switch(2, fast), with_bucket(1)).seconds, 1 + 8 + 1 + 9, 1e-6);
  // It has never more than 200.
  EXPECT_NEAR(run(one_after_the_other(2, 1000), one_switch(2, fast), with_bucket(7)).seconds, 7 + 8 + 7 + 8, 1e-6);
  // Messages of 150 bytes: 50 are left, and 0.2 s later there are 70, then none but 20.
  EXPECT_NEAR(run(one_after_the_other(3, 150), one_switch(2, fast), with_bucket(0.2)).seconds, 0.6 + 0.8 + 1.3, 1e-6);
}

TEST(SimulateBurst, APacketPassesWholeAsSoonAsTheBucketOwesNothing) {
  const auto seconds = [](std::size_t times, Bytes bytes, double latency = 0) {
    FlowOptions options = with_bucket(latency);
    options.costs.between.packet = 60;
    return run(one_after_the_other(times, bytes), one_switch(2, fast), options).seconds;
  };
  // After three packets the bucket has 20 of its 200 bytes, and a fourth one passes.
  EXPECT_NEAR(seconds(1, 240), 0, 1e-6);
  // Then it owes 40: the fifth waits for those, the sixth for a packet more.
  EXPECT_NEAR(seconds(1, 241), 0.4, 1e-6);
  EXPECT_NEAR(seconds(1, 300), 0.4, 1e-6);
  EXPECT_NEAR(seconds(1, 301), 1, 1e-6);
  // A second message waits for what the first one owes. While it waits for its latency, 20 bytes come.
  EXPECT_NEAR(seconds(2, 240), 0.4 + 1.8, 1e-6);
  EXPECT_NEAR(seconds(2, 240, 0.2), 0.4 + 0.2 + 1.8, 1e-6);
  // 10 bytes are a packet, too: after 21 of them the bucket owes 10.
  EXPECT_NEAR(seconds(21, 10), 0, 1e-6);
  EXPECT_NEAR(seconds(22, 10), 0.1, 1e-6);
}

TEST(SimulateBurst, EachNicHasOneForEachDirection) {
  // Two into one NIC share what it has for what enters: 1800 bytes flow into it.
  EXPECT_NEAR(run(at_once(3, {{0, 2, 1000}, {1, 2, 1000}}), one_switch(3, fast), with_bucket()).seconds, 18, 1e-6);
  // An exchange does not share.
  EXPECT_NEAR(run(at_once(2, {{0, 1, 1000}, {1, 0, 1000}}), one_switch(2, fast), with_bucket()).seconds, 8, 1e-6);
}

TEST(SimulateBurst, APlaneHasItsOwn) {
  const auto seconds = [](Rank to) {
    FlowOptions options;
    options.on_planes = {std::nullopt, with_bucket().costs.between};
    // No limit of NICs: the cables' rate alone limits what flows.
    const PathsOnPlanes paths(std::make_unique<ListedPaths>(one_switch(3, 50)));
    return run(at_once(3, {{0, to, 1000}}), paths, options).seconds;
  };
  EXPECT_NEAR(seconds(1), 16, 1e-6);
  EXPECT_NEAR(seconds(2), 20, 1e-6);
}

TEST(SimulateBurst, NothingElseHasOne) {
  FlowOptions options = with_bucket();
  options.costs.inside.bandwidth = 100;
  EXPECT_NEAR(run(at_once(2, {{0, 1, 1000}}), ListedPaths({}, {0, 0}, {}), options).seconds, 10, 1e-6);
  // Without a limit of NICs there is no bucket, and links have none.
  options.costs.between.bandwidth = 0;
  expect_seconds(run(at_once(2, {{0, 1, 1000}}), one_switch(2, 100), options), 10);
  // Synchronous steps take no account of it.
  options = with_bucket();
  options.steps = StepMode::synchronous;
  EXPECT_NEAR(run(at_once(2, {{0, 1, 1000}}), one_switch(2, fast), options).seconds, 10, 1e-6);
}

}  // namespace
}  // namespace ayatori::test
