// Networks in several parts: every packet arrives within its part, none leaves it, and nothing deadlocks, by a walker
// and a search for cycles of the test's own.

#include <gtest/gtest.h>

#include <fmt/core.h>

#include <set>

#include "../../base/thoroughness_fixtures.hpp"
#include "ayatori/routing/check.hpp"
#include "ayatori/routing/describe_parts.hpp"
#include "ayatori/routing/generate.hpp"
#include "fabric_fixtures.hpp"

namespace ayatori {
namespace {

using test::Blueprint;

/// Removes this share of the cables between routers, whatever becomes of the fabric.
void cut_cables(Blueprint& blueprint, double share, Random& random) {
  std::erase_if(blueprint.cables,
                [&](const auto&) { return random.below(1000) < static_cast<std::uint64_t>(1000 * share); });
}

/// A second blueprint next to the first, without a cable between them.
Blueprint side_by_side(Blueprint one, const Blueprint& other) {
  const DeviceId first = one.routers;
  one.routers += other.routers;
  for (const auto& [a, b] : other.cables) one.cables.emplace_back(a + first, b + first);
  for (const DeviceId router : other.hosts) one.hosts.push_back(router + first);
  for (const DeviceId router : other.aggregation_nodes) one.aggregation_nodes.push_back(router + first);
  return one;
}

Blueprint random_damaged(Random& random) {
  Blueprint blueprint =
      random.below(2) == 0 ? test::random_tree(2 + random.below(2), random) : test::random_graph(random);
  if (random.below(3) == 0) blueprint = side_by_side(std::move(blueprint), test::random_graph(random));
  cut_cables(blueprint, 0.1 * static_cast<double>(random.below(8)), random);
  return blueprint;
}

/// A number for each router, the same for those that cables join.
std::vector<DeviceId> parts_by_union(const Blueprint& blueprint) {
  std::vector<DeviceId> part(blueprint.routers);
  for (DeviceId router = 0; router < blueprint.routers; ++router) part[router] = router;
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [a, b] : blueprint.cables) {
      const DeviceId least = std::min(part[a], part[b]);
      changed |= part[a] != least || part[b] != least;
      part[a] = part[b] = least;
    }
  }
  return part;
}

/// The directed links from an endpoint on; the last one leads to the LID's owner if the packet arrives.
std::vector<PortId> walk(const Network& network, const Routes& routes, PortId from, Lid lid) {
  std::vector<PortId> links = {from};
  for (DeviceId here = network.port(network.port(from).peer).device; network.is_router(here);) {
    const PortNumber out = routes.tables.out(here, lid);
    if (out == 0 || out == ForwardingTables::no_port || links.size() > 3 * network.router_count()) break;
    const PortId link = network.port_id(here, out);
    if (!network.port(link).connected()) break;
    links.push_back(link);
    here = network.port(network.port(link).peer).device;
  }
  return links;
}

/// Takes links away that wait for none of the others, until none is left or all of them wait in a circle.
bool can_deadlock(std::set<std::pair<PortId, PortId>> waits) {
  for (std::size_t before = 0; before != waits.size();) {
    before = waits.size();
    std::set<PortId> waiting;
    for (const auto& [link, next] : waits) waiting.insert(link);
    std::erase_if(waits, [&](const auto& wait) { return !waiting.contains(wait.second); });
  }
  return !waits.empty();
}

class Walker {
 public:
  Walker(const Network& network, const Routes& routes, const std::vector<DeviceId>& part)
      : network_(network), routes_(routes), part_(part) {}

  void check_all() {
    for (const PortId from : network_.endpoints()) {
      for (const PortId to : network_.endpoints()) {
        const LidRange lids = routes_.lids.of(to);
        for (std::uint32_t i = 0; i < lids.count(); ++i) check(from, to, static_cast<Lid>(lids.base + i));
      }
    }
    EXPECT_FALSE(can_deadlock(std::move(waits_)));
  }

 private:
  void check(PortId from, PortId to, Lid lid) {
    const auto links = walk(network_, routes_, from, lid);
    if (part_[network_.router_of(from)] == part_[network_.router_of(to)]) {
      ASSERT_EQ(network_.port(links.back()).peer, to) << network_.describe_link(from) << " to LID " << lid;
    } else {
      ASSERT_EQ(links.size(), 1U) << "an entry leads towards another part";
    }
    for (std::size_t i = 1; i < links.size(); ++i) waits_.emplace(links[i - 1], links[i]);
  }

  const Network& network_;
  const Routes& routes_;
  const std::vector<DeviceId>& part_;
  std::set<std::pair<PortId, PortId>> waits_;
};

TEST(GenerateRoutes, DeliversWithinEachPartOfADamagedFabric) {
  std::size_t in_parts = 0;
  for (std::uint64_t seed = 1; seed <= test::tries(120U, 400U); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const Blueprint blueprint = random_damaged(random);
    const Network network = blueprint.build();
    const auto part = parts_by_union(blueprint);
    const std::size_t parts = std::set(part.begin(), part.end()).size();
    in_parts += parts > 1 ? 1 : 0;
    const auto generated = generate_routes(network, static_cast<int>(random.below(3)));
    ASSERT_TRUE(generated) << generated.error().message;
    Walker(network, generated->routes, part).check_all();
    const TableCheck check = check_tables(network, generated->routes);
    EXPECT_TRUE(check.ok()) << (check.problems.empty() ? "" : check.problems.front());
    EXPECT_EQ(describe_parts(network).size(), parts > 1 ? parts : 0);
    EXPECT_EQ(check.parts, describe_parts(network));
    ASSERT_TRUE(choose_lmc(network));
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(in_parts, test::tries(30U, 100U));
}

/// The tables of a part are those that it would have alone.
TEST(GenerateRoutes, KeepsATreeATreeNextToAnIslandWithoutHosts) {
  Random random(1);
  const Blueprint tree = test::random_tree(2, random);
  const Network network = side_by_side(tree, {2, {{0, 1}}, {}, {}}).build();
  const auto alone = generate_routes(tree.build(), 0);
  const auto together = generate_routes(network, 0);
  ASSERT_TRUE(alone && together);
  EXPECT_EQ(together->engine, alone->engine);
  EXPECT_EQ(together->paths, alone->paths);
  const auto parts = describe_parts(network);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_NE(parts[0].find(" hosts on 'R0' and "), std::string::npos) << parts[0];
  EXPECT_TRUE(parts[1].starts_with("no hosts on 'R")) << parts[1];
}

TEST(GenerateRoutes, RoutesEachPlaneOfSeveral) {
  const Network network = test::open("xgft:h=2;m=6,4;w=2,3");
  const auto choice = choose_lmc(network);
  ASSERT_TRUE(choice) << choice.error().message;
  EXPECT_EQ(choice->paths, 3U);
  const auto generated = generate_routes(network, choice->lmc);
  ASSERT_TRUE(generated) << generated.error().message;
  EXPECT_EQ(generated->engine, Engine::fat_tree);
  const TableCheck check = check_tables(network, generated->routes);
  EXPECT_TRUE(check.ok());
  EXPECT_EQ(check.parts.size(), 2U);
}

TEST(GenerateRoutes, LeavesOutHostsThatAreCabledToEachOther) {
  NetworkBuilder builder;
  const LinkRate rate{4, LaneSpeed::hdr};
  const auto router = builder.add_router("R", 0x1000, 4);
  for (const int i : {1, 2}) {
    const auto host = builder.add_nic("mlx5_0", 0x2000 + static_cast<Guid>(16 * i), 1, fmt::format("h{}", i), 0);
    ASSERT_TRUE(builder.connect(host, 1, router, static_cast<PortNumber>(i), rate));
  }
  const auto a = builder.add_nic("mlx5_0", 0x10, 1, "a", 0);
  const auto b = builder.add_nic("mlx5_0", 0x20, 1, "b", 0);
  ASSERT_TRUE(builder.connect(a, 1, b, 1, rate));
  const Network network = builder.build().value();
  const auto generated = generate_routes(network, 1);
  ASSERT_TRUE(generated) << generated.error().message;
  EXPECT_TRUE(check_tables(network, generated->routes).ok());
  EXPECT_EQ(describe_parts(network).back(), "2 ports that are cabled to no router");
}

/// Tables with a hole within a part are bad, whatever the other parts are like.
TEST(CheckTables, FindsAHoleWithinAPart) {
  const Network network = Blueprint{4, {{0, 1}, {2, 3}}, {0, 1, 2, 3}, {}}.build();
  auto generated = generate_routes(network, 0);
  ASSERT_TRUE(generated);
  const Lid lid = generated->routes.lids.of(network.endpoints()[3]).base;
  generated->routes.tables.set_out(2, lid, ForwardingTables::no_port);
  const TableCheck check = check_tables(network, generated->routes);
  EXPECT_FALSE(check.ok());
  EXPECT_EQ(check.unreachable, 1U);
  ASSERT_EQ(check.problems.size(), 1U);
  EXPECT_NE(check.problems[0].find("'R2' has no entry"), std::string::npos) << check.problems[0];
}

}  // namespace
}  // namespace ayatori
