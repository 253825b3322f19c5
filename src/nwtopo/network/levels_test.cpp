#include "ayatori/network/levels.hpp"

#include <gtest/gtest.h>

#include "ayatori/base/random.hpp"
#include "network_fixtures.hpp"

namespace ayatori {
namespace {

/// Level of each named router, "?" if it is not a tree.
std::string level_of(const Network& network, std::string_view router) {
  const auto levels = rank_levels(network);
  return levels ? std::to_string(levels->level[device_named(network, router).value()]) : "?";
}

std::string why_not(const Network& network) {
  const auto levels = rank_levels(network);
  return levels ? "a tree" : levels.error().reason;
}

/// Trees from formulas name their routers by level: LS, MS, RS.
void expect_levels_of_names(const Network& network, std::uint8_t count) {
  const auto levels = rank_levels(network);
  ASSERT_TRUE(levels) << levels.error().reason;
  EXPECT_EQ(levels->count, count);
  for (DeviceId router = 0; router < network.router_count(); ++router) {
    const std::string_view name = network.name(router);
    EXPECT_EQ(levels->level[router] == 0, name.starts_with("LS")) << name;
    EXPECT_EQ(levels->level[router] + 1 == levels->count, name.starts_with("RS") || count == 1) << name;
  }
}

TEST(RankLevels, FindsTheLevelsOfRegularTrees) {
  expect_levels_of_names(opened("fattree:K=4,levels=1"), 1);
  expect_levels_of_names(opened("fattree:K=6,levels=2,nodes=30"), 2);
  expect_levels_of_names(opened("fattree:K=3,levels=3"), 3);
  expect_levels_of_names(opened("fattree:K=2,levels=4"), 4);
  expect_levels_of_names(opened("xgft:m=4,4,8;w=1,2,4;p=1,2,1"), 3);
  expect_levels_of_names(opened("xgft:m=4,8;w=4,2"), 2);
}

TEST(RankLevels, FindsTheLevelsOfTreesWithAnAlmostEmptyLeafOrPod) {
  for (int nodes = 10; nodes <= 54; ++nodes) {
    expect_levels_of_names(opened(fmt::format("fattree:K=3,levels=3,nodes={}", nodes)), 3);
  }
  expect_levels_of_names(opened("fattree:K=6,levels=2,nodes=31"), 2);
}

TEST(RankLevels, FindsTheLevelsOfDamagedTrees) {
  for (const auto& [source, levels] : {std::pair("fattree:K=6,levels=2", 2), std::pair("fattree:K=6,levels=3", 3),
                                       std::pair("xgft:m=18,31;w=1,9;p=1,2", 2)}) {
    const Network whole = opened(source);
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      SCOPED_TRACE(fmt::format("{} seed {}", source, seed));
      Random random(seed);
      auto damaged = copy_of(whole, [&](PortId) { return random.below(20) != 0; });
      expect_levels_of_names(built(damaged), static_cast<std::uint8_t>(levels));
    }
  }
}

TEST(RankLevels, SwitchesWithoutHostsAtTheEdgeAreLeaves) {
  for (const char* source : {"fattree:K=4,levels=2", "fattree:K=3,levels=3", "xgft:m=18,31;w=1,9;p=1,2"}) {
    const Network whole = opened(source);
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      SCOPED_TRACE(fmt::format("{} seed {}", source, seed));
      Random random(seed);
      std::vector<bool> emptied(whole.router_count());
      for (std::uint64_t i = 1 + random.below(3); i > 0; --i) emptied[random.below(emptied.size())] = true;
      auto builder = copy_of(whole, [&](PortId id) {
        const Port& port = whole.port(id);
        const DeviceId peer = whole.port(port.peer).device;
        return whole.is_router(port.device) ? whole.is_router(peer) || !emptied[port.device] : !emptied[peer];
      });
      const Network network = built(builder);
      expect_levels_of_names(network, source[0] == 'x' || source[10] == '4' ? 2 : 3);
      for (DeviceId router = 0; router < network.router_count(); ++router) {
        if (emptied[router] && network.name(router).starts_with("LS")) {
          EXPECT_TRUE(rank_levels(network)->idle[router]);
        }
      }
    }
  }
}

TEST(RankLevels, FindsTheLevelsOfARealisticCluster) {
  auto builder = dgx_like();
  add_host(builder, "login", 0, 30);
  const Network network = built(builder);
  const auto levels = rank_levels(network);
  ASSERT_TRUE(levels) << levels.error().reason;
  for (DeviceId router = 0; router < 40; ++router) EXPECT_EQ(levels->level[router], router < 31 ? 0 : 1);
}

TEST(RankLevels, DoesNotTakeASpineWithManagementHostsForALeaf) {
  auto builder = dgx_like();
  for (NetworkBuilder::Handle spine = 31; spine < 40; ++spine) {
    add_host(builder, fmt::format("ufm-{}", spine), spine, 64);
    if (spine % 2 == 0) add_host(builder, fmt::format("login-{}", spine), spine, 63);
  }
  const Network network = built(builder);
  EXPECT_EQ(level_of(network, "LEAF-00"), "0");
  EXPECT_EQ(level_of(network, "SPINE-00"), "1");
  EXPECT_EQ(level_of(network, "SPINE-08"), "1");
}

TEST(RankLevels, TakesALeafWithFewHostsForALeafNextToSuchASpine) {
  const Network whole = opened("fattree:K=6,nodes=31");
  auto builder = copy_of(whole);
  add_host(builder, "ufm", device_named(whole, "RS2").value(), 12);
  const Network network = built(builder);
  EXPECT_EQ(level_of(network, "RS2"), "1");
  EXPECT_EQ(level_of(network, "LS5"), "0");
}

TEST(RankLevels, DoesNotTakeARootWithAManagementHostForALeaf) {
  const Network whole = opened("fattree:K=6,levels=3,nodes=180");
  auto builder = copy_of(whole);
  add_host(builder, "ufm", device_named(whole, "RS7").value(),
           first_free_port(whole, device_named(whole, "RS7").value()));
  expect_levels_of_names(built(builder), 3);
}

TEST(RankLevels, IgnoresLoopsAndAggregationNodes) {
  const Network whole = opened("fattree:K=6,nodes=30");
  auto builder = copy_of(whole);
  const DeviceId root = device_named(whole, "RS0").value();
  plug(builder, root, 11, root, 12);
  const auto engine = builder.add_aggregation_node("Mellanox Technologies Aggregation Node", 0xa66, 1);
  plug(builder, engine, 1, root, 10);
  expect_levels_of_names(built(builder), 2);
}

TEST(RankLevels, SaysWhichCableBreaksTheTree) {
  EXPECT_EQ(why_not(opened("torus:3x3")), "R0-0 port 2 and R1-0 port 3, both leaves, are cabled");
  const Network whole = opened("fattree:K=6,nodes=30");
  auto builder = copy_of(whole);
  plug(builder, device_named(whole, "RS0").value(), 12, device_named(whole, "RS5").value(), 11);
  EXPECT_EQ(why_not(built(builder)), "RS0 port 12 and RS5 port 11, both 1 above the leaves, are cabled");
}

TEST(RankLevels, RefusesNetworksWithoutRoutersOrMachines) {
  NetworkBuilder two_hosts;
  const auto a = two_hosts.add_nic("a HCA-1", 0x100, 1, "a", 0);
  const auto b = two_hosts.add_nic("b HCA-1", 0x200, 1, "b", 0);
  plug(two_hosts, a, 1, b, 1);
  EXPECT_EQ(why_not(built(two_hosts)), "there is no router");
  EXPECT_EQ(why_not(opened("full:3,hosts=0")), "no router has a machine");
}

/// The names of the idle routers, with their levels.
std::vector<std::string> idle_in(const Network& network) {
  const auto levels = rank_levels(network).value();
  std::vector<std::string> found;
  for (DeviceId router = 0; router < network.router_count(); ++router) {
    if (levels.idle[router]) found.push_back(fmt::format("{} {}", network.name(router), levels.level[router]));
  }
  return found;
}

TEST(RankLevels, ARouterThatNoLeafReachesIsIdle) {
  auto builder = copy_of(opened("fattree:K=6,nodes=30"));
  builder.add_router("spare", 0xbeef, 12);
  const Network network = built(builder);
  EXPECT_EQ(rank_levels(network)->count, 2);
  EXPECT_EQ(idle_in(network), std::vector<std::string>{"spare 0"});
}

TEST(RankLevels, RootsAboveTheOnlyPodWithHostsAreIdle) {
  for (int nodes = 4; nodes <= 9; ++nodes) {
    const Network network = opened(fmt::format("fattree:K=3,levels=3,nodes={}", nodes));
    EXPECT_EQ(rank_levels(network)->count, 2);
    for (const std::string& router : idle_in(network)) EXPECT_TRUE(router.starts_with("RS")) << router;
    EXPECT_EQ(idle_in(network).size(), 9U);
  }
}

TEST(RankLevels, AllRoutersButTheOnlyOneWithHostsAreIdle) {
  for (int nodes = 1; nodes <= 3; ++nodes) {
    const Network network = opened(fmt::format("fattree:K=3,levels=3,nodes={}", nodes));
    EXPECT_EQ(rank_levels(network)->count, 1);
    EXPECT_EQ(idle_in(network).size(), network.router_count() - 1);
    EXPECT_EQ(level_of(network, "LS0"), "0");
  }
}

/// Three pods of two leaves and two routers above them, under four roots, and what has no hosts: a pod of two routers,
/// a chain on a leaf, and a router that is cabled to roots.
TEST(RankLevels, RoutersWithoutHostsDoNotChangeTheLevels) {
  const Network whole = opened("xgft:m=2,2,3;w=1,2,2");
  auto builder = copy_of(whole, [](PortId) { return true; }, 8);
  const auto root = [&](int number) { return device_named(whole, fmt::format("RS{}", number)).value(); };
  const auto add = [&](const char* name, std::uint64_t guid) { return builder.add_router(name, guid, 8); };
  const auto spine = add("spineE", 0xe0);
  const auto leaf = add("leafE", 0xe1);
  plug(builder, spine, 1, leaf, 1);
  plug(builder, spine, 2, leaf, 2);
  plug(builder, spine, 3, root(0), 10);
  plug(builder, spine, 4, root(1), 10);
  const auto near = add("near", 0xe2);
  const auto far = add("far", 0xe3);
  const auto farther = add("farther", 0xe4);
  plug(builder, near, 1, device_named(whole, "LS0").value(), 10);
  plug(builder, near, 2, far, 1);
  plug(builder, far, 2, farther, 1);
  const auto stray = add("stray", 0xe5);
  for (int i = 0; i < 4; ++i) plug(builder, stray, 1 + i, root(i), 11);
  const Network network = built(builder);
  EXPECT_EQ(idle_in(network),
            (std::vector<std::string>{"spineE 1", "leafE 0", "near 1", "far 0", "farther 1", "stray 1"}));
  EXPECT_EQ(rank_levels(network)->count, 3);
  for (DeviceId router = 0; router < whole.router_count(); ++router) {
    EXPECT_EQ(rank_levels(network)->level[router], rank_levels(whole)->level[router]) << whole.name(router);
  }
}

/// On two of the leaves below a spine of five leaves or more it is not worth that all paths to them get other numbers.
/// A spine of four leaves that lost two of them stays one.
TEST(RankLevels, ASwitchOnTwoLeavesIsIdleNextToSpinesOfMany) {
  for (int leaves = 3; leaves <= 7; ++leaves) {
    const Network whole = opened(fmt::format("xgft:m=2,{};w=1,2", leaves));
    auto builder = copy_of(whole, [](PortId) { return true; }, 8);
    const auto bridge = builder.add_router("bridge", 0xe0, 8);
    plug(builder, bridge, 1, device_named(whole, "LS0").value(), 10);
    plug(builder, bridge, 2, device_named(whole, "LS2").value(), 10);
    plug(builder, builder.add_router("tail", 0xe1, 8), 1, bridge, 3);
    const auto expected =
        leaves > 4 ? std::vector<std::string>{"bridge 1", "tail 0"} : std::vector<std::string>{"tail 0"};
    EXPECT_EQ(idle_in(built(builder)), expected) << leaves << " leaves";
  }
}

/// Two trees whose roots a chain of two routers joins: the chain is needed, and no tree of levels has it.
TEST(RankLevels, RoutersThatAloneJoinHostsAreNotIdle) {
  NetworkBuilder builder;
  for (int i = 0; i < 8; ++i) builder.add_router(fmt::format("R{}", i), 0x100U + i, 8);
  for (int tree = 0; tree < 2; ++tree) {
    for (int leaf = 0; leaf < 2; ++leaf) {
      add_host(builder, fmt::format("n{}{}", tree, leaf), 3 * tree + leaf, 1);
      plug(builder, 3 * tree + leaf, 2, 3 * tree + 2, 1 + leaf);
    }
    plug(builder, 3 * tree + 2, 3, 6 + tree, 1);
  }
  plug(builder, 6, 2, 7, 2);
  EXPECT_EQ(why_not(built(builder)), "R6 port 2 and R7 port 2, both 2 above the leaves, are cabled");
}

TEST(RankLevels, RefusesMoreLevelsThanAByteHolds) {
  NetworkBuilder builder;
  constexpr NetworkBuilder::Handle length = 600;
  for (NetworkBuilder::Handle i = 0; i < length; ++i) {
    builder.add_router(fmt::format("R{}", i), 0x1000U + i, 3);
    if (i > 0) plug(builder, i - 1, 1, i, 2);
  }
  add_host(builder, "a", 0, 3);
  add_host(builder, "b", length - 1, 3);
  EXPECT_EQ(why_not(built(builder)), "R255 is 255 cables or more away from any leaf");
}

}  // namespace
}  // namespace ayatori
