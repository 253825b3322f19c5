#include "ayatori/network/network.hpp"

#include <gtest/gtest.h>

#include "network_fixtures.hpp"

namespace ayatori {
namespace {

TEST(Network, PortsAndPortAgree) {
  const Network network = opened("fattree:K=3,levels=3,nodes=20");
  std::size_t slots = 0;
  for (DeviceId device = 0; device < network.device_count(); ++device) {
    slots += network.ports(device).size();
    for (const Port& port : network.ports(device)) {
      EXPECT_EQ(port.device, device);
      EXPECT_EQ(&network.port(network.port_id(device, port.number)), &port);
    }
  }
  EXPECT_EQ(slots, network.port_count());
}

TEST(Network, FindMachineAndFindGuidFindThem) {
  const Network network = opened("fattree:K=6,nodes=30");
  const auto machine = network.find_machine("N7");
  ASSERT_TRUE(machine);
  const PortId endpoint = network.machine(*machine).endpoints.front();
  const Port& port = network.port(endpoint);
  EXPECT_EQ(network.find_guid(port.guid), endpoint);
  EXPECT_EQ(network.find_guid(network.device(port.device).guid), endpoint);
  const DeviceId leaf = network.router_of(endpoint);
  EXPECT_EQ(network.name(leaf), "LS1");
  EXPECT_EQ(network.find_guid(network.device(leaf).guid), network.port_id(leaf, 0));
  EXPECT_FALSE(network.find_machine("N30"));
  EXPECT_FALSE(network.find_guid(0xdead));
}

TEST(Network, DescribeLinkNamesBothPorts) {
  const Network network = opened("fattree:K=6,nodes=30");
  const DeviceId leaf = device_named(network, "LS1").value();
  EXPECT_EQ(network.describe_link(network.port_id(leaf, 8)), "LS1 port 8 -> RS1 port 2");
  const DeviceId root = device_named(network, "RS0").value();
  EXPECT_EQ(network.describe_link(network.port_id(root, 12)), "RS0 port 12 (no cable)");
}

TEST(Network, LinkCountCountsALoopAsOneCable) {
  NetworkBuilder builder;
  const auto router = builder.add_router("R", 1, 4);
  plug(builder, router, 1, router, 2);
  EXPECT_EQ(built(builder).link_count(), 1U);
}

TEST(Network, HostsBackToBackHaveEndpointsButNoRouter) {
  NetworkBuilder builder;
  plug(builder, builder.add_nic("a HCA-1", 0x100, 1, "a", 0), 1, builder.add_nic("b HCA-1", 0x200, 1, "b", 0), 1);
  const Network network = built(builder);
  ASSERT_EQ(network.endpoints().size(), 2U);
  EXPECT_EQ(network.router_of(network.endpoints()[0]), no_id);
}

TEST(ParseLinkRate, ReadsWhatToStringWrites) {
  for (const char* text :
       {"1xSDR", "4xDDR", "4xQDR", "4xFDR10", "4xFDR", "4xEDR", "4xHDR", "2xNDR", "4xXDR", "12xQDR"}) {
    const auto rate = parse_link_rate(text);
    ASSERT_TRUE(rate) << text;
    EXPECT_EQ(to_string(*rate), text);
  }
  for (const char* text : {"", "x", "4x", "xHDR", "0xHDR", "4xhdr", "4HDR", "256xHDR", "4xHDR "}) {
    EXPECT_FALSE(parse_link_rate(text)) << text;
  }
  EXPECT_EQ(to_string(LinkRate{}), "?");
  EXPECT_DOUBLE_EQ((LinkRate{4, LaneSpeed::ddr}.bytes_per_second()), 2e9);
  EXPECT_DOUBLE_EQ((LinkRate{4, LaneSpeed::ndr}.bytes_per_second()), 5e10);
}

TEST(NetworkLabel, AddsGuidAndLidToNamesThatDevicesShare) {
  NetworkBuilder builder;
  const auto first = builder.add_router("SwitchIB Mellanox Technologies", 0x7cfe900300a5e3a0, 2);
  const auto second = builder.add_router("SwitchIB Mellanox Technologies", 0x7cfe900300a5e3b0, 2);
  const auto nic = builder.add_nic("h mlx5_0", 0x10, 1, "h", 0);
  builder.set_port(first, 0, 0, 12, 0);
  ASSERT_TRUE(builder.connect(first, 1, second, 1, {}));
  ASSERT_TRUE(builder.connect(nic, 1, first, 2, {}));
  const Network network = builder.build().value();
  EXPECT_EQ(network.label(0), "SwitchIB Mellanox Technologies (0x7cfe900300a5e3a0, LID 12)");
  EXPECT_EQ(network.label(1), "SwitchIB Mellanox Technologies (0x7cfe900300a5e3b0)");
  EXPECT_EQ(network.label(2), "h mlx5_0");
  EXPECT_EQ(network.describe_link(network.port_id(0, 1)),
            "SwitchIB Mellanox Technologies (0x7cfe900300a5e3a0, LID 12) port 1 -> "
            "SwitchIB Mellanox Technologies (0x7cfe900300a5e3b0) port 1");
}

TEST(NetworkWarnings, KeepTheOrderInWhichTheyWereAdded) {
  NetworkBuilder builder;
  builder.add_router("R", 1, 1);
  builder.add_warning("net:1: skipped");
  builder.add_warning("net:7: skipped");
  const Network network = builder.build().value();
  EXPECT_EQ(std::vector(network.warnings().begin(), network.warnings().end()),
            (std::vector<std::string>{"net:1: skipped", "net:7: skipped"}));
}

}  // namespace
}  // namespace ayatori
