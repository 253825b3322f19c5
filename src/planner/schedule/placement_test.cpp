#include "ayatori/schedule/placement.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <numeric>

#include "ayatori/network/builder.hpp"
#include "ayatori/network/shape.hpp"
#include "ayatori/sources/source.hpp"

namespace ayatori {
namespace placement_test {

using Numbers = std::vector<std::uint32_t>;

Network opened(std::string_view source) {
  auto network = open_source(source);
  EXPECT_TRUE(network) << network.error().message;
  return std::move(*network);
}

Job job_of(const Network& network, std::initializer_list<const char*> hosts, std::uint32_t ranks = 1) {
  Job job;
  for (const char* host : hosts) {
    const auto machine = network.find_machine(host);
    EXPECT_TRUE(machine) << host;
    job.machine_of_rank.insert(job.machine_of_rank.end(), ranks, machine.value_or(0));
  }
  return job;
}

TEST(Placement, MachinesAreNumberedInRankOrder) {
  const Placement placement = placement_of_ranks(5, 2);
  EXPECT_EQ(placement.machine, (Numbers{0, 0, 1, 1, 2}));
  EXPECT_EQ(placement.group, (Numbers{0, 0, 0}));
  EXPECT_EQ(placement.gateway, std::vector<bool>(3, true));
  EXPECT_TRUE(placement.dimensions.empty());
  EXPECT_EQ(placement_of_ranks(5, ~0U).machine_count(), 1U);
}

TEST(Placement, MachinesOfACyclicJobAreNumberedByTheirFirstRanks) {
  const Network network = opened("fattree:K=2,levels=2,nodes=4");
  const Job job = job_of(network, {"N2", "N0", "N2", "N0", "N3"});
  const Placement placement = placement_of_job(network, job);
  EXPECT_EQ(placement.machine, (Numbers{0, 1, 0, 1, 2}));
  EXPECT_EQ(placement.group, (Numbers{0, 1, 0})) << "N2 and N3 are on one leaf";
}

TEST(PlacementOnGrid, HasRanksInRowMajorOrder) {
  const std::uint32_t lengths[] = {2, 3};
  const bool periodic[] = {true, false};
  const Placement placement = placement_on_grid(lengths, periodic, 2);
  EXPECT_EQ(placement.machine_count(), 6U);
  EXPECT_EQ(placement.machine.size(), 12U);
  EXPECT_EQ(placement.dimensions, (Numbers{2, 3}));
  EXPECT_EQ(placement.periodic, (std::vector<bool>{true, false}));
  EXPECT_EQ(placement.point, (Numbers{0, 1, 2, 3, 4, 5}));
}

TEST(PlacementOfJob, GroupsAreLeaves) {
  const Network network = opened("fattree:K=3,levels=2,nodes=9");
  const auto job = contiguous_job(network, 7, 2);
  ASSERT_TRUE(job);
  const Placement placement = placement_of_job(network, *job);
  EXPECT_EQ(placement.machine, (Numbers{0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6}));
  EXPECT_EQ(placement.group, (Numbers{0, 0, 0, 1, 1, 1, 2}));
  EXPECT_EQ(placement.gateway, std::vector<bool>(7, true));
  EXPECT_TRUE(placement.dimensions.empty());
  ASSERT_EQ(placement.aggregators.size(), 4U);
  for (const DeviceId leaf : {0, 1, 2}) {
    EXPECT_NE(placement.aggregators[leaf], placement.aggregators[3]) << "a spine stands above the leaves";
  }
}

/// The group in a name as the formulas make them: "N3-1-0" is the first host of router 1 in group 3.
std::uint32_t group_in(const std::string& name) { return static_cast<std::uint32_t>(std::stoul(name.substr(1))); }

void expect_groups_of_names(std::string_view source, std::uint64_t seed) {
  SCOPED_TRACE(fmt::format("{}, seed {}", source, seed));
  const Network network = opened(source);
  Random random(seed);
  const auto size = 1 + random.below(network.machines().size());
  const auto job = random_job(network, size, 1, random);
  ASSERT_TRUE(job);
  const Placement placement = placement_of_job(network, *job);
  std::map<std::uint32_t, std::uint32_t> number;
  for (std::uint32_t machine = 0; machine < placement.machine_count(); ++machine) {
    const auto in_name = group_in(network.machine(job->machine_of_rank[machine]).name);
    const auto [known, is_new] = number.try_emplace(in_name, static_cast<std::uint32_t>(number.size()));
    ASSERT_EQ(placement.group[machine], known->second) << "machine " << machine;
  }
}

/// By two routers: whether a cable joins them.
std::vector<std::vector<bool>> joined_routers(const Network& network) {
  std::vector joined(network.router_count(), std::vector(network.router_count(), false));
  for (DeviceId router = 0; router < network.router_count(); ++router) {
    for (const Port& port : network.ports(router)) {
      if (!port.connected()) continue;
      const DeviceId peer = network.port(port.peer).device;
      if (network.is_router(peer)) joined[router][peer] = true;
    }
  }
  return joined;
}

/// Whether the ends of every cable inside a group share more neighbours than those of any between groups.
bool cables_tell_groups(const Network& network) {
  const auto joined = joined_routers(network);
  std::size_t least_inside = network.router_count();
  std::size_t most_between = 0;
  for (DeviceId a = 0; a < network.router_count(); ++a) {
    for (DeviceId b = 0; b < a; ++b) {
      if (!joined[a][b]) continue;
      std::size_t shared = 0;
      for (DeviceId other = 0; other < network.router_count(); ++other) shared += joined[a][other] && joined[other][b];
      if (group_in(std::string(network.name(a))) == group_in(std::string(network.name(b)))) {
        least_inside = std::min(least_inside, shared);
      } else {
        most_between = std::max(most_between, shared);
      }
    }
  }
  return least_inside > most_between;
}

TEST(PlacementOfJob, GroupsOfADragonflyAreItsGroups) {
  int reported = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    const std::uint64_t h = 1 + random.below(3);
    const std::uint64_t a = 3 + random.below(4);
    const std::uint64_t g = 2 + random.below(a * h);
    const auto source = fmt::format("dragonfly:g={},a={},p={},h={}", g, a, 1 + random.below(3), h);
    const Network network = opened(source);  // the smallest are prisms, and thus grids
    if (recognise(network).kind != ShapeKind::dragonfly || !cables_tell_groups(network)) continue;
    ++reported;
    expect_groups_of_names(source, seed);
  }
  EXPECT_GT(reported, 20);
}

TEST(PlacementOfJob, GroupsOfABalancedDragonflyAreItsGroups) {
  for (const char* source : {"dragonfly:h=2", "dragonfly:h=3", "dragonfly:h=4,g=20"}) expect_groups_of_names(source, 1);
}

TEST(PlacementOfJob, GroupsOfADragonflyPlusAreItsGroups) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    const std::uint64_t s = 1 + random.below(3);
    const std::uint64_t h = 1 + random.below(3);
    const std::uint64_t g = 2 + random.below(s * h);
    expect_groups_of_names(
        fmt::format("dragonfly+:g={},l={},s={},p={},h={}", g, 1 + random.below(4), s, 1 + random.below(3), h), seed);
  }
}

TEST(PlacementOfJob, GroupsOfSlingshotAreItsCabinets) {
  const std::string file = testing::TempDir() + "placement_test.slingshot";
  std::ofstream inventory(file);
  for (int cabinet = 1000; cabinet < 1004; ++cabinet) {
    for (int chassis = 0; chassis < 4; ++chassis) {
      inventory << fmt::format("x{0}c{1}r1\nx{0}c{1}r3\nx{0}c{1}s0b0n0\nx{0}c{1}s1b0n0\n", cabinet, chassis);
    }
  }
  inventory.close();
  const Network network = opened("slingshot:" + file);
  const auto job = contiguous_job(network, 4 * 4 * 2, 1);
  ASSERT_TRUE(job) << job.error().message;
  const Placement placement = placement_of_job(network, *job);
  for (std::uint32_t machine = 0; machine < placement.machine_count(); ++machine) {
    const std::string& name = network.machine(job->machine_of_rank[machine]).name;
    EXPECT_EQ(name.substr(0, 5), fmt::format("x{}", 1000 + placement.group[machine])) << name;
  }
}

/// One of eight routers a group with a cable in ten missing.
TEST(DragonflyGroups, AreFoundWhereSomeCablesAreMissing) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Random random(seed);
    NetworkBuilder builder;
    constexpr std::uint64_t groups = 9, routers = 8;
    for (std::uint64_t i = 0; i < groups * routers; ++i) {
      builder.add_router(fmt::format("R{}-{}", i / routers, i % routers), 1000 + i, 20);
    }
    const auto connect = [&](std::uint64_t i, std::uint64_t port_i, std::uint64_t k, std::uint64_t port_k) {
      const auto slot = [](std::uint64_t port) { return static_cast<PortNumber>(port); };
      ASSERT_TRUE(builder.connect(static_cast<NetworkBuilder::Handle>(i), slot(port_i),
                                  static_cast<NetworkBuilder::Handle>(k), slot(port_k), {4, LaneSpeed::hdr}));
    };
    for (std::uint64_t i = 0; i < groups * routers; ++i) {
      const auto nic = builder.add_nic("nic", 5000 + 16 * i, 1, fmt::format("N{}-{}", i / routers, i % routers), 0);
      connect(i, 20, nic, 1);
      for (std::uint64_t k = i + 1; k < (i / routers + 1) * routers; ++k) {
        if (random.below(10) > 0) connect(i, 1 + k % routers, k, 1 + i % routers);
      }
      // Router x of group y has the cable to group y + x + 1 (mod 9), whose router 7 - x has it back.
      const std::uint64_t peer = (i / routers + i % routers + 1) % groups * routers + routers - 1 - i % routers;
      if (i < peer && random.below(10) > 0) connect(i, 10, peer, 10);
    }
    const auto network = builder.build();
    ASSERT_TRUE(network) << network.error().message;
    const auto job = contiguous_job(*network, groups * routers, 1);
    ASSERT_TRUE(job);
    Numbers expected;
    for (std::uint32_t machine = 0; machine < groups * routers; ++machine) expected.push_back(machine / routers);
    EXPECT_EQ(placement_of_job(*network, *job).group, expected) << "seed " << seed;
  }
}

TEST(DragonflyGroups, AreNotFoundInOtherNetworks) {
  for (const char* source : {"fattree:K=4,levels=3", "full:6", "hyperx:4x4", "dragonfly:g=3,a=2,h=1"}) {
    const Network network = opened(source);
    const auto job = contiguous_job(network, network.machines().size(), 1);
    ASSERT_TRUE(job) << source;
    const Placement placement = placement_of_job(network, *job);
    std::map<DeviceId, std::uint32_t> group_of_router;
    for (std::uint32_t machine = 0; machine < placement.machine_count(); ++machine) {
      const DeviceId router = network.router_of(network.machine(job->machine_of_rank[machine]).endpoints.front());
      group_of_router.try_emplace(router, static_cast<std::uint32_t>(group_of_router.size()));
      EXPECT_EQ(placement.group[machine], group_of_router.at(router)) << source;
    }
  }
}

TEST(PlacementOfJob, TheMachinesOfATorusAreAGrid) {
  const Network network = opened("torus:3x4x5");
  const auto job = contiguous_job(network, 60, 1);
  ASSERT_TRUE(job);
  const Placement placement = placement_of_job(network, *job);
  EXPECT_EQ(placement.dimensions, (Numbers{3, 4, 5}));
  EXPECT_EQ(placement.periodic, (std::vector<bool>{true, true, true}));
  for (std::uint32_t machine = 0; machine < 60; ++machine) {
    const std::string& name = network.machine(job->machine_of_rank[machine]).name;
    const std::uint32_t point = placement.point[machine];
    EXPECT_EQ(name, fmt::format("N{}-{}-{}", point / 20, point / 5 % 4, point % 5));
  }
}

TEST(PlacementOfJob, ABoxMayReachOverTheEdgeOfATorus) {
  const Network network = opened("torus:5x4");
  const Placement placement = placement_of_job(network, job_of(network, {"N4-1", "N0-1", "N4-2", "N0-2"}));
  EXPECT_EQ(placement.dimensions, (Numbers{2, 2}));
  EXPECT_EQ(placement.periodic, (std::vector<bool>{false, false}));
  EXPECT_EQ(placement.point, (Numbers{0, 2, 1, 3}));
  const Placement ring = placement_of_job(network, job_of(network, {"N2-3", "N2-0", "N2-2", "N2-1"}));
  EXPECT_EQ(ring.dimensions, (Numbers{1, 4}));
  EXPECT_EQ(ring.periodic, (std::vector<bool>{false, true}));
  EXPECT_EQ(ring.point, (Numbers{3, 0, 2, 1}));
}

TEST(PlacementOfJob, MachinesThatFillNoBoxAreNotAGrid) {
  const Network network = opened("torus:5x4");
  EXPECT_TRUE(placement_of_job(network, job_of(network, {"N0-0", "N0-1", "N1-0"})).dimensions.empty());
  EXPECT_TRUE(placement_of_job(network, job_of(network, {"N0-0", "N1-1"})).dimensions.empty());
}

TEST(PlacementOfJob, GatewaysAreOnEveryPlane) {
  NetworkBuilder builder;
  const LinkRate rate{4, LaneSpeed::hdr};
  builder.begin_plane("ethernet");
  const auto ethernet = builder.add_router("ETH", 1, 4);
  for (PortNumber i = 1; i <= 3; ++i) {
    const auto nic = builder.add_nic("eth0", 0x10U + i, 1, fmt::format("n{}", i), 0);
    ASSERT_TRUE(builder.connect(nic, 1, ethernet, i, rate));
  }
  builder.begin_plane("infiniband");
  const auto infiniband = builder.add_router("IB", 2, 4);
  const auto hca = builder.add_nic("HCA-1", 0x20, 1, "n2", 1);
  ASSERT_TRUE(builder.connect(hca, 1, infiniband, 1, rate));
  const auto network = builder.build();
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_EQ(placement_of_job(*network, job_of(*network, {"n1", "n2", "n3"})).gateway,
            (std::vector<bool>{false, true, false}));
  EXPECT_EQ(placement_of_job(*network, job_of(*network, {"n1", "n3"})).gateway, (std::vector<bool>{true, true}))
      << "on all planes that the job has";
}

/// Cables alone can't tell two rings of 2 from one of 4: the source does.
TEST(PlacementOfJob, OfASquareAreAsItsSourceSays) {
  const Network network = opened("torus:2x2");
  const Placement placement = placement_of_job(network, job_of(network, {"N0-0", "N0-1", "N1-0", "N1-1"}));
  EXPECT_EQ(placement.dimensions, (Numbers{2, 2}));
  EXPECT_EQ(placement.point, (Numbers{0, 1, 2, 3}));
}

}  // namespace placement_test
}  // namespace ayatori

namespace ayatori {
namespace placement_test {

TEST(PlacementOfPart, AllRanksInTheirOrderHaveThePlacementOfTheWhole) {
  const std::uint32_t lengths[] = {2, 3};
  const bool rings[] = {true, false};
  const Placement whole = placement_on_grid(lengths, rings, 2);
  std::vector<Rank> all(12);
  std::iota(all.begin(), all.end(), 0U);
  const Placement part = placement_of_part(whole, all);
  EXPECT_EQ(part.machine, whole.machine);
  EXPECT_EQ(part.group, whole.group);
  EXPECT_EQ(part.dimensions, whole.dimensions);
  EXPECT_EQ(part.periodic, whole.periodic);
  EXPECT_EQ(part.point, whole.point);
}

TEST(PlacementOfPart, MachinesAndGroupsCountAnewAndFillABox) {
  const std::uint32_t lengths[] = {4, 4};
  const bool rings[] = {true, true};
  Placement whole = placement_on_grid(lengths, rings);
  for (std::uint32_t machine = 0; machine < 16; ++machine) whole.group[machine] = machine / 4;
  const Rank row_over_the_edge[] = {15, 12, 13};  // points (3, 3), (3, 0), (3, 1)
  const Placement part = placement_of_part(whole, row_over_the_edge);
  EXPECT_EQ(part.machine, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(part.group, (std::vector<std::uint32_t>{0, 0, 0}));
  EXPECT_EQ(part.dimensions, (std::vector<std::uint32_t>{1, 3}));
  EXPECT_EQ(part.periodic, (std::vector<bool>{false, false}));
  EXPECT_EQ(part.point, (std::vector<std::uint32_t>{0, 1, 2}));
  const Rank corner_missing[] = {0, 1, 4};
  EXPECT_TRUE(placement_of_part(whole, corner_missing).dimensions.empty());
}

}  // namespace placement_test
}  // namespace ayatori
