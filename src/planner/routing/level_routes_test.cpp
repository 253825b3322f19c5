/// Trees whose roots reach each other only through leaves: tables must not forbid routes between hosts for that.

#include <gtest/gtest.h>

#include <algorithm>

#include "ayatori/routing/check.hpp"
#include "ayatori/routing/generate.hpp"
#include "fabric_fixtures.hpp"
#include "router_order.hpp"

namespace ayatori {
namespace {

using test::Blueprint;

constexpr DeviceId pods = 3;
constexpr DeviceId leaves = 4;  // of a pod
constexpr DeviceId spines = 6;  // of a pod
constexpr DeviceId roots = 6;
constexpr DeviceId hosts = 3;  // of a leaf

DeviceId leaf(DeviceId pod, DeviceId i) { return pod * leaves + i; }
DeviceId spine(DeviceId pod, DeviceId i) { return pods * leaves + pod * spines + i; }
DeviceId root(DeviceId i) { return pods * (leaves + spines) + i; }

/// Even spines have even roots, odd ones odd roots. Some cables between switches are lost.
Blueprint two_planes(std::uint64_t lost, Random& random) {
  Blueprint blueprint;
  blueprint.routers = root(roots);
  for (DeviceId pod = 0; pod < pods; ++pod) {
    for (DeviceId i = 0; i < leaves; ++i) {
      blueprint.hosts.insert(blueprint.hosts.end(), hosts, leaf(pod, i));
      for (DeviceId j = 0; j < spines; ++j) blueprint.cables.emplace_back(leaf(pod, i), spine(pod, j));
    }
    for (DeviceId j = 0; j < spines; ++j) {
      for (DeviceId k = j % 2; k < roots; k += 2) blueprint.cables.emplace_back(spine(pod, j), root(k));
    }
  }
  for (; lost > 0; --lost) {
    blueprint.cables.erase(blueprint.cables.begin() +
                           static_cast<std::ptrdiff_t>(random.below(blueprint.cables.size())));
  }
  return blueprint;
}

/// Hosts' packets over the busiest uplink of a leaf, against the mean of its uplinks; the worst of all leaves.
double worst_uplink(const Network& network, const Routes& routes) {
  double worst = 0;
  for (DeviceId router = 0; router < leaf(pods, 0); ++router) {
    std::vector<double> lids(network.device(router).port_count + 1U, 0);
    for (const PortId endpoint : network.endpoints()) {
      if (network.router_of(endpoint) != router) ++lids[routes.tables.out(router, routes.lids.of(endpoint).base)];
    }
    const auto used = static_cast<double>(std::ranges::count_if(network.ports(router), [&](const Port& port) {
      return port.connected() && network.is_router(network.port(port.peer).device);
    }));
    const double all = static_cast<double>(network.endpoints().size() - hosts);
    worst = std::max(worst, std::ranges::max(lids) * used / all);
  }
  return worst;
}

TEST(LevelRoutes, KeepAllUplinksOfTheLeafThatJoinsTwoPlanes) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const Network network = two_planes(seed - 1, random).build();
    const RouterGraph graph(network);
    EXPECT_GT(RouterOrder::for_tree(graph, *rank_levels(network)).lost_turns(), 0U);
    const Generated generated = generate_routes(network, 0).value();
    const TableCheck check = check_tables(network, generated.routes);
    EXPECT_TRUE(check.ok());
    EXPECT_EQ(check.longest, 6U);
    for (const std::string& note : generated.notes) EXPECT_EQ(note.find("turns"), std::string::npos) << note;
    EXPECT_LE(worst_uplink(network, generated.routes), 1.5);
  }
}

TEST(LevelRoutes, AreLeftWhereTheyDeadlock) {
  // An aggregation node on each root: their packets to each other would turn at many leaves.
  Random random(1);
  Blueprint blueprint = two_planes(0, random);
  for (DeviceId i = 0; i < roots; ++i) blueprint.aggregation_nodes.push_back(root(i));
  const Network network = blueprint.build();
  const Generated generated = generate_routes(network, 0).value();
  EXPECT_TRUE(check_tables(network, generated.routes).ok());
  ASSERT_FALSE(generated.notes.empty());
  EXPECT_NE(generated.notes.back().find("turns of the tree left out"), std::string::npos) << generated.notes.back();
}

}  // namespace
}  // namespace ayatori
