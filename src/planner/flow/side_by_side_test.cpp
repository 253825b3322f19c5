#include "ayatori/flow/side_by_side.hpp"

#include <gtest/gtest.h>

#include "../../base/thoroughness_fixtures.hpp"
#include "random_flow_fixtures.hpp"
#include "slow_drift_fixtures.hpp"

namespace ayatori::test {
namespace {

/// Rank 0 sends to rank 1 over link 0 (100 bytes a second), `steps` times, on machines of its own.
struct SendingJob {
  ListedPaths paths;
  ListedSchedule schedule;

  SendingJob(std::uint32_t first_machine, Bytes bytes, std::size_t steps = 1, std::uint32_t link = 0)
      : paths({100, 100}, {first_machine, first_machine + 1}, {{{0, 1}, {link}}}),
        schedule(2, {std::vector(steps, std::map<Rank, RankStep>{{0, {{{1, bytes}}, {}}}, {1, {{}, {0}}}})}) {}

  [[nodiscard]] JobSideBySide at(double phase, bool is_timed = true) const {
    return {schedule, paths, phase, is_timed};
  }
};

std::vector<TimeSideBySide> run(const std::vector<JobSideBySide>& jobs, const FlowOptions& options = {}) {
  return simulate_side_by_side(jobs, options).value();
}

TEST(SimulateSideBySide, AJobAloneTakesAsLongAsSimulateSays) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto ranks = static_cast<Rank>(2 + random.below(5));
    const ListedPaths paths = test::random_paths(random, ranks);
    const ListedSchedule schedule = test::random_schedule(random, ranks);
    const FlowOptions options = test::random_options(random);
    const auto expected = simulate(schedule, paths, options);
    if (!expected) continue;
    const auto times = run({{schedule, paths, 3.5}}, options);
    EXPECT_NEAR(times[0].seconds, expected->seconds, 1e-9 * (1 + expected->seconds));
    EXPECT_EQ(times[0].calls, 1U);
  }
}

/// The first call of the job that begins first has the link for itself at first, and does not count.
TEST(SimulateSideBySide, JobsThatShareALinkShareItFairlyWheneverTheyBegin) {
  const SendingJob one(0, 100);
  const SendingJob sharing(2, 100);
  const SendingJob on_another_link(2, 100, 1, 1);
  const auto expect_both = [&](const JobSideBySide& other, double seconds) {
    for (const TimeSideBySide& time : run({one.at(0), other})) EXPECT_NEAR(time.seconds, seconds, 1e-9);
  };
  expect_both(sharing.at(0), 2);
  expect_both(sharing.at(0.5), 2);
  expect_both(on_another_link.at(0.4), 1);
}

TEST(SimulateSideBySide, ShortCallsAreRepeatedUntilALongOneThatCountsHasEnded) {
  const SendingJob brief(0, 50, 1, 0);
  const SendingJob lasting(2, 1000, 1, 1);
  const auto times = run({brief.at(0), lasting.at(0.75)});
  EXPECT_NEAR(times[0].seconds, 0.5, 1e-9);
  EXPECT_EQ(times[1].calls, 1U);
  // From 0.75 to 10.75: the call that begins at 1.0 is the first that counts.
  EXPECT_EQ(times[0].calls, 19U);
}

TEST(SimulateSideBySide, TrafficThatIsNotTimedDelaysTheOthers) {
  const SendingJob one(0, 100);
  const SendingJob background(2, 1000000);
  const auto times = run({one.at(0.25), background.at(0, false)});
  EXPECT_NEAR(times[0].seconds, 2, 1e-9);
  EXPECT_EQ(times[1].calls, 0U);
}

TEST(SimulateSideBySide, JobsOnOneMachineShareItsNicAndItsBus) {
  const SendingJob one(0, 100, 1, 0);
  const SendingJob other(0, 100, 1, 1);
  FlowOptions options;
  options.costs.between.bandwidth = 100;
  EXPECT_NEAR(run({one.at(0), other.at(0)}, options)[0].seconds, 2, 1e-9);
  const ListedPaths inside({100}, {4, 4}, {});
  FlowOptions with_bus;
  with_bus.costs.inside.bandwidth = 100;
  const auto times = run({{one.schedule, inside}, {other.schedule, inside}}, with_bus);
  EXPECT_NEAR(times[1].seconds, 2, 1e-9);
}

TEST(SimulateSideBySide, ACallThatTakesNoTimeIsNotRepeated) {
  const SendingJob one(0, 100);
  const SendingJob silent(2, 0);
  const ListedSchedule idle(1, ListedSchedule::Steps{{{}}});
  const ListedPaths paths({100, 100}, {7}, {});
  const auto times = run({silent.at(0), one.at(0.5), {idle, paths}});
  EXPECT_EQ(times[0].seconds, 0);
  EXPECT_EQ(times[0].calls, 1U);
  EXPECT_NEAR(times[1].seconds, 1, 1e-9);
  EXPECT_EQ(times[2].seconds, 0);
}

TEST(SimulateSideBySide, EqualsASlowReferenceForRandomJobs) {
  std::size_t compared = 0;
  for (std::uint64_t seed = 1; seed <= test::tries(80U, 450U); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const ListedPaths links = test::random_links(random);
    FlowOptions options = test::random_options(random);
    options.head_of_line = options.costs.between.bandwidth == 0 && random.below(3) == 0;
    std::deque<ListedPaths> paths;
    std::deque<ListedSchedule> schedules;
    std::vector<JobSideBySide> jobs;
    std::vector<SlowJob> slow_jobs;
    while (jobs.size() < 1 + seed % 4) {
      const auto ranks = static_cast<Rank>(2 + random.below(4));
      paths.push_back(test::random_paths_on(links, random, ranks, 8));
      schedules.push_back(test::random_schedule(random, ranks));
      const auto alone = simulate(schedules.back(), paths.back(), options);
      if (!alone) continue;
      // All at once in some cases; otherwise a call later at most.
      const double phase = seed % 5 == 0 ? 0 : random.fraction() * alone->seconds;
      jobs.push_back({schedules.back(), paths.back(), phase});
      slow_jobs.push_back({schedules.back(), paths.back(), phase});
    }
    SlowDrift reference(slow_jobs, options);
    const auto expected = reference.run_in_loops();
    if (reference.order_is_open()) continue;
    const auto times = run(jobs, options);
    for (std::size_t job = 0; job < jobs.size(); ++job) {
      EXPECT_NEAR(times[job].seconds, expected[job], 1e-8 * (1 + expected[job])) << job << " of " << jobs.size();
    }
    compared += jobs.size();
    if (HasFailure()) return;
  }
  EXPECT_GT(compared, test::tries(88U, 500U));
}

TEST(SimulateSideBySide, ErrorsNameTheJob) {
  const SendingJob one(0, 100);
  const ListedSchedule waits(2, ListedSchedule::Steps{{{{1, {{}, {0}}}}}});
  const auto deadlock = simulate_side_by_side({{one.at(0), {waits, one.paths}}}, {});
  ASSERT_FALSE(deadlock);
  EXPECT_EQ(deadlock.error().message, "job 1: the schedule deadlocks: participant 1 never ends step 0 of stream 0");
  const ListedSchedule never_received(2, ListedSchedule::Steps{{{{0, {{{1, 10}}, {}}}}}});
  FlowOptions eager;
  eager.costs.between.eager_limit = 100;
  const auto left = simulate_side_by_side({{{never_received, one.paths}}}, eager);
  ASSERT_FALSE(left);
  EXPECT_EQ(left.error().message, "job 0: when the call ends, messages are left that no rank receives");
  EXPECT_FALSE(simulate_side_by_side({{one.at(0, false)}}, {}));
  EXPECT_FALSE(simulate_side_by_side({{one.at(-1)}}, {}));
  EXPECT_FALSE(simulate_side_by_side({}, {}));
  const ListedSchedule larger = test::shift_schedule(3, 10);
  EXPECT_FALSE(simulate_side_by_side({{{larger, one.paths}}}, {}));
}

TEST(SimulateAllSideBySide, EqualsEachRunByItself) {
  const SendingJob one(0, 100);
  const SendingJob other(2, 300);
  const std::vector<std::vector<JobSideBySide>> runs = {{one.at(0), other.at(0.5)}, {one.at(0, false)}, {other.at(1)}};
  const auto times = simulate_all_side_by_side(runs, {});
  ASSERT_EQ(times.size(), 3U);
  EXPECT_EQ(times[0].value()[1].seconds, run(runs[0])[1].seconds);
  EXPECT_FALSE(times[1]);
  EXPECT_EQ(times[2].value()[0].seconds, 3);
}

TEST(SecondsOnLinks, AreThoseOfAllMessagesBetweenMachines) {
  const SendingJob one(0, 100, 3, 1);
  EXPECT_EQ(seconds_on_links(one.schedule, one.paths), (std::vector<double>{0, 3}));
}

}  // namespace
}  // namespace ayatori::test
