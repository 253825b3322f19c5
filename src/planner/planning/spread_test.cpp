#include <fmt/core.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "../contention/tree_fixtures.hpp"
#include "ayatori/contention/contention.hpp"
#include "ayatori/network/job.hpp"
#include "ayatori/planning/make_plan.hpp"
#include "ayatori/routing/generate.hpp"
#include "ayatori/schedule/pattern.hpp"
#include "ayatori/sources/source.hpp"

namespace ayatori {
namespace spread_test {

/// How many messages each root carries over all steps.
std::map<DeviceId, std::uint64_t> messages_by_root(const test::Fabric& fabric, const std::vector<PortId>& job,
                                                   const Plan& plan) {
  std::map<DeviceId, std::uint64_t> messages;
  for (DeviceId router = 0; router < fabric.network.router_count(); ++router) {
    bool has_hosts = false;
    for (const PortId endpoint : fabric.network.endpoints()) {
      has_hosts = has_hosts || fabric.network.router_of(endpoint) == router;
    }
    if (!has_hosts) messages[router] = 0;
  }
  const auto ranks = static_cast<Rank>(job.size());
  for (Rank from = 0; from < ranks; ++from) {
    for (Rank to = 0; to < ranks; ++to) {
      if (from == to) continue;
      const auto lid = static_cast<Lid>(fabric.routes.lids.of(job[to]).base + plan.path_bits(from, to));
      EXPECT_TRUE(trace(fabric.network, fabric.routes, job[from], lid, [&](PortId link) {
        const auto root = messages.find(fabric.network.port(link).device);
        if (root != messages.end()) ++root->second;
      }));
    }
  }
  return messages;
}

struct Extremes {
  std::uint64_t least = ~std::uint64_t{0};
  std::uint64_t most = 0;
};

Extremes extremes(const std::map<DeviceId, std::uint64_t>& messages) {
  Extremes found;
  for (const auto& [root, count] : messages) {
    found.least = std::min(found.least, count);
    found.most = std::max(found.most, count);
  }
  return found;
}

test::Fabric fabric_of(const std::string& source) {
  Network network = open_source(source).value();
  const int lmc = choose_lmc(network)->lmc;
  Routes routes = generate_routes(network, lmc).value().routes;
  return {std::move(network), std::move(routes)};
}

Planned plan(const test::Fabric& fabric, const std::vector<PortId>& job, Method method) {
  const auto steps = shift_all_to_all(static_cast<Rank>(job.size()));
  return make_plan(fabric.network, fabric.routes, job, *steps, method).value();
}

TEST(PairPlan, UsesAllRootsEvenlyAndIsFreeOfHotSpots) {
  const test::Fabric fabric = fabric_of("fattree:K=6,levels=2");
  Random random(1);
  for (int i = 0; i < 50; ++i) {
    SCOPED_TRACE("seed 1, job " + std::to_string(i));
    const std::size_t size = 8 + random.below(17);
    const auto job = endpoints_of_ranks(fabric.network, random_job(fabric.network, size, 1, random).value());
    const Planned planned = plan(fabric, job, Method::pair);
    EXPECT_EQ(planned.hot_spots, 0U);
    const Extremes found = extremes(messages_by_root(fabric, job, planned.plan));
    EXPECT_LE(found.most - found.least, size);  // one step's messages
  }
}

TEST(ColourPlan, UsesAllRootsEvenlyAndIsFreeOfHotSpots) {
  const test::Fabric fabric = fabric_of("fattree:K=6,levels=2");
  Random random(2);
  int even = 0;
  for (int i = 0; i < 50; ++i) {
    SCOPED_TRACE("seed 2, job " + std::to_string(i));
    const std::size_t size = 8 + random.below(9);
    const auto job = endpoints_of_ranks(fabric.network, random_job(fabric.network, size, 1, random).value());
    const Planned planned = plan(fabric, job, Method::colour);
    EXPECT_EQ(planned.hot_spots, 0U);
    const Extremes found = extremes(messages_by_root(fabric, job, planned.plan));
    EXPECT_GT(found.least, 0U);
    even += found.most <= 2 * found.least ? 1 : 0;
  }
  EXPECT_GE(even, 45);
}

/// All messages of an all-to-all at the same time.
std::unique_ptr<StepSequence> all_at_once(Rank ranks) {
  std::string text;
  for (Rank from = 0; from < ranks; ++from) {
    for (Rank to = 0; to < ranks; ++to) text += from == to ? "" : fmt::format("{} {}\n", from, to);
  }
  return parse_pattern(text, "all at once", ranks).value();
}

// Where each uplink must be hot, the fewest hot spots are had by leaving some of the uplinks idle.
TEST(ColourPlan, UsesAllUplinksOfATaperedTree) {
  const test::Fabric fabric = fabric_of("xgft:h=2;m=8,4;w=1,2;p=1,1");
  const auto job = fabric.contiguous(32);
  const Planned planned = make_plan(fabric.network, fabric.routes, job, *all_at_once(32), Method::colour).value();
  EXPECT_EQ(planned.contention.worst_time, 8 * 24 / 2) << planned.reason;
  EXPECT_TRUE(planned.optimal);
}

TEST(ColourPlan, IsNeverSlowerThanTheRuleOrBaseLidsOnTaperedTrees) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const auto uplinks = static_cast<std::uint32_t>(2 + random.below(2));
    const test::Fabric fabric = test::make({.down = {6, 4}, .up = {uplinks}, .scramble = random.below(3)}, 2);
    const std::size_t size = 4 + random.below(13);
    const auto job = fabric.job(test::random_subset(24, static_cast<std::uint32_t>(size), random));
    const auto ranks = static_cast<Rank>(size);
    const auto steps = seed % 2 == 0 ? all_at_once(ranks) : shift_all_to_all(ranks);
    const auto time = [&](Method method) {
      return make_plan(fabric.network, fabric.routes, job, *steps, method)->contention.total_time();
    };
    const double colour = time(Method::colour);
    EXPECT_LE(colour, time(Method::rule) * (1 + 1e-9));
    EXPECT_LE(colour, time(Method::base_lids) * (1 + 1e-9));
  }
}

}  // namespace spread_test
}  // namespace ayatori
