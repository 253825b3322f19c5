#include "ayatori/routing/generate.hpp"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <set>

#include "ayatori/network/levels.hpp"
#include "ayatori/routing/check.hpp"
#include "ayatori/tables/table_files.hpp"
#include "fabric_fixtures.hpp"

namespace ayatori {
namespace {

using test::Blueprint;

Generated generate(const Network& network, int lmc) {
  auto generated = generate_routes(network, lmc);
  EXPECT_TRUE(generated) << generated.error().message;
  return std::move(*generated);
}

/// The directed links from one endpoint to a LID.
std::vector<PortId> links_to(const Network& network, const Routes& routes, PortId from, Lid lid) {
  std::vector<PortId> links;
  EXPECT_TRUE(trace(network, routes, from, lid, [&](PortId link) { links.push_back(link); }));
  return links;
}

/// The router in the middle of a path between two leaves of a tree of 2 levels.
std::string root_on_the_way(const Network& network, const Routes& routes, PortId from, Lid lid) {
  const auto links = links_to(network, routes, from, lid);
  EXPECT_EQ(links.size(), 4U);
  return std::string(network.name(network.port(links[2]).device));
}

void expect_good(const Network& network, const Generated& generated) {
  const TableCheck check = check_tables(network, generated.routes);
  EXPECT_EQ(check.unreachable, 0U);
  EXPECT_TRUE(check.deadlock_free);
  for (const std::string& problem : check.problems) ADD_FAILURE() << problem;
  for (const PortId link : check.cycle) ADD_FAILURE() << network.describe_link(link);
}

/// Hops between routers of a shortest route that climbs, then descends by level; -1 if there is none.
/// Breadth first over (router, descending?).
std::vector<int> shortest_by_level(const Network& network, const Levels& levels, DeviceId from) {
  std::map<std::pair<DeviceId, bool>, int> hops = {{{from, false}, 0}};
  std::deque<std::pair<DeviceId, bool>> queue = {{from, false}};
  for (; !queue.empty(); queue.pop_front()) {
    const auto [here, descending] = queue.front();
    for (const Port& port : network.ports(here)) {
      if (!port.connected() || !network.is_router(network.port(port.peer).device)) continue;
      const DeviceId next = network.port(port.peer).device;
      const bool up = levels.level[next] > levels.level[here];
      if (next == here || (up && descending)) continue;
      if (hops.try_emplace({next, !up}, hops[{here, descending}] + 1).second) queue.emplace_back(next, !up);
    }
  }
  std::vector<int> shortest(network.router_count(), -1);
  for (const auto& [state, count] : hops) {
    int& best = shortest[state.first];
    best = best < 0 ? count : std::min(best, count);
  }
  return shortest;
}

int hops_by_tables(const Network& network, const Routes& routes, DeviceId from, Lid lid) {
  DeviceId here = from;
  for (int hops = 0;; ++hops) {
    const PortNumber out = routes.tables.out(here, lid);
    if (out == 0) return hops;
    const DeviceId next = network.port(network.port(network.port_id(here, out)).peer).device;
    if (!network.is_router(next)) return hops;
    here = next;
  }
}

/// As short as any route that climbs, then descends by level, between any two routers.
void expect_minimal_hops(const Network& network, const Generated& generated) {
  const auto levels = rank_levels(network);
  ASSERT_TRUE(levels);
  for (DeviceId from = 0; from < network.router_count(); ++from) {
    const auto shortest = shortest_by_level(network, *levels, from);
    for (std::uint32_t lid = 1; lid <= generated.routes.lids.last(); ++lid) {
      const PortId owner = generated.routes.lids.owner(static_cast<Lid>(lid));
      if (owner == no_id) continue;
      const DeviceId device = network.port(owner).device;
      const DeviceId goal = network.is_router(device) ? device : network.router_of(owner);
      if (shortest[goal] < 0) continue;
      ASSERT_LE(hops_by_tables(network, generated.routes, from, static_cast<Lid>(lid)), shortest[goal])
          << network.name(from) << " to " << network.name(goal) << ", LID " << lid;
    }
  }
}

bool loses_turns(const Generated& generated) {
  return std::any_of(generated.notes.begin(), generated.notes.end(), [](const std::string& note) {
    return note.find("turns of the tree left out") != std::string::npos;
  });
}

class GenerateForThePaperTree : public testing::Test {
 protected:
  Network network_ = test::open("fattree:K=6,levels=2,nodes=30");
};

/// LID base + j of destination i goes by root j + (by_destination ? i : 0).
void expect_roots(const Network& network, const Generated& generated, bool by_destination) {
  const auto endpoints = network.endpoints();
  for (std::size_t i = 0; i < endpoints.size(); ++i) {
    const LidRange range = generated.routes.lids.of(endpoints[i]);
    const PortId elsewhere = endpoints[(i + 6) % endpoints.size()];
    for (std::uint32_t j = 0; j < range.count(); ++j) {
      EXPECT_EQ(root_on_the_way(network, generated.routes, elsewhere, static_cast<Lid>(range.base + j)),
                fmt::format("RS{}", (j + (by_destination ? i : 0)) % 6));
    }
  }
}

// Paper 1, section 4.1: 6 paths, so lmc = ceil(log2 6).
TEST_F(GenerateForThePaperTree, ChooseLmcTakes3) {
  const auto choice = choose_lmc(network_);
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->lmc, 3);
  EXPECT_EQ(choice->paths, 6U);
  EXPECT_TRUE(choice->all_paths);
  EXPECT_EQ(choice->explanation, "LMC 3: 8 LIDs a port for 6 paths, last LID 0x0102");
}

TEST_F(GenerateForThePaperTree, LidBasePlusJGoesByRootIPlusJAtEveryLmc) {
  for (const int lmc : {0, 2, 3, 4}) {
    SCOPED_TRACE(lmc);
    const Generated generated = generate(network_, lmc);
    EXPECT_EQ(generated.engine, Engine::fat_tree);
    EXPECT_EQ(generated.paths, 6U);
    EXPECT_TRUE(generated.notes.empty());
    expect_roots(network_, generated, true);
  }
}

TEST_F(GenerateForThePaperTree, LidBasePlusJGoesByRootJIfThePapersNumberingIsAskedFor) {
  for (const int lmc : {2, 3}) {  // the paper says nothing of fewer LIDs than paths
    SCOPED_TRACE(lmc);
    expect_roots(network_, generate_routes(network_, lmc, {}, PathNumbering::by_root).value(), lmc < 3);
  }
}

// OpenSM's ftree routes consecutive destinations by the digits of their number (Zahavi et al., 2007).
TEST(Generate, RoutesByTheDigitsOfTheDestinationIn3Levels) {
  const Network network = test::open("fattree:K=3,levels=3");
  const Generated generated = generate(network, 0);
  const auto endpoints = network.endpoints();
  for (std::size_t i = 0; i < endpoints.size(); ++i) {
    const auto links = links_to(network, generated.routes, endpoints[(i + 9) % endpoints.size()],
                                generated.routes.lids.of(endpoints[i]).base);
    ASSERT_EQ(links.size(), 6U);
    EXPECT_EQ(network.port(links[1]).number, 4 + i % 3);
    EXPECT_EQ(network.port(links[2]).number, 4 + i / 3 % 3);
  }
}

TEST(Generate, BalancesRegularTreesPerfectly) {
  for (const char* source : {"fattree:K=6,levels=2", "fattree:K=4,levels=3", "fattree:K=2,levels=4",
                             "xgft:m=6,8;w=1,3;p=1,2", "xgft:m=4,4,4;w=1,2,2;p=1,2,2"}) {
    SCOPED_TRACE(source);
    const Network network = test::open(source);
    const Generated generated = generate(network, 0);
    EXPECT_TRUE(generated.notes.empty()) << fmt::format("{}", fmt::join(generated.notes, "; "));
    for (const LinkBalance& balance : check_tables(network, generated.routes).balance) {
      EXPECT_EQ(balance.min, balance.max) << balance.kind;
    }
  }
}

/// All paths of one destination, from one other leaf: no link twice except the endpoints' own cables.
void expect_disjoint_paths(const Network& network, const Generated& generated) {
  for (const PortId to : network.endpoints()) {
    const LidRange range = generated.routes.lids.of(to);
    for (const PortId from : network.endpoints()) {
      if (network.router_of(from) == network.router_of(to)) continue;
      std::set<PortId> used;
      for (std::uint32_t j = 0; j < generated.paths; ++j) {
        const auto links = links_to(network, generated.routes, from, static_cast<Lid>(range.base + j));
        ASSERT_EQ(links.size(), 4U);
        EXPECT_TRUE(used.insert(links[1]).second && used.insert(links[2]).second);
      }
    }
  }
}

TEST(Generate, MakesPathsOf2LevelsDisjoint) {
  for (const char* source : {"fattree:K=6,levels=2,nodes=30", "xgft:m=6,5;w=1,3;p=1,2", "xgft:m=4,3;w=1,2;p=1,4"}) {
    SCOPED_TRACE(source);
    const Network network = test::open(source);
    const auto choice = choose_lmc(network);
    ASSERT_TRUE(choice && choice->all_paths);
    expect_disjoint_paths(network, generate(network, choice->lmc));
  }
}

TEST(Generate, NumbersTheExistingPathsOfAPoorLeafDensely) {
  // Leaf 0 lacks the cable to root 4, leaf 1 has two to root 3.
  const Network network = Blueprint{
      6,
      {{0, 3}, {0, 5}, {1, 3}, {1, 4}, {1, 5}, {1, 3}, {2, 3}, {2, 4}, {2, 5}},
      {0, 0, 1, 1, 2, 2},
      {}}.build();
  const Generated generated = generate(network, 2);
  EXPECT_EQ(generated.paths, 4U);
  ASSERT_EQ(generated.notes.size(), 1U);
  EXPECT_EQ(generated.notes[0], "2 of 3 routers with machines have fewer than 4 paths, down to 2: R0, R2");
  const LidRange poor = generated.routes.lids.of(network.endpoints()[0]);
  const std::vector<std::string> roots = {"R3", "R5", "R3", "R5"};
  for (std::uint32_t j = 0; j < 4; ++j) {
    EXPECT_EQ(root_on_the_way(network, generated.routes, network.endpoints()[5], static_cast<Lid>(poor.base + j)),
              roots[j]);
  }
}

TEST(Generate, UsesAllCablesToAHostOnARoot) {
  const Network network = Blueprint{4, {{0, 2}, {0, 2}, {0, 3}, {1, 2}, {1, 3}}, {0, 0, 0, 1, 1, 1, 2}, {}}.build();
  ASSERT_EQ(rank_levels(network)->level[2], 1);
  const Generated generated = generate(network, 1);
  const LidRange on_root = generated.routes.lids.of(network.endpoints()[6]);
  std::set<PortId> used;
  for (std::uint32_t j = 0; j < 2; ++j) {
    used.insert(links_to(network, generated.routes, network.endpoints()[0], static_cast<Lid>(on_root.base + j))[1]);
  }
  EXPECT_EQ(used.size(), 2U);
}

constexpr int largest_lmc_in_properties = 3;

TEST(GenerateProperty, BrokenTreesAreReachableDeadlockFreeAndMinimal) {
  const std::vector<std::string> sources = {"fattree:K=4,levels=2",         "fattree:K=6,levels=2,nodes=30",
                                            "fattree:K=3,levels=3",         "xgft:m=4,6;w=1,3;p=1,2",
                                            "xgft:m=3,3,3;w=1,2,2;p=1,2,1", "fattree:K=2,levels=4"};
  for (std::uint64_t seed = 1; seed <= 72; ++seed) {
    const std::string& source = sources[seed % sources.size()];
    SCOPED_TRACE(fmt::format("seed {}, {}", seed, source));
    Random random(seed);
    Blueprint blueprint = test::blueprint_of(test::open(source));
    test::pull_cables(blueprint, seed % 2 == 0 ? 0.05 : 0.2, random);
    const Network network = blueprint.build();
    const Generated generated = generate(network, static_cast<int>(random.below(largest_lmc_in_properties + 1)));
    expect_good(network, generated);
    const auto levels = rank_levels(network);
    if (levels && levels->count <= 3) {
      EXPECT_FALSE(loses_turns(generated));
    }
    if (generated.engine == Engine::fat_tree && !loses_turns(generated)) expect_minimal_hops(network, generated);
    if (HasFailure()) return;
  }
}

TEST(GenerateProperty, RandomTreesAreReachableDeadlockFreeAndMinimal) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const Network network = test::random_tree(2 + seed % 3, random).build();
    const Generated generated = generate(network, static_cast<int>(random.below(largest_lmc_in_properties + 1)));
    expect_good(network, generated);
    if (generated.engine == Engine::fat_tree && !loses_turns(generated)) expect_minimal_hops(network, generated);
    if (HasFailure()) return;
  }
}

TEST(GenerateProperty, TreesOf2LevelsNeverLoseATurn) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const Network network = test::random_tree(2, random).build();
    const Generated generated = generate(network, 0);
    if (generated.engine == Engine::fat_tree && rank_levels(network)->count == 2) {
      EXPECT_FALSE(loses_turns(generated));
    }
  }
}

TEST(GenerateProperty, OtherNetworksAreReachableAndDeadlockFree) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const Network network = test::random_graph(random).build();
    expect_good(network, generate(network, static_cast<int>(random.below(largest_lmc_in_properties + 1))));
    if (HasFailure()) return;
  }
  for (const char* source : {"torus:4x5", "torus:3x3x3", "mesh:3x4", "full:7,hosts=2", "fattree:K=3,levels=1"}) {
    SCOPED_TRACE(source);
    const Network network = test::open(source);
    for (int lmc = 0; lmc <= max_lmc; lmc += 3) expect_good(network, generate(network, lmc));
  }
}

// 31 leaves and 9 spines with 2 cables a pair, some missing, an aggregation node on each router, hosts on a spine.
TEST(Generate, RoutesADamagedRealisticFabricMinimally) {
  Blueprint blueprint;
  blueprint.routers = 40;
  for (DeviceId leaf = 0; leaf < 31; ++leaf) {
    for (DeviceId spine = 31; spine < 40; ++spine) blueprint.cables.insert(blueprint.cables.end(), 2, {leaf, spine});
    blueprint.hosts.insert(blueprint.hosts.end(), 16 + leaf % 4, leaf);
  }
  blueprint.hosts.insert(blueprint.hosts.end(), 2, 35);
  for (DeviceId router = 0; router < 40; ++router) blueprint.aggregation_nodes.push_back(router);
  Random random(20);
  test::pull_cables(blueprint, 0.05, random);
  const Network network = blueprint.build();

  const auto choice = choose_lmc(network);
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->lmc, 5);
  EXPECT_EQ(choice->paths, 18U);
  const Generated generated = generate(network, 5);
  EXPECT_EQ(generated.engine, Engine::fat_tree);
  expect_good(network, generated);
  expect_minimal_hops(network, generated);
}

TEST(Generate, IsDeterministic) {
  Random random(7);
  Blueprint blueprint = test::blueprint_of(test::open("fattree:K=6,levels=3"));  // enough for several threads
  test::pull_cables(blueprint, 0.05, random);
  const Network network = blueprint.build();
  const Generated first = generate(network, 2);
  for (int again = 0; again < 5; ++again) EXPECT_EQ(generate(network, 2).routes.tables, first.routes.tables);
}

TEST(Generate, WorksAtEveryLmc) {
  const Network network = test::open("fattree:K=4,levels=2");
  for (int lmc = 0; lmc <= max_lmc; ++lmc) {
    SCOPED_TRACE(lmc);
    expect_good(network, generate(network, lmc));
  }
}

/// Two leaves with a host each under one root, with LIDs as a subnet manager left them.
Network with_reported_lids(std::uint8_t lmc, Lid last_lid) {
  NetworkBuilder builder;
  const LinkRate rate{4, LaneSpeed::hdr};
  const auto root = builder.add_router("root", 0x20, 4);
  builder.set_port(root, 0, 0, 3, 0);
  for (int i = 0; i < 2; ++i) {
    const auto leaf = builder.add_router(fmt::format("leaf{}", i), 0x21 + i, 4);
    const auto host = builder.add_nic("nic", 0x100 + 16 * i, 1, fmt::format("host{}", i), 0);
    builder.set_port(leaf, 0, 0, static_cast<Lid>(1 + i), 0);
    builder.set_port(host, 1, 0, i == 0 ? Lid{40} : last_lid, lmc);
    EXPECT_TRUE(builder.connect(host, 1, leaf, 1, rate));
    EXPECT_TRUE(builder.connect(leaf, 2, root, static_cast<PortNumber>(1 + i), rate));
  }
  return builder.build().value();
}

TEST(Generate, KeepsReportedLids) {
  const Network network = with_reported_lids(2, 16);
  const Generated kept = generate(network, 2);
  EXPECT_TRUE(kept.lids_kept);
  EXPECT_EQ(kept.routes.lids.of(network.endpoints()[0]).base, 40);
  EXPECT_EQ(kept.routes.lids.of(network.endpoints()[1]).base, 16);
  expect_good(network, kept);
}

TEST(ChooseLmc, ExplanationNamesTheLastLidThatIsKept) {
  const Network network = with_reported_lids(0, 16);
  const auto choice = choose_lmc(network);
  ASSERT_TRUE(choice) << choice.error().message;
  EXPECT_EQ(choice->explanation, "LMC 0: 1 LID a port for 1 path, last LID 0x0028");
  EXPECT_EQ(generate(network, 0).routes.lids.last(), 0x28);
}

TEST(Generate, AssignsLidsIfTheReportedOnesAreIncompleteOrOfAnotherLmc) {
  EXPECT_FALSE(generate(with_reported_lids(2, 16), 1).lids_kept);
  EXPECT_FALSE(generate(with_reported_lids(2, 0), 2).lids_kept);
}

TEST(Generate, RefusesHostsWithoutRouter) {
  NetworkBuilder builder;
  const auto a = builder.add_nic("a", 0x10, 1, "host1", 0);
  const auto b = builder.add_nic("b", 0x20, 1, "host2", 0);
  ASSERT_TRUE(builder.connect(a, 1, b, 1, {4, LaneSpeed::hdr}));
  const auto generated = generate_routes(builder.build().value(), 0);
  ASSERT_FALSE(generated);
  EXPECT_EQ(generated.error().message, "the network has no router: there is nothing to route");
}

TEST(Generate, RefusesRoutersWithMorePortsThanATableNames) {
  for (const int ports : {254, 255, 256, 300}) {
    NetworkBuilder builder;
    const auto router = builder.add_router("R", 0x10, static_cast<PortNumber>(ports));
    for (const int port : {1, ports}) {
      const auto host = builder.add_nic("mlx5_0", 0x1000 + static_cast<Guid>(port), 1, fmt::format("h{}", port), 0);
      ASSERT_TRUE(builder.connect(host, 1, router, static_cast<PortNumber>(port), {4, LaneSpeed::hdr}));
    }
    const Network network = builder.build().value();
    const auto generated = generate_routes(network, 0);
    ASSERT_EQ(generated.has_value(), ports == 254);
    EXPECT_EQ(choose_lmc(network).has_value(), ports == 254);
    if (generated) {
      EXPECT_TRUE(check_tables(network, generated->routes).ok());
    } else {
      const auto wanted = fmt::format("'R' has {} ports; a forwarding table can name 254", ports);
      EXPECT_EQ(generated.error().message, wanted);
      EXPECT_EQ(choose_lmc(network).error().message, wanted);
      EXPECT_EQ(parse_tables("", "lfts", network).error().message, wanted);
    }
  }
}

TEST(Generate, RefusesLmcsThatDontFit) {
  const Network network = test::open("fattree:K=4,levels=2");
  EXPECT_FALSE(generate_routes(network, -1));
  EXPECT_FALSE(generate_routes(network, 8));
}

}  // namespace
}  // namespace ayatori
