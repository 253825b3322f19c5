// Dragonflies, HyperX and hypercubes against what their papers say of degrees, sizes and diameters.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "../read_fixtures.hpp"
#include "ayatori/base/random.hpp"
#include "ayatori/network/router_graph.hpp"
#include "ayatori/synthetic/synthetic.hpp"
#include "ayatori/topology/grid.hpp"

namespace ayatori {
namespace low_diameter_test {

constexpr std::uint32_t apart = ~0U;

std::vector<std::uint32_t> hops_from(const RouterGraph& graph, DeviceId start) {
  std::vector<std::uint32_t> hops(graph.size(), apart);
  std::vector<DeviceId> reached = {start};
  hops[start] = 0;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const auto& neighbour : graph.neighbours(reached[i])) {
      if (hops[neighbour.router] != apart) continue;
      hops[neighbour.router] = hops[reached[i]] + 1;
      reached.push_back(neighbour.router);
    }
  }
  return hops;
}

/// Greatest distance between routers whose names begin so; `apart` if there is no path.
std::uint32_t diameter(const Network& network, std::string_view prefix = "") {
  const RouterGraph graph(network);
  std::uint32_t greatest = 0;
  for (DeviceId from = 0; from < graph.size(); ++from) {
    if (!network.name(from).starts_with(prefix)) continue;
    const auto hops = hops_from(graph, from);
    for (DeviceId to = 0; to < graph.size(); ++to) {
      if (network.name(to).starts_with(prefix)) greatest = std::max(greatest, hops[to]);
    }
  }
  return greatest;
}

std::size_t cabled_ports(const Network& network, DeviceId node) {
  return static_cast<std::size_t>(std::ranges::count_if(network.ports(node), &Port::connected));
}

/// The group in a name like "R3-1".
std::string group_of(std::string_view name) {
  const std::size_t digit = name.find_first_of("0123456789");
  return std::string(name.substr(digit, name.find('-') - digit));
}

/// Cables between each two groups, and the pairs of routers of one group that have one.
struct GroupCables {
  std::map<std::pair<std::string, std::string>, std::size_t> between;
  std::size_t inside = 0;
};

GroupCables group_cables(const Network& network) {
  GroupCables cables;
  for (DeviceId router = 0; router < network.router_count(); ++router) {
    for (const Port& port : network.ports(router)) {
      if (!port.connected() || !network.is_router(network.port(port.peer).device)) continue;
      const DeviceId peer = network.port(port.peer).device;
      if (peer < router) continue;
      const std::pair<std::string, std::string> groups =
          std::minmax({group_of(network.name(router)), group_of(network.name(peer))});
      if (groups.first == groups.second) {
        ++cables.inside;
      } else {
        ++cables.between[groups];
      }
    }
  }
  return cables;
}

TEST(OpenDragonfly, BuildsThePapersFigure5) {  // Kim et al. 2008: p = h = 2, a = 4, 72 hosts in 9 groups
  const Network network = made(open_dragonfly("g=9,a=4,p=2,h=2"));
  EXPECT_EQ(network.machines().size(), 72U);
  EXPECT_EQ(network.router_count(), 36U);
  EXPECT_EQ(network.link_count(), 72U + 9U * 6U + 36U);
  EXPECT_EQ(diameter(network), 3U);
  EXPECT_EQ(peer_of(network, "R0-0", 1), "N0-0-0 HCA-1 port 1");
  EXPECT_EQ(peer_of(network, "R0-0", 3), "R0-1 port 3");
  EXPECT_EQ(peer_of(network, "R0-0", 6), "R1-0 port 6");  // group 0's global port 0 leads to group 1, and back
  EXPECT_EQ(peer_of(network, "R0-3", 7), "R8-0 port 6");  // its port 7 leads to group 8
  EXPECT_EQ(peer_of(network, "R4-2", 6), "R5-2 port 6");  // past its own group
  EXPECT_EQ(peer_of(network, "R8-3", 7), "R7-3 port 7");
}

TEST(OpenDragonfly, DefaultsAreBalanced) {
  const Network a = made(open_dragonfly("h=2"));
  const Network b = made(open_dragonfly("g=9,a=4,p=2,h=2"));
  ASSERT_EQ(a.port_count(), b.port_count());
  for (PortId id = 0; id < a.port_count(); ++id) EXPECT_EQ(a.describe_link(id), b.describe_link(id));
}

/// Section 3.1: N = a·p·(a·h + 1) hosts at most, radix p + a − 1 + h, three hops at most.
TEST(OpenDragonfly, CountsAndDiameterMatchThePaper) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    const std::uint64_t a = 1 + random.below(5);
    const std::uint64_t h = 1 + random.below(3);
    const std::uint64_t p = random.below(4);
    const std::uint64_t most = a * h + 1;
    const std::uint64_t g = random.below(2) == 0 ? most : 1 + random.below(most);
    const std::string formula = fmt::format("g={},a={},p={},h={}", g, a, p, h);
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, formula));
    const Network network = made(open_dragonfly(formula));
    EXPECT_EQ(network.machines().size(), g * a * p);
    EXPECT_EQ(network.router_count(), g * a);
    const std::uint32_t hops = diameter(network);
    EXPECT_LE(hops, 3U);
    if (g == most && a > 1) {
      EXPECT_EQ(hops, 3U);
    }

    const GroupCables cables = group_cables(network);
    const std::size_t each_pair = g > 1 ? a * h / (g - 1) : 0;
    EXPECT_EQ(cables.inside, g * a * (a - 1) / 2);
    EXPECT_EQ(cables.between.size(), g * (g - 1) / 2);
    for (const auto& [pair, count] : cables.between) EXPECT_EQ(count, each_pair) << pair.first << " " << pair.second;
    EXPECT_EQ(network.link_count(), g * a * p + cables.inside + g * (g - 1) / 2 * each_pair);
    for (DeviceId router = 0; router < network.router_count(); ++router) {
      EXPECT_EQ(network.device(router).port_count, p + a - 1 + h);
      const bool all_cabled = cabled_ports(network, router) == p + a - 1 + h;
      EXPECT_TRUE(all_cabled || g < most);
    }
  }
}

TEST(OpenDragonfly, ErrorsNameTheKeyAndWhatWasExpected) {
  EXPECT_EQ(error_of(open_dragonfly("")), "dragonfly: the key 'h' is missing: cables to other groups, of each router");
  EXPECT_EQ(error_of(open_dragonfly("9")), "dragonfly: expected key=value instead of '9'");
  EXPECT_EQ(error_of(open_dragonfly("h=2,a=4,g=10")), "dragonfly: 'g' must be a number from 1 to 9, not '10'");
  EXPECT_EQ(error_of(open_dragonfly("h=0")), "dragonfly: 'h' must be a number from 1 to 254, not '0'");
  EXPECT_EQ(error_of(open_dragonfly("h=100,a=200")), "dragonfly: a router would need 399 ports; the maximum is 254");
  EXPECT_EQ(error_of(open_dragonfly("h=60")), "dragonfly: has more than 16777216 devices");
  EXPECT_EQ(error_of(open_dragonfly("h=2,q=2")), "dragonfly: unknown key 'q'; the keys are g, a, p, h, rate");
}

TEST(OpenDragonflyPlus, BuildsThePapersSmallExample) {
  const Network network = made(open_dragonfly_plus("g=5,l=2,s=2,p=2,h=2"));
  EXPECT_EQ(network.machines().size(), 20U);
  EXPECT_EQ(network.router_count(), 20U);
  EXPECT_EQ(peer_of(network, "LS0-1", 2), "N0-1-1 HCA-1 port 1");
  EXPECT_EQ(peer_of(network, "LS3-1", 4), "SS3-1 port 2");
  EXPECT_EQ(peer_of(network, "SS0-0", 3), "SS1-0 port 3");
  EXPECT_EQ(peer_of(network, "SS0-1", 4), "SS4-0 port 3");
}

/// Shpiner et al. 2017, section 3: of radix-k routers, (k/2)² · ((k/2)² + 1) hosts; 36 ports: 105,300.
TEST(OpenDragonflyPlus, CountsAndDiameterMatchThePaper) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    const std::uint64_t l = 1 + random.below(4);
    const std::uint64_t s = 1 + random.below(3);
    const std::uint64_t p = random.below(4);
    const std::uint64_t h = 1 + random.below(3);
    const std::uint64_t most = s * h + 1;
    const std::uint64_t g = random.below(2) == 0 ? most : 1 + random.below(most);
    const std::string formula = fmt::format("g={},l={},s={},p={},h={}", g, l, s, p, h);
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, formula));
    const Network network = made(open_dragonfly_plus(formula));
    EXPECT_EQ(network.machines().size(), g * l * p);
    EXPECT_EQ(network.router_count(), g * (l + s));
    const GroupCables cables = group_cables(network);
    EXPECT_EQ(cables.inside, g * l * s);
    const std::size_t each_pair = g > 1 ? s * h / (g - 1) : 0;
    EXPECT_EQ(cables.between.size(), g * (g - 1) / 2);
    for (const auto& [pair, count] : cables.between) EXPECT_EQ(count, each_pair) << pair.first << " " << pair.second;
    EXPECT_EQ(network.link_count(), g * l * p + g * l * s + g * (g - 1) / 2 * each_pair);
    // Leaf, spine, spine of the other group, leaf.
    EXPECT_EQ(diameter(network, "LS"), g > 1 ? 3U : l > 1 ? 2U : 0U);
    EXPECT_NE(diameter(network), apart);
    for (DeviceId router = 0; router < network.router_count(); ++router) {
      const bool leaf = network.name(router).starts_with("LS");
      const bool all_cabled = cabled_ports(network, router) == (leaf ? p + s : l + h);
      EXPECT_TRUE(all_cabled || (!leaf && g < most));
    }
  }
}

TEST(OpenDragonflyPlus, Radix36HasThePapersHostCount) {
  const Network network = made(open_dragonfly_plus("h=18"));
  EXPECT_EQ(network.machines().size(), 105300U);
  EXPECT_EQ(network.ports(0).size(), 37U);
}

TEST(OpenDragonflyPlus, ErrorsNameTheKeyAndWhatWasExpected) {
  EXPECT_EQ(error_of(open_dragonfly_plus("h=200,s=100")),
            "dragonfly+: a leaf would need 300 ports; the maximum is 254");
  EXPECT_EQ(error_of(open_dragonfly_plus("h=200,s=10,p=5")),
            "dragonfly+: a spine would need 400 ports; the maximum is 254");
  EXPECT_EQ(error_of(open_dragonfly_plus("h=127")), "dragonfly+: has more than 16777216 devices");
  EXPECT_EQ(error_of(open_dragonfly_plus("h=2,g=6")), "dragonfly+: 'g' must be a number from 1 to 5, not '6'");
}

/// Ahn et al. 2009, section 2: Π S_i routers of degree T + Σ (S_k − 1), and as many hops as dimensions.
TEST(OpenHyperx, CountsAndDiameterMatchThePaper) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    std::vector<std::uint64_t> lengths(1 + random.below(4));
    for (auto& length : lengths) length = 1 + random.below(5);
    const std::uint64_t hosts = random.below(3);
    const std::string formula = fmt::format("{},hosts={}", fmt::join(lengths, "x"), hosts);
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, formula));
    const Network network = made(open_hyperx(formula));
    std::uint64_t routers = 1;
    std::uint64_t degree = hosts;
    for (const std::uint64_t length : lengths) {
      routers *= length;
      degree += length - 1;
    }
    EXPECT_EQ(network.router_count(), routers);
    EXPECT_EQ(network.machines().size(), routers * hosts);
    EXPECT_EQ(network.link_count(), routers * hosts + routers * (degree - hosts) / 2);
    for (DeviceId router = 0; router < routers; ++router) EXPECT_EQ(cabled_ports(network, router), degree);
    EXPECT_EQ(diameter(network), std::ranges::count_if(lengths, [](auto length) { return length > 1; }));
  }
}

TEST(OpenHyperx, RoutersThatDifferInOneCoordinateAreNeighbours) {
  const Network network = made(open_hyperx("3x4x2,hosts=2"));
  const RouterGraph graph(network);
  const auto place = [](DeviceId id) { return std::array{id / 8, id / 2 % 4, id % 2}; };
  for (DeviceId a = 0; a < network.router_count(); ++a) {
    for (DeviceId b = 0; b < network.router_count(); ++b) {
      int differing = 0;
      for (std::size_t i = 0; i < 3; ++i) differing += place(a)[i] != place(b)[i];
      EXPECT_EQ(graph.cable_count(a, b), differing == 1 ? 1U : 0U) << network.name(a) << " " << network.name(b);
    }
  }
  EXPECT_EQ(peer_of(network, "R0-0-0", 3), "R1-0-0 port 3");  // after two hosts: first dimension
  EXPECT_EQ(peer_of(network, "R1-0-0", 4), "R2-0-0 port 4");
  EXPECT_EQ(peer_of(network, "R0-2-0", 7), "R0-3-0 port 7");
  EXPECT_EQ(peer_of(network, "R2-3-0", 8), "R2-3-1 port 8");
}

TEST(OpenHyperx, OneDimensionEqualsFull) {
  const Network a = made(open_hyperx("7"));
  const Network b = made(open_full("7"));
  ASSERT_EQ(a.port_count(), b.port_count());
  EXPECT_TRUE(a.direct());
  for (PortId id = 0; id < a.port_count(); ++id) EXPECT_EQ(a.describe_link(id), b.describe_link(id));
}

TEST(OpenHyperx, ErrorsNameTheKeyAndWhatWasExpected) {
  EXPECT_EQ(error_of(open_hyperx("4x0")), "hyperx: expected lengths like 4x6x16 instead of '4x0'");
  EXPECT_EQ(error_of(open_hyperx("200x200")), "hyperx: a router would need 399 ports; the maximum is 254");
  EXPECT_EQ(error_of(open_hyperx("18446744073709551615x18446744073709551615")),
            "hyperx: a router would need 18446744073709551615 ports; the maximum is 254");
  EXPECT_EQ(error_of(open_hyperx("64x64x64x64")), "hyperx: has more than 16777216 devices");
}

TEST(OpenHypercube, EqualsTheMeshOfDimensionsOfTwo) {
  std::string mesh = "2";
  for (std::uint32_t dimensions = 1; dimensions <= 10; ++dimensions, mesh += "x2") {
    const Network a = made(open_hypercube(std::to_string(dimensions)));
    const Network b = made(open_mesh(mesh));
    ASSERT_EQ(a.port_count(), b.port_count());
    EXPECT_TRUE(a.direct());
    for (PortId id = 0; id < a.port_count(); ++id) ASSERT_EQ(a.describe_link(id), b.describe_link(id));
    EXPECT_EQ(a.machines().size(), 1U << dimensions);
    EXPECT_EQ(a.link_count(), (1U << dimensions) + dimensions * (1U << dimensions) / 2);
    EXPECT_EQ(diameter(a), dimensions);
    for (DeviceId router = 0; router < a.router_count(); ++router) ASSERT_EQ(cabled_ports(a, router), 1 + dimensions);
  }
}

TEST(HypercubeFormula, HasTheNamesOfTheNetwork) {
  const auto formula = hypercube_formula("30", false);
  ASSERT_TRUE(formula);
  ASSERT_TRUE(*formula);
  EXPECT_EQ((**formula).dimensions, std::vector<std::uint32_t>(30, 2));
  EXPECT_EQ((**formula).periodic, std::vector<bool>(30, false));
  EXPECT_FALSE(*hypercube_formula("3,hosts=2", false));
  EXPECT_FALSE(hypercube_formula("33", false));
}

TEST(HypercubeFormula, HasTheLinksOfTheNetwork) {
  const Network network = made(open_hypercube("5"));
  const TopologyPtr topology = make_grid_topology(std::move(**hypercube_formula("5", false)));
  ASSERT_EQ(topology->machine_count(), network.machines().size());
  for (DeviceId router = 0; router < network.router_count(); ++router) {
    std::uint32_t index = 0;
    for (const Port& port : network.ports(router).subspan(2)) {
      if (!port.connected()) continue;
      const TopologyLink link = topology->link(router, index++);
      EXPECT_EQ(link.from_port, port.number);
      EXPECT_EQ(link.to_port, network.port(port.peer).number);
      EXPECT_EQ(link.to, network.port(port.peer).device);
    }
    EXPECT_EQ(topology->link_count(router), index);
  }
}

TEST(OpenHypercube, ErrorsNameWhatWasExpected) {
  EXPECT_EQ(error_of(open_hypercube("")), "hypercube: expected 1 to 32 dimensions instead of ''");
  EXPECT_EQ(error_of(open_hypercube("0")), "hypercube: expected 1 to 32 dimensions instead of '0'");
  EXPECT_EQ(error_of(open_hypercube("2x2")), "hypercube: expected 1 to 32 dimensions instead of '2x2'");
  EXPECT_EQ(error_of(open_hypercube("25")), "hypercube: has more than 16777216 devices");
}

}  // namespace low_diameter_test
}  // namespace ayatori
