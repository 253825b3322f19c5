#include "ayatori/network/builder.hpp"

#include <gtest/gtest.h>

#include <map>

#include "ayatori/base/random.hpp"
#include "network_fixtures.hpp"

namespace ayatori {
namespace {

std::string why_not(NetworkBuilder& builder) {
  const auto network = builder.build();
  return network ? "built" : network.error().message;
}

TEST(NetworkBuilder, BuildRefusesANetworkWithoutDevices) {
  NetworkBuilder builder;
  EXPECT_EQ(why_not(builder), "a network without any node");
}

TEST(NetworkBuilder, BuildPutsRoutersFirst) {
  NetworkBuilder builder;
  const auto nic = builder.add_nic("a HCA-1", 0x100, 1, "a", 0);
  const auto router = builder.add_router("leaf", 0x200, 4);
  plug(builder, nic, 1, router, 3);
  const Network network = built(builder);
  EXPECT_EQ(network.router_count(), 1U);
  EXPECT_EQ(network.name(0), "leaf");
  EXPECT_EQ(network.name(1), "a HCA-1");
  EXPECT_EQ(network.describe_link(network.port_id(1, 1)), "a HCA-1 port 1 -> leaf port 3");
  EXPECT_EQ(builder.device_count(), 0U);
}

TEST(NetworkBuilder, ConnectAcceptsTheSameCableTwice) {
  NetworkBuilder builder;
  const auto a = builder.add_router("A", 1, 4);
  const auto b = builder.add_router("B", 2, 4);
  plug(builder, a, 1, b, 2, {});
  plug(builder, b, 2, a, 1, {4, LaneSpeed::ndr});
  const Network network = built(builder);
  EXPECT_EQ(network.link_count(), 1U);
  EXPECT_EQ(to_string(network.ports(0)[1].rate), "4xNDR");
}

TEST(NetworkBuilder, ConnectRefusesASecondCableInAPort) {
  NetworkBuilder builder;
  const auto a = builder.add_router("A", 1, 4);
  const auto b = builder.add_router("B", 2, 4);
  plug(builder, a, 1, b, 2);
  const auto again = builder.connect(a, 1, b, 3, {});
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().message, "'A' port 1 has two cables: to 'B' port 2 and to 'B' port 3");
}

TEST(NetworkBuilder, ConnectRefusesPortsThatDoNotExist) {
  NetworkBuilder builder;
  const auto a = builder.add_router("A", 1, 4);
  const auto b = builder.add_router("B", 2, 4);
  EXPECT_EQ(builder.connect(a, 5, b, 1, {}).error().message, "'A' has no port 5: its ports are 1 to 4");
  EXPECT_EQ(builder.connect(a, 1, b, 0, {}).error().message, "'B' has no port 0: its ports are 1 to 4");
  EXPECT_EQ(builder.connect(a, 2, a, 2, {}).error().message, "'A' port 2 is cabled to itself");
}

TEST(NetworkBuilder, BuildNamesBothDevicesWithOneGuid) {
  NetworkBuilder builder;
  builder.add_router("A", 0x2c90300, 4);
  builder.add_nic("b HCA-1", 0x2c90300, 1, "b", 0);
  EXPECT_EQ(why_not(builder), "duplicate GUID 0x0000000002c90300: devices 'A' and 'b HCA-1'");
}

TEST(NetworkBuilder, BuildNamesBothPortsWithOneGuid) {
  NetworkBuilder builder;
  const auto a = builder.add_nic("a HCA-1", 0x100, 1, "a", 0);
  const auto b = builder.add_nic("b HCA-1", 0x200, 2, "b", 0);
  builder.set_port(a, 1, 0x101, 0, 0);
  builder.set_port(b, 2, 0x101, 0, 0);
  EXPECT_EQ(why_not(builder), "duplicate port GUID 0x0000000000000101: 'a HCA-1' port 1 and 'b HCA-1' port 2");
}

TEST(NetworkBuilder, BuildPrefersAReportedGuidToAGuessedOne) {
  NetworkBuilder builder;
  builder.add_nic("a HCA-1", 0x100, 1, "a", 0);  // its port would be 0x101
  const auto b = builder.add_nic("b HCA-1", 0x200, 2, "b", 0);
  builder.set_port(b, 2, 0x101, 0, 0);
  const auto network = builder.build();
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_EQ(network->find_guid(0x101), network->port_id(1, 2));
  EXPECT_EQ(network->ports(0)[1].guid, 0);
}

TEST(NetworkBuilder, BuildNamesBothPortsWithOneLid) {
  NetworkBuilder builder;
  const auto router = builder.add_router("A", 0x100, 4);
  builder.set_port(router, 0, 0, 9, 0);
  const auto nic = builder.add_nic("b HCA-1", 0x200, 1, "b", 0);
  builder.set_port(nic, 1, 0, 8, 2);  // LIDs 8 … 11
  EXPECT_EQ(why_not(builder), "LID 0x0009 is given twice: to 'A' port 0 and to 'b HCA-1' port 1");
}

TEST(NetworkBuilder, BuildAllowsOneLidOnTwoPlanes) {
  NetworkBuilder builder;
  for (const char* plane : {"infiniband", "second infiniband"}) {
    builder.begin_plane(plane);
    const auto router = builder.add_router(plane, 0x100 + builder.device_count(), 4);
    builder.set_port(router, 0, 0, 1, 0);
  }
  EXPECT_EQ(built(builder).planes().size(), 2U);
}

TEST(NetworkBuilder, BuildRefusesLidsBeyondUnicast) {
  for (const auto& [lid, lmc, fits] :
       {std::tuple(0xBFFF, 0, true), std::tuple(0xC000, 0, false), std::tuple(0xBFF8, 3, true),
        std::tuple(0xBFF9, 3, false), std::tuple(1, 8, false)}) {
    NetworkBuilder builder;
    const auto nic = builder.add_nic("a HCA-1", 0x100, 1, "a", 0);
    builder.set_port(nic, 1, 0, static_cast<Lid>(lid), static_cast<std::uint8_t>(lmc));
    EXPECT_EQ(builder.build().has_value(), fits) << lid << " LMC " << lmc;
  }
}

TEST(NetworkBuilder, AddUnnamedNicMakesAMachineOfItsOwn) {
  NetworkBuilder builder;
  builder.add_unnamed_nic("MT4129 ConnectX7   Mellanox Technologies", 0xe09d730300858d88, 1);
  builder.add_unnamed_nic("MT4129 ConnectX7   Mellanox Technologies", 0xe09d730300857448, 1);
  const Network network = built(builder);
  ASSERT_EQ(network.machines().size(), 2U);
  EXPECT_EQ(network.machine(0).name, "hca-0xe09d730300858d88");
  EXPECT_FALSE(network.machine(0).named);
}

TEST(NetworkBuilder, BuildSortsEndpointsByRouterAndPort) {
  NetworkBuilder builder;
  const auto second = builder.add_router("leaf10", 1, 8);
  const auto first = builder.add_router("leaf9", 2, 8);
  add_host(builder, "a", second, 1);
  add_host(builder, "b", first, 5);
  add_host(builder, "c", first, 2);
  builder.add_nic("dark HCA-1", 0xda, 1, "dark", 0);
  const Network network = built(builder);
  std::string order;
  for (const MachineId id : network.machines_in_order()) order += network.machine(id).name + " ";
  EXPECT_EQ(order, "c b a dark ");
  EXPECT_EQ(network.endpoints().size(), 3U);
}

TEST(NetworkBuilder, BuildListsAggregationPortsApartFromEndpoints) {
  auto builder = dgx_like();
  const Network network = built(builder);
  EXPECT_EQ(network.aggregation_ports().size(), 40U);
  EXPECT_EQ(network.endpoints().size(), 31U * 18U);
  for (const PortId id : network.aggregation_ports()) {
    EXPECT_EQ(network.device(network.port(id).device).machine, no_id);
  }
}

TEST(NetworkBuilder, BuildListsLinksBelowTheRateOfTheirKindAsDegraded) {
  auto builder = copy_of(opened("fattree:K=6,nodes=30,rate=4xNDR"), [n = 0](PortId) mutable { return n++ != 7; });
  // The cable that was left out comes back slower. Hosts may have another rate than cables between routers.
  const Network whole = opened("fattree:K=6,nodes=30,rate=4xNDR");
  Network network = built(builder);
  EXPECT_TRUE(network.degraded_links().empty());
  auto slower = copy_of(network);
  for (PortId id = 0; id < whole.port_count(); ++id) {
    const Port& port = whole.port(id);
    if (!port.connected() || network.port(id).connected()) continue;
    const Port& peer = whole.port(port.peer);
    plug(slower, port.device, port.number, peer.device, peer.number, {1, LaneSpeed::ndr});
  }
  network = built(slower);
  ASSERT_EQ(network.degraded_links().size(), 1U);
  const PortId link = network.degraded_links()[0];
  EXPECT_LT(link, network.port(link).peer);
  EXPECT_EQ(to_string(network.port(link).rate), "1xNDR");
}

TEST(NetworkBuilder, BuildComparesRatesOnlyWithinAKindOfLink) {
  NetworkBuilder builder;
  const auto a = builder.add_router("A", 1, 8);
  const auto b = builder.add_router("B", 2, 8);
  plug(builder, a, 1, b, 1, {4, LaneSpeed::ndr});
  plug(builder, a, 2, b, 2, {4, LaneSpeed::ndr});
  plug(builder, a, 3, b, 3, {2, LaneSpeed::ndr});
  add_host(builder, "h", a, 4);  // 4xHDR, the only one of its kind
  const Network network = built(builder);
  ASSERT_EQ(network.degraded_links().size(), 1U);
  EXPECT_EQ(network.describe_link(network.degraded_links()[0]), "A port 3 -> B port 3");
}

/// Compares with a slow oracle: the set of pairs that were plugged.
TEST(NetworkBuilder, BuildKeepsEveryCable) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    NetworkBuilder builder;
    const auto routers = static_cast<NetworkBuilder::Handle>(1 + random.below(6));
    for (NetworkBuilder::Handle i = 0; i < routers; ++i) builder.add_router(fmt::format("R{}", i), 0x100U + i, 8);
    std::map<std::pair<DeviceId, int>, std::pair<DeviceId, int>> plugged;
    for (int attempt = 0; attempt < 20; ++attempt) {
      const std::pair a(static_cast<DeviceId>(random.below(routers)), static_cast<int>(1 + random.below(8)));
      const std::pair b(static_cast<DeviceId>(random.below(routers)), static_cast<int>(1 + random.below(8)));
      if (a == b || plugged.contains(a) || plugged.contains(b)) continue;
      plug(builder, a.first, a.second, b.first, b.second);
      plugged[a] = b;
      plugged[b] = a;
    }
    const Network network = built(builder);
    EXPECT_EQ(network.link_count(), plugged.size() / 2) << "seed " << seed;
    for (PortId id = 0; id < network.port_count(); ++id) {
      const Port& port = network.port(id);
      const auto expected = plugged.find({port.device, port.number});
      ASSERT_EQ(port.connected(), expected != plugged.end()) << "seed " << seed;
      if (!port.connected()) continue;
      const Port& peer = network.port(port.peer);
      EXPECT_EQ(std::pair(peer.device, int{peer.number}), expected->second) << "seed " << seed;
      EXPECT_EQ(peer.peer, id) << "seed " << seed;
    }
  }
}

TEST(NetworkBuilder, SetDirectRequiresOneNicPerRouter) {
  NetworkBuilder builder;
  builder.set_direct();
  const auto router = builder.add_router("R", 0x1000, 3);
  add_host(builder, "a", router, 1);
  add_host(builder, "b", router, 2);
  const auto network = builder.build();
  ASSERT_FALSE(network);
  EXPECT_EQ(network.error().message, "'R' breaks a direct network: it needs one cable between its NIC and its router");
  EXPECT_TRUE(opened("torus:2x3").direct());
  EXPECT_FALSE(opened("torus:2x3,hosts=2").direct());
  EXPECT_FALSE(opened("fattree:K=2").direct());
}

TEST(ParseLinkRate, ReadsRatesWithoutLanesAndRefusesOtherText) {
  EXPECT_EQ(parse_link_rate("25Gbit/s")->bytes_per_second(), 3.125e9);
  EXPECT_EQ(parse_link_rate("1716MB/s")->bytes_per_second(), 1.716e9);
  EXPECT_EQ(to_string(*parse_link_rate("5GB/s")), "40Gbit/s");
  EXPECT_EQ(to_string(*parse_link_rate("2500Mbit/s")), "2500Mbit/s");
  for (const char* word : {"", "Gbit/s", "0Gbit/s", "-1Gbit/s", "1.5GB/s", "5000000Gbit/s", "9999999999MB/s", "7"}) {
    EXPECT_FALSE(parse_link_rate(word)) << word;
  }
}

}  // namespace
}  // namespace ayatori
