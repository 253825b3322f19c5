#include "ayatori/contention/jobs_together.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "../../base/thoroughness_fixtures.hpp"
#include "ayatori/base/parallel.hpp"
#include "ayatori/contention/concurrent_bandwidth.hpp"
#include "ayatori/contention/contention.hpp"
#include "ayatori/schedule/pattern.hpp"
#include "tree_fixtures.hpp"

namespace ayatori {
namespace jobs_together_test {

using test::Fabric;
using test::Tree;

/// A job with what it refers to.
struct TestJob {
  std::vector<PortId> endpoints;
  Plan plan;
  std::unique_ptr<StepSequence> steps;

  [[nodiscard]] JobOnFabric on_fabric(std::string name) const { return {std::move(name), endpoints, plan, *steps}; }
  [[nodiscard]] Rank ranks() const { return static_cast<Rank>(endpoints.size()); }
};

Plan random_plan(Rank ranks, std::uint32_t choices, Random& random) {
  std::vector<std::uint8_t> bits(std::size_t{ranks} * ranks);
  for (auto& b : bits) b = static_cast<std::uint8_t>(random.below(choices));
  return Plan::per_pair(ranks, std::move(bits));
}

/// The messages of one step on each link, followed by tables.hpp's trace().
std::map<PortId, std::uint32_t> loads_of(const Fabric& fabric, const TestJob& job, std::size_t step) {
  std::vector<Message> messages;
  job.steps->step(step, messages);
  std::map<PortId, std::uint32_t> load;
  for (const Message& m : messages) {
    const auto machine = [&](Rank r) {
      return fabric.network.device(fabric.network.port(job.endpoints[r]).device).machine;
    };
    if (machine(m.from) == machine(m.to)) continue;
    const auto lid =
        static_cast<Lid>(fabric.routes.lids.of(job.endpoints[m.to]).base + job.plan.path_bits(m.from, m.to));
    EXPECT_TRUE(trace(fabric.network, fabric.routes, job.endpoints[m.from], lid, [&](PortId link) { ++load[link]; }));
  }
  return load;
}

/// The sums of jobs_together.hpp for the first job, whose neighbours have one step each.
struct Oracle {
  double ideal = 0;
  double alone = 0;
  double together = 0;
  std::vector<double> with = {};  ///< by neighbour

  Oracle(const Fabric& fabric, const std::vector<TestJob>& jobs) : with(jobs.size(), 0) {
    for (std::size_t step = 0; step < jobs[0].steps->step_count(); ++step) add_step(fabric, jobs, step);
  }

 private:
  void add_step(const Fabric& fabric, const std::vector<TestJob>& jobs, std::size_t step) {
    const double reference = fabric.network.port(fabric.network.endpoints()[0]).rate.bytes_per_second();
    double longest_ideal = 0;
    double longest_alone = 0;
    double longest = 0;
    std::vector<double> longest_with(jobs.size(), 0);
    for (const auto& [link, own] : loads_of(fabric, jobs[0], step)) {
      const double weight = reference / fabric.network.port(link).rate.bytes_per_second();
      const bool cable = !fabric.network.is_router(fabric.network.port(link).device) ||
                         !fabric.network.is_router(fabric.network.port(fabric.network.port(link).peer).device);
      std::uint32_t total = own;
      for (std::size_t j = 1; j < jobs.size(); ++j) {
        auto others = loads_of(fabric, jobs[j], 0);
        total += others[link];
        longest_with[j] = std::max(longest_with[j], (own + others[link]) * weight);
      }
      if (cable) longest_ideal = std::max(longest_ideal, own * weight);
      longest_alone = std::max(longest_alone, own * weight);
      longest = std::max(longest, total * weight);
    }
    ideal += longest_ideal;
    alone += longest_alone;
    together += longest;
    for (std::size_t j = 1; j < jobs.size(); ++j) with[j] += longest_with[j];
  }
};

std::vector<TestJob> random_neighbours(const Fabric& fabric, Random& random, std::uint32_t paths) {
  std::vector<TestJob> jobs;
  for (std::uint32_t j = 0; j < 3; ++j) {
    const auto size = static_cast<std::uint32_t>(3 + random.below(6));
    const auto hosts = test::random_subset(static_cast<std::uint32_t>(fabric.network.endpoints().size()), size, random);
    const auto ranks = static_cast<std::uint32_t>(1 + random.below(2));
    TestJob job{.endpoints = fabric.job(hosts, ranks), .plan = {}, .steps = {}};
    job.plan = random_plan(job.ranks(), paths, random);
    job.steps = j == 0 ? shift_all_to_all(job.ranks()) : ring(job.ranks());
    jobs.push_back(std::move(job));
  }
  return jobs;
}

std::vector<JobOnFabric> on_fabric(const std::vector<TestJob>& jobs) {
  std::vector<JobOnFabric> all;
  for (std::size_t j = 0; j < jobs.size(); ++j) all.push_back(jobs[j].on_fabric("job" + std::to_string(j)));
  return all;
}

JobsTogether measure(const Fabric& fabric, const std::vector<TestJob>& jobs, const RoundOptions& options) {
  auto together = measure_together(fabric.network, fabric.routes, on_fabric(jobs), options);
  EXPECT_TRUE(together) << together.error().message;
  return together ? *together : JobsTogether{};
}

// As many rounds as the first job has steps meet each step of it once, and its neighbours have one step.
TEST(MeasureTogether, AgreesWithItsDefinitionOnRandomJobs) {
  std::uint32_t delayed = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    Tree tree{.down = {3, 5}, .up = {3}, .scramble = random.below(3)};
    if (seed % 2 == 0) tree.slow = {static_cast<std::uint32_t>(random.below(15))};
    const Fabric fabric = make(tree, 2);
    const auto jobs = random_neighbours(fabric, random, 3);
    const auto rounds = static_cast<std::uint32_t>(jobs[0].steps->step_count());
    const JobInterference found = measure(fabric, jobs, {rounds, seed}).jobs[0];
    const Oracle oracle(fabric, jobs);
    EXPECT_NEAR(found.alone, oracle.ideal / oracle.alone, 1e-12);
    EXPECT_NEAR(found.together, oracle.ideal / oracle.together, 1e-12);
    const double worst = std::max(oracle.with[1], oracle.with[2]);
    EXPECT_NEAR(found.with_worst_neighbour, oracle.ideal / std::max(worst, oracle.alone), 1e-12);
    if (found.worst_neighbour != 0) {
      EXPECT_NEAR(oracle.with[found.worst_neighbour], worst, 1e-9);
    }
    delayed += found.delayed_rounds > 0 ? 1 : 0;
  }
  EXPECT_GT(delayed, 30U);
}

// Both have several steps: the mean over rounds tends to that over all pairs of steps.
TEST(MeasureTogether, TendsToTheMeanOverAllPhases) {
  const Fabric fabric = make(Tree{.down = {4, 4}, .up = {4}}, 2);
  Random random(5);
  std::vector<TestJob> jobs = random_neighbours(fabric, random, 4);
  jobs.resize(2);
  jobs[1].steps = shift_all_to_all(jobs[1].ranks());
  double ideal = 0;
  double together = 0;
  for (std::size_t s = 0; s < jobs[0].steps->step_count(); ++s) {
    const auto own = loads_of(fabric, jobs[0], s);
    for (std::size_t t = 0; t < jobs[1].steps->step_count(); ++t) {
      auto others = loads_of(fabric, jobs[1], t);
      std::uint32_t longest = 0;
      std::uint32_t endpoints = 0;
      for (const auto& [link, load] : own) {
        longest = std::max(longest, load + others[link]);
        if (!fabric.network.is_router(fabric.network.port(link).device)) endpoints = std::max(endpoints, load);
        if (!fabric.network.is_router(fabric.network.port(fabric.network.port(link).peer).device))
          endpoints = std::max(endpoints, load);
      }
      ideal += endpoints;
      together += longest;
    }
  }
  EXPECT_NEAR(measure(fabric, jobs, {100'000, 3}).jobs[0].together, ideal / together, 0.005);
}

TEST(MeasureTogether, OneJobGetsWhatItGetsAlone) {
  const Fabric fabric = make(Tree{.down = {4, 4}, .up = {4}}, 2);
  Random random(2);
  std::vector<TestJob> jobs = random_neighbours(fabric, random, 4);
  jobs.resize(1);
  const auto rounds = static_cast<std::uint32_t>(2 * jobs[0].steps->step_count());
  const JobInterference found = measure(fabric, jobs, {rounds, 1}).jobs[0];
  const auto alone = measure_contention(fabric.network, fabric.routes, jobs[0].endpoints, jobs[0].plan, *jobs[0].steps);
  EXPECT_NEAR(found.alone, alone->relative_bandwidth, 1e-12);
  EXPECT_EQ(found.together, found.alone);
  EXPECT_EQ(found.worst_neighbour, 0U);
  EXPECT_EQ(found.delayed_rounds, 0U);
}

TEST(MeasureTogether, JobsOfOneRankAndNoJobsAreMeasured) {
  const Fabric fabric = make(Tree{.down = {2, 2}, .up = {2}}, 1);
  EXPECT_TRUE(measure(fabric, {}, {10, 1}).jobs.empty());
  std::vector<TestJob> jobs;
  jobs.push_back({fabric.job({1}), Plan::base_lids(1), shift_all_to_all(1)});
  jobs.push_back({fabric.contiguous(4), Plan::base_lids(4), shift_all_to_all(4)});
  const JobsTogether found = measure(fabric, jobs, {10, 1});
  EXPECT_EQ(found.jobs[0].together, 1);
  EXPECT_EQ(found.jobs[1].together, found.jobs[1].alone);
}

TEST(MeasureTogether, IsTheSameOnAnyNumberOfThreads) {
  const Fabric fabric = make(Tree{.down = {4, 4}, .up = {4}}, 2);
  Random random(7);
  const auto jobs = random_neighbours(fabric, random, 4);
  const auto measure_on = [&](std::size_t threads) {
    const ThreadLimit limit(threads);
    return measure(fabric, jobs, {1000, 9});
  };
  const JobsTogether one = measure_on(1);
  const JobsTogether some = measure_on(5);
  for (std::size_t j = 0; j < jobs.size(); ++j) EXPECT_EQ(some.jobs[j].together, one.jobs[j].together);
  EXPECT_EQ(some.rounds, 1000U);
}

TEST(MeasureTogether, NamesTheJobThatDoesNotFit) {
  const Fabric fabric = make(Tree{.down = {2, 2}, .up = {2}}, 1);
  std::vector<TestJob> jobs;
  jobs.push_back({fabric.contiguous(4), Plan::base_lids(4), shift_all_to_all(4)});
  jobs.push_back({fabric.contiguous(4), Plan::base_lids(3), shift_all_to_all(4)});
  const auto failed = measure_together(fabric.network, fabric.routes, on_fabric(jobs), {});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "job 'job1': a plan for 3 ranks does not fit a job of 4 ranks");
}

TEST(SharedLinks, AreThoseThatBothJobsUseInSomeStep) {
  const Fabric fabric = make(Tree{.down = {3, 4}, .up = {3}}, 2);
  Random random(3);
  const auto jobs = random_neighbours(fabric, random, 3);
  std::vector<std::set<PortId>> used(jobs.size());
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    for (std::size_t s = 0; s < jobs[j].steps->step_count(); ++s) {
      for (const auto& [link, load] : loads_of(fabric, jobs[j], s)) used[j].insert(link);
    }
  }
  std::set<std::tuple<PortId, std::uint32_t, std::uint32_t>> expected;
  for (std::uint32_t a = 0; a < jobs.size(); ++a) {
    for (std::uint32_t b = a + 1; b < jobs.size(); ++b) {
      for (const PortId link : used[a]) {
        if (used[b].contains(link)) expected.insert({link, a, b});
      }
    }
  }
  std::set<std::tuple<PortId, std::uint32_t, std::uint32_t>> found;
  double last = 1;
  for (const SharedLink& shared : measure(fabric, jobs, {10, 1}).shared) {
    found.insert({shared.link, shared.first, shared.second});
    EXPECT_LE(shared.conflict_probability, last);
    EXPECT_GT(shared.conflict_probability, 0);
    last = shared.conflict_probability;
  }
  EXPECT_EQ(found, expected);
  EXPECT_FALSE(expected.empty());
}

TEST(ConcurrentBandwidth, IsAboutWhatTheRoundsMeasure) {
  const Fabric fabric = make(Tree{.down = {4, 6}, .up = {4}}, 2);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    std::vector<TestJob> jobs;
    std::vector<Footprint> others;
    for (int j = 0; j < 4; ++j) {
      TestJob job{
          .endpoints = fabric.job(test::random_subset(24, 6, random)), .plan = {}, .steps = shift_all_to_all(6)};
      job.plan = random_plan(6, 4, random);
      if (j > 0)
        others.push_back(footprint_of(fabric.network, fabric.routes, job.endpoints, job.plan, *job.steps).value());
      jobs.push_back(std::move(job));
    }
    const double predicted =
        concurrent_bandwidth(fabric.network, fabric.routes, jobs[0].endpoints, jobs[0].plan, *jobs[0].steps, others)
            .value();
    const JobInterference measured = measure(fabric, jobs, {5000, seed}).jobs[0];
    EXPECT_NEAR(predicted, measured.together, 0.25 * measured.together);
    const double alone =
        concurrent_bandwidth(fabric.network, fabric.routes, jobs[0].endpoints, jobs[0].plan, *jobs[0].steps, {})
            .value();
    EXPECT_NEAR(alone, measured.alone, 1e-12);
  }
}

// Random plans have hot spots, of which a footprint says too little: these neighbours have none.
TEST(BandwidthAtRandomPhases, IsWhatTheRoundsMeasureWithJobsWithoutHotSpots) {
  const Fabric fabric = make(Tree{.down = {4, 6}, .up = {4}}, 2);
  int delayed = 0;
  for (std::uint64_t seed = 1; seed <= test::tries(4U, 8U); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    std::vector<TestJob> jobs;
    std::vector<Footprint> others;
    while (jobs.size() < 4) {
      const Rank ranks = jobs.empty() ? 6 : 3;
      TestJob job{.endpoints = fabric.job(test::random_subset(24, ranks, random)),
                  .plan = random_plan(ranks, 4, random),
                  .steps = shift_all_to_all(ranks)};
      const auto footprint = footprint_of(fabric.network, fabric.routes, job.endpoints, job.plan, *job.steps).value();
      const bool hot = std::ranges::any_of(footprint.links, [](const LinkUse& use) { return use.worst_load > 1; });
      if (!jobs.empty() && hot) continue;
      if (!jobs.empty()) others.push_back(footprint);
      jobs.push_back(std::move(job));
    }
    const TestJob& mine = jobs[0];
    const auto predicted = [&](const std::vector<Footprint>& others) {
      return bandwidth_at_random_phases(fabric.network, fabric.routes, mine.endpoints, mine.plan, *mine.steps, others)
          .value();
    };
    const JobInterference measured = measure(fabric, jobs, {20000, seed}).jobs[0];
    EXPECT_NEAR(predicted(others), measured.together, 0.02 * measured.together);
    EXPECT_NEAR(predicted({}), measured.alone, 1e-12);
    EXPECT_NEAR(predicted(test::without_steps(others)), measured.together, 0.25 * measured.together);
    delayed += measured.together < 0.95 * measured.alone ? 1 : 0;
  }
  EXPECT_GT(delayed, test::tries(1, 3));
}

TEST(LinkOccupancies, AreTheChancesOfIndependentJobs) {
  const Fabric fabric = make(Tree{.down = {2, 2}, .up = {2}}, 1);
  const std::vector<Footprint> others = {{4, {{0, 1, 1}, {1, 4, 1}}}, {2, {{0, 1, 1}}}, {5, {{0, 1, 1}}}};
  const auto occupancies = link_occupancies(fabric.network, others);
  EXPECT_NEAR(occupancies[0][0], 1 - 0.75 * 0.5 * 0.8, 1e-12);
  EXPECT_NEAR(occupancies[0][2], 0.25 * 0.5 * 0.2, 1e-12);
  EXPECT_NEAR(occupancies[0][1], 0.25 * 0.5 + 0.25 * 0.2 + 0.5 * 0.2 - 2 * 0.25 * 0.5 * 0.2, 1e-12);
  EXPECT_EQ(occupancies[0][3], 0);
  EXPECT_EQ(occupancies[1][0], 1);
  EXPECT_EQ(occupancies[2][0], 0);
}

TEST(FootprintOf, CountsTheStepsAndTheLoadOfEachLink) {
  const Fabric fabric = make(Tree{.down = {3, 4}, .up = {3}}, 2);
  Random random(4);
  const auto jobs = random_neighbours(fabric, random, 3);
  std::map<PortId, LinkUse> expected;
  for (std::size_t s = 0; s < jobs[0].steps->step_count(); ++s) {
    for (const auto& [link, load] : loads_of(fabric, jobs[0], s)) {
      LinkUse& use = expected[link];
      use = {link, use.steps + 1, std::max(use.worst_load, load), use.in_steps | std::uint64_t{1} << s};
    }
  }
  const auto found =
      footprint_of(fabric.network, fabric.routes, jobs[0].endpoints, jobs[0].plan, *jobs[0].steps).value();
  ASSERT_EQ(found.links.size(), expected.size());
  for (const LinkUse& use : found.links) EXPECT_EQ(use, expected[use.link]);
  EXPECT_EQ(found.steps, jobs[0].steps->step_count());
}

TEST(FootprintOf, NamesAMessageThatDoesNotArrive) {
  Fabric fabric = make(Tree{.down = {2, 2}, .up = {2}}, 0);
  const auto job = fabric.contiguous(4);
  fabric.routes.tables.set_out(fabric.network.router_of(job[0]), fabric.routes.lids.of(job[3]).base, 255);
  const auto failed = footprint_of(fabric.network, fabric.routes, job, Plan::base_lids(4), *shift_all_to_all(4));
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().message.find("('h3' port 1) by LID"), std::string::npos) << failed.error().message;
}

}  // namespace jobs_together_test
}  // namespace ayatori
