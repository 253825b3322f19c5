#include "ayatori/synthetic/synthetic.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "../read_fixtures.hpp"
#include "ayatori/base/random.hpp"

namespace ayatori {
namespace {

DeviceId router_named(const Network& network, std::string_view name) {
  for (DeviceId id = 0; id < network.router_count(); ++id) {
    if (network.name(id) == name) return id;
  }
  return no_id;
}

std::size_t cabled_ports(const Network& network, DeviceId node) {
  std::size_t count = 0;
  for (const Port& port : network.ports(node)) count += port.connected();
  return count;
}

TEST(OpenFatTree, BuildsThePapersThirtyNodeCluster) {
  const Network network = made(open_fat_tree("K=6,levels=2,nodes=30"));
  EXPECT_EQ(network.machines().size(), 30U);
  EXPECT_EQ(network.router_count(), 5U + 6U);
  EXPECT_EQ(network.link_count(), 30U + 30U);
  for (DeviceId router = 0; router < network.router_count(); ++router) EXPECT_EQ(network.device(router).port_count, 12);
  EXPECT_EQ(peer_of(network, "LS1", 1), "N6 HCA-1 port 1");
  EXPECT_EQ(peer_of(network, "LS1", 7), "RS0 port 2");
  EXPECT_EQ(peer_of(network, "LS1", 12), "RS5 port 2");
  EXPECT_EQ(peer_of(network, "RS2", 5), "LS4 port 9");
  EXPECT_EQ(peer_of(network, "RS2", 6), "nothing");
}

TEST(OpenFatTree, EndpointsAreInNetworkOrder) {
  const Network network = made(open_fat_tree("K=6,nodes=30"));
  for (std::size_t i = 0; i < 30; ++i) {
    EXPECT_EQ(network.machine(network.machines_in_order()[i]).name, fmt::format("N{}", i));
  }
}

TEST(OpenFatTree, ThreeLevelsFormPods) {
  const Network network = made(open_fat_tree("K=3,levels=3"));
  EXPECT_EQ(network.machines().size(), 54U);
  EXPECT_EQ(network.router_count(), 18U + 18U + 9U);
  EXPECT_EQ(peer_of(network, "LS4", 5), "MS4 port 2");   // pod 1, its leaf 1, middle router 1
  EXPECT_EQ(peer_of(network, "MS4", 6), "RS5 port 2");   // middle router 1 has the roots 3, 4 and 5
  EXPECT_EQ(peer_of(network, "RS8", 6), "MS17 port 6");  // pod 5
}

TEST(FatTree, LeavesOutEmptyLeavesAndPodsButNoRoot) {
  const Network network = made(open_fat_tree("K=3,levels=3,nodes=10"));
  EXPECT_EQ(network.machines().size(), 10U);
  EXPECT_EQ(network.router_count(), 4U + 6U + 9U);  // LS3 has one host and stands in a second pod
  EXPECT_EQ(cabled_ports(network, router_named(network, "LS3")), 1U + 3U);
  EXPECT_EQ(cabled_ports(network, router_named(network, "RS0")), 2U);
}

TEST(OpenFatTree, OneLevelIsOneRouter) {
  const Network network = made(open_fat_tree("K=4,levels=1"));
  EXPECT_EQ(network.router_count(), 1U);
  EXPECT_EQ(network.machines().size(), 8U);
}

TEST(OpenFatTree, CountsMatchTheLiterature) {
  for (const auto& [formula, hosts, routers] :
       {std::tuple("K=18,levels=2", 648U, 54U), std::tuple("K=18,levels=3", 11664U, 1620U),
        std::tuple("K=2,levels=4", 32U, 56U)}) {
    const Network network = made(open_fat_tree(formula));
    EXPECT_EQ(network.machines().size(), hosts) << formula;
    EXPECT_EQ(network.router_count(), routers) << formula;
  }
}

TEST(OpenFatTree, GuidsAreDistinctAndLeaveRoomForPorts) {
  const Network network = made(open_xgft("m=2,3;w=2,2;p=2,1"));
  std::set<Guid> seen;
  for (DeviceId node = 0; node < network.device_count(); ++node) {
    const bool router = network.is_router(node);
    EXPECT_EQ(network.device(node).guid >> 48, router ? 0x0020U : 0x0010U);
    EXPECT_TRUE(seen.insert(network.device(node).guid).second);
    if (router) continue;
    for (const Port& port : network.ports(node).subspan(1)) {
      EXPECT_EQ(port.guid, network.device(node).guid + port.number);
      EXPECT_TRUE(seen.insert(port.guid).second);
    }
  }
}

TEST(OpenFatTree, NodesRemovesOnlyRoutersWithoutHosts) {
  constexpr std::uint64_t k = 3;
  for (std::uint64_t nodes = 1; nodes <= 2 * k * k * k; ++nodes) {
    const Network network = made(open_fat_tree(fmt::format("K={},levels=3,nodes={}", k, nodes)));
    const std::uint64_t leaves = (nodes + k - 1) / k;
    const std::uint64_t pods = (leaves + k - 1) / k;
    EXPECT_EQ(network.machines().size(), nodes);
    EXPECT_EQ(network.router_count(), leaves + pods * k + k * k) << nodes;
    EXPECT_EQ(network.link_count(), nodes + leaves * k + pods * k * k) << nodes;
  }
}

TEST(OpenFatTree, ErrorsNameTheKeyAndWhatWasExpected) {
  EXPECT_EQ(error_of(open_fat_tree("")), "fattree: the key 'K' is missing: half the ports of a router");
  EXPECT_EQ(error_of(open_fat_tree("levels=2")), "fattree: the key 'K' is missing: half the ports of a router");
  EXPECT_EQ(error_of(open_fat_tree("6")), "fattree: expected key=value instead of '6'");
  EXPECT_EQ(error_of(open_fat_tree("K=")), "fattree: 'K' must be a number from 1 to 127, not ''");
  EXPECT_EQ(error_of(open_fat_tree("K=0")), "fattree: 'K' must be a number from 1 to 127, not '0'");
  EXPECT_EQ(error_of(open_fat_tree("K=6,5")), "fattree: 'K' must be a number from 1 to 127, not '6,5'");
  EXPECT_EQ(error_of(open_fat_tree("K=128")), "fattree: 'K' must be a number from 1 to 127, not '128'");
  EXPECT_EQ(error_of(open_fat_tree("K=6,levels=5")), "fattree: 'levels' must be a number from 1 to 4, not '5'");
  EXPECT_EQ(error_of(open_fat_tree("K=6,nodes=73")), "fattree: 'nodes' must be a number from 1 to 72, not '73'");
  EXPECT_EQ(error_of(open_fat_tree("K=6,nodes=0")), "fattree: 'nodes' must be a number from 1 to 72, not '0'");
  EXPECT_EQ(error_of(open_fat_tree("k=6")), "fattree: unknown key 'k'; the keys are K, levels, nodes, rate");
  EXPECT_EQ(error_of(open_fat_tree("K=6,K=6")), "fattree: key 'K' is given twice");
  EXPECT_EQ(error_of(open_fat_tree("K=6,")), "fattree: nothing follows the last separator");
  EXPECT_EQ(error_of(open_fat_tree("K=6,,levels=2")), "fattree: nothing stands between two separators");
  EXPECT_EQ(error_of(open_fat_tree("K=6,rate=fast")),
            "fattree: 'rate' must be like 4xHDR (width x SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR or XDR), not 'fast'");
  EXPECT_EQ(open_fat_tree("K=").error().hint, "a formula of this kind: fattree:K=6,levels=2,nodes=30");
}

TEST(OpenFatTree, TooLargeFormulasAreRefusedBeforeAllocation) {
  EXPECT_EQ(error_of(open_fat_tree("K=127,levels=4")), "fattree: has more than 16777216 devices");
  // few hosts, but all roots
  EXPECT_TRUE(error_of(open_fat_tree("K=127,levels=4,nodes=1")).ends_with("the maximum is 67108864 ports"));
}

TEST(OpenSource, RateAppliesToEveryCable) {
  for (const auto& opened : {open_fat_tree("K=2,rate=2xNDR"), open_torus("3x3,rate=2xNDR"), open_full("4,rate=2xNDR"),
                             open_xgft("m=2;w=1;rate=2xNDR"), open_mesh("3x3;rate=2xNDR")}) {
    ASSERT_TRUE(opened) << error_of(opened);
    for (PortId id = 0; id < opened->port_count(); ++id) {
      EXPECT_EQ(to_string(opened->port(id).rate), opened->port(id).connected() ? "2xNDR" : "?");
    }
  }
  EXPECT_EQ(to_string(made(open_torus("3")).ports(0)[1].rate), "4xHDR");
}

/// Öhring et al. 1995: level i of XGFT(h; m; w) has Π_{j>i} m_j · Π_{j<=i} w_j nodes, and w_{i+1} links up from each.
TEST(OpenXgft, CountsMatchTheLiterature) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    const std::size_t height = 1 + random.below(4);
    std::vector<std::uint64_t> m(height), w(height), p(height);
    for (std::size_t i = 0; i < height; ++i) {
      m[i] = 1 + random.below(4);
      w[i] = 1 + random.below(3);
      p[i] = 1 + random.below(2);
    }
    const std::string formula =
        fmt::format("h={};m={};w={};p={}", height, fmt::join(m, ","), fmt::join(w, ","), fmt::join(p, ","));
    const Network network = made(open_xgft(formula));
    const auto nodes_of = [&](std::size_t level) {
      std::uint64_t count = 1;
      for (std::size_t j = 0; j < height; ++j) count *= j < level ? w[j] : m[j];
      return count;
    };
    std::uint64_t routers = 0;
    std::uint64_t links = 0;
    for (std::size_t level = 0; level <= height; ++level) {
      routers += level > 0 ? nodes_of(level) : 0;
      links += level < height ? nodes_of(level) * w[level] * p[level] : 0;
    }
    EXPECT_EQ(network.machines().size(), nodes_of(0)) << "seed " << seed << " " << formula;
    EXPECT_EQ(network.router_count(), routers) << "seed " << seed << " " << formula;
    EXPECT_EQ(network.link_count(), links) << "seed " << seed << " " << formula;
    for (DeviceId router = 0; router < network.router_count(); ++router) {
      EXPECT_EQ(cabled_ports(network, router), network.device(router).port_count) << "seed " << seed << " " << formula;
    }
  }
}

TEST(OpenXgft, EqualsTheFatTreeOfTheSameParameters) {
  const Network a = made(open_fat_tree("K=3,levels=3,nodes=20"));
  const Network b = made(open_xgft("h=3;m=3,3,6;w=1,3,3;nodes=20"));
  ASSERT_EQ(a.port_count(), b.port_count());
  for (PortId id = 0; id < a.port_count(); ++id) EXPECT_EQ(a.describe_link(id), b.describe_link(id));
}

TEST(OpenXgft, W1GivesRailsAndPGivesParallelCables) {
  const Network network = made(open_xgft("m=2,2;w=2,2;p=1,3"));
  EXPECT_EQ(network.machine(0).endpoints.size(), 2U);
  EXPECT_EQ(network.device(network.port(network.machine(0).endpoints[1]).device).rail, 1);
  EXPECT_EQ(peer_of(network, "LS1", 1), "N0 HCA-2 port 1");
  EXPECT_EQ(peer_of(network, "LS1", 3), "RS2 port 1");
  EXPECT_EQ(peer_of(network, "LS1", 5), "RS2 port 3");
  EXPECT_EQ(peer_of(network, "LS1", 6), "RS3 port 1");
}

TEST(OpenXgft, ErrorsNameTheKeyAndWhatWasExpected) {
  EXPECT_EQ(error_of(open_xgft("")), "xgft: the keys 'm' and 'w' are needed: children and parents per level");
  EXPECT_EQ(error_of(open_xgft("m=1,2;w=1")),
            "xgft: 2 levels need as many numbers in m, w and p; there are 2, 1 and 2");
  EXPECT_EQ(error_of(open_xgft("h=3;m=1,2;w=1,1")),
            "xgft: 3 levels need as many numbers in m, w and p; there are 2, 2 and 2");
  EXPECT_EQ(error_of(open_xgft("m=1,x;w=1,1")), "xgft: 'm' must be numbers from 1 to 16777216, not 'x'");
  EXPECT_EQ(error_of(open_xgft("m=1,0;w=1,1")), "xgft: 'm' must be numbers from 1 to 16777216, not '0'");
  EXPECT_EQ(error_of(open_xgft("m=255;w=1")), "xgft: a router of level 1 would need 255 ports; the maximum is 254");
  EXPECT_EQ(error_of(open_xgft("m=1;w=1;p=255")), "xgft: a NIC would need 255 ports; the maximum is 254");
  EXPECT_EQ(error_of(open_xgft("m=1,1,1,1,1,1,1,1,1;w=1,1,1,1,1,1,1,1,1")), "xgft: 9 levels; the maximum is 8");
}

TEST(OpenTorus, NeighboursWrapAroundTheEdge) {
  const Network network = made(open_torus("3x4"));
  EXPECT_EQ(network.router_count(), 12U);
  EXPECT_EQ(network.link_count(), 12U + 24U);
  EXPECT_EQ(peer_of(network, "R0-0", 1), "N0-0 HCA-1 port 1");
  EXPECT_EQ(peer_of(network, "R0-0", 2), "R1-0 port 3");
  EXPECT_EQ(peer_of(network, "R0-0", 3), "R2-0 port 2");
  EXPECT_EQ(peer_of(network, "R0-0", 4), "R0-1 port 5");
  EXPECT_EQ(peer_of(network, "R2-3", 4), "R2-0 port 5");
}

TEST(OpenTorus, ADimensionOfTwoHasOneCable) {
  EXPECT_EQ(made(open_torus("2x3")).link_count(), 6U + 3U + 6U);
  EXPECT_EQ(made(open_torus("1x3")).link_count(), 3U + 3U);
  EXPECT_EQ(made(open_torus("1")).link_count(), 1U);
}

TEST(OpenMesh, NoCableWrapsAroundTheEdge) {
  const Network network = made(open_mesh("3x4"));
  EXPECT_EQ(network.link_count(), 12U + 2U * 4U + 3U * 3U);
  EXPECT_EQ(peer_of(network, "R2-0", 2), "nothing");
}

TEST(OpenTorus, NeighboursDifferByOneInOneCoordinate) {
  const Network network = made(open_torus("4x3x5,hosts=2"));
  std::multiset<std::string> expected;
  for (int x = 0; x < 4; ++x) {
    for (int y = 0; y < 3; ++y) {
      for (int z = 0; z < 5; ++z) {
        expected.insert(fmt::format("R{}-{}-{} R{}-{}-{}", x, y, z, (x + 1) % 4, y, z));
        expected.insert(fmt::format("R{}-{}-{} R{}-{}-{}", x, y, z, x, (y + 1) % 3, z));
        expected.insert(fmt::format("R{}-{}-{} R{}-{}-{}", x, y, z, x, y, (z + 1) % 5));
      }
    }
  }
  std::multiset<std::string> found;
  for (DeviceId router = 0; router < network.router_count(); ++router) {
    for (PortNumber up = 3; up <= 7; up += 2) {  // after the two hosts' ports: above, below, above, …
      const Port& port = network.ports(router)[up];
      found.insert(fmt::format("{} {}", network.name(router), network.name(network.port(port.peer).device)));
    }
  }
  EXPECT_EQ(found, expected);
  EXPECT_TRUE(network.find_machine("N3-2-4-1"));
}

TEST(OpenTorus, ErrorsNameTheKeyAndWhatWasExpected) {
  EXPECT_EQ(error_of(open_torus("")), "torus: expected lengths like 4x6x16");
  EXPECT_EQ(error_of(open_torus("4x")), "torus: expected lengths like 4x6x16 instead of '4x'");
  EXPECT_EQ(error_of(open_torus("4x0")), "torus: expected lengths like 4x6x16 instead of '4x0'");
  EXPECT_EQ(error_of(open_torus("4*4")), "torus: expected lengths like 4x6x16 instead of '4*4'");
  EXPECT_EQ(error_of(open_torus("4x4,5")), "torus: expected key=value instead of '5'");
  EXPECT_EQ(error_of(open_mesh("4096x4096")), "mesh: has more than 16777216 devices");
  EXPECT_EQ(error_of(open_mesh("4x4,hosts=254")), "mesh: a router would need 258 ports; the maximum is 254");
  EXPECT_EQ(error_of(open_torus("18446744073709551615x18446744073709551615")), "torus: has more than 16777216 devices");
}

TEST(OpenFull, EveryPairOfRoutersHasOneCable) {
  const Network network = made(open_full("5,hosts=2"));
  EXPECT_EQ(network.machines().size(), 10U);
  EXPECT_EQ(network.link_count(), 10U + 10U);
  std::set<std::pair<DeviceId, DeviceId>> pairs;
  for (DeviceId router = 0; router < 5; ++router) {
    for (const Port& port : network.ports(router)) {
      const bool to_router = port.connected() && network.is_router(network.port(port.peer).device);
      if (!to_router) continue;
      EXPECT_TRUE(pairs.insert({router, network.port(port.peer).device}).second);
    }
  }
  EXPECT_EQ(pairs.size(), 20U);
  EXPECT_EQ(made(open_full("nodes=3")).router_count(), 3U);
  EXPECT_EQ(made(open_full("1,hosts=36")).machines().size(), 36U);
}

TEST(OpenFull, ErrorsNameTheKeyAndWhatWasExpected) {
  EXPECT_EQ(error_of(open_full("")), "full: expected the number of routers, once");
  EXPECT_EQ(error_of(open_full("3,nodes=3")), "full: expected the number of routers, once");
  EXPECT_EQ(error_of(open_full("0")), "full: expected 1 to 255 routers instead of '0'");
  EXPECT_EQ(error_of(open_full("nodes=256")), "full: 'nodes' must be a number from 1 to 255, not '256'");
  EXPECT_EQ(error_of(open_full("255")), "full: a router would need 255 ports; the maximum is 254");
}

}  // namespace
}  // namespace ayatori
