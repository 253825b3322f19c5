// Background traffic.

#include <gtest/gtest.h>

#include "ayatori/flow/simulate.hpp"
#include "flow_fixtures.hpp"

namespace ayatori::test {
namespace {

TEST(Simulate, BackgroundTrafficTakesWhatItAsksForOrItsFairShare) {
  const ListedSchedule schedule = at_once(2, {{0, 1, 300}});
  const ListedPaths paths = one_switch(2, 100);
  FlowOptions options;
  options.background = {{{0}, 25}};
  expect_seconds(run(schedule, paths, options), 4);  // 75 are left of 100
  options.background = {{{0}, 80}};
  expect_seconds(run(schedule, paths, options), 6);  // half of 100
  options.background = {{{0}, 80}, {{0}, 10}};
  expect_seconds(run(schedule, paths, options), 300 / 45.0);
  options.background = {{{5}, 80}};
  EXPECT_EQ(run(schedule, one_switch(3, 100), options).network_bytes, 300U);
  expect_seconds(run(schedule, one_switch(3, 100), options), 3);
  options.steps = StepMode::synchronous;
  EXPECT_FALSE(simulate(schedule, paths, options));
  options.steps = StepMode::drift;
  options.head_of_line = true;
  EXPECT_FALSE(simulate(schedule, paths, options));
}

TEST(Simulate, AMessageThatIsAloneAfterItsRivalsStillSharesWithTheBackground) {
  // 0 -> 1 and 0 -> 2 share 100 with a flow that asks for 60: 100 / 3 each for 3 s, then half of it for the last 100.
  FlowOptions options;
  options.background = {{{0}, 60}};
  expect_seconds(run(at_once(3, {{0, 1, 100}, {0, 2, 200}}), one_switch(3, 100), options), 5);
}

}  // namespace
}  // namespace ayatori::test
