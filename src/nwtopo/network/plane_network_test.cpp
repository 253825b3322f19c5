#include "ayatori/network/plane_network.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>
#include <vector>

#include "ayatori/cluster/cluster.hpp"
#include "ayatori/network/builder.hpp"
#include "ayatori/network/host_aliases.hpp"
#include "ayatori/network/shape.hpp"
#include "ayatori/sources/source.hpp"

namespace ayatori {
namespace {

/// By its names and rates: "a port 1 - b port 2 at 1Gbit/s", both directions.
std::multiset<std::string> cables(const Network& network, PlaneId plane) {
  std::multiset<std::string> found;
  for (PortId id = 0; id < network.port_count(); ++id) {
    const Port& port = network.port(id);
    if (!port.connected() || network.device(port.device).plane != plane) continue;
    const MachineId machine = network.device(port.device).machine;
    const std::string owner = machine == no_id ? "" : network.machine(machine).name;
    found.insert(owner + network.describe_link(id) + to_string(port.rate) + std::to_string(port.latency));
  }
  return found;
}

TEST(NetworkOfPlane, HasTheCablesAndMachinesOfThatPlaneAlone) {
  const auto network = parse_cluster(R"(
[planes.gbe]
rate = "1Gbit/s"
latency = "10us"
[planes.ib]
rate = "4xSDR"
[[switches]]
name = "core"
plane = "gbe"
[[switches]]
name = "fast"
plane = "ib"
[[chassis]]
name = "c[1-3]"
bus = { plane = "gbe" }
links = [{ to = "core", cables = 2 }]
[[chassis.blades]]
name = "b[1-3]"
[[chassis.blades]]
name = "g"
links = [{ to = "fast" }]
)",
                                     "t");
  ASSERT_TRUE(network) << network.error().message;
  for (PlaneId plane = 0; plane < 2; ++plane) {
    const auto alone = network_of_plane(*network, plane);
    ASSERT_TRUE(alone) << alone.error().message;
    EXPECT_EQ(alone->planes().size(), 1U);
    EXPECT_EQ(alone->planes()[0].name, network->planes()[plane].name);
    EXPECT_EQ(cables(*alone, 0), cables(*network, plane));
    EXPECT_EQ(alone->machines().size(), plane == 0 ? 12U : 3U);
    EXPECT_EQ(alone->router_count(), plane == 0 ? 4U : 1U);
  }
  EXPECT_FALSE(network_of_plane(*network, 2));
}

TEST(NetworkOfPlane, OfTheOnlyPlaneIsTheNetwork) {
  for (const char* source : {"fattree:K=4,levels=3", "torus:3x4", "dragonfly:a=4,h=2,p=2", "full:5"}) {
    const auto network = open_source(source);
    ASSERT_TRUE(network) << source;
    const auto alone = network_of_plane(*network, 0);
    ASSERT_TRUE(alone) << source << ": " << alone.error().message;
    EXPECT_EQ(cables(*alone, 0), cables(*network, 0)) << source;
    EXPECT_EQ(recognise(*alone).summary, recognise(*network).summary) << source;
  }
}

TEST(NetworkFor, KeepsRailsWarningsAndBackgroundOfThePlanesThatAreLeft) {
  NetworkBuilder builder;
  std::vector<NetworkBuilder::Handle> nics;
  for (std::uint16_t rail = 0; rail < 3; ++rail) {
    const std::array one = {rail == 0 ? Purpose::collectives : Purpose::neighbours};
    builder.begin_plane("p" + std::to_string(rail), PlaneUse::only(one));
    const auto router = builder.add_router("r", 0, 4);
    for (std::uint16_t host = 0; host < 2; ++host) {
      nics.push_back(builder.add_nic("n", 0, 1, "h" + std::to_string(host), rail));
      ASSERT_TRUE(builder.connect(nics.back(), 1, router, static_cast<PortNumber>(host + 1), {}));
    }
  }
  for (std::size_t i = 0; i < nics.size(); i += 2) {
    builder.add_background(nics[i], 1, nics[i + 1], 1, {0, LaneSpeed::unknown, 100});
  }
  builder.add_warning("half of it");
  const auto whole = builder.build();
  ASSERT_TRUE(whole) << whole.error().message;
  const auto left = network_for(*whole, Purpose::neighbours);
  ASSERT_TRUE(left) << left.error().message;
  ASSERT_EQ(left->planes().size(), 2U);
  EXPECT_EQ(left->planes()[0].name, "p1");
  EXPECT_FALSE(left->planes()[0].use.carries(Purpose::collectives));
  EXPECT_EQ(left->machines().size(), 2U);
  EXPECT_EQ(left->device(left->port(left->machine(0).endpoints[1]).device).rail, 2U);
  EXPECT_EQ(left->warnings().size(), 1U);
  ASSERT_EQ(left->background().size(), 2U);
  EXPECT_EQ(left->device(left->port(left->background()[1].from).device).plane, 1U);
  EXPECT_EQ(network_for(*whole, Purpose::sockets)->planes().size(), 3U);
  const auto none = network_for(*whole, Purpose::storage);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "no plane is for storage");
}

TEST(NetworkFor, KeepsAliasesOfHostsThatAreStillThere) {
  NetworkBuilder builder;
  for (const Purpose purpose : {Purpose::collectives, Purpose::storage}) {
    const std::array<Purpose, 1> one = {purpose};
    builder.begin_plane("p", PlaneUse::only(one));
    const auto leaf = builder.add_router("leaf", 0, 2);
    ASSERT_TRUE(builder.connect(builder.add_nic("nic", 0, 1, "both", 0), 1, leaf, 1, {}));
    const auto* const own = purpose == Purpose::storage ? "store" : "compute";
    ASSERT_TRUE(builder.connect(builder.add_nic("nic", 0, 1, own, 0), 1, leaf, 2, {}));
  }
  const auto whole = with_aliases(builder.build().value(), "store s\ncompute c\nboth b\n", "A");
  ASSERT_TRUE(whole);
  const auto storage = network_for(*whole, Purpose::storage);
  ASSERT_TRUE(storage);
  std::vector<std::string> found;
  for (const auto& [name, machine] : storage->aliases()) found.push_back(name + " " + storage->machine(machine).name);
  EXPECT_EQ(found, (std::vector<std::string>{"s store", "b both"}));
}

TEST(PlaneUse, OnlyBitsThatAPlaneCanHaveAreOne) {
  int valid = 0;
  for (unsigned bits = 0; bits < 256; ++bits) {
    const auto use = PlaneUse::from_bits(static_cast<std::uint8_t>(bits));
    if (!use) continue;
    ++valid;
    EXPECT_EQ(use->bits(), bits);
    EXPECT_EQ(use->fibre_channel() ? PlaneUse::of_fibre_channel() : PlaneUse::only(use->purposes()), *use);
  }
  EXPECT_EQ(valid, 9) << "each set of three purposes, and Fibre Channel";
  for (const auto& [word, purpose] : named_purposes) EXPECT_FALSE(PlaneUse::of_management().carries(purpose)) << word;
  EXPECT_TRUE(PlaneUse::of_management().carries(Purpose::sockets));
}

}  // namespace
}  // namespace ayatori
