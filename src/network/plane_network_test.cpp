#include "ayatori/network/plane_network.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "ayatori/cluster/cluster.hpp"
#include "ayatori/network/shape.hpp"
#include "ayatori/sources/source.hpp"

namespace ayatori {
namespace {

/// By its names and rates: "a port 1 - b port 2 at 1Gbit/s", both ways.
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

}  // namespace
}  // namespace ayatori
