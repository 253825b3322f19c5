#include "ayatori/synthetic/synthetic.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "ayatori/base/random.hpp"

namespace ayatori {
namespace {

Network made(Result<Network> opened) {
  if (!opened) throw std::runtime_error(opened.error().message);
  return std::move(*opened);
}

NodeId router_named(const Network& network, std::string_view name) {
  for (NodeId id = 0; id < network.router_count(); ++id) {
    if (network.name(id) == name) return id;
  }
  return no_id;
}

/// "RS3 port 1" behind a router's port.
std::string behind(const Network& network, std::string_view router, PortNumber number) {
  const Port& port = network.ports(router_named(network, router))[number];
  if (!port.connected()) return "nothing";
  const Port& peer = network.port(port.peer);
  return fmt::format("{} port {}", network.name(peer.node), peer.number);
}

std::size_t cabled_ports(const Network& network, NodeId node) {
  std::size_t count = 0;
  for (const Port& port : network.ports(node)) count += port.connected();
  return count;
}

TEST(FatTree, IsThePapersThirtyNodeCluster) {
  const Network network = made(open_fat_tree("K=6,levels=2,nodes=30"));
  EXPECT_EQ(network.machines().size(), 30U);
  EXPECT_EQ(network.router_count(), 5U + 6U);
  EXPECT_EQ(network.link_count(), 30U + 30U);
  for (NodeId router = 0; router < network.router_count(); ++router) EXPECT_EQ(network.node(router).port_count, 12);
  EXPECT_EQ(behind(network, "LS1", 1), "N6 HCA-1 port 1");
  EXPECT_EQ(behind(network, "LS1", 7), "RS0 port 2");
  EXPECT_EQ(behind(network, "LS1", 12), "RS5 port 2");
  EXPECT_EQ(behind(network, "RS2", 5), "LS4 port 9");
  EXPECT_EQ(behind(network, "RS2", 6), "nothing");
}

TEST(FatTree, ListsItsHostsInNetworkOrder) {
  const Network network = made(open_fat_tree("K=6,nodes=30"));
  for (std::size_t i = 0; i < 30; ++i) {
    EXPECT_EQ(network.machine(network.machines_in_order()[i]).name, fmt::format("N{}", i));
  }
}

TEST(FatTree, OfThreeLevelsHasPods) {
  const Network network = made(open_fat_tree("K=3,levels=3"));
  EXPECT_EQ(network.machines().size(), 54U);
  EXPECT_EQ(network.router_count(), 18U + 18U + 9U);
  EXPECT_EQ(behind(network, "LS4", 5), "MS4 port 2");   // pod 1, its leaf 1, middle router 1
  EXPECT_EQ(behind(network, "MS4", 6), "RS5 port 2");   // middle router 1 has the roots 3, 4 and 5
  EXPECT_EQ(behind(network, "RS8", 6), "MS17 port 6");  // pod 5
}

TEST(FatTree, LeavesOutEmptyLeavesAndPodsButNoRoot) {
  const Network network = made(open_fat_tree("K=3,levels=3,nodes=10"));
  EXPECT_EQ(network.machines().size(), 10U);
  EXPECT_EQ(network.router_count(), 4U + 6U + 9U);  // LS3 has one host and stands in a second pod
  EXPECT_EQ(cabled_ports(network, router_named(network, "LS3")), 1U + 3U);
  EXPECT_EQ(cabled_ports(network, router_named(network, "RS0")), 2U);
}

TEST(FatTree, OfOneLevelIsOneRouter) {
  const Network network = made(open_fat_tree("K=4,levels=1"));
  EXPECT_EQ(network.router_count(), 1U);
  EXPECT_EQ(network.machines().size(), 8U);
}

TEST(FatTree, HasTheSizesOfTheLiterature) {
  for (const auto& [formula, hosts, routers] :
       {std::tuple("K=18,levels=2", 648U, 54U), std::tuple("K=18,levels=3", 11664U, 1620U),
        std::tuple("K=2,levels=4", 32U, 56U)}) {
    const Network network = made(open_fat_tree(formula));
    EXPECT_EQ(network.machines().size(), hosts) << formula;
    EXPECT_EQ(network.router_count(), routers) << formula;
  }
}

TEST(Guids, AreDistinctAndRoomy) {
  const Network network = made(open_xgft("m=2,3;w=2,2;p=2,1"));
  std::set<Guid> seen;
  for (NodeId node = 0; node < network.node_count(); ++node) {
    const bool router = network.is_router(node);
    EXPECT_EQ(network.node(node).guid >> 48, router ? 0x0020U : 0x0010U);
    EXPECT_TRUE(seen.insert(network.node(node).guid).second);
    if (router) continue;
    for (const Port& port : network.ports(node).subspan(1)) {
      EXPECT_EQ(port.guid, network.node(node).guid + port.number);
      EXPECT_TRUE(seen.insert(port.guid).second);
    }
  }
}

}  // namespace
}  // namespace ayatori
