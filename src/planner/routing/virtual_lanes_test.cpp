#include "ayatori/routing/virtual_lanes.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

#include "ayatori/routing/check.hpp"
#include "ayatori/routing/generate.hpp"
#include "fabric_fixtures.hpp"

namespace ayatori::virtual_lanes_test {
namespace {

/// A ring of routers with a host each, always routed clockwise: a cycle on one VL.
struct Ring {
  explicit Ring(DeviceId size) : network(blueprint(size).build()) {
    routes.lids = LidMap::assign(network, 0).value();
    routes.tables = ForwardingTables(network.router_count(), routes.lids.last());
    for (const PortId host : network.endpoints()) {
      const Lid lid = routes.lids.of(host).base;
      for (DeviceId router = 0; router < size; ++router) {
        const DeviceId towards = router == network.router_of(host) ? no_id : (router + 1) % size;
        for (const Port& port : network.ports(router)) {
          if (!port.connected()) continue;
          const DeviceId other = network.port(port.peer).device;
          if (other == towards || port.peer == host) routes.tables.set_out(router, lid, port.number);
        }
      }
    }
  }

  static test::Blueprint blueprint(DeviceId size) {
    test::Blueprint made{.routers = size, .cables = {}, .hosts = {}, .aggregation_nodes = {}};
    for (DeviceId router = 0; router < size; ++router) {
      made.cables.emplace_back(router, (router + 1) % size);
      made.hosts.push_back(router);
    }
    return made;
  }

  /// SL 1 for paths over the cable from the last router to the first, as a dateline has it; SL 0 for the others.
  [[nodiscard]] PathServiceLevels datelines() const {
    PathServiceLevels levels;
    for (const PortId from : network.endpoints()) {
      for (const PortId to : network.endpoints()) {
        if (from == to) continue;
        const bool wraps = network.router_of(from) > network.router_of(to);
        levels.set(from, routes.lids.of(to).base, wraps ? 1 : 0);
      }
    }
    return levels;
  }

  Network network;
  Routes routes;
};

TEST(CheckLanes, WithoutServiceLevelsItIsTheCheckOfOneLane) {
  const Ring ring(5);
  const LaneCheck check = check_lanes(ring.network, ring.routes, nullptr, nullptr);
  EXPECT_FALSE(check.deadlock_free);
  EXPECT_FALSE(check.deadlock_free_at_sl_0);
  EXPECT_FALSE(check_tables(ring.network, ring.routes).deadlock_free);
  EXPECT_EQ(check.cycle.size(), 5U);
  EXPECT_EQ(check.paths, 20U);
  EXPECT_EQ(check.paths_without_sl, 0U);
  ASSERT_EQ(check.lanes.size(), 1U);
  EXPECT_FALSE(check.lanes[0].deadlock_free);
  EXPECT_EQ(check.lanes[0].links, 5U);
}

/// Paths over the dateline have VL 1 from there on: on one VL they would wait for each other around the ring.
SlToVl dateline_mapping(const Ring& ring, DeviceId size) {
  SlToVl mapping(ring.network);
  for (DeviceId router = 0; router < size; ++router) {
    for (PortNumber in = 0; in <= ring.network.device(router).port_count; ++in) {
      for (PortNumber out = 0; out <= ring.network.device(router).port_count; ++out) {
        SlToVl::Lanes lanes{};
        // From the last router on a wrapping path has VL 1; before that it is on VL 0 with the others.
        const Port& port = ring.network.port(ring.network.port_id(router, in));
        const bool comes_from_host = port.connected() && !ring.network.is_router(ring.network.port(port.peer).device);
        const bool behind = router == size - 1 || (!comes_from_host && router == 0);
        lanes[1] = behind ? 1 : 0;
        mapping.set(ring.network, router, in, out, lanes);
      }
    }
  }
  return mapping;
}

TEST(CheckLanes, TwoLanesBreakARing) {
  const DeviceId size = 3;
  const Ring ring(size);
  const PathServiceLevels levels = ring.datelines();
  const SlToVl mapping = dateline_mapping(ring, size);
  const LaneCheck check = check_lanes(ring.network, ring.routes, &levels, &mapping);
  EXPECT_TRUE(check.deadlock_free);
  EXPECT_EQ(check.lanes.size(), 2U);
  EXPECT_FALSE(check.deadlock_free_at_sl_0) << "programs that never ask for a path are all on VL 0";
  EXPECT_EQ(check.cycle_at_sl_0.size(), 3U);
}

TEST(CheckLanes, PathsWithoutAnSlCountAtSlZero) {
  const Ring ring(4);
  PathServiceLevels levels;
  levels.set(ring.network.endpoints()[0], ring.routes.lids.of(ring.network.endpoints()[1]).base, 3);
  const LaneCheck check = check_lanes(ring.network, ring.routes, &levels, nullptr);
  EXPECT_EQ(check.paths, 12U);
  EXPECT_EQ(check.paths_without_sl, 11U);
  ASSERT_EQ(check.lanes.size(), 2U);
  EXPECT_EQ(check.lanes[1].vl, 3);
  EXPECT_TRUE(check.lanes[1].deadlock_free);
}

TEST(CheckLanes, RoutersDiscardWhatIsMappedToTheLaneOfManagement) {
  const Ring ring(3);
  SlToVl mapping(ring.network);
  SlToVl::Lanes lanes{};
  lanes.fill(15);
  for (DeviceId router = 0; router < 3; ++router) {
    for (PortNumber in = 1; in <= 3; ++in) {
      for (PortNumber out = 1; out <= 3; ++out) mapping.set(ring.network, router, in, out, lanes);
    }
  }
  const LaneCheck check = check_lanes(ring.network, ring.routes, nullptr, &mapping);
  EXPECT_GT(check.discarded, 0U);
  EXPECT_TRUE(check.lanes.empty());
}

/// Each path by itself, dependencies in a set.
bool has_cycle_one_by_one(const Network& network, const Routes& routes, const PathServiceLevels& levels,
                          const SlToVl& mapping) {
  using Vertex = std::pair<PortId, VirtualLane>;
  std::map<Vertex, std::set<Vertex>> waits;
  for (const PortId from : network.endpoints()) {
    for (const PortId to : network.endpoints()) {
      const Lid lid = routes.lids.of(to).base;
      if (from == to) continue;
      const ServiceLevel sl = levels.of(from, lid).value_or(0);
      // Packets in a loop go round: trace() gives up before they close it.
      std::vector<PortId> links{from};
      while (links.size() < 4 * network.router_count()) {
        const PortId arrival = network.port(links.back()).peer;
        if (arrival == no_id || arrival == to || !network.is_router(network.port(arrival).device)) break;
        const DeviceId here = network.port(arrival).device;
        const PortNumber out = routes.tables.out(here, lid);
        if (out == 0 || out > network.device(here).port_count) break;
        links.push_back(network.port_id(here, out));
      }
      std::optional<Vertex> held;
      for (std::size_t i = 1; i < links.size(); ++i) {
        const Port& out = network.port(links[i]);
        if (!out.connected() || !network.is_router(network.port(out.peer).device)) break;
        const PortNumber in = network.port(network.port(links[i - 1]).peer).number;
        const Vertex wanted{links[i], mapping.of(out.device, in, out.number, sl).value()};
        if (held) waits[*held].insert(wanted);
        held = wanted;
      }
    }
  }
  std::map<Vertex, int> state;
  std::function<bool(Vertex)> visit = [&](Vertex vertex) {
    if (state[vertex] != 0) return state[vertex] == 1;
    state[vertex] = 1;
    for (const Vertex& next : waits[vertex]) {
      if (visit(next)) return true;
    }
    state[vertex] = 2;
    return false;
  };
  const auto all = waits;
  return std::any_of(all.begin(), all.end(), [&](const auto& entry) { return visit(entry.first); });
}

TEST(CheckLanes, AgreesWithPathsOneByOne) {
  int cyclic = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const Network network = test::random_graph(random).build();
    Routes routes = generate_routes(network, 0).value().routes;
    for (int i = 0; i < 10; ++i) {
      const auto router = static_cast<DeviceId>(random.below(network.router_count()));
      const auto port = static_cast<PortNumber>(random.below(network.device(router).port_count + 1U));
      const auto lid = static_cast<Lid>(1 + random.below(routes.tables.last_lid()));
      routes.tables.set_out(router, lid, port);
    }
    PathServiceLevels levels;
    for (const PortId from : network.endpoints()) {
      for (const PortId to : network.endpoints()) {
        if (from != to) levels.set(from, routes.lids.of(to).base, static_cast<ServiceLevel>(random.below(3)));
      }
    }
    SlToVl mapping(network);
    for (DeviceId router = 0; router < network.router_count(); ++router) {
      for (PortNumber in = 0; in <= network.device(router).port_count; ++in) {
        for (PortNumber out = 0; out <= network.device(router).port_count; ++out) {
          SlToVl::Lanes lanes{};
          for (VirtualLane& lane : lanes) lane = static_cast<VirtualLane>(random.below(3));
          mapping.set(network, router, in, out, lanes);
        }
      }
    }
    const LaneCheck check = check_lanes(network, routes, &levels, &mapping);
    EXPECT_EQ(!check.deadlock_free, has_cycle_one_by_one(network, routes, levels, mapping));
    EXPECT_EQ(check.cycle.empty(), check.deadlock_free);
    cyclic += check.deadlock_free ? 0 : 1;
  }
  EXPECT_GT(cyclic, 3);
  EXPECT_LT(cyclic, 57);
}

std::string error_of(const auto& result) { return result ? "" : result.error().message; }

TEST(ParsePathServiceLevels, ReadsThreeFormats) {
  const Ring ring(3);
  const PortId from = ring.network.endpoints()[0];
  const Lid to = ring.routes.lids.of(ring.network.endpoints()[1]).base;
  const Guid guid = ring.network.port(from).guid;
  const Lid source = ring.routes.lids.of(from).base;
  const std::string texts[] = {
      fmt::format("0x{:016x} {} 5\n", guid, to),
      fmt::format("Channel Adapter 0x{:016x}, base LID {}, \"N0\"\n# LID : SL : MTU : RATE\n0x{:04X} : 5 : 4 : 3\n",
                  guid, source, to),
      fmt::format(
          "PathRecord dump:\n\t\tdgid....fe80::1\n\t\tdlid....................{}\n\t\tslid....................{}\n"
          "\t\tsl......................0x5\n",
          to, source)};
  for (const std::string& text : texts) {
    const auto levels = parse_path_service_levels(text, "f", ring.network, ring.routes.lids);
    ASSERT_TRUE(levels) << text << error_of(levels);
    EXPECT_EQ(levels->of(from, to), 5) << text;
    EXPECT_EQ(levels->count(), 1U);
  }
}

TEST(ParsePathServiceLevels, SaysWhatIsWrong) {
  const Ring ring(3);
  const auto error = [&](const std::string& text) {
    return error_of(parse_path_service_levels(text, "f", ring.network, ring.routes.lids));
  };
  EXPECT_NE(error("").find("no service level"), std::string::npos);
  EXPECT_NE(error("0x77 1 0\n").find("no port or node with GUID"), std::string::npos);
  EXPECT_NE(error("0x100000 1 16\n").find("SL 16 does not exist"), std::string::npos);
  EXPECT_NE(error("0x100000 49152 1\n").find("after the last unicast LID"), std::string::npos);
  EXPECT_NE(error("0x0001 : 1\n").find("before any"), std::string::npos);
  EXPECT_NE(error("hello\n").find("f:1"), std::string::npos);
  EXPECT_NE(error("slid....999\n").find("no port has the source LID 999"), std::string::npos);
}

TEST(ParseSlToVl, ReadsBothFormats) {
  const Ring ring(2);
  std::string dump;
  std::string packed;
  for (DeviceId router = 0; router < 2; ++router) {
    const Guid guid = ring.network.device(router).guid;
    dump += fmt::format("Switch 0x{:016x}, base LID {}, \"R\"\n#in out : 0 1\n#----\n", guid, router + 1);
    dump += "1   2   : 0  1  2  3  4  5  6  7  0  1  2  3  4  5  6  14 \n\n";
    packed += fmt::format("0x{:016x} 1 2 0x01 0x23 0x45 0x67 0x01 0x23 0x45 0x6e\n", guid);
  }
  dump += "Channel Adapter 0x0000000000100000, base LID 3, \"N\"\n0   0   : 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n";
  for (const std::string& text : {dump, packed}) {
    const auto mapping = parse_sl_to_vl(text, "f", ring.network);
    ASSERT_TRUE(mapping) << text << error_of(mapping);
    EXPECT_EQ(mapping->of(0, 1, 2, 3), 3);
    EXPECT_EQ(mapping->of(1, 1, 2, 15), 14);
    EXPECT_EQ(mapping->of(1, 2, 1, 0), std::nullopt);
  }
}

TEST(ParseSlToVl, SaysWhatIsWrong) {
  const Ring ring(2);
  const auto error = [&](const std::string& text) { return error_of(parse_sl_to_vl(text, "f", ring.network)); };
  EXPECT_NE(error("").find("there is no SL-to-VL mapping of 'R0'"), std::string::npos);
  EXPECT_NE(error("Switch 0x9, base LID 1\n").find("no router with GUID"), std::string::npos);
  EXPECT_NE(error("1 2 : 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n").find("before any"), std::string::npos);
  EXPECT_NE(error("0x1000 99 1 0x00 0x00 0x00 0x00 0x00 0x00 0x00 0x00\n").find("has no port 99"), std::string::npos);
  EXPECT_NE(error("Switch 0x1000, base\n1 2 : 16 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n").find("no VL"), std::string::npos);
}

}  // namespace
}  // namespace ayatori::virtual_lanes_test
