#include "ayatori/routing/check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>

#include "ayatori/routing/generate.hpp"
#include "fabric_fixtures.hpp"

namespace ayatori {
namespace {

using test::Blueprint;

Routes generated(const Network& network, int lmc) {
  auto result = generate_routes(network, lmc);
  EXPECT_TRUE(result) << result.error().message;
  return std::move(result->routes);
}

/// The same check in the simplest way: each packet by itself, dependencies in a set.
class NaiveCheck {
 public:
  NaiveCheck(const Network& network, const Routes& routes) : network_(network), routes_(routes) {
    for (std::uint32_t lid = 1; lid <= routes.lids.last(); ++lid) {
      if (routes.lids.owner(static_cast<Lid>(lid)) == no_id) continue;
      for (DeviceId router = 0; router < network.router_count(); ++router) send(router, static_cast<Lid>(lid));
    }
    deadlock_free = !has_cycle();
    count_paths();
    find_idle_links();
  }

  std::uint64_t unreachable = 0;
  std::uint64_t looping = 0;
  std::uint32_t longest = 0;
  bool deadlock_free = true;
  DistinctPaths paths;
  std::set<PortId> idle_links;

 private:
  void send(DeviceId start, Lid lid) {
    std::vector<PortId> links;
    const PortId goal = routes_.lids.owner(lid);
    DeviceId here = start;
    bool arrived = false;
    for (;;) {
      if (links.size() > network_.router_count()) {
        ++looping;
        break;
      }
      const PortNumber out = lid <= routes_.tables.last_lid() ? routes_.tables.out(here, lid) : 255;
      if (out == 0) arrived = network_.port_id(here, 0) == goal;
      if (out == 0 || out > network_.device(here).port_count) break;
      const PortId arrival = network_.port(network_.port_id(here, out)).peer;
      if (arrival == no_id) break;
      links.push_back(network_.port_id(here, out));
      here = network_.port(arrival).device;
      arrived = arrival == goal;
      if (!network_.is_router(here)) break;
    }
    if (!arrived) ++unreachable;
    note(start, goal, arrived, links);
    note_use(start, lid, arrived, links);
  }

  std::uint64_t nics_of(DeviceId router) const {
    return static_cast<std::uint64_t>(std::ranges::count_if(network_.ports(router), [&](const Port& port) {
      return port.connected() && network_.device(network_.port(port.peer).device).kind == DeviceKind::nic;
    }));
  }

  void note_use(DeviceId start, Lid lid, bool arrived, std::vector<PortId> links) {
    const PortId goal = routes_.lids.owner(lid);
    if (network_.device(network_.port(goal).device).kind != DeviceKind::nic || nics_of(start) == 0) return;
    for (const PortId link : links) {
      if (network_.is_router(network_.port(network_.port(link).peer).device)) lids_over_[link].insert(lid);
    }
    if (arrived && start != network_.router_of(goal)) paths_of_[{start, goal}].insert(std::move(links));
  }

  void count_paths() {
    for (const auto& [pair, links] : paths_of_) {
      if (routes_.lids.of(pair.second).count() == 1) continue;
      for (std::uint64_t i = 0; i < nics_of(pair.first); ++i) {
        const auto count = static_cast<std::uint32_t>(links.size());
        paths.min = paths.pairs == 0 ? count : std::min(paths.min, count);
        paths.max = std::max(paths.max, count);
        paths.sum += count;
        ++paths.pairs;
      }
    }
  }

  const std::map<DeviceId, int>& hops_to(DeviceId goal) {
    auto& hops = hops_to_[goal];
    if (!hops.empty()) return hops;
    hops = {{goal, 0}};
    for (int round = 0; round < static_cast<int>(network_.router_count()); ++round) {
      for (DeviceId router = 0; router < network_.router_count(); ++router) {
        for (const Port& port : network_.ports(router)) {
          if (!port.connected()) continue;
          const auto next = hops.find(network_.port(port.peer).device);
          if (next != hops.end() && next->second == round) hops.emplace(router, round + 1);
        }
      }
    }
    return hops;
  }

  void find_idle_links() {
    for (const auto& [busy, lids] : lids_over_) {
      if (lids.size() < 2) continue;
      const DeviceId router = network_.port(busy).device;
      for (const Lid lid : lids) {
        const DeviceId goal = network_.router_of(routes_.lids.owner(lid));
        const auto& hops = hops_to(goal);
        for (const Port& port : network_.ports(router)) {
          if (!port.connected() || !network_.is_router(network_.port(port.peer).device)) continue;
          const PortId idle = network_.port_id(router, port.number);
          const auto next = hops.find(network_.port(port.peer).device);
          const auto here = hops.find(router);
          if (next == hops.end() || here == hops.end() || next->second + 1 != here->second) continue;
          if (!lids_over_.contains(idle)) idle_links.insert(idle);
        }
      }
    }
  }

  void note(DeviceId start, PortId goal, bool arrived, const std::vector<PortId>& links) {
    bool from_adapter = false;
    bool from_other_nic = false;
    for (const Port& port : network_.ports(start)) {
      if (!port.connected() || network_.is_router(network_.port(port.peer).device)) continue;
      from_adapter = true;
      from_other_nic |= port.peer != goal && network_.device(network_.port(port.peer).device).kind == DeviceKind::nic;
    }
    const bool to_nic = network_.device(network_.port(goal).device).kind == DeviceKind::nic;
    if (arrived && to_nic && from_other_nic) longest = std::max(longest, static_cast<std::uint32_t>(links.size()) + 1);
    if (!from_adapter) return;
    for (std::size_t i = 1; i < links.size(); ++i) {
      if (network_.is_router(network_.port(network_.port(links[i]).peer).device)) waits_[links[i - 1]].insert(links[i]);
    }
  }

  bool has_cycle() const {
    std::map<PortId, int> state;  // 1: on the way, 2: done
    std::function<bool(PortId)> visit = [&](PortId link) {
      if (state[link] != 0) return state[link] == 1;
      state[link] = 1;
      if (const auto next = waits_.find(link); next != waits_.end()) {
        for (const PortId other : next->second) {
          if (visit(other)) return true;
        }
      }
      state[link] = 2;
      return false;
    };
    for (const auto& [link, next] : waits_) {
      if (visit(link)) return true;
    }
    return false;
  }

  const Network& network_;
  const Routes& routes_;
  std::map<PortId, std::set<PortId>> waits_;
  std::map<DeviceId, std::map<DeviceId, int>> hops_to_;
  std::map<PortId, std::set<Lid>> lids_over_;                                      // of NICs, from NICs
  std::map<std::pair<DeviceId, PortId>, std::set<std::vector<PortId>>> paths_of_;  // by router and port of a NIC
};

void expect_same(const Network& network, const Routes& routes) {
  const NaiveCheck naive(network, routes);
  const TableCheck check = check_tables(network, routes);
  EXPECT_EQ(check.unreachable, naive.unreachable);
  EXPECT_EQ(check.looping, naive.looping);
  EXPECT_EQ(check.longest, naive.longest);
  EXPECT_EQ(check.deadlock_free, naive.deadlock_free);
  EXPECT_EQ(check.paths.min, naive.paths.min);
  EXPECT_EQ(check.paths.max, naive.paths.max);
  EXPECT_EQ(check.paths.sum, naive.paths.sum);
  EXPECT_EQ(check.paths.pairs, naive.paths.pairs);
  EXPECT_TRUE(std::ranges::equal(check.idle_links, naive.idle_links));
  EXPECT_EQ(check.cycle.empty(), check.deadlock_free);
  EXPECT_EQ(check.problems.empty(), check.unreachable == check.unrouted_router_lids);
  for (std::size_t i = 0; i < check.cycle.size(); ++i) {
    const PortId next = check.cycle[(i + 1) % check.cycle.size()];
    EXPECT_EQ(network.port(network.port(check.cycle[i]).peer).device, network.port(next).device);
  }
}

void corrupt(const Network& network, Routes& routes, Random& random) {
  for (std::uint64_t entries = 1 + random.below(20); entries > 0; --entries) {
    const auto router = static_cast<DeviceId>(random.below(network.router_count()));
    const auto lid = static_cast<Lid>(random.below(std::uint64_t{routes.tables.last_lid()} + 1));
    const auto any = static_cast<PortNumber>(random.below(256));
    const auto existing = static_cast<PortNumber>(random.below(std::uint64_t{network.device(router).port_count} + 1));
    routes.tables.set_out(router, lid, random.below(4) == 0 ? any : existing);
  }
}

TEST(CheckTables, AgreesWithTheNaiveCheck) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const Network network =
        (seed % 2 == 0 ? test::random_tree(2 + seed % 3, random) : test::random_graph(random)).build();
    Routes routes = generated(network, static_cast<int>(seed % 3));
    expect_same(network, routes);
    for (int round = 0; round < 3; ++round) {
      corrupt(network, routes, random);
      expect_same(network, routes);
    }
    if (HasFailure()) return;
  }
}

TEST(CheckTables, AgreesWithTheNaiveCheckOnRandomTables) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const Network network = test::random_graph(random).build();
    Routes routes{LidMap::assign(network, 1).value(), ForwardingTables(network.router_count(), 40)};
    for (DeviceId router = 0; router < network.router_count(); ++router) {
      for (TablePort& out : routes.tables.row(router)) {
        out = static_cast<TablePort>(random.below(std::uint64_t{network.device(router).port_count} + 2));
      }
    }
    expect_same(network, routes);
  }
}

TEST(CheckTables, FindsNoProblemInAPerfectTree) {
  const Network network = test::open("fattree:K=4,levels=3");
  const TableCheck check = check_tables(network, generated(network, 0));
  EXPECT_TRUE(check.ok());
  EXPECT_TRUE(check.problems.empty());
  EXPECT_EQ(check.longest, 6U);
  ASSERT_EQ(check.balance.size(), 4U);
  EXPECT_EQ(check.balance[0].kind, "up 0->1");
  EXPECT_EQ(check.balance[1].kind, "down 1->0");
  EXPECT_EQ(check.balance[2].kind, "up 1->2");
  EXPECT_EQ(check.balance[3].kind, "down 2->1");
  for (const LinkBalance& balance : check.balance) EXPECT_EQ(balance.min, balance.max) << balance.kind;
}

TEST(CheckTables, CountsPathsThatDiffer) {
  const Network network = test::open("xgft:h=2;m=3,4;w=1,3;p=1,1");
  const auto distinct = check_tables(network, generated(network, 2)).paths;
  EXPECT_EQ(distinct.min, 3U);  // of 4 LIDs, since there are 3 roots
  EXPECT_EQ(distinct.max, 3U);
  EXPECT_EQ(distinct.pairs, 12U * 9);
  EXPECT_EQ(check_tables(network, generated(network, 0)).paths.pairs, 0U);
}

TEST(CheckTables, FindsLinksThatTablesLeaveIdle) {
  const Network network = test::open("xgft:h=2;m=3,4;w=1,3;p=1,1");
  Routes routes = generated(network, 0);
  EXPECT_TRUE(check_tables(network, routes).idle_links.empty());
  const DeviceId leaf = network.router_of(network.endpoints()[0]);
  const TablePort up = routes.tables.out(leaf, routes.lids.of(network.endpoints()[3]).base);
  for (std::size_t i = 3; i < 12; ++i) routes.tables.set_out(leaf, routes.lids.of(network.endpoints()[i]).base, up);
  EXPECT_EQ(check_tables(network, routes).idle_links.size(), 2U);
}

TEST(CheckTables, CountsLinksWithoutLevelsTogether) {
  const Network network = test::open("torus:4x4");
  const TableCheck check = check_tables(network, generated(network, 0));
  ASSERT_EQ(check.balance.size(), 1U);
  EXPECT_EQ(check.balance[0].kind, "links");
  EXPECT_EQ(check.balance[0].links, 64U);
}

/// Two leaves and a root; routers 0, 1, 2, hosts on the leaves.
class CheckTablesOfASmallTree : public testing::Test {
 protected:
  Network network_ = Blueprint{3, {{0, 2}, {1, 2}}, {0, 1}, {}}.build();
  Routes routes_ = generated(network_, 0);
  Lid lid_of_second_ = routes_.lids.of(network_.endpoints()[1]).base;

  std::string problem_with(DeviceId router, PortNumber out) {
    routes_.tables.set_out(router, lid_of_second_, out);
    const TableCheck check = check_tables(network_, routes_);
    EXPECT_FALSE(check.ok());
    return check.problems.empty() ? "" : check.problems.front();
  }
};

TEST_F(CheckTablesOfASmallTree, NamesADrop) {
  EXPECT_EQ(problem_with(2, ForwardingTables::no_port), "'R2' has no entry for LID 0x0002 ('mlx5_0' port 1)");
}
TEST_F(CheckTablesOfASmallTree, NamesAPortThatDoesNotExist) {
  EXPECT_EQ(problem_with(2, 77), "'R2' sends LID 0x0002 ('mlx5_0' port 1) to port 77, but its ports are 1 to 3");
}
TEST_F(CheckTablesOfASmallTree, NamesAPortWithoutCable) {
  EXPECT_EQ(problem_with(2, 3), "'R2' sends LID 0x0002 ('mlx5_0' port 1) to port 3, which has no cable");
}
TEST_F(CheckTablesOfASmallTree, NamesAWrongNeighbour) {
  EXPECT_EQ(problem_with(0, 1), "'R0' sends LID 0x0002 ('mlx5_0' port 1) to port 1, where 'mlx5_0' port 1 is");
}
TEST_F(CheckTablesOfASmallTree, NamesARouterThatKeepsForeignPackets) {
  EXPECT_EQ(problem_with(0, 0), "'R0' takes LID 0x0002 ('mlx5_0' port 1) for its own");
}
TEST_F(CheckTablesOfASmallTree, NamesALoop) {
  EXPECT_EQ(problem_with(2, 1), "LID 0x0002 ('mlx5_0' port 1) goes round: R0 -> R2 -> R0");
  const TableCheck check = check_tables(network_, routes_);
  EXPECT_EQ(check.looping, 2U);
  EXPECT_FALSE(check.deadlock_free);
}

TEST(CheckTables, FindsTheDeadlockOfARing) {
  // Four routers in a ring that send everything clockwise: the textbook's cycle (Dally and Seitz, 1987, figure 2).
  const Network network = Blueprint{4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}, {0, 1, 2, 3}, {}}.build();
  Routes routes = generated(network, 0);
  for (DeviceId router = 0; router < 4; ++router) {
    const PortNumber clockwise = router == 0 ? 2 : 3;  // ports follow the list of cables
    for (const LidRange& range : routes.lids.ranges()) {
      const Port& owner = network.port(range.port);
      const DeviceId goal = network.is_router(owner.device) ? owner.device : network.router_of(range.port);
      if (goal != router) routes.tables.set_out(router, range.base, clockwise);
    }
  }
  const TableCheck check = check_tables(network, routes);
  EXPECT_EQ(check.unreachable, 0U);
  EXPECT_FALSE(check.deadlock_free);
  EXPECT_EQ(check.cycle.size(), 4U);
}

TEST(CheckTables, UnroutedLidsOfRoutersMakeNoTableBad) {
  const Network network = test::open("fattree:K=2,levels=2");
  Routes routes = generated(network, 0);
  const PortId own = network.port_id(0, 0);
  std::uint64_t taken_out = 0;
  for (DeviceId router = 1; router < network.router_count(); ++router) {
    routes.tables.set_out(router, routes.lids.of(own).base, ForwardingTables::no_port);
    ++taken_out;
  }
  const TableCheck without = check_tables(network, routes);
  EXPECT_EQ(without.unreachable, taken_out);
  EXPECT_EQ(without.unrouted_router_lids, taken_out);
  EXPECT_TRUE(without.ok());
  EXPECT_TRUE(without.problems.empty());
  routes.tables.set_out(1, routes.lids.of(network.endpoints()[0]).base, ForwardingTables::no_port);
  const TableCheck with_a_hole = check_tables(network, routes);
  EXPECT_GT(with_a_hole.unreachable, with_a_hole.unrouted_router_lids);
  EXPECT_FALSE(with_a_hole.ok());
  EXPECT_FALSE(with_a_hole.problems.empty());
}

/// The LIDs of all ports but those that `left_out` names.
LidMap lids_without(const Network& network, const LidMap& lids, const std::set<PortId>& left_out) {
  std::vector<LidRange> ranges;
  std::ranges::copy_if(lids.ranges(), std::back_inserter(ranges),
                       [&](const LidRange& range) { return !left_out.contains(range.port); });
  return LidMap::from_ranges(network, std::move(ranges)).value();
}

TEST_F(CheckTablesOfASmallTree, NamesAHostWithoutALid) {
  const PortId second = network_.endpoints()[1];
  routes_.lids = lids_without(network_, routes_.lids, {second});
  const TableCheck check = check_tables(network_, routes_);
  EXPECT_FALSE(check.ok());
  EXPECT_EQ(check.unreachable, 0U);
  EXPECT_EQ(check.ports_without_lids, 1U);
  ASSERT_EQ(check.problems.size(), 1U);
  EXPECT_EQ(check.problems[0], "'mlx5_0' port 1 of 'N1' has a cable, but no LID in these tables");
}

TEST(CheckTables, CountsAdaptersThatOwnNoLid) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const Network network = test::random_graph(random).build();
    Routes routes = generated(network, static_cast<int>(seed % 3));
    std::set<PortId> left_out;
    for (const LidRange& range : routes.lids.ranges()) {
      if (random.below(4) == 0) left_out.insert(range.port);
    }
    routes.lids = lids_without(network, routes.lids, left_out);
    std::uint64_t adapters = 0;
    for (const PortId port : left_out) adapters += network.is_router(network.port(port).device) ? 0 : 1;
    const TableCheck check = check_tables(network, routes);
    EXPECT_EQ(check.ports_without_lids, adapters);
    EXPECT_EQ(check.ok(), adapters == 0);
    EXPECT_EQ(check.problems.size(), std::min<std::uint64_t>(10, adapters));
  }
}

TEST(CheckTables, APortThatIsCabledToAnotherAdapterNeedsNoLid) {
  NetworkBuilder builder;
  const auto router = builder.add_router("R", 0x1000, 2);
  const LinkRate rate{4, LaneSpeed::hdr};
  const auto a = builder.add_nic("a", 0x2000, 2, "A", 0);
  const auto b = builder.add_nic("b", 0x3000, 2, "B", 0);
  EXPECT_TRUE(builder.connect(a, 1, router, 1, rate));
  EXPECT_TRUE(builder.connect(b, 1, router, 2, rate));
  EXPECT_TRUE(builder.connect(a, 2, b, 2, rate));
  auto network = builder.build();
  ASSERT_TRUE(network) << network.error().message;
  Routes routes{LidMap::from_ranges(*network, {{network->port_id(1, 1), 1, 0}, {network->port_id(2, 1), 2, 0}}).value(),
                ForwardingTables(1, 2)};
  routes.tables.set_out(0, 1, 1);
  routes.tables.set_out(0, 2, 2);
  EXPECT_TRUE(check_tables(*network, routes).ok());
}

TEST(CheckTables, CountsLidsBeyondTheTablesAsUnreachable) {
  const Network network = test::open("fattree:K=2,levels=2");
  const TableCheck check = check_tables(network, {LidMap::assign(network, 0).value(), ForwardingTables(1, 3)});
  EXPECT_EQ(check.unreachable, (network.endpoints().size() + network.router_count()) * network.router_count());
  EXPECT_EQ(check.problems.size(), 10U);
}

}  // namespace
}  // namespace ayatori
