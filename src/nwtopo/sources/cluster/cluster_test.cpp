#include "ayatori/cluster/cluster.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "ayatori/network/plane_network.hpp"

namespace ayatori {
namespace {

std::string error_of(const Result<Network>& network) {
  if (network) return "made";
  return network.error().hint.empty() ? network.error().message
                                      : network.error().message + " | " + network.error().hint;
}

/// A cluster with one switch `s` on the plane `e`, and more.
std::string with_switch(std::string_view more) {
  return "[planes.e]\nrate = \"1Gbit/s\"\n[[switches]]\nname = \"s\"\nplane = \"e\"\n" + std::string(more);
}

std::string error_with_switch(std::string_view more) { return error_of(parse_cluster(with_switch(more), "f")); }

/// PLANE of each NIC of a machine, by rail.
std::map<unsigned, std::string> planes_of(const Network& network, std::string_view machine) {
  std::map<unsigned, std::string> planes;
  for (const PortId port : network.machine(*network.find_machine(machine)).endpoints) {
    const Device& nic = network.device(network.port(port).device);
    planes[nic.rail] = network.planes()[nic.plane].name;
  }
  return planes;
}

TEST(ParseCluster, EachChassisHasABusAndItsBlades) {
  const auto network = open_cluster(AYATORI_SOURCE_DIR "/examples/cluster/three-chassis.toml");
  ASSERT_TRUE(network) << error_of(network);
  EXPECT_EQ(network->machines().size(), 12U);
  EXPECT_EQ(network->router_count(), 5U);
  EXPECT_EQ(network->link_count(), 12U + 3 + 6);
  ASSERT_EQ(network->planes().size(), 2U);
  EXPECT_EQ(network->planes()[0].name, "gbe");
  EXPECT_EQ(planes_of(*network, "chassis2-blade1"), (std::map<unsigned, std::string>{{0, "gbe"}}));
  EXPECT_EQ(planes_of(*network, "chassis3-gateway2"), (std::map<unsigned, std::string>{{0, "gbe"}, {1, "infiniband"}}));
  const PortId nic = network->machine(*network->find_machine("chassis2-gateway1")).endpoints[0];
  EXPECT_EQ(network->name(network->router_of(nic)), "chassis2");
  EXPECT_EQ(to_string(network->port(nic).rate), "1Gbit/s");
}

TEST(ParseCluster, PlanesKeepTheOrderOfTheFile) {
  const auto network = open_cluster(AYATORI_SOURCE_DIR "/examples/cluster/evaluation.toml");
  ASSERT_TRUE(network) << error_of(network);
  EXPECT_EQ(planes_of(*network, "chassis1-qs21-4"),
            (std::map<unsigned, std::string>{{0, "gbe"}, {1, "10gbe"}, {2, "infiniband"}}));
}

TEST(ParseCluster, NamesOfNicsBeginWithALetter) {
  const auto network = open_cluster(AYATORI_SOURCE_DIR "/examples/cluster/evaluation.toml");
  ASSERT_TRUE(network) << error_of(network);
  std::vector<std::string> names;
  for (const PortId nic : network->machine(*network->find_machine("chassis1-qs21-4")).endpoints) {
    names.emplace_back(network->name(network->port(nic).device));
  }
  EXPECT_EQ(names, (std::vector<std::string>{"gbe0", "n10gbe0", "infiniband0"}));
}

TEST(ParseCluster, ALinkOverridesItsPlane) {
  const auto network =
      parse_cluster(with_switch("[[switches]]\nname = \"t\"\nplane = \"e\"\n"
                                "links = [{ to = \"s\", rate = \"10Gbit/s\", latency = \"2us\", cables = 2 }]\n"
                                "[[hosts]]\nname = \"a,b\"\nlinks = [{ to = \"s\" }]\n"),
                    "f");
  ASSERT_TRUE(network) << error_of(network);
  EXPECT_EQ(network->link_count(), 4U);
  std::set<std::string> rates;
  for (const Port& port : network->ports(1)) {
    if (!port.connected()) continue;
    rates.insert(to_string(port.rate));
    EXPECT_EQ(port.latency, 2000U);
  }
  EXPECT_EQ(rates, std::set<std::string>{"10Gbit/s"});
}

TEST(ParseCluster, AListOfSwitchesGivesOneToEachHost) {
  const auto network = parse_cluster(
      "[planes.e]\n[[switches]]\nname = \"s[1-3]\"\nplane = \"e\"\n"
      "[[hosts]]\nname = \"h[1-3]\"\nlinks = [{ to = \"s[1-3]\" }, { to = \"s1\" }]\n",
      "f");
  ASSERT_TRUE(network) << error_of(network);
  for (const char* number : {"1", "2", "3"}) {
    const Machine& machine = network->machine(*network->find_machine(std::string("h") + number));
    ASSERT_EQ(machine.endpoints.size(), 2U);
    EXPECT_EQ(network->name(network->router_of(machine.endpoints[0])), std::string("s") + number);
    EXPECT_EQ(network->name(network->router_of(machine.endpoints[1])), "s1");
  }
}

TEST(ParseCluster, RailsOfAPlaneFollowThoseOfThePlanesBefore) {
  const auto network = parse_cluster(
      "[planes.a]\n[planes.b]\n[[switches]]\nname = \"a\"\nplane = \"a\"\n"
      "[[switches]]\nname = \"b\"\nplane = \"b\"\n"
      "[[hosts]]\nname = \"two\"\nlinks = [{ to = \"a\", cables = 2 }, { to = \"b\" }]\n"
      "[[hosts]]\nname = \"one\"\nlinks = [{ to = \"b\" }]\n",
      "f");
  ASSERT_TRUE(network) << error_of(network);
  EXPECT_EQ(planes_of(*network, "two"), (std::map<unsigned, std::string>{{0, "a"}, {1, "a"}, {2, "b"}}));
  EXPECT_EQ(planes_of(*network, "one"), (std::map<unsigned, std::string>{{2, "b"}}));
}

constexpr std::string_view hosts_a_b_c =
    "[[hosts]]\nname = \"a,b\"\nlinks = [{ to = \"s\" }]\n[[hosts]]\nname = \"c\"\nlinks = [{ to = \"s\" }]\n";

TEST(ParseCluster, BackgroundFlowsAreAsManyAsTheLongerListOfHosts) {
  const auto network =
      parse_cluster(with_switch(std::string(hosts_a_b_c) + "[[background]]\nfrom = \"c\"\nto = \"a,b\"\nplane = \"e\"\n"
                                                           "rate = \"300Mbit/s\"\n"),
                    "f");
  ASSERT_TRUE(network) << error_of(network);
  ASSERT_EQ(network->background().size(), 2U);
  const auto host = [&](PortId port) {
    return network->machine(network->device(network->port(port).device).machine).name;
  };
  for (const std::size_t flow : {0U, 1U}) {
    EXPECT_EQ(host(network->background()[flow].from), "c");
    EXPECT_EQ(host(network->background()[flow].to), flow == 0 ? "a" : "b");
    EXPECT_EQ(network->background()[flow].rate.bytes_per_second(), 37.5e6);
  }
}

TEST(ParseCluster, ErrorsOfTheBackgroundNameLineAndKey) {
  const auto error_of_flow = [](std::string_view flow) {
    return error_with_switch(std::string(hosts_a_b_c) + "[[background]]\n" + std::string(flow));
  };
  EXPECT_EQ(error_of_flow("from = \"a\"\nto = \"x\"\nplane = \"e\"\nrate = \"1Gbit/s\"\n"),
            "f:14: to: there is no host 'x'");
  EXPECT_EQ(error_of_flow("from = \"a\"\nto = \"a\"\nplane = \"e\"\nrate = \"1Gbit/s\"\n"), "f:14: to: 'a' itself");
  EXPECT_EQ(error_of_flow("from = \"a\"\nto = \"b\"\nplane = \"e\"\n"), "f:12: 'rate = …' is missing");
  EXPECT_EQ(error_of_flow("from = \"a\"\nto = \"b\"\nrate = \"1Gbit/s\"\n"), "f:12: 'plane = …' is missing");
  EXPECT_EQ(error_of_flow("from = \"a\"\nto = \"b\"\nplane = \"e\"\nrate = \"1Gbit/s\"\nport = 1\n"),
            "f:17: unknown key 'port' | known are from, to, plane, rate");
}

TEST(ParseCluster, ErrorsNameLineAndKey) {
  EXPECT_EQ(error_of(parse_cluster("", "f")), "f: expected planes, each under [planes.NAME]");
  EXPECT_EQ(error_of(parse_cluster("[planes.e]\nrate = 7\n", "f")), "f:2: rate: expected a text");
  EXPECT_EQ(error_of(parse_cluster("[planes.e]\nrate = \"fast\"\n", "f")),
            "f:2: rate: expected a rate like 1Gbit/s or 4xSDR");
  EXPECT_EQ(error_of(parse_cluster("[planes.e]\nlatency = \"9s\"\n", "f")),
            "f:2: latency: expected a duration of at most 4s, for example 30us");
  EXPECT_EQ(error_of(parse_cluster("[planes.e]\nspeed = 1\n", "f")),
            "f:2: unknown key 'speed' | known are rate, latency, for");
  EXPECT_EQ(error_with_switch("[[hosts]]\nname = \"a\"\n"), "f:6: 'a' has no link");
  EXPECT_EQ(error_with_switch("[[hosts]]\nname = \"a\"\nlinks = [{ to = \"t\" }]\n"),
            "f:8: to: there is no switch 't'");
  EXPECT_EQ(error_with_switch("[[hosts]]\nname = \"a\"\nlinks = [{ }]\n"), "f:8: 'to = …' is missing");
  EXPECT_EQ(error_with_switch("[[hosts]]\nname = \"a,a\"\nlinks = [{ to = \"s\" }]\n"), "f:6: 'a' is given twice");
  EXPECT_EQ(error_with_switch("[[hosts]]\nname = \"a[1-3]\"\nlinks = [{ to = \"s,s\" }]\n"),
            "f:8: to: expected one switch, or one for each of 3, instead of 2");
  EXPECT_EQ(error_with_switch("[[switches]]\nname = \"t\"\nplane = \"x\"\n"),
            "f:8: plane: there is no plane 'x' | known are e");
  EXPECT_EQ(error_with_switch("[[switches]]\nname = \"t\"\nplane = \"e\"\nlinks = [{ to = \"t\" }]\n"),
            "f:9: to: 't' itself");
  EXPECT_EQ(error_with_switch("[[chassis]]\nname = \"c\"\n"), "f:6: bus: expected { plane = …, rate = … }");
  EXPECT_EQ(error_with_switch("[planes.x]\n[[hosts]]\nname = \"a\"\nlinks = [{ to = \"s\" }]\n"),
            "f:6: no host is on the plane 'x'");
  EXPECT_EQ(error_with_switch("[planes.x]\n[[switches]]\nname = \"t\"\nplane = \"x\"\nlinks = [{ to = \"s\" }]\n"),
            "f:10: to: 's' is on the plane 'e', not 'x'");
  EXPECT_EQ(error_with_switch("[[hosts]]\nname = \"a\"\nlinks = [{ to = \"s\", cables = 0 }]\n"),
            "f:8: cables: expected a whole number from 1 to 1024");
  EXPECT_EQ(error_with_switch("[[hosts]]\nname = \"a\"\nlinks = [{ to = \"s\", addresses = [\"10.0.0.1\"] }]\n"),
            "f:8: addresses: expected an IPv4 address with the length of its network, 192.168.0.161/24");
  EXPECT_EQ(error_with_switch("[[hosts]]\nname = \"a\"\nlinks = [{ to = \"s\", addresses = [\"10.0.0.1/33\"] }]\n"),
            "f:8: addresses: expected an IPv4 address with the length of its network, 192.168.0.161/24");
  EXPECT_EQ(error_with_switch("[[hosts]]\nname = \"a[1-2]\"\nlinks = [{ to = \"s\", addresses = [\"10.0.0.1/8\"] }]\n"),
            "f:8: addresses: expected in a table with one host, and of one cable");
  EXPECT_EQ(error_with_switch("[[hosts]]\nname = \"a\"\nlinks = [{ to = \"s\" }]\nothers = [{ name = \"docker0\" }]\n"),
            "f:9: 'addresses = [\"…\"]' is missing");
  EXPECT_EQ(error_of(open_cluster("")),
            "cluster: no file is given | cluster:FILE (TOML, as docs/cluster-format.md describes it)");
}

constexpr std::string_view three_planes =
    "[planes.fibre]\nrate = \"8GFC\"\n[planes.tree]\nrate = \"1Gbit/s\"\nfor = [\"collectives\"]\n"
    "[planes.grid]\nrate = \"1Gbit/s\"\nfor = [\"neighbours\", \"storage\"]\n"
    "[[switches]]\nname = \"f\"\nplane = \"fibre\"\n[[switches]]\nname = \"t\"\nplane = \"tree\"\n"
    "[[switches]]\nname = \"g\"\nplane = \"grid\"\n"
    "[[hosts]]\nname = \"a[1-2]\"\nlinks = [{ to = \"f\" }, { to = \"t\" }, { to = \"g\" }]\n"
    "[[hosts]]\nname = \"disks\"\nlinks = [{ to = \"f\" }]\n"
    "[[background]]\nfrom = \"disks\"\nto = \"a1\"\nplane = \"fibre\"\nrate = \"1Gbit/s\"\n";

TEST(ParseCluster, ThePlanesOfAPurposeAreANetworkWithTheHostsThatAreOnThem) {
  const auto whole = parse_cluster(three_planes, "f");
  ASSERT_TRUE(whole) << error_of(whole);
  EXPECT_EQ(whole->machines().size(), 3U);
  EXPECT_EQ(whole->background().size(), 1U);
  using Planes = std::map<unsigned, std::string>;
  EXPECT_EQ(planes_of(*whole, "a1"), (Planes{{0, "fibre"}, {1, "tree"}, {2, "grid"}}));
  const std::map<Purpose, Planes> expected{{Purpose::collectives, {{1, "tree"}}},
                                           {Purpose::neighbours, {{2, "grid"}}},
                                           {Purpose::sockets, {{1, "tree"}, {2, "grid"}}}};
  for (const auto& [purpose, planes] : expected) {
    const auto network = network_for(*whole, purpose);
    ASSERT_TRUE(network) << error_of(network);
    EXPECT_EQ(planes_of(*network, "a1"), planes);
    EXPECT_EQ(network->machines().size(), 2U);
    EXPECT_TRUE(network->background().empty());
  }
  const auto storage = network_for(*whole, Purpose::storage);
  ASSERT_TRUE(storage) << error_of(storage);
  EXPECT_EQ(planes_of(*storage, "a1"), (Planes{{0, "fibre"}, {2, "grid"}}));
  EXPECT_EQ(storage->background().size(), 1U);
}

TEST(ParseCluster, AGenerationOfFibreChannelIsItsBaudAfterLineCoding) {
  const std::map<std::string, double> gigabits{{"1GFC", 1.0625 * 8 / 10},   {"2GFC", 2.125 * 8 / 10},
                                               {"4GFC", 4.25 * 8 / 10},     {"8GFC", 8.5 * 8 / 10},
                                               {"16GFC", 14.025 * 64 / 66}, {"32GFC", 28.05 * 64 / 66}};
  for (const auto& [name, rate] : gigabits) {
    std::string text(three_planes);
    text.replace(text.find("8GFC"), 4, name);
    const auto network = parse_cluster(text, "f");
    ASSERT_TRUE(network) << error_of(network);
    const PortId end = network->machine(*network->find_machine("disks")).endpoints.front();
    EXPECT_NEAR(network->port(end).rate.bytes_per_second() * 8, rate * 1e9, 1) << name;
  }
}

TEST(ParseCluster, ErrorsOfPurposesNameLineAndKey) {
  const auto error = [](const char* plane, std::string_view more = "") {
    return error_of(parse_cluster("[planes.p]\n" + std::string(plane) + "\n" + std::string(more), "f"));
  };
  EXPECT_EQ(error("for = [\"files\"]"),
            "f:2: for: nothing is called 'files' | known are collectives, neighbours, storage");
  EXPECT_EQ(error("for = []"), "f:2: for: expected a list like [\"collectives\"]");
  EXPECT_EQ(error("for = \"storage\""), "f:2: for: expected a list like [\"collectives\"]");
  EXPECT_EQ(error("rate = \"64GFC\""), "f:2: rate: expected Fibre Channel's 1GFC, 2GFC, 4GFC, 8GFC, 16GFC or 32GFC");
  EXPECT_EQ(error("rate = \"8GFC\"\nfor = [\"storage\", \"collectives\"]"),
            "f:3: for: Fibre Channel carries storage alone, not collectives");
  const std::string hint = " | Fibre Channel carries storage alone; a plane without 'for' carries everything";
  EXPECT_EQ(error("rate = \"8GFC\""), "f:1: for: no plane is for MPI's collectives" + hint);
  EXPECT_EQ(error("for = [\"collectives\"]"), "f:1: for: no plane is for MPI's neighbours" + hint);
  EXPECT_EQ(error_with_switch("[[hosts]]\nname = \"a\"\nlinks = [{ to = \"s\", rate = \"8GFC\" }]\n"),
            "f:8: rate: 8GFC is of Fibre Channel, which the plane is not");
}

TEST(ParseCluster, NamesKeepLettersBeyondAscii) {
  const auto network = parse_cluster(
      "# 計算機の網\n[planes.\"網\"]\nrate = \"1Gbit/s\"\n[[switches]]\nname = 'スイッチ'\nplane = \"網\"\n"
      "[[hosts]]\nname = \"東[1-2]\"\nlinks = [{ to = \"スイッチ\" }]\n"
      "[[hosts]]\nname = \"西1\"\nlinks = [{ to = \"スイッチ\" }]\n"
      "[[hosts]]\nname = \"Zürich-zuu\"\nlinks = [{ to = \"スイッチ\" }]\n",
      "f");
  ASSERT_TRUE(network) << error_of(network);
  std::set<std::string> names;
  for (const Machine& machine : network->machines()) names.insert(machine.name);
  EXPECT_EQ(names, (std::set<std::string>{"東1", "東2", "西1", "Zürich-zuu"}));
  EXPECT_EQ(network->name(0), "スイッチ");
  EXPECT_EQ(network->planes()[0].name, "網");
}

TEST(ParseCluster, ErrorsKeepLettersBeyondAsciiAndTheirLines) {
  const auto error = [](std::string_view host, std::string_view to) {
    return error_with_switch("[[hosts]]\nname = \"" + std::string(host) + "\"\nlinks = [{ to = \"" + std::string(to) +
                             "\" }]\n");
  };
  std::string expected = error("e", "west");
  const auto at = expected.find("west");
  ASSERT_NE(at, std::string::npos) << expected;
  EXPECT_EQ(error("東", "西"), expected.replace(at, 4, "西"));
  EXPECT_NE(error_of(parse_cluster("a = 1\n東 = \"\n", "f")).find("f:2: "), std::string::npos);
}

TEST(InterfacesInCluster, NamesNicsAsTheNetworkDoesAndThenInterfacesWithoutACable) {
  const std::string file = testing::TempDir() + "interfaces_in_cluster.toml";
  std::ofstream(file) << with_switch(
      "[[hosts]]\nname = \"a\"\n"
      "links = [{ to = \"s\" }, { to = \"s\", addresses = [\"10.0.0.1/8\", \"10.0.0.2/8\"] }]\n"
      "[[hosts]]\nname = \"b[1-2]\"\nlinks = [{ to = \"s\" }]\n"
      "others = [{ name = \"docker0\", addresses = [\"172.17.0.1/16\"] }]\n");
  const auto interfaces = interfaces_in_cluster(file);
  ASSERT_TRUE(interfaces);
  ASSERT_EQ(interfaces->size(), 3U);
  EXPECT_EQ((*interfaces)[0].name, "e1");
  EXPECT_EQ((*interfaces)[0].addresses, (std::vector<std::string>{"10.0.0.1/8", "10.0.0.2/8"}));
  EXPECT_TRUE((*interfaces)[0].cabled);
  EXPECT_EQ((*interfaces)[2].host, "b2");
  EXPECT_EQ((*interfaces)[2].name, "docker0");
  EXPECT_FALSE((*interfaces)[2].cabled);
  const auto network = open_cluster(file);
  ASSERT_TRUE(network);
  const auto& nics = network->machine(*network->find_machine("a")).endpoints;
  EXPECT_EQ(network->name(network->port(nics[1]).device), "e1");
}

}  // namespace
}  // namespace ayatori
