// The traffic of each pair over all LIDs of the destination.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "ayatori/contention/contention.hpp"
#include "ayatori/contention/multipath_tracer.hpp"
#include "ayatori/schedule/pattern.hpp"
#include "tree_fixtures.hpp"

namespace ayatori {
namespace {

using test::Fabric;
using test::Tree;

using Path = std::vector<PortId>;

/// All paths that the LIDs of a destination name, each once.
std::set<Path> paths_between(const Fabric& fabric, PortId from, PortId to) {
  std::set<Path> paths;
  const LidRange lids = fabric.routes.lids.of(to);
  for (std::uint32_t bits = 0; bits < lids.count(); ++bits) {
    Path path;
    EXPECT_TRUE(trace(fabric.network, fabric.routes, from, static_cast<Lid>(lids.base + bits),
                      [&](PortId link) { path.push_back(link); }));
    paths.insert(path);
  }
  return paths;
}

/// contention.hpp's equations with loads that are sums of parts, link rates being equal.
double relative_bandwidth(const Fabric& fabric, const std::vector<PortId>& endpoints, const StepSequence& steps) {
  double ideal_sum = 0;
  double time_sum = 0;
  std::vector<Message> messages;
  for (std::size_t s = 0; s < steps.step_count(); ++s) {
    steps.step(s, messages);
    std::map<PortId, double> load;
    for (const Message& message : messages) {
      if (endpoints[message.from] == endpoints[message.to]) continue;
      const auto paths = paths_between(fabric, endpoints[message.from], endpoints[message.to]);
      for (const Path& path : paths) {
        for (const PortId link : path) load[link] += 1.0 / static_cast<double>(paths.size());
      }
    }
    double ideal = 0;
    double time = 0;
    for (const auto& [link, sum] : load) {
      const bool own = !fabric.network.is_router(fabric.network.port(link).device) ||
                       !fabric.network.is_router(fabric.network.port(fabric.network.port(link).peer).device);
      if (own) ideal = std::max(ideal, sum);
      time = std::max(time, sum);
    }
    ideal_sum += ideal;
    time_sum += time;
  }
  return time_sum == 0 ? 1 : ideal_sum / time_sum;
}

Fabric random_fabric(Random& random) {
  Tree tree;
  tree.down = {static_cast<std::uint32_t>(2 + random.below(4)), static_cast<std::uint32_t>(2 + random.below(4))};
  tree.up = {static_cast<std::uint32_t>(1 + random.below(6))};
  tree.scramble = random.below(2) == 0 ? 0 : 1 + random.below(100);
  if (tree.up[0] > 1 && random.below(2) == 0) tree.missing = {1};
  return test::make(tree, static_cast<int>(random.below(5)));
}

TEST(MultipathTracer, FindsEachPathThatALidNamesOnce) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Fabric fabric = random_fabric(random);
    const std::vector<PortId> endpoints =
        fabric.contiguous(static_cast<std::uint32_t>(fabric.network.endpoints().size()));
    const MultipathTracer tracer = MultipathTracer::of(fabric.network, fabric.routes, endpoints).value();
    for (Rank from = 0; from < endpoints.size(); ++from) {
      for (Rank to = 0; to < endpoints.size(); ++to) {
        if (from == to) continue;
        std::set<Path> found;
        for (std::uint32_t path = 0; path < tracer.path_count(from, to); ++path) {
          Path links;
          tracer.trace(from, to, path, [&](PortId link) { links.push_back(link); });
          EXPECT_TRUE(found.insert(links).second);
        }
        EXPECT_EQ(found, paths_between(fabric, endpoints[from], endpoints[to])) << from << " to " << to;
      }
    }
  }
}

TEST(MeasureMultipathContention, AgreesWithAddingPartsByHand) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Fabric fabric = random_fabric(random);
    const auto hosts = static_cast<std::uint32_t>(fabric.network.endpoints().size());
    const auto size = static_cast<std::uint32_t>(1 + random.below(hosts));
    const auto endpoints = fabric.job(test::random_subset(hosts, size, random), 1 + random.below(2));
    const auto steps = shift_all_to_all(static_cast<Rank>(endpoints.size()));
    const auto measured = measure_multipath_contention(fabric.network, fabric.routes, endpoints, *steps).value();
    EXPECT_NEAR(measured.relative_bandwidth, relative_bandwidth(fabric, endpoints, *steps), 1e-9);
    EXPECT_EQ(measured.free, measured.relative_bandwidth > 1 - 1e-9);
  }
}

/// Whoever may use all spines evenly has no hot spot in the sum, whatever it sends.
TEST(MeasureMultipathContention, IsFreeWhereEveryLeafHasALinkForEachHost) {
  Tree tree;
  tree.down = {4, 6};
  tree.up = {4};
  const Fabric fabric = test::make(tree, 2);
  Random random(3);
  const auto endpoints = fabric.job(test::random_subset(24, 13, random));
  const auto measured =
      measure_multipath_contention(fabric.network, fabric.routes, endpoints, *random_permutations(13, 40, 5)).value();
  EXPECT_TRUE(measured.free);
  EXPECT_EQ(measured.hot_spots, 0U);
}

TEST(MeasureMultipathContention, WithOneLidIsTheContentionOfBaseLids) {
  Tree tree;
  tree.down = {3, 6};
  tree.up = {3};
  const Fabric fabric = test::make(tree, 0);
  const auto endpoints = fabric.contiguous(8);
  const auto steps = shift_all_to_all(8);
  const auto one = measure_contention(fabric.network, fabric.routes, endpoints, Plan::base_lids(8), *steps).value();
  const auto all = measure_multipath_contention(fabric.network, fabric.routes, endpoints, *steps).value();
  EXPECT_EQ(all.relative_bandwidth, one.relative_bandwidth);
  EXPECT_EQ(all.hot_spots, one.hot_spots);
  ASSERT_EQ(all.hot_links.size(), one.hot_links.size());
  EXPECT_EQ(all.hot_links[0].worst_load, one.hot_links[0].worst_load);
}

TEST(MeasureMultipathContention, RefusesALidByWhichPacketsDoNotArrive) {
  Tree tree;
  tree.down = {3, 4};
  tree.up = {3};
  Fabric fabric = test::make(tree, 2);
  const auto endpoints = fabric.contiguous(12);
  const DeviceId leaf = fabric.network.router_of(endpoints[0]);
  const Lid lid = static_cast<Lid>(fabric.routes.lids.of(endpoints[11]).base + 2);
  fabric.routes.tables.set_out(leaf, lid, ForwardingTables::no_port);
  const auto measured = measure_multipath_contention(fabric.network, fabric.routes, endpoints, *shift_all_to_all(12));
  ASSERT_FALSE(measured);
  EXPECT_NE(measured.error().message.find("do not arrive by all of its LIDs"), std::string::npos);
}

}  // namespace
}  // namespace ayatori
