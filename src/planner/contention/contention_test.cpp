#include "ayatori/contention/contention.hpp"

#include <gtest/gtest.h>

#include <map>

#include "ayatori/base/parallel.hpp"
#include "ayatori/schedule/pattern.hpp"
#include "tree_fixtures.hpp"

namespace ayatori {
namespace contention_test {

using test::Fabric;
using test::Tree;

/// Some path bits for everybody, below `choices`.
Plan random_plan(Rank ranks, std::uint32_t choices, Random& random) {
  std::vector<std::uint8_t> bits(std::size_t{ranks} * ranks);
  for (auto& b : bits) b = static_cast<std::uint8_t>(random.below(choices));
  return Plan::per_pair(ranks, std::move(bits));
}

/// contention.hpp's equations, word by word.
struct Oracle {
  double ideal_sum = 0;
  double time_sum = 0;
  std::uint64_t steps = 0;
  std::uint64_t hot_spots = 0;
  std::map<PortId, HotLink> hot_links;

  Oracle(const Fabric& fabric, const std::vector<PortId>& endpoints, const Plan& plan, const StepSequence& steps_in) {
    std::vector<Message> messages;
    for (std::uint32_t s = 0; s < steps_in.step_count(); ++s) {
      steps_in.step(s, messages);
      std::map<PortId, std::uint32_t> load;
      for (const Message& m : messages) {
        const auto machine = [&](Rank r) {
          return fabric.network.device(fabric.network.port(endpoints[r]).device).machine;
        };
        if (machine(m.from) == machine(m.to)) continue;
        const auto lid = static_cast<Lid>(fabric.routes.lids.of(endpoints[m.to]).base + plan.path_bits(m.from, m.to));
        EXPECT_TRUE(trace(fabric.network, fabric.routes, endpoints[m.from], lid, [&](PortId link) { ++load[link]; }));
      }
      if (!load.empty()) add_step(fabric.network, load, s);
    }
  }

  void add_step(const Network& network, const std::map<PortId, std::uint32_t>& load, std::uint32_t step) {
    const double reference = network.port(network.endpoints()[0]).rate.bytes_per_second();
    const auto time = [&](PortId link, std::uint32_t n) {
      return n * reference / network.port(link).rate.bytes_per_second();
    };
    double ideal = 0;
    double longest = 0;
    for (const auto& [link, n] : load) {
      const bool own = !network.is_router(network.port(link).device) ||
                       !network.is_router(network.port(network.port(link).peer).device);
      if (own) ideal = std::max(ideal, time(link, n));
      longest = std::max(longest, time(link, n));
    }
    ++steps;
    ideal_sum += ideal;
    time_sum += longest;
    for (const auto& [link, n] : load) {
      if (time(link, n) <= ideal) continue;
      ++hot_spots;
      HotLink& hot = hot_links[link];
      ++hot.hot_steps;
      if (n > hot.worst_load) hot = {link, n, step, hot.hot_steps};
    }
  }
};

void expect_same(const Contention& found, const Oracle& oracle) {
  EXPECT_EQ(found.steps, oracle.steps);
  EXPECT_EQ(found.hot_spots, oracle.hot_spots);
  EXPECT_EQ(found.free, oracle.hot_spots == 0);
  EXPECT_DOUBLE_EQ(found.relative_bandwidth, oracle.steps == 0 ? 1 : oracle.ideal_sum / oracle.time_sum);
  ASSERT_EQ(found.hot_links.size(), oracle.hot_links.size());
  for (const HotLink& hot : found.hot_links) {
    const HotLink& expected = oracle.hot_links.at(hot.link);
    EXPECT_EQ(hot.hot_steps, expected.hot_steps);
    EXPECT_EQ(hot.worst_load, expected.worst_load);
    EXPECT_EQ(hot.worst_step, expected.worst_step);
  }
}

TEST(Contention, AgreesWithCountingByHand) {
  const Tree trees[] = {{.down = {4, 6}, .up = {4}},
                        {.down = {3, 5}, .up = {4}, .missing = {1, 6, 11}, .slow = {2, 5}},
                        {.down = {2, 3, 3}, .up = {2, 3}, .hosts = 15}};
  for (const Tree& tree : trees) {
    const Fabric fabric = test::make(tree, 3);
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      Random random(seed);
      const auto size = static_cast<std::uint32_t>(1 + random.below(tree.host_count()));
      const auto ranks = static_cast<std::uint32_t>(1 + random.below(3));
      auto job = fabric.job(test::random_subset(tree.host_count(), size, random), ranks);
      random.shuffle(std::span(job));
      const auto count = static_cast<Rank>(job.size());
      const Plan plan = random_plan(count, 8, random);
      for (const auto& steps : {shift_all_to_all(count), neighbour(count), random_permutations(count, 5, seed)}) {
        const auto found = measure_contention(fabric.network, fabric.routes, job, plan, *steps);
        ASSERT_TRUE(found) << found.error().message;
        expect_same(*found, Oracle(fabric, job, plan, *steps));
      }
    }
  }
}

TEST(Contention, IsTheSameOnAnyNumberOfThreads) {
  const Tree tree{.down = {18, 18}, .up = {18}};
  const Fabric fabric = test::make(tree, 3);
  const auto job = fabric.contiguous(300);
  const auto steps = shift_all_to_all(300);
  Random random(3);
  const Plan plan = random_plan(300, 8, random);
  std::vector<Contention> results;
  for (const std::size_t threads : {1U, 2U, 5U}) {
    const ThreadLimit limit(threads);
    results.push_back(measure_contention(fabric.network, fabric.routes, job, plan, *steps).value());
  }
  for (const Contention& other : results) {
    EXPECT_EQ(other.relative_bandwidth, results[0].relative_bandwidth);
    EXPECT_EQ(other.worst_step, results[0].worst_step);
    ASSERT_EQ(other.hot_links.size(), results[0].hot_links.size());
    for (std::size_t i = 0; i < other.hot_links.size(); ++i) {
      EXPECT_EQ(other.hot_links[i].link, results[0].hot_links[i].link);
      EXPECT_EQ(other.hot_links[i].worst_step, results[0].hot_links[i].worst_step);
    }
  }
}

TEST(Contention, ShiftsOfAFullTreeAreFreeOnDModK) {
  // Paper 1, section 2.3: what static routing is made for. LMC 0 tables here are d-mod-k.
  const Tree tree{.down = {6, 5}, .up = {6}};
  const Fabric fabric = test::make(tree, 0);
  const auto found = measure_contention(fabric.network, fabric.routes, fabric.contiguous(30), Plan::base_lids(30),
                                        *shift_all_to_all(30))
                         .value();
  EXPECT_TRUE(found.free);
  EXPECT_EQ(found.steps, 29U);
  EXPECT_EQ(found.relative_bandwidth, 1);
}

TEST(Contention, CountsTheExampleOfPaper1Section31) {
  // 3-ary-2-tree, nodes 3, 5, 6, 9, shift by 2: nodes 3 and 5 meet on the way from leaf 1 to root 0.
  const Tree tree{.down = {3, 6}, .up = {3}};
  const Fabric fabric = test::make(tree, 0);
  const auto found = measure_contention(fabric.network, fabric.routes, fabric.job({3, 5, 6, 9}), Plan::base_lids(4),
                                        *shift_all_to_all(4))
                         .value();
  const auto at = [&](PortId link) { return fabric.network.describe_link(link); };
  ASSERT_FALSE(found.hot_links.empty());
  const auto hot = std::find_if(found.hot_links.begin(), found.hot_links.end(),
                                [&](const HotLink& h) { return at(h.link) == "L1-1 port 4 -> L2-0 port 2"; });
  ASSERT_NE(hot, found.hot_links.end());
  EXPECT_EQ(hot->worst_step, 1U);
  EXPECT_EQ(hot->worst_load, 2U);
}

TEST(Contention, RanksOfOneNicShareItsCable) {
  const Fabric fabric = test::make({.down = {2, 2}, .up = {2}}, 1);
  const auto job = fabric.job({0, 2}, 4);
  const auto found =
      measure_contention(fabric.network, fabric.routes, job, Plan::base_lids(8), *shift_all_to_all(8)).value();
  EXPECT_TRUE(found.free);
  EXPECT_EQ(found.steps, 7U);
  EXPECT_EQ(found.worst_time, 4);
  EXPECT_EQ(found.worst_step, 3U);
}

TEST(Contention, OneMachineUsesNoNetwork) {
  const Fabric fabric = test::make({.down = {2, 2}, .up = {2}}, 1);
  const auto found =
      measure_contention(fabric.network, fabric.routes, fabric.job({1}, 4), Plan::base_lids(4), *shift_all_to_all(4))
          .value();
  EXPECT_TRUE(found.free);
  EXPECT_EQ(found.steps, 0U);
  EXPECT_EQ(found.relative_bandwidth, 1);
}

TEST(Contention, ReportsTheFirstMessageThatIsLost) {
  Fabric fabric = test::make({.down = {2, 3}, .up = {2}}, 0);
  const Lid lid = fabric.routes.lids.of(fabric.network.endpoints()[4]).base;
  fabric.routes.tables.set_out(1, lid, ForwardingTables::no_port);
  const auto lost =
      measure_contention(fabric.network, fabric.routes, fabric.contiguous(6), Plan::base_lids(6), *shift_all_to_all(6));
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().message,
            "messages from rank 3 ('h3' port 1) to rank 4 ('h4' port 1) by LID 0x0005 do not arrive");
}

TEST(Contention, NoticesMessagesThatGoRoundOrAstray) {
  const auto arrives = [](DeviceId router, PortNumber out) {
    Fabric fabric = test::make({.down = {2, 3}, .up = {2}}, 0);
    fabric.routes.tables.set_out(router, fabric.routes.lids.of(fabric.network.endpoints()[4]).base, out);
    return measure_contention(fabric.network, fabric.routes, fabric.contiguous(6), Plan::base_lids(6),
                              *shift_all_to_all(6))
        .has_value();
  };
  EXPECT_TRUE(arrives(2, 1));    // as it was
  EXPECT_FALSE(arrives(2, 2));   // to the other host of the leaf
  EXPECT_FALSE(arrives(2, 3));   // back up, and down again, and so on
  EXPECT_FALSE(arrives(2, 0));   // to the leaf's own management port
  EXPECT_FALSE(arrives(2, 77));  // by a port that the leaf does not have
}

TEST(Contention, RefusesPlansThatDoNotFit) {
  const Fabric fabric = test::make({.down = {2, 3}, .up = {2}}, 1);
  const auto measure = [&](const Plan& plan, Rank ranks) {
    const auto found =
        measure_contention(fabric.network, fabric.routes, fabric.contiguous(6), plan, *shift_all_to_all(ranks));
    return found ? "no error" : found.error().message;
  };
  EXPECT_EQ(measure(Plan::base_lids(5), 6), "a plan for 5 ranks does not fit a job of 6 ranks");
  EXPECT_EQ(measure(Plan::base_lids(6), 5), "a pattern of 5 ranks does not fit a job of 6 ranks");
  EXPECT_EQ(measure(Plan::per_destination(Method::rule, {0, 2, 0, 0, 0, 0}), 6),
            "the plan wants path bits 2 for rank 1 ('h1' port 1), which has LMC 1");
}

TEST(LinkLoads, CountsOneStep) {
  const Fabric fabric = test::make({.down = {2, 2}, .up = {2}}, 0);
  const auto steps = shift_all_to_all(4);
  const auto loads =
      link_loads(fabric.network, fabric.routes, fabric.contiguous(4), Plan::base_lids(4), *steps, 1).value();
  EXPECT_EQ(loads.size(), fabric.network.port_count());
  EXPECT_EQ(std::accumulate(loads.begin(), loads.end(), 0U), 16U);
  EXPECT_EQ(*std::max_element(loads.begin(), loads.end()), 1U);
}

}  // namespace contention_test
}  // namespace ayatori
