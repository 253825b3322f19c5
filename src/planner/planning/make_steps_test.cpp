#include "ayatori/planning/make_steps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "../../base/thoroughness_fixtures.hpp"
#include "../contention/tree_fixtures.hpp"
#include "ayatori/network/job.hpp"
#include "ayatori/planning/make_plan.hpp"
#include "ayatori/routing/generate.hpp"
#include "ayatori/schedule/algorithms.hpp"
#include "ayatori/schedule/pattern.hpp"
#include "ayatori/schedule/verify.hpp"
#include "ayatori/sources/source.hpp"

namespace ayatori {
namespace make_steps_test {

using test::Fabric;
using test::Tree;

using Job = std::vector<PortId>;

/// Messages on each link, found by following each packet through the tables.
std::map<PortId, double> times_on_links(const Fabric& fabric, const Job& job, const Plan& plan,
                                        const std::vector<Message>& messages) {
  double fastest = 0;
  for (const PortId port : job) fastest = std::max(fastest, fabric.network.port(port).rate.bytes_per_second());
  std::map<PortId, double> times;
  for (const Message& message : messages) {
    if (fabric.network.port(job[message.from]).device == fabric.network.port(job[message.to]).device) continue;
    const Lid lid = fabric.routes.lids.of(job[message.to]).base + plan.path_bits(message.from, message.to);
    EXPECT_TRUE(trace(fabric.network, fabric.routes, job[message.from], lid, [&](PortId link) {
      times[link] += fastest / fabric.network.port(link).rate.bytes_per_second();
    }));
  }
  return times;
}

double longest(const std::map<PortId, double>& times) {
  double most = 0;
  for (const auto& [link, time] : times) most = std::max(most, time);
  return most;
}

double time_of(const Fabric& fabric, const Job& job, const Plan& plan, const StepSequence& steps) {
  double sum = 0;
  std::vector<Message> messages;
  for (std::size_t s = 0; s < steps.step_count(); ++s) {
    steps.step(s, messages);
    sum += longest(times_on_links(fabric, job, plan, messages));
  }
  return sum;
}

std::vector<Message> all_messages(Rank ranks) {
  std::vector<Message> messages;
  for (Rank from = 0; from < ranks; ++from) {
    for (Rank to = 0; to < ranks; ++to) {
      if (from != to) messages.push_back({from, to});
    }
  }
  return messages;
}

MadeSteps make(const Fabric& fabric, const Job& job, const Plan& plan) {
  auto made = make_steps(fabric.network, fabric.routes, job, plan, 5'000'000);
  EXPECT_TRUE(made) << made.error().message;
  return std::move(*made);
}

MadeSteps make(const Fabric& fabric, const Job& job) {
  return make(fabric, job, Plan::base_lids(static_cast<Rank>(job.size())));
}

/// What must hold of steps for any paths; `hosts` as the seed's words.
void check(const Fabric& fabric, const Job& job, const Plan& plan) {
  const auto ranks = static_cast<Rank>(job.size());
  const MadeSteps made = make(fabric, job, plan);
  EXPECT_NEAR(made.bound.time, longest(times_on_links(fabric, job, plan, all_messages(ranks))), 1e-6);
  EXPECT_NEAR(made.time, time_of(fabric, job, plan, *made.steps), 1e-6);
  EXPECT_GE(made.time, made.bound.time - 1e-6);
  EXPECT_LE(made.time, time_of(fabric, job, plan, *shift_all_to_all(ranks)) + 1e-6) << made.reason;
  if (ranks == 0) return;
  // The verifier knows nothing of how steps were made: everybody must get what everybody sends.
  AlgorithmOptions options;
  options.planned_steps = made.steps;
  const auto schedule =
      make_schedule("path-aware", {Collective::alltoall, ranks, 0, 8}, placement_of_ranks(ranks), options);
  ASSERT_TRUE(schedule) << schedule.error().message;
  const auto right = verify(**schedule);
  EXPECT_TRUE(right) << right.error().message;
}

Tree random_tree(Random& random) {
  Tree tree{.down = {static_cast<std::uint32_t>(1 + random.below(5)), static_cast<std::uint32_t>(1 + random.below(5))},
            .up = {static_cast<std::uint32_t>(1 + random.below(4))},
            .scramble = random.below(4)};
  const bool slow = random.below(3) == 0;
  for (std::uint32_t leaf = 0; leaf < tree.down[1]; ++leaf) {
    for (std::uint32_t root = 1; root < tree.up[0]; ++root) {
      if (random.below(5) == 0) tree.missing.push_back(leaf * tree.up[0] + root);
      if (slow && random.below(5) == 0) tree.slow.push_back(leaf * tree.up[0] + root);
    }
  }
  return tree;
}

TEST(MakeSteps, NeverTakesLongerThanTheShiftAndIsARightAllToAll) {
  for (std::uint64_t seed = 1; seed <= test::tries(60U, 200U); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Tree tree = random_tree(random);
    const int lmc = static_cast<int>(random.below(3));
    const Fabric fabric = test::make(tree, lmc);
    const auto size = static_cast<std::uint32_t>(random.below(tree.host_count() + 1));
    auto job = fabric.job(test::random_subset(tree.host_count(), size, random),
                          static_cast<std::uint32_t>(1 + random.below(2)));
    if (random.below(2) == 0) random.shuffle(std::span(job));
    const auto ranks = static_cast<Rank>(job.size());
    check(fabric, job, Plan::base_lids(ranks));
    const auto pairs = make_plan(fabric.network, fabric.routes, job, *shift_all_to_all(ranks), Method::pair);
    ASSERT_TRUE(pairs) << pairs.error().message;
    check(fabric, job, pairs->plan);
  }
}

TEST(MakeSteps, RanksOfUnequalNumberOnTheirHosts) {
  const Fabric fabric = test::make({.down = {3, 3}, .up = {3}}, 0);
  Job job;
  for (const std::uint32_t host : {0U, 0U, 0U, 1U, 4U, 4U, 5U, 8U, 0U}) job.push_back(fabric.network.endpoints()[host]);
  check(fabric, job, Plan::base_lids(static_cast<Rank>(job.size())));
}

TEST(MakeSteps, JobsOfNoHostAndOfOne) {
  const Fabric fabric = test::make({.down = {3, 3}, .up = {3}}, 0);
  for (const auto& hosts : std::vector<std::vector<std::uint32_t>>{{}, {4}}) {
    const MadeSteps made = make(fabric, fabric.job(hosts));
    EXPECT_EQ(made.steps->step_count(), 0U);
    EXPECT_EQ(made.bound.time, 0);
    EXPECT_EQ(made.bound.busiest, no_id);
  }
  EXPECT_EQ(make(fabric, fabric.job({4}, 3)).time, 0);  // three ranks of one host
}

/// Fewest steps such that no two messages of a step share a link, by trying all ways.
class Exhaustive {
 public:
  explicit Exhaustive(std::vector<std::vector<PortId>> links) : links_(std::move(links)) {}

  std::size_t fewest() {
    for (std::size_t steps = 1;; ++steps) {
      used_.assign(steps, {});
      if (place(0)) return steps;
    }
  }

 private:
  bool place(std::size_t message) {
    if (message == links_.size()) return true;
    for (auto& used : used_) {
      const auto is_used = [&](PortId link) { return std::find(used.begin(), used.end(), link) != used.end(); };
      if (std::none_of(links_[message].begin(), links_[message].end(), is_used)) {
        const std::size_t before = used.size();
        used.insert(used.end(), links_[message].begin(), links_[message].end());
        if (place(message + 1)) return true;
        used.resize(before);
      }
      if (used.empty()) break;  // steps that are empty so far are alike
    }
    return false;
  }

  std::vector<std::vector<PortId>> links_;  // by message
  std::vector<std::vector<PortId>> used_;   // by step
};

TEST(MakeSteps, AreAsFewAsAnExhaustiveSearchFinds) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Fabric fabric = test::make({.down = {3, 3}, .up = {2}, .scramble = seed}, 0);
    const Job job = fabric.job(test::random_subset(9, 4, random));
    const Plan plan = Plan::base_lids(4);
    std::vector<std::vector<PortId>> links;
    for (const Message& message : all_messages(4)) {
      links.emplace_back();
      for (const auto& [link, time] : times_on_links(fabric, job, plan, {message})) links.back().push_back(link);
    }
    EXPECT_EQ(make(fabric, job).steps->step_count(), Exhaustive(links).fewest());
  }
}

/// The project's own tables of one LID a port.
Fabric routed(const std::string& source) {
  Network network = open_source(source).value();
  Routes routes = generate_routes(network, 0).value().routes;
  return {std::move(network), std::move(routes)};
}

TEST(MakeSteps, ContiguousRanksOnThreeLevelsAreFreeOfHotSpotsWithoutAPlan) {
  // 8 whole subtrees of 36 hosts and a part of a ninth.
  const Fabric fabric = routed("fattree:K=6,levels=3");
  const Job job = fabric.contiguous(308);
  const Plan plan = Plan::base_lids(308);
  const auto shift = measure_contention(fabric.network, fabric.routes, job, plan, *shift_all_to_all(308));
  EXPECT_LT(shift->relative_bandwidth, 0.65);
  const MadeSteps made = make(fabric, job);
  EXPECT_TRUE(made.contention.free);
  EXPECT_GE(made.bound.time / made.time, 0.94) << made.reason;
}

/// The bound by load over the time of random jobs on three levels, 1024 hosts: the least of those tried.
double least_share_of_bound(std::uint32_t ranks) {
  static const Fabric fabric = routed("fattree:K=8,levels=3");
  double least = 1;
  for (std::uint64_t seed = 1; seed <= test::tries(1U, 3U); ++seed) {
    Random random(seed);
    const Job job = endpoints_of_ranks(fabric.network, random_job(fabric.network, ranks, 1, random).value());
    const MadeSteps made = make(fabric, job);
    EXPECT_TRUE(made.contention.free) << "seed " << seed;
    least = std::min(least, made.bound.time / made.time);
  }
  return least;
}

TEST(MakeSteps, RandomRanksOnAThirdOfThreeLevelsNeedFewMoreStepsThanTheBound) {
  EXPECT_GE(least_share_of_bound(350), 0.93);
}

TEST(MakeSteps, RandomRanksOnMostOfThreeLevelsNeedOneStepInTenMoreThanTheBound) {
  EXPECT_GE(least_share_of_bound(800), 0.9);
}

TEST(MakeSteps, AWholeFabricShiftsAsItIs) {
  const Fabric fabric = routed("fattree:K=4,levels=3");
  const MadeSteps made = make(fabric, fabric.contiguous(128));
  EXPECT_EQ(made.steps->step_count(), 127U);
  for (Rank rank = 0; rank < 128; ++rank) EXPECT_EQ(made.steps->destination(4, rank), (rank + 5) % 128);
}

TEST(MakeSteps, SaysWhatItCannotUse) {
  const Fabric fabric = test::make({.down = {3, 3}, .up = {3}}, 0);
  const Job job = fabric.contiguous(4);
  EXPECT_EQ(make_steps(fabric.network, fabric.routes, job, Plan::base_lids(3)).error().message,
            "a plan for 3 ranks does not fit a job of 4 ranks");
  const Plan beyond = Plan::per_destination(Method::rule, {0, 0, 0, 7});
  EXPECT_EQ(make_steps(fabric.network, fabric.routes, job, beyond).error().message,
            "messages from 'h0' to 'h3' do not arrive on these tables");
}

}  // namespace make_steps_test
}  // namespace ayatori
