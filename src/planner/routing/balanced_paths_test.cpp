#include "balanced_paths.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "../../nwtopo/network/shape_fixtures.hpp"
#include "ayatori/routing/check.hpp"
#include "ayatori/routing/generate.hpp"
#include "balanced_drafts.hpp"
#include "fabric_fixtures.hpp"
#include "packet_walk.hpp"
#include "router_order.hpp"

namespace ayatori {
namespace {

std::vector<std::uint32_t> hosts_of(const Network& network) {
  std::vector<std::uint32_t> hosts(network.router_count(), 0);
  for (const PortId endpoint : network.endpoints()) ++hosts[network.router_of(endpoint)];
  return hosts;
}

std::vector<DeviceId> routers_of_hosts(const Network& network) {
  std::vector<DeviceId> routers;
  for (const PortId endpoint : network.endpoints()) routers.push_back(network.router_of(endpoint));
  return routers;
}

TEST(TreeGrowerProperty, AllowedEverythingPathsAreShortest) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const Network network = test::random_graph(random).build();
    const RouterGraph graph(network);
    const Channels channels(graph);
    const auto hosts = hosts_of(network);
    std::vector<double> costs(channels.size());
    for (double& cost : costs) cost = static_cast<double>(random.below(10));
    TreeGrower grower(channels, hosts);
    const auto destination = static_cast<DeviceId>(random.below(graph.size()));
    PathTree tree;
    ASSERT_TRUE(grower.grow(destination, {costs, {}}, tree, [](ChannelId, ChannelId) { return true; }));
    std::vector<std::uint32_t> hops(graph.size(), no_id);
    hops[destination] = 0;
    for (const DeviceId router : graph.by_distance_from(destination)) {
      for (const auto& other : graph.neighbours(router))
        hops[other.router] = std::min(hops[other.router], hops[router] + 1);
    }
    for (DeviceId router = 0; router < graph.size(); ++router) {
      if (router == destination) continue;
      EXPECT_EQ(hops[channels[tree[router]].to] + 1, hops[router]);
    }
  }
}

/// What the last passes minimize: the sum over channels of cables * (load / cables)^6.
double unevenness(const Channels& channels, std::span<const std::uint32_t> hosts, std::span<const DeviceId> routers,
                  std::span<const PathTree> trees) {
  ChannelLoads loads(channels, hosts);
  loads.clear(6);
  for (std::size_t i = 0; i < trees.size(); ++i) loads.add(trees[i], routers[i], 1);
  return loads.sum();
}

TEST(BalancedPathsProperty, AreMoreEvenThanTheTreesOfTheOrderAlone) {
  for (const char* source :
       {"torus:4x5", "mesh:4x4", "hyperx:3x3,hosts=2", "dragonfly:g=5,a=4,p=2,h=1", "hypercube:4"}) {
    SCOPED_TRACE(source);
    const Network network = test::open(source);
    const RouterGraph graph(network);
    const Channels channels(graph);
    const auto hosts = hosts_of(network);
    const auto routers = routers_of_hosts(network);
    BalancedPaths paths(graph, channels, hosts, {2, middle_of(graph)});
    ASSERT_TRUE(paths.complete());
    std::vector<PathTree> of_routers;
    for (const DeviceId router : routers) of_routers.push_back(paths.to_router(router));
    const auto trees = paths.to(routers, 0);
    EXPECT_LE(unevenness(channels, hosts, routers, trees), unevenness(channels, hosts, routers, of_routers));
  }
}

/// Links between routers whose tables send nothing from hosts to hosts over them.
std::uint64_t idle_links(const Network& network) {
  const auto generated = generate_routes(network, 0).value();
  const auto check = check_tables(network, generated.routes);
  EXPECT_TRUE(check.ok());
  std::uint64_t idle = 0;
  for (const LinkBalance& balance : check.balance) idle += balance.min == 0 ? 1 : 0;
  return idle;
}

TEST(BalancedTables, UseAllLinksOfShapes) {
  for (const char* source : {"dragonfly+:g=9,l=8,s=8,p=8,h=8", "dragonfly:h=2", "hyperx:4x4,hosts=2", "torus:4x4x3"}) {
    SCOPED_TRACE(source);
    EXPECT_EQ(idle_links(test::open(source)), 0U);
  }
}

/// By link between routers: how many pairs of a host and another one's base LID use it.
std::map<PortId, std::uint64_t> pairs_by_link(const Network& network, const Routes& routes) {
  std::map<PortId, std::uint64_t> pairs;
  const auto hosts = hosts_of(network);
  PacketWalk walk(network, routes.lids);
  for (const PortId endpoint : network.endpoints()) {
    const Lid lid = routes.lids.of(endpoint).base;
    walk.follow(lid, [&](DeviceId router) { return routes.tables.row(router)[lid]; });
    for (DeviceId from = 0; from < hosts.size(); ++from) {
      for (DeviceId router = from; walk.link(router) != no_id; router = walk.next(router))
        pairs[walk.link(router)] += hosts[from];
    }
  }
  return pairs;
}

TEST(BalancedTables, LoadAllLinksOfAHyperXAlike) {
  const Network network = relabelled(test::open("hyperx:4x4x4,hosts=2"), 1);
  const auto pairs = pairs_by_link(network, generate_routes(network, 0).value().routes);
  EXPECT_EQ(pairs.size(), 64U * 9);
  for (const auto& [link, count] : pairs) EXPECT_EQ(count, 64U) << network.name(network.port(link).device);
}

TEST(BalancedTables, AreTheSameAgain) {
  const Network network = test::open("torus:4x4");
  const auto once = generate_routes(network, 1).value().routes;
  const auto again = generate_routes(network, 1).value().routes;
  EXPECT_EQ(count_differences(once.tables, again.tables).value(), 0U);
}

}  // namespace
}  // namespace ayatori
