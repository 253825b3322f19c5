#include "ayatori/flow/paths.hpp"

#include <gtest/gtest.h>

#include <set>

#include "ayatori/contention/contention.hpp"
#include "ayatori/flow/simulate.hpp"
#include "ayatori/network/builder.hpp"
#include "ayatori/planning/make_plan.hpp"
#include "ayatori/routing/generate.hpp"
#include "ayatori/schedule/algorithms.hpp"
#include "ayatori/schedule/pattern.hpp"
#include "ayatori/sources/source.hpp"

namespace ayatori {
namespace paths_test {

using Links = std::vector<std::uint32_t>;

struct Fabric {
  Network network;
  Routes routes;

  explicit Fabric(const char* source, int lmc = 0)
      : network(open_source(source).value()), routes(generate_routes(network, lmc).value().routes) {}
};

Links path(const Paths& paths, Rank from, Rank to) {
  Links links = {42};
  paths.path(from, to, links);
  return links;
}

Job parse_hosts(const Network& network, std::initializer_list<const char*> hosts) {
  std::vector<HostEntry> entries;
  for (const char* host : hosts) entries.push_back({host, 1, entries.size() + 1});
  return place_job(network, entries, "hosts", 1, RankOrder::as_given).value();
}

TEST(RoutedPaths, FollowTheForwardingTablesToThePlansLid) {
  const Fabric fabric("fattree:K=6,levels=2,nodes=30", 3);
  Random random(1);
  const Job job = random_job(fabric.network, 16, 2, random).value();
  const auto endpoints = endpoints_of_ranks(fabric.network, job);
  const Plan plan =
      make_plan(fabric.network, fabric.routes, endpoints, *shift_all_to_all(32), Method::pair).value().plan;
  const auto paths = routed_paths(fabric.network, fabric.routes, plan, job, {}).value();
  EXPECT_EQ(paths->participant_count(), 32U);
  EXPECT_EQ(paths->link_count(), fabric.network.port_count());
  for (Rank from = 0; from < 32; ++from) {
    EXPECT_EQ(paths->machine(from), job.machine_of_rank[from]);
    for (Rank to = 0; to < 32; ++to) {
      Links expected;
      if (from / 2 != to / 2) {
        const auto lid = static_cast<Lid>(fabric.routes.lids.of(endpoints[to]).base + plan.path_bits(from, to));
        ASSERT_TRUE(
            trace(fabric.network, fabric.routes, endpoints[from], lid, [&](PortId link) { expected.push_back(link); }));
      }
      EXPECT_EQ(path(*paths, from, to), expected);
    }
  }
  EXPECT_EQ(paths->name(endpoints[3]), fabric.network.describe_link(endpoints[3]));
}

TEST(RoutedPaths, TakeRatesAndLatenciesFromTheNetworkOrTheDefaults) {
  NetworkBuilder builder;
  const auto router = builder.add_router("R", 1, 3);
  const LinkRate rates[] = {{4, LaneSpeed::ddr, 0}, {}};
  for (std::uint16_t i = 0; i < 2; ++i) {
    const auto nic = builder.add_nic("nic", 0x100U + 16U * i, 1, i == 0 ? "a" : "b", 0);
    ASSERT_TRUE(builder.connect(nic, 1, router, static_cast<PortNumber>(i + 1), rates[i], i == 0 ? 700 : 0));
  }
  const Network network = builder.build().value();
  const Routes routes = generate_routes(network, 0).value().routes;
  const Job job = contiguous_job(network, 2, 1).value();
  const Plan plan = Plan::base_lids(2);
  const auto known = routed_paths(network, routes, plan, job, {0, 5e-6}).value();
  const Links links = path(*known, 0, 1);
  ASSERT_EQ(links.size(), 2U);
  EXPECT_DOUBLE_EQ(known->bytes_per_second(links[0]), 2e9);
  EXPECT_DOUBLE_EQ(known->latency(links[0]), 700e-9);
  EXPECT_DOUBLE_EQ(known->bytes_per_second(links[1]), 25e9);
  EXPECT_DOUBLE_EQ(known->latency(links[1]), 5e-6);
  const auto forced = routed_paths(network, routes, plan, job, {3e9, 0}).value();
  EXPECT_DOUBLE_EQ(forced->bytes_per_second(links[0]), 3e9);
}

/// Machines with two rails: a rank a rail, then one more.
TEST(RoutedPaths, EachRankUsesTheNicOfItsRail) {
  NetworkBuilder builder;
  const auto router = builder.add_router("R", 1, 5);
  for (std::uint16_t i = 0; i < 4; ++i) {
    const auto nic = builder.add_nic("nic", 0x100U + 16U * i, 1, i < 2 ? "a" : "b", i % 2);
    ASSERT_TRUE(builder.connect(nic, 1, router, static_cast<PortNumber>(i + 1), {}));
  }
  const Network network = builder.build().value();
  const Routes routes = generate_routes(network, 0).value().routes;
  const auto paths =
      routed_paths(network, routes, Plan::base_lids(6), contiguous_job(network, 2, 3).value(), {}).value();
  std::vector<std::uint32_t> rails;
  for (Rank rank = 0; rank < 6; ++rank) {
    EXPECT_EQ(network.device(paths->nic(rank)).machine, paths->machine(rank));
    rails.push_back(network.device(paths->nic(rank)).rail);
  }
  EXPECT_EQ(rails, (std::vector<std::uint32_t>{0, 1, 0, 0, 1, 0}));
}

TEST(MultipathPaths, CutMessagesIntoAPartForEachPath) {
  const Fabric fabric("fattree:K=6,levels=2,nodes=30", 3);
  Random random(1);
  const Job job = random_job(fabric.network, 16, 2, random).value();
  const auto endpoints = endpoints_of_ranks(fabric.network, job);
  const DeviceId leaf = fabric.network.router_of(endpoints[0]);
  const auto paths = multipath_paths(fabric.network, fabric.routes, job, {}, std::vector{leaf}).value();
  ASSERT_EQ(paths->participant_count(), 33U);
  for (Rank from = 0; from < 33; ++from) {
    for (Rank to = 0; to < 33; ++to) {
      if (paths->machine(from) == paths->machine(to)) continue;
      const bool spread =
          from < 32 && to < 32 && fabric.network.router_of(endpoints[from]) != fabric.network.router_of(endpoints[to]);
      ASSERT_EQ(paths->part_count(from, to), spread ? 6U : 1U);
      std::set<Links> found;
      for (std::uint32_t number = 0; number < paths->part_count(from, to); ++number) {
        PartPath part;
        paths->part(number, from, to, part);
        if (from < 32 && to < 32) {
          EXPECT_EQ(part.links.front(), endpoints[from]);
          EXPECT_EQ(fabric.network.port(part.links.back()).peer, endpoints[to]);
          EXPECT_EQ(part.from_nic, fabric.network.port(endpoints[from]).device);
          EXPECT_EQ(part.to_nic, fabric.network.port(endpoints[to]).device);
        }
        EXPECT_TRUE(found.insert(part.links).second);
      }
    }
  }
}

/// The paths of a rank's messages are those of the NICs that the map names, whose tables and LIDs are the fabric's.
TEST(RailPaths, AreThoseOfTheNicsThatAPartUses) {
  NetworkBuilder builder;
  const DeviceId routers[] = {builder.add_router("R0", 1, 5), builder.add_router("R1", 2, 5)};
  for (std::uint16_t i = 0; i < 4; ++i) {
    const auto nic = builder.add_nic("nic", 0x100U + 16U * i, 1, i < 2 ? "a" : "b", i % 2);
    ASSERT_TRUE(builder.connect(nic, 1, routers[i % 2], static_cast<PortNumber>(i / 2 + 1), {}));
  }
  ASSERT_TRUE(builder.connect(routers[0], 5, routers[1], 5, {}));
  const Network network = builder.build().value();
  const Routes routes = generate_routes(network, 0).value().routes;
  const Job job = contiguous_job(network, 2, 3).value();
  for (const RailUse use : {RailUse::own, RailUse::aligned, RailUse::striped}) {
    RailMap map(network, job, use);
    const Plan plan = Plan::base_lids(4);
    const auto of_nics = routed_paths(network, routes, plan, map.nics(), {}).value();
    const auto paths = rail_paths(routed_paths(network, routes, plan, map.nics(), {}).value(), map);
    ASSERT_EQ(paths->participant_count(), 6U);
    for (Rank from = 0; from < 6; ++from) {
      EXPECT_EQ(paths->machine(from), job.machine_of_rank[from]);
      for (Rank to = 0; to < 6; ++to) {
        if (from / 3 == to / 3) {
          EXPECT_EQ(paths->part_count(from, to), 1U);
          EXPECT_TRUE(path(*paths, from, to).empty());
          continue;
        }
        ASSERT_EQ(paths->part_count(from, to), use == RailUse::striped ? 2U : 1U);
        for (std::uint32_t number = 0; number < paths->part_count(from, to); ++number) {
          const auto [leaves, arrives] = map.nics_of_part(from, to, number);
          PartPath part;
          paths->part(number, from, to, part);
          EXPECT_EQ(part.links, path(*of_nics, leaves, arrives));
          EXPECT_EQ(part.from_nic, of_nics->nic(leaves));
          EXPECT_EQ(part.to_nic, of_nics->nic(arrives));
          // On one rail a message stays on one router.
          EXPECT_EQ(part.links.size(), leaves % 2 == arrives % 2 ? 2U : 3U);
        }
      }
    }
  }
}

TEST(RoutedPaths, LeadToAndFromRoutersThatTakePart) {
  const Fabric fabric("fattree:K=4,levels=2");
  const Job job = contiguous_job(fabric.network, 8, 1).value();
  const Plan plan = Plan::base_lids(8);
  const DeviceId leaf = fabric.network.router_of(endpoints_of_ranks(fabric.network, job)[0]);
  const std::vector<DeviceId> routers = {leaf};
  const auto paths = routed_paths(fabric.network, fabric.routes, plan, job, {}, routers).value();
  EXPECT_EQ(paths->participant_count(), 9U);
  const PortId endpoint = endpoints_of_ranks(fabric.network, job)[0];
  EXPECT_EQ(path(*paths, 0, 8), Links{endpoint});
  EXPECT_EQ(path(*paths, 8, 0), Links{fabric.network.port(endpoint).peer});
  EXPECT_EQ(path(*paths, 7, 8).size(), 3U);
  EXPECT_EQ(path(*paths, 8, 7).size(), 3U);
  EXPECT_TRUE(path(*paths, 8, 8).empty());
}

TEST(RoutedPaths, ErrorsNameTheRanksWhoseMessagesDoNotArrive) {
  Fabric fabric("fattree:K=4,levels=2");
  const Job job = contiguous_job(fabric.network, 8, 1).value();
  EXPECT_FALSE(routed_paths(fabric.network, fabric.routes, Plan::base_lids(7), job, {}));
  const auto bits = Plan::per_destination(Method::rule, std::vector<std::uint8_t>(8, 1));
  const auto beyond = routed_paths(fabric.network, fabric.routes, bits, job, {});
  ASSERT_FALSE(beyond);
  EXPECT_NE(beyond.error().message.find("the plan wants path bits 1"), std::string::npos);
  const PortId last = endpoints_of_ranks(fabric.network, job)[7];
  const Lid lid = fabric.routes.lids.of(last).base;
  fabric.routes.tables.set_out(fabric.network.router_of(last), lid, ForwardingTables::no_port);
  const auto lost = routed_paths(fabric.network, fabric.routes, Plan::base_lids(8), job, {});
  ASSERT_FALSE(lost);
  EXPECT_NE(lost.error().message.find("do not arrive"), std::string::npos);
  EXPECT_NE(lost.error().message.find("to rank 7"), std::string::npos);
}

TEST(GridPaths, TakeDimensionsInOrderAndTheShorterWayRound) {
  // 3 × 4, the second dimension a ring; two ranks a machine, machines at points 0 … 11.
  std::vector<std::uint32_t> machines;
  std::vector<std::uint32_t> points;
  for (std::uint32_t machine = 0; machine < 12; ++machine) {
    machines.insert(machines.end(), 2, machine);
    points.push_back(machine);
  }
  const auto paths = grid_paths({3, 4}, {false, true}, machines, points, {5e9, 1e-7});
  const auto link = [](std::uint32_t point, std::uint32_t d, bool up) { return (point * 2 + d) * 2 + (up ? 0 : 1); };
  const auto between = [&](std::uint32_t a, std::uint32_t b) { return path(*paths, 2 * a, 2 * b + 1); };
  EXPECT_TRUE(between(5, 5).empty());
  // (0,0) to (2,3): up twice in dimension 0, then down over the edge of the ring.
  EXPECT_EQ(between(0, 11), (Links{link(0, 0, true), link(4, 0, true), link(8, 1, false)}));
  // Two routes as short: upwards. And no ring in dimension 0.
  EXPECT_EQ(between(8, 2), (Links{link(8, 0, false), link(4, 0, false), link(0, 1, true), link(1, 1, true)}));
  EXPECT_EQ(paths->link_count(), 48U);
  EXPECT_EQ(paths->name(link(7, 1, false)), "(1,3) -1");
  EXPECT_EQ(paths->bytes_per_second(3), 5e9);
  EXPECT_EQ(paths->latency(3), 1e-7);
  EXPECT_EQ(paths->participant_count(), 24U);
}

SchedulePtr all_to_all(Rank ranks, std::string_view algorithm = "shift") {
  return make_schedule(algorithm, {Collective::alltoall, ranks, 0, 1 << 20}, placement_of_ranks(ranks)).value();
}

/// With one rank on each machine and equal links, synchronous steps take the time that contention.hpp predicts.
TEST(GridPaths, OfAJobLeadBetweenItsMachinesPoints) {
  const Network torus = open_source("torus:3x4,rate=4xEDR").value();
  const Job job = parse_hosts(torus, {"N2-3", "N0-1"});
  const auto paths = grid_paths_of_job(torus, job, {0, 2e-7}).value();
  EXPECT_EQ(paths->participant_count(), 2U);
  const Links links = path(*paths, 0, 1);
  ASSERT_EQ(links.size(), 3U);
  EXPECT_EQ(paths->name(links[0]), "(2,3) +0");
  EXPECT_EQ(paths->name(links[1]), "(0,3) +1");
  EXPECT_EQ(paths->name(links[2]), "(0,0) +1");
  EXPECT_DOUBLE_EQ(paths->bytes_per_second(links[0]), 12.5e9);
  EXPECT_DOUBLE_EQ(paths->latency(links[0]), 2e-7);
  EXPECT_DOUBLE_EQ(grid_paths_of_job(torus, job, {1e9, 0}).value()->bytes_per_second(0), 1e9);
}

TEST(GridPaths, RefuseMachinesThatFormNoGrid) {
  const Network tree = open_source("fattree:K=2,levels=2").value();
  const auto paths = grid_paths_of_job(tree, contiguous_job(tree, 2, 1).value(), {});
  ASSERT_FALSE(paths);
  EXPECT_EQ(paths.error().message, "the machines of this network form no grid");
}

TEST(Simulate, SynchronousAlltoallEqualsTheContentionModel) {
  const Fabric fabric("fattree:K=6,levels=2,nodes=30");
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto size = static_cast<Rank>(2 + random.below(29));
    const Job job = random_job(fabric.network, size, 1, random).value();
    const Plan plan = Plan::base_lids(size);
    const auto endpoints = endpoints_of_ranks(fabric.network, job);
    const auto contention =
        measure_contention(fabric.network, fabric.routes, endpoints, plan, *shift_all_to_all(size)).value();
    const auto paths = routed_paths(fabric.network, fabric.routes, plan, job, {1e9, 0}).value();
    FlowOptions options;
    options.steps = StepMode::synchronous;
    const Prediction prediction = simulate(*all_to_all(size), *paths, options).value();
    const double ideal = (size - 1) * (1 << 20) / 1e9;
    EXPECT_NEAR(ideal / prediction.seconds, contention.relative_bandwidth, 1e-12);
    options.steps = StepMode::drift;
    EXPECT_GE(simulate(*all_to_all(size), *paths, options).value().seconds, ideal * (1 - 1e-9));
  }
}

/// A full tree has no hot spot in any shift: drifting or not, only the endpoints' cables count.
TEST(Simulate, AnAlltoallWithoutHotSpotsTakesTheTimeOfTheEndpointsCables) {
  const Fabric fabric("fattree:K=4,levels=3");
  const auto machines = static_cast<Rank>(fabric.network.machines().size());
  const Job job = contiguous_job(fabric.network, machines, 1).value();
  const Plan plan = Plan::base_lids(machines);
  const auto paths = routed_paths(fabric.network, fabric.routes, plan, job, {1e9, 0}).value();
  const Prediction prediction = simulate(*all_to_all(machines), *paths, {}).value();
  EXPECT_NEAR(prediction.seconds, (machines - 1) * (1 << 20) / 1e9, 1e-9);
  for (const double seconds : prediction.rank_seconds) EXPECT_EQ(seconds, prediction.seconds);
}

TEST(SwitchedPaths, ShareTheLinksOfMachinesAndGroups) {
  // Machines 0 and 1 are in group 0, machine 2 in group 1; two ranks on each.
  const auto paths = switched_paths({0, 0, 1, 1, 2, 2}, {0, 0, 1}, {1e9, 1e-7});
  EXPECT_EQ(path(*paths, 0, 1), Links{}) << "within a machine";
  EXPECT_EQ(path(*paths, 0, 2), (Links{0, 3}));
  EXPECT_EQ(path(*paths, 1, 4), (Links{0, 6, 9, 5}));
  EXPECT_EQ(paths->bytes_per_second(0), 1e9);
  EXPECT_EQ(paths->bytes_per_second(6), 2e9) << "as fast as the group's two machines together";
  EXPECT_EQ(paths->bytes_per_second(9), 1e9);
  EXPECT_EQ(paths->link_count(), 10U);
}

TEST(SimulateAll, EqualsEachRunByItself) {
  const Fabric fabric("fattree:K=6,levels=2,nodes=30");
  std::vector<Job> jobs;
  std::vector<Plan> plans;
  std::vector<SimulationRun> runs;
  for (Rank size = 2; size < 22; ++size) {
    Random random(size);
    jobs.push_back(random_job(fabric.network, size, 1, random).value());
    // One plan does not fit its job.
    plans.push_back(Plan::base_lids(size == 11 ? 3 : size));
  }
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    runs.push_back({all_to_all(static_cast<Rank>(jobs[i].rank_count())),
                    [&, i] { return routed_paths(fabric.network, fabric.routes, plans[i], jobs[i], {}); }});
  }
  const auto predictions = simulate_all(runs, {});
  ASSERT_EQ(predictions.size(), runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto paths = runs[i].make_paths();
    ASSERT_EQ(predictions[i].has_value(), paths.has_value());
    if (!paths) continue;
    EXPECT_EQ(predictions[i]->rank_seconds, simulate(*runs[i].schedule, **paths, {})->rank_seconds);
  }
}

}  // namespace paths_test
}  // namespace ayatori
