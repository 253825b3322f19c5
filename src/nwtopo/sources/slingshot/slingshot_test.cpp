#include "ayatori/slingshot/slingshot.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "../read_fixtures.hpp"
#include "xname.hpp"

namespace ayatori {
namespace {

std::string error_of(std::string_view text) { return error_of(parse_slingshot(text, "f")); }

/// Cables between routers, by the first letters of both names: "x1000 x1001".
std::map<std::string, int> between(const Network& network, std::size_t letters) {
  std::map<std::string, int> counts;
  for (DeviceId router = 0; router < network.router_count(); ++router) {
    for (const Port& port : network.ports(router)) {
      if (!port.connected() || network.port(port.peer).device < router) continue;
      const DeviceId peer = network.port(port.peer).device;
      if (!network.is_router(peer)) continue;
      ++counts[fmt::format("{} {}", network.name(router).substr(0, letters), network.name(peer).substr(0, letters))];
    }
  }
  return counts;
}

TEST(ParseSlingshot, CabinetsBecomeDragonflyGroups) {
  const Network network = made(open_slingshot(AYATORI_SOURCE_DIR "/tests/golden/slingshot/hosts.txt"));
  EXPECT_EQ(network.planes()[0].name, "slingshot");
  EXPECT_EQ(network.machines().size(), 24U);
  EXPECT_EQ(network.router_count(), 12U);
  EXPECT_EQ(network.link_count(), 24U + 3U * 6U + 3U);
  EXPECT_EQ(between(network, 5), (std::map<std::string, int>{{"x1000 x1000", 6},
                                                             {"x1000 x1001", 1},
                                                             {"x1000 x1002", 1},
                                                             {"x1001 x1001", 6},
                                                             {"x1001 x1002", 1},
                                                             {"x1002 x1002", 6}}));
  const auto seen = cables(network);
  EXPECT_TRUE(seen.contains("x1000c0r3 port 1 -> nid000001 h0 port 1"));
  EXPECT_TRUE(seen.contains("x1000c0r3 port 2 -> nid000002 h0 port 1"));
  EXPECT_TRUE(seen.contains("x1000c0r7 port 1 -> nid000003 h0 port 1"));
}

TEST(ParseSlingshot, CabinetsPerGroupJoinsCabinets) {
  std::string text = "cabinets-per-group=2\n";
  for (int cabinet = 1000; cabinet < 1004; ++cabinet) text += fmt::format("x{0}c0r1\nx{0}c0s0b0n0\n", cabinet);
  const Network network = made(parse_slingshot(text, "f"));
  EXPECT_EQ(between(network, 5),
            (std::map<std::string, int>{{"x1000 x1001", 1}, {"x1002 x1003", 1}, {"x1000 x1002", 1}}));
}

TEST(ParseSlingshot, ACabinetWithoutSwitchesGetsOneRouterPerChassis) {
  const Network network = made(parse_slingshot("x1000c0s0b0n0\nx1000c0s0b0n1\nx1000c1s0b0n0\nx1001c0s0b0n0\n", "f"));
  EXPECT_EQ(
      cables(network),
      (std::set<std::string>{"x1000c0 port 1 -> x1000c0s0b0n0 h0 port 1", "x1000c0 port 2 -> x1000c0s0b0n1 h0 port 1",
                             "x1000c1 port 1 -> x1000c1s0b0n0 h0 port 1", "x1001c0 port 1 -> x1001c0s0b0n0 h0 port 1",
                             "x1000c0 port 3 -> x1000c1 port 2", "x1000c0 port 4 -> x1001c0 port 2"}));
}

TEST(ParseSlingshot, NodesOfAChassisWithoutSwitchesUseTheCabinets) {
  const Network network = made(parse_slingshot("x3000c0r41b0\nx3000c1s1b0n0 # a standard rack\n", "f"));
  EXPECT_EQ(cables(network), (std::set<std::string>{"x3000c0r41 port 1 -> x3000c1s1b0n0 h0 port 1"}));
}

TEST(ParseSlingshot, ListedCablesReplaceAssumedOnes) {
  const Network network = made(parse_slingshot(
      "nid1 x1000c0s0b0n0\nnid2 x1000c0s0b0n1\n"
      "x1000c0r1j5p0 x1000c0s0b0n0h0 200Gbit/s\nx1000c0s0b0n0h1 x1000c0r3j1p1\nx1000c0r1j2p1 x1000c0r3j2p1 400Gbit/s\n"
      "x1000c0r5\n",
      "f"));
  EXPECT_EQ(cables(network),
            (std::set<std::string>{"x1000c0r1 port 13 -> nid1 h0 port 1", "x1000c0r3 port 2 -> nid1 h1 port 1",
                                   "x1000c0r1 port 5 -> x1000c0r3 port 5"}));
  EXPECT_EQ(network.machine(*network.find_machine("nid1")).endpoints.size(), 2U);
  EXPECT_TRUE(network.machine(*network.find_machine("nid2")).endpoints.empty());
  EXPECT_EQ(to_string(network.ports(0)[13].rate), "200Gbit/s");
  EXPECT_EQ(network.router_count(), 3U);
}

TEST(ParseSlingshot, OnlyTheMissingKindOfCableIsAssumed) {
  const Network network = made(parse_slingshot("x1000c0s0b0n0h0 x1000c0r1j5p0\nx1001c0s0b0n0h0 x1001c0r1j5p0\n", "f"));
  EXPECT_EQ(cables(network), (std::set<std::string>{"x1000c0r1 port 13 -> x1000c0s0b0n0 h0 port 1",
                                                    "x1001c0r1 port 13 -> x1001c0s0b0n0 h0 port 1",
                                                    "x1000c0r1 port 14 -> x1001c0r1 port 14"}));
}

TEST(ParseSlingshot,
     PerlmuttersListHasItsGroupsAndLinks) {  // 12 GPU cabinets of 8 chassis with 4 switches and 16 nodes
  std::string text;
  for (int cabinet = 1000; cabinet < 1012; ++cabinet) {
    for (int chassis = 0; chassis < 8; ++chassis) {
      for (int slot = 1; slot < 8; slot += 2) text += fmt::format("x{}c{}r{}b0\n", cabinet, chassis, slot);
      for (int node = 0; node < 16; ++node)
        text += fmt::format("x{}c{}s{}b{}n0\n", cabinet, chassis, node / 2, node % 2);
    }
  }
  const Network network = made(parse_slingshot(text, "f"));
  EXPECT_EQ(network.router_count(), 12U * 32U);
  EXPECT_EQ(network.machines().size(), 12U * 128U);
  EXPECT_EQ(network.link_count(), 12U * 128U + 12U * (32U * 31U / 2U) + 12U * 11U / 2U);
}

TEST(ParseSlingshot, ErrorsNameFileLineAndWhatWasExpected) {
  EXPECT_EQ(error_of(""), "f: no node");
  EXPECT_EQ(error_of("# nothing\n\n"), "f: no node");
  EXPECT_EQ(error_of("x1000c0r1\n"), "f: no node");
  EXPECT_EQ(error_of("x1000c0s0b0n0\n127.0.0.1 localhost\n"),
            "f:2: expected the xname of a node or switch instead of '127.0.0.1'");
  EXPECT_EQ(error_of("x1000c0s0b0n0\nx1000c0s0b0n0\n"), "f:2: 'x1000c0s0b0n0' is listed twice, first in line 1");
  EXPECT_EQ(error_of("a x1000c0s0b0n0\na x1000c0s0b0n1\n"), "f:2: another node is called 'a' too");
  EXPECT_EQ(error_of("x1000c0s0b0n1 z\nx1000c0s0b0n0h0 x1000c0r1j1p0\nx1000c0s9b0n9h0-alias x1000c0s1b0n0\n"), "made");
  EXPECT_EQ(error_of("cabinets-per-group=0\n"), "f:1: expected a number of cabinets instead of '0'");
  EXPECT_EQ(error_of("x1000c0r1 x1000c0r2j1p0\n"),
            "f:1: 'x1000c0r1 x1000c0r2j1p0' is not a cable: expected a switch port, and a switch port or a NIC");
  EXPECT_EQ(error_of("x1000c0r1j1p0 x1000c0s0b0n0h0 fast\n"), "f:1: expected a rate like 200Gbit/s instead of 'fast'");
  EXPECT_EQ(error_of("x1000c0r1j1p0 x1000c0s0b0n0h0\nx1000c0r1j1p0 x1000c0s0b0n1h0\n"),
            "f:2: 'x1000c0r1' port 1 has two cables: to 'x1000c0s0b0n0 h0' port 1 and to 'x1000c0s0b0n1 h0' port 1");
  std::string many = "x1000c0s0b0n0\n";
  for (int slot = 0; slot < 66; ++slot) many += fmt::format("x1000c0r{}\n", slot);
  EXPECT_EQ(error_of(many), "f: the group of 'x1000c0r0' has 66 switches; at most 65 can be cabled each to each");
  std::string wide;
  for (int cabinet = 0; cabinet < 66; ++cabinet) wide += fmt::format("x{}c0s0b0n0\n", cabinet);
  EXPECT_EQ(error_of(wide), "f: the group of 'x0c0' needs 65 cables to other groups; its switches have 64 ports");
}

TEST(ParseXname, ReadsEveryComponent) {
  const auto port = parse_xname("x1000c7r3j14p1");
  ASSERT_TRUE(port);
  EXPECT_EQ(port->device, "x1000c7r3");
  EXPECT_EQ(port->port, 3 * 13 + 1 + 1);
  EXPECT_EQ(port->chassis, (Chassis{1000, 7}));
  EXPECT_EQ(parse_xname("x1000c0r1b0")->device, "x1000c0r1");
  EXPECT_EQ(parse_xname("x1c0s0b0n1h2")->device, "x1c0s0b0n1");
  EXPECT_EQ(parse_xname("x1c0s0b0n1h2")->nic, 2);
  for (const char* other :
       {"", "x", "x1000", "x1000c0", "x1000c0s0", "x1000c0s0b0", "X1000c0r1", "x1000c0r1j0p0", "x1000c0r1j1p3",
        "x1000c0r1j1000p0", "x1000c0r1j1", "x10000c0r1", "x1000c0r1 ", "nid000001", "1000", "x1000c0s0b0n0.local"}) {
    EXPECT_FALSE(parse_xname(other)) << other;
  }
}

}  // namespace
}  // namespace ayatori
