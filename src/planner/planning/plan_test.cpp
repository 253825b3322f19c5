#include "ayatori/planning/make_plan.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "../../base/thoroughness_fixtures.hpp"
#include "../contention/tree_fixtures.hpp"
#include "ayatori/base/parallel.hpp"
#include "ayatori/contention/contention.hpp"
#include "ayatori/network/job.hpp"
#include "ayatori/routing/generate.hpp"
#include "ayatori/schedule/pattern.hpp"
#include "ayatori/sources/source.hpp"

namespace ayatori {
namespace plan_test {

using test::Fabric;
using test::Tree;

Planned plan(const Fabric& fabric, const std::vector<PortId>& job, Method method, const StepSequence& steps) {
  auto planned = make_plan(fabric.network, fabric.routes, job, steps, method);
  EXPECT_TRUE(planned) << planned.error().message;
  return planned ? *planned : Planned{};
}

Planned plan(const Fabric& fabric, const std::vector<PortId>& job, Method method) {
  return plan(fabric, job, method, *shift_all_to_all(static_cast<Rank>(job.size())));
}

Contention measure(const Fabric& fabric, const std::vector<PortId>& job, const Plan& plan, const StepSequence& steps) {
  auto measured = measure_contention(fabric.network, fabric.routes, job, plan, steps);
  EXPECT_TRUE(measured) << measured.error().message;
  return measured ? *measured : Contention{};
}

/// A two-level tree whose cables are missing and slow here and there; root 0 keeps all of its cables.
Tree damaged_tree(Random& random, std::uint32_t hosts_a_leaf, std::uint32_t leaves, std::uint32_t roots, bool slow) {
  Tree tree{.down = {hosts_a_leaf, leaves}, .up = {roots}, .scramble = random.below(3)};
  for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) {
    for (std::uint32_t root = 1; root < roots; ++root) {
      if (random.below(5) == 0) tree.missing.push_back(leaf * roots + root);
      if (slow && random.below(6) == 0) tree.slow.push_back(leaf * roots + root);
    }
  }
  return tree;
}

// ---- the paper's fabric -----------------------------------------------------------------------------------------

/// 30 nodes on a 6-ary-2-tree with the project's own tables: LMC 0 for `base`, 3 for the others.
struct PaperFabric {
  Fabric one_path = with_lmc(0);
  Fabric six_paths = with_lmc(3);

  static Fabric with_lmc(int lmc) {
    Network network = open_source("fattree:K=6,levels=2,nodes=30").value();
    Routes routes = generate_routes(network, lmc).value().routes;
    return {std::move(network), std::move(routes)};
  }
  [[nodiscard]] const Fabric& for_method(Method method) const {
    return method == Method::base_lids ? one_path : six_paths;
  }
};

const PaperFabric& paper() {
  static const PaperFabric fabric;
  return fabric;
}

struct Study {
  int free = 0;
  double mean = 0;
};

/// Paper 1, figure 9: random jobs of 16 nodes.
Study random_jobs(Method method, std::uint64_t seed, int jobs) {
  const Fabric& fabric = paper().for_method(method);
  const auto steps = shift_all_to_all(16);
  Random random(seed);
  Study study;
  for (int i = 0; i < jobs; ++i) {
    const auto job = endpoints_of_ranks(fabric.network, random_job(fabric.network, 16, 1, random).value());
    const Planned planned = plan(fabric, job, method);
    study.free += planned.hot_spots == 0 ? 1 : 0;
    study.mean += measure(fabric, job, planned.plan, *steps).relative_bandwidth / jobs;
  }
  return study;
}

TEST(PaperFigure9, DModKSuffers) {
  const Study study = random_jobs(Method::base_lids, 1, 1000);
  EXPECT_LE(study.free, 8);
  EXPECT_NEAR(study.mean, 1134.0 / 1716, 0.02);
}

TEST(PaperFigure9, TheRuleIsFreeInTwoThirds) {
  const Study study = random_jobs(Method::rule, 1, 1000);
  EXPECT_NEAR(study.free, 670, 45);
  EXPECT_NEAR(study.mean, 1607.0 / 1716, 0.02 * 1607 / 1716);
}

void expect_all_free(Method method) {
  const int jobs = test::tries(250, 1000);
  EXPECT_EQ(random_jobs(method, 1, jobs).free, jobs);
}

TEST(PaperFigure9, AColouringAlwaysExists) { expect_all_free(Method::colour); }

TEST(PaperFigure9, PairsAreAlwaysFree) { expect_all_free(Method::pair); }

/// Paper 1, figure 3: a 3-ary-2-tree whose packets to node i go by root i mod 3.
Contention on_three_ary_tree(const std::vector<std::uint32_t>& nodes) {
  const Fabric fabric = test::make({.down = {3, 6}, .up = {3}}, 0);
  const auto job = fabric.job(nodes);
  const auto ranks = static_cast<Rank>(nodes.size());
  return measure(fabric, job, Plan::base_lids(ranks), *shift_all_to_all(ranks));
}

TEST(PaperFigure3, ContiguousNodesCollideAtShiftThree) {
  const Fabric fabric = test::make({.down = {3, 6}, .up = {3}}, 0);
  const auto job = fabric.contiguous(8);
  // Nodes 3 and 5 send to 6 and 0, from leaf 1 by root 0. Step 2 is the shift by 3.
  const auto loads = link_loads(fabric.network, fabric.routes, job, Plan::base_lids(8), *shift_all_to_all(8), 2);
  ASSERT_TRUE(loads) << loads.error().message;
  const DeviceId leaf = fabric.network.router_of(job[3]);
  EXPECT_EQ((*loads)[fabric.network.port_id(leaf, 4)], 2U);
  EXPECT_EQ((*loads)[fabric.network.port_id(leaf, 5)], 1U);
  EXPECT_EQ((*loads)[fabric.network.port_id(leaf, 6)], 0U);
  EXPECT_FALSE(on_three_ary_tree({0, 1, 2, 3, 4, 5, 6, 7}).free);
}

TEST(PaperFigure3, SymmetricNodesAreFree) {
  // The paper's cure for eight nodes: two on each leaf.
  EXPECT_TRUE(on_three_ary_tree({0, 1, 3, 4, 6, 7, 9, 10}).free);
  EXPECT_FALSE(on_three_ary_tree({0, 1, 3, 4, 6, 7, 9}).free);
  EXPECT_TRUE(on_three_ary_tree({0, 1, 2, 3, 4, 5, 6, 7, 8}).free);
}

TEST(PaperFigure10, ContiguousJobs) {
  const Fabric& fabric = paper().six_paths;
  for (std::uint32_t size = 3; size <= 30; ++size) {
    SCOPED_TRACE("size " + std::to_string(size));
    const auto job = fabric.contiguous(size);
    const Planned pair = plan(fabric, job, Method::pair);
    EXPECT_EQ(pair.hot_spots, 0U);
    EXPECT_TRUE(pair.optimal);
    const bool uneven = size > 12 && size % 6 != 0;
    EXPECT_EQ(plan(fabric, job, Method::rule).hot_spots != 0, uneven);
    if (!uneven || size < 18) {
      EXPECT_EQ(plan(fabric, job, Method::colour).hot_spots, 0U);
    }
  }
}

TEST(PaperFigure10, SomeSizesHaveNoColouring) {
  for (const std::uint32_t size : {19U, 23U}) {
    const Planned colour = plan(paper().six_paths, paper().six_paths.contiguous(size), Method::colour);
    EXPECT_EQ(colour.hot_spots, 5U);
    EXPECT_EQ(colour.lower_bound, 5U);
    EXPECT_TRUE(colour.optimal);
    EXPECT_TRUE(colour.reason.starts_with("no colouring with 6 paths exists (exhaustive search")) << colour.reason;
  }
}

// ---- any tables: nothing is known about how they number paths ----------------------------------------------------

TEST(Plan, ScrambledTablesAreColouredToo) {
  const Fabric fabric = test::make({.down = {6, 5}, .up = {6}, .scramble = 99}, 3);
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const auto job = fabric.job(test::random_subset(30, 16, random));
    EXPECT_EQ(plan(fabric, job, Method::colour).hot_spots, 0U);
    EXPECT_EQ(plan(fabric, job, Method::pair).hot_spots, 0U);
  }
}

TEST(Plan, TheRuleMeansPathsNotPathBits) {
  const Fabric tidy = test::make({.down = {6, 5}, .up = {6}}, 3);
  const Fabric scrambled = test::make({.down = {6, 5}, .up = {6}, .scramble = 7}, 3);
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const auto hosts = test::random_subset(30, 16, random);
    EXPECT_EQ(plan(tidy, tidy.job(hosts), Method::rule).hot_spots,
              plan(scrambled, scrambled.job(hosts), Method::rule).hot_spots);
  }
}

TEST(Plan, TheRuleCountsNodesInNetworkOrder) {
  // Paper 1, figure 5: six nodes, two on each leaf: N_n mod N_ln = 0, so M = 2.
  const Fabric fabric = test::make({.down = {3, 6}, .up = {3}}, 2);
  auto job = fabric.job({1, 2, 3, 5, 6, 7});
  std::vector<std::uint8_t> expected = {0, 1, 0, 1, 0, 1};
  const Planned sorted = plan(fabric, job, Method::rule);
  EXPECT_EQ(std::vector(sorted.plan.all_path_bits().begin(), sorted.plan.all_path_bits().end()), expected);
  // The ranks' order changes nothing about the nodes' numbers; eight nodes, no more than three on a leaf: M = K = 3.
  job = fabric.job({0, 1, 2, 3, 4, 5, 6, 7});
  std::reverse(job.begin(), job.end());
  expected = {1, 0, 2, 1, 0, 2, 1, 0};
  const Planned reversed = plan(fabric, job, Method::rule);
  EXPECT_EQ(std::vector(reversed.plan.all_path_bits().begin(), reversed.plan.all_path_bits().end()), expected);
}

TEST(Plan, RanksOfOneNicShareItsPath) {
  const Fabric fabric = test::make({.down = {6, 5}, .up = {6}}, 3);
  Random random(5);
  for (const Method method : {Method::rule, Method::colour}) {
    const auto job = fabric.job(test::random_subset(30, 16, random), 4);
    const Plan found = plan(fabric, job, method).plan;
    for (Rank rank = 0; rank < 64; ++rank) EXPECT_EQ(found.path_bits(0, rank), found.path_bits(0, rank / 4 * 4));
  }
}

TEST(Plan, SeveralRanksANodeAreFreeToo) {
  const Fabric fabric = test::make({.down = {6, 5}, .up = {6}}, 3);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const auto job = fabric.job(test::random_subset(30, 16, random), 3);
    EXPECT_EQ(plan(fabric, job, Method::colour).hot_spots, 0U);
    EXPECT_EQ(plan(fabric, job, Method::pair).hot_spots, 0U);
  }
}

TEST(Plan, ThreeLevels) {
  const Fabric fabric = test::make({.down = {3, 3, 4}, .up = {3, 3}}, 4);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const auto size = static_cast<std::uint32_t>(2 + random.below(35));
    const auto job = fabric.job(test::random_subset(36, size, random));
    const Planned pair = plan(fabric, job, Method::pair);
    EXPECT_EQ(pair.hot_spots, 0U) << pair.reason;
    if (size > 12) continue;
    const Planned colour = plan(fabric, job, Method::colour);
    EXPECT_LE(colour.hot_spots, plan(fabric, job, Method::rule).hot_spots);
    EXPECT_LE(colour.lower_bound, colour.hot_spots);
  }
  EXPECT_EQ(plan(fabric, fabric.contiguous(36), Method::rule).hot_spots, 0U);
}

TEST(Plan, FewerLidsThanPathsDoWhatTheyCan) {
  const Fabric fabric = test::make({.down = {3, 3, 4}, .up = {3, 3}}, 2);
  const auto job = fabric.contiguous(35);
  const Planned base = plan(fabric, job, Method::base_lids);
  const Planned pair = plan(fabric, job, Method::pair);
  EXPECT_LT(pair.hot_spots * 4, base.hot_spots);
  EXPECT_LE(pair.lower_bound, pair.hot_spots);
}

TEST(Plan, OneLidLeavesNothingToChoose) {
  const Fabric fabric = test::make({.down = {6, 5}, .up = {6}}, 0);
  const auto job = fabric.contiguous(16);
  const std::uint64_t base = plan(fabric, job, Method::base_lids).hot_spots;
  for (const Method method : {Method::rule, Method::colour, Method::pair}) {
    const Planned planned = plan(fabric, job, method);
    EXPECT_EQ(planned.plan.method(), method);
    EXPECT_EQ(planned.hot_spots, base);
    EXPECT_TRUE(std::all_of(planned.plan.all_path_bits().begin(), planned.plan.all_path_bits().end(),
                            [](auto bits) { return bits == 0; }));
    EXPECT_EQ(planned.reason, "nothing to choose: the tables have one path to each of the job's endpoints");
  }
}

TEST(Plan, JobsOnOneLeafAndTinyJobs) {
  const Fabric fabric = test::make({.down = {6, 5}, .up = {6}}, 3);
  for (const Method method : {Method::base_lids, Method::rule, Method::colour, Method::pair}) {
    for (const std::uint32_t size : {0U, 1U, 2U, 6U}) {
      const Planned planned = plan(fabric, fabric.contiguous(size), method);
      EXPECT_EQ(planned.plan.rank_count(), size);
      EXPECT_EQ(planned.hot_spots, 0U);
      EXPECT_TRUE(planned.optimal);
    }
    EXPECT_EQ(plan(fabric, fabric.job({3}, 4), method).hot_spots, 0U);
  }
}

TEST(Plan, LidsThatLeadNowhereAreNotChosen) {
  // Paper 1, section 4.1: LIDs beyond the K-th are not used, and a table may have no entry for them.
  Fabric fabric = test::make({.down = {3, 4}, .up = {3}}, 2);
  for (const PortId endpoint : fabric.network.endpoints()) {
    const Lid base = fabric.routes.lids.of(endpoint).base;
    for (DeviceId router = 0; router < fabric.network.router_count(); ++router) {
      fabric.routes.tables.set_out(router, base, ForwardingTables::no_port);
      fabric.routes.tables.set_out(router, static_cast<Lid>(base + 1), ForwardingTables::no_port);
    }
  }
  const Planned pair = plan(fabric, fabric.contiguous(12), Method::pair);
  const auto raw = pair.plan.all_path_bits();
  EXPECT_EQ(std::count_if(raw.begin(), raw.end(), [](auto bits) { return bits == 1; }), 0);
}

TEST(Plan, ErrorsNameWhatIsUnreachable) {
  Fabric fabric = test::make({.down = {2, 3}, .up = {2}}, 1);
  const auto error_of = [&](const Fabric& broken, std::size_t ranks) {
    const auto planned = make_plan(broken.network, broken.routes, broken.contiguous(6),
                                   *shift_all_to_all(static_cast<Rank>(ranks)), Method::colour);
    return planned ? "no error" : planned.error().message;
  };
  EXPECT_EQ(error_of(fabric, 5), "a pattern of 5 ranks does not fit a job of 6 ranks");
  const Lid base = fabric.routes.lids.of(fabric.network.endpoints()[4]).base;
  for (const int bits : {0, 1}) {
    fabric.routes.tables.set_out(0, static_cast<Lid>(base + bits), ForwardingTables::no_port);
  }
  EXPECT_EQ(error_of(fabric, 6), "no LID of 'h4' port 1 is reached from 'h0' port 1");
  fabric.routes.lids = LidMap::from_ranges(fabric.network, {}).value();
  EXPECT_EQ(error_of(fabric, 6), "'h0' port 1 has no LID in these tables");
}

// ---- against trying everything -----------------------------------------------------------------------------------

/// Calls `visit` with every way to give each entry one of `choices` values.
void for_each_assignment(std::size_t entries, std::uint32_t choices,
                         const std::function<void(const std::vector<std::uint8_t>&)>& visit) {
  std::vector<std::uint8_t> values(entries, 0);
  for (;;) {
    visit(values);
    std::size_t i = 0;
    while (i < entries && ++values[i] == choices) values[i++] = 0;
    if (i == entries) return;
  }
}

TEST(Plan, ColourAgreesWithTryingEverything) {
  int impossible = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Tree tree = seed % 2 == 0 ? Tree{.down = {2, 4}, .up = {2}} : damaged_tree(random, 3, 3, 2, seed % 4 == 1);
    const Fabric fabric = test::make(tree, 1);
    const auto size = static_cast<std::uint32_t>(3 + random.below(5));
    auto job = fabric.job(test::random_subset(tree.host_count(), size, random), seed % 3 == 0 ? 2 : 1);
    if (random.below(2) == 0) random.shuffle(std::span(job));
    const auto steps = shift_all_to_all(static_cast<Rank>(job.size()));
    std::uint64_t fewest = std::numeric_limits<std::uint64_t>::max();
    for_each_assignment(size, 2, [&](const std::vector<std::uint8_t>& bits) {
      std::vector<PortId> nodes(fabric.network.endpoints().begin(), fabric.network.endpoints().end());
      std::erase_if(nodes, [&](PortId node) { return std::find(job.begin(), job.end(), node) == job.end(); });
      std::vector<std::uint8_t> of_rank;
      for (const PortId endpoint : job)
        of_rank.push_back(bits[std::find(nodes.begin(), nodes.end(), endpoint) - nodes.begin()]);
      fewest = std::min(fewest, measure(fabric, job, Plan::per_destination(Method::colour, of_rank), *steps).hot_spots);
    });
    const Planned found = plan(fabric, job, Method::colour);
    EXPECT_EQ(found.hot_spots == 0, fewest == 0) << found.reason;
    EXPECT_GE(found.hot_spots, fewest);
    EXPECT_LE(found.lower_bound, fewest) << found.reason;
    if (found.hot_spots == found.lower_bound) {
      EXPECT_EQ(found.hot_spots, fewest);
    }
    impossible += fewest != 0 ? 1 : 0;
  }
  EXPECT_GT(impossible, 10);
}

TEST(Plan, PairAgreesWithTryingEverything) {
  int with_hot_spots = 0;
  for (std::uint64_t seed = 1; seed <= test::tries(15U, 60U); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Fabric fabric = test::make(damaged_tree(random, 3, 3, 3, seed % 3 == 0), 2);
    auto job = fabric.job(test::random_subset(9, 6, random));
    random.shuffle(std::span(job));
    const auto steps = ring(6);
    double least = std::numeric_limits<double>::infinity();
    std::uint64_t fewest = std::numeric_limits<std::uint64_t>::max();
    for_each_assignment(6, 4, [&](const std::vector<std::uint8_t>& bits) {
      const auto tried = measure(fabric, job, Plan::per_destination(Method::colour, bits), *steps);
      least = std::min(least, tried.worst_time);
      fewest = std::min(fewest, tried.hot_spots);
    });
    const Planned found = plan(fabric, job, Method::pair, *steps);
    EXPECT_EQ(measure(fabric, job, found.plan, *steps).worst_time, least) << found.reason;
    EXPECT_LE(found.lower_bound, fewest);
    EXPECT_EQ(found.hot_spots == 0, fewest == 0);
    with_hot_spots += least > 1 ? 1 : 0;
  }
  EXPECT_GE(with_hot_spots, test::tries(2, 10));
}

TEST(Plan, PairsOnDamagedTreesTakeTheLeastTime) {
  int with_hot_spots = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const bool slow_cables = seed % 3 == 0;
    const Fabric fabric = test::make(damaged_tree(random, 4, 5, 4, slow_cables), 2);
    const auto size = static_cast<std::uint32_t>(6 + random.below(15));
    const Planned pair = plan(fabric, fabric.job(test::random_subset(20, size, random)), Method::pair);
    // Slow cables join the fates of two leaves, which the proof looks at one by one.
    EXPECT_TRUE(pair.optimal || slow_cables) << pair.reason;
    EXPECT_LE(pair.lower_bound, pair.hot_spots);
    with_hot_spots += pair.hot_spots != 0 ? 1 : 0;
  }
  EXPECT_GT(with_hot_spots, 10);
  EXPECT_LT(with_hot_spots, 50);
}

TEST(Plan, PairsThatMeetAgainKeepTheirPath) {
  const Fabric fabric = test::make({.down = {6, 5}, .up = {6}}, 3);
  Random random(3);
  const auto job = fabric.job(test::random_subset(30, 20, random));
  const auto often = random_permutations(20, 60, 9);
  const Planned base = plan(fabric, job, Method::base_lids, *often);
  const Planned pair = plan(fabric, job, Method::pair, *often);
  EXPECT_LT(pair.hot_spots * 2, base.hot_spots);
  EXPECT_NE(pair.reason.find("messages keep the path of an earlier step"), std::string::npos) << pair.reason;
}

TEST(Plan, OversubscribedLeavesTakeTheLeastTime) {
  const Fabric fabric = test::make({.down = {6, 4}, .up = {3}}, 2);
  const auto job = fabric.contiguous(24);
  const Planned pair = plan(fabric, job, Method::pair);
  EXPECT_TRUE(pair.optimal) << pair.reason;
  EXPECT_GT(pair.lower_bound, 0U);
  const auto steps = shift_all_to_all(24);
  const Contention measured = measure(fabric, job, pair.plan, *steps);
  EXPECT_EQ(measured.worst_time, 2);
}

TEST(Plan, IsTheSameOnAnyNumberOfThreads) {
  const Fabric fabric = test::make({.down = {18, 18}, .up = {18}}, 5);
  Random random(2);
  const auto job = fabric.job(test::random_subset(324, 100, random));
  for (const Method method : {Method::rule, Method::colour, Method::pair}) {
    const auto plan_on = [&](std::size_t threads) {
      const ThreadLimit limit(threads);
      return plan(fabric, job, method);
    };
    const Planned one = plan_on(1);
    const Planned two = plan_on(2);
    EXPECT_TRUE(
        std::equal(one.plan.all_path_bits().begin(), one.plan.all_path_bits().end(), two.plan.all_path_bits().begin()));
    EXPECT_EQ(one.reason, two.reason);
    EXPECT_EQ(one.hot_spots, two.hot_spots);
  }
}

}  // namespace plan_test
}  // namespace ayatori
