#include "ayatori/network/job.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <set>

#include "network_fixtures.hpp"

namespace ayatori {
namespace {

/// Hosts with the given numbers of rails on one router; 0 rails: a NIC without a cable.
Network cluster(const std::vector<std::pair<std::string, int>>& hosts) {
  NetworkBuilder builder;
  const auto router = builder.add_router("leaf", 0x100000, 64);
  PortNumber port = 1;
  Guid guid = 0x200000;
  for (const auto& [name, rails] : hosts) {
    for (int rail = 0; rail < std::max(rails, 1); ++rail, guid += 0x100) {
      const auto nic = builder.add_nic(name + " HCA", guid, 1, name, static_cast<std::uint16_t>(rail));
      if (rails > 0 && !builder.connect(nic, 1, router, port++, {})) throw std::runtime_error("port taken");
    }
  }
  return std::move(*builder.build());
}

/// "N0:2 N5:1", or the message and hint.
std::string placed(const Network& network, std::string_view hostfile, std::uint32_t ranks_per_machine = 0,
                   RankOrder order = RankOrder::as_given) {
  const auto hosts = parse_hostfile(hostfile, "hosts");
  if (!hosts) return hosts.error().message;
  const auto job = place_job(network, *hosts, "hosts", ranks_per_machine, order);
  if (!job) return job.error().message + (job.error().hint.empty() ? "" : " (" + job.error().hint + ")");
  std::vector<std::string> words;
  for (const auto& [machine, ranks] : job->runs()) {
    words.push_back(fmt::format("{}:{}", network.machine(machine).name, ranks));
  }
  return fmt::format("{}", fmt::join(words, " "));
}

TEST(PlaceJob, TakesSlotsOrOneRank) {
  const Network network = cluster({{"a", 4}, {"b", 4}});
  EXPECT_EQ(placed(network, "b slots=2\na\n"), "b:2 a:1");
  EXPECT_EQ(placed(network, "b slots=2\na\n", 7), "b:7 a:7");
}

TEST(PlaceJob, HasRanksWhereTheLinesAre) {
  const Network network = cluster({{"a", 1}, {"b", 1}, {"c", 1}});
  EXPECT_EQ(placed(network, "b\na\nb\na\n"), "b:1 a:1 b:1 a:1") << "cyclic";
  EXPECT_EQ(placed(network, "c\na slots=2\nc slots=3\n"), "c:1 a:2 c:3") << "unequal";
  EXPECT_EQ(placed(network, "a\na\nb\n"), "a:2 b:1");
  EXPECT_EQ(placed(network, "b\na\nb\na\n", 2), "b:2 a:2") << "each machine once";
  EXPECT_EQ(placed(network, "b\na\nb\na\n", 0, RankOrder::network), "a:2 b:2");
}

TEST(PlaceJob, SortsMachinesInNetworkOrderIfAsked) {
  const Network network = opened("fattree:K=6,nodes=30");
  EXPECT_EQ(placed(network, "N10\nN9\nN2\n", 0, RankOrder::as_given), "N10:1 N9:1 N2:1");
  EXPECT_EQ(placed(network, "N10\nN9\nN2\n", 0, RankOrder::network), "N2:1 N9:1 N10:1");
}

TEST(PlaceJob, FindsHostsByNameInAnyCaseAndByShortName) {
  const Network network = cluster({{"Node1.cluster.org", 1}, {"node2", 1}});
  EXPECT_EQ(placed(network, "node1\nNODE2\n"), "Node1.cluster.org:1 node2:1");
  EXPECT_EQ(placed(network, "node2.cluster.org"), "node2:1");
  EXPECT_EQ(placed(network, "node1\nnode1.cluster.org slots=3\n"), "Node1.cluster.org:4");
  EXPECT_EQ(placed(network, "node1\nnode1.cluster.org slots=3\n", 2), "Node1.cluster.org:2");
}

TEST(PlaceJob, RefusesANameThatSeveralHostsShare) {
  const Network network = cluster({{"n1.a", 1}, {"n1.b", 1}, {"10.0.0.1", 1}});
  EXPECT_EQ(placed(network, "n1"), "hosts:1: 'n1' could be 'n1.a' or 'n1.b'");
  EXPECT_TRUE(placed(network, "10.0.0.2").starts_with("hosts:1: the network has no host '10.0.0.2'"));
}

TEST(PlaceJob, FindsHostsByGuid) {
  const Network network = opened("fattree:K=6,nodes=30");
  EXPECT_EQ(placed(network, "0x0010000000000301"), "N3:1");    // port
  EXPECT_EQ(placed(network, "0x0010000000000300:2"), "N3:2");  // device
  EXPECT_EQ(placed(network, "0x0020000000000000"),
            "hosts:1: the GUID 0x0020000000000000 belongs to 'LS0', which is not a host");
  EXPECT_EQ(placed(network, "0xabc"), "hosts:1: the network has no port with the GUID 0xabc");
}

TEST(PlaceJob, HintsAtTheNearestName) {
  const Network network = cluster({{"a08-p1-dgx-04-c01", 1}, {"a08-p1-dgx-04-c11", 1}, {"b01", 1}});
  EXPECT_EQ(placed(network, "b01\na08-p1-dgx-04-c10\n"),
            "hosts:2: the network has no host 'a08-p1-dgx-04-c10' (the nearest name is 'a08-p1-dgx-04-c11')");
  EXPECT_EQ(placed(network, "b10"), "hosts:1: the network has no host 'b10' (the nearest name is 'b01')");
  EXPECT_EQ(placed(network, "quite-something-else"),
            "hosts:1: the network has no host 'quite-something-else' (--aliases FILE says what else hosts are called)");
}

TEST(PlaceJob, RefusesHostsWithoutCablesAndEmptyJobs) {
  const Network network = cluster({{"a", 1}, {"dark", 0}});
  EXPECT_EQ(placed(network, "a\ndark\n"), "hosts:2: the host 'dark' has no cable");
  const auto none = place_job(network, {}, "hosts", 0, RankOrder::network);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "hosts: a job needs at least one host");
}

TEST(PlaceJob, RefusesTooManyRanks) {
  const Network network = cluster({{"a", 1}, {"A.x", 1}});
  const std::vector<HostEntry> hosts = {{"a", 4'000'000'000, 1}, {"A", 4'000'000'000, 2}};
  const auto job = place_job(network, hosts, "hosts", 0, RankOrder::as_given);
  ASSERT_FALSE(job);
  EXPECT_EQ(job.error().message, "hosts: a job of more than 16777216 ranks");
}

TEST(ContiguousJob, TakesTheFirstMachinesInNetworkOrder) {
  const Network network = opened("fattree:K=6,nodes=30");
  const auto job = contiguous_job(network, 16, 8);
  ASSERT_TRUE(job);
  EXPECT_EQ(job->rank_count(), 128U);
  for (std::size_t i = 0; i < 16; ++i) {
    EXPECT_EQ(network.machine(job->machines()[i]).name, fmt::format("N{}", i));
  }
  EXPECT_EQ(contiguous_job(network, 31, 1).error().message,
            "a job of 31 hosts is larger than the network, which has 30");
  EXPECT_EQ(contiguous_job(network, 0, 1).error().message, "a job needs at least one host");
}

TEST(RandomJob, IsDrawnUniformlyAndInNetworkOrder) {
  const Network network = opened("fattree:K=2,levels=2");
  std::vector<int> drawn(network.machines().size());
  constexpr int draws = 4000;
  Random random(7);
  for (int draw = 0; draw < draws; ++draw) {
    const auto job = random_job(network, 3, 1, random);
    ASSERT_TRUE(job);
    ASSERT_EQ(job->rank_count(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
      ++drawn[job->machine_of_rank[i]];
      if (i == 0) continue;
      EXPECT_LT(job->machine_of_rank[i - 1], job->machine_of_rank[i]);
    }
  }
  // Each machine is in 3 of 8 jobs; five standard deviations are 153.
  for (const int count : drawn) EXPECT_NEAR(count, draws * 3 / 8, 155);
  EXPECT_FALSE(random_job(network, 9, 1, random));
}

TEST(RandomJob, IsTheSameForTheSameSeed) {
  const Network network = opened("fattree:K=6,nodes=30");
  Random first(42);
  Random second(42);
  const auto a = random_job(network, 16, 1, first);
  const auto b = random_job(network, 16, 1, second);
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->machine_of_rank, b->machine_of_rank);
}

/// Two hosts, an HCA that names no host, and a host without a cable.
Network storage_next_to_hosts() {
  NetworkBuilder builder;
  const auto router = builder.add_router("leaf", 0x100, 8);
  const auto host_a = builder.add_nic("a HCA-1", 0x200, 1, "a", 0);
  const auto storage = builder.add_unnamed_nic("storage", 0x300, 1);
  const auto host_b = builder.add_nic("b HCA-1", 0x400, 1, "b", 0);
  builder.add_nic("c HCA-1", 0x500, 1, "c", 0);
  PortNumber port = 1;
  for (const auto nic : {host_a, storage, host_b}) {
    if (!builder.connect(nic, 1, router, port++, {})) throw std::runtime_error("port taken");
  }
  return builder.build().value();
}

TEST(RandomJob, HoldsHcasThatNameNoHostOnlyIfAskedFor) {
  const Network network = storage_next_to_hosts();
  Random random(1);
  for (const std::size_t size : {1, 2}) {
    const Job job = random_job(network, size, 1, random).value();
    for (const MachineId machine : job.machines()) EXPECT_TRUE(network.machine(machine).named);
  }
  const auto too_large = random_job(network, 3, 1, random);
  ASSERT_FALSE(too_large);
  EXPECT_EQ(too_large.error().hint, "not counted: 1 HCA that names no host");
  EXPECT_EQ(random_job(network, 3, 1, random, Candidates::all)->rank_count(), 3U);
  EXPECT_FALSE(random_job(network, 4, 1, random, Candidates::all)) << "the host without a cable";
}

TEST(ContiguousJob, HoldsHcasThatNameNoHostOnlyIfAskedFor) {
  const Network network = storage_next_to_hosts();
  EXPECT_FALSE(contiguous_job(network, 3, 1));
  EXPECT_EQ(contiguous_job(network, 3, 1, Candidates::all)->rank_count(), 3U);
}

TEST(MachinesForJobs, AreAllHcasWhereNoHostIsNamed) {
  NetworkBuilder builder;
  const auto router = builder.add_router("leaf", 0x100, 2);
  for (PortNumber port = 1; port <= 2; ++port) {
    ASSERT_TRUE(builder.connect(builder.add_unnamed_nic("hca", 0x1000U * port, 1), 1, router, port, {}));
  }
  EXPECT_EQ(machines_for_jobs(builder.build().value(), Candidates::named).size(), 2U);
}

TEST(EndpointsOfRanks, FollowTheRails) {
  const Network network = cluster({{"a", 4}, {"b", 1}});
  const auto hosts = parse_hostfile("a slots=6\nb slots=2\n", "hosts");
  const auto job = place_job(network, *hosts, "hosts", 0, RankOrder::as_given);
  ASSERT_TRUE(job);
  std::vector<int> rails;
  for (const PortId endpoint : endpoints_of_ranks(network, *job)) {
    rails.push_back(network.device(network.port(endpoint).device).rail);
  }
  EXPECT_EQ(rails, (std::vector{0, 1, 2, 3, 0, 1, 0, 0}));
}

TEST(EndpointsOfRanks, FollowTheRailsOfEachMachineInCyclicPlacements) {
  const Network network = cluster({{"a", 2}, {"b", 2}});
  std::vector<std::string> nics;
  for (const PortId endpoint : endpoints_of_ranks(network, Job{{0, 1, 0, 1, 0}})) {
    const Device& device = network.device(network.port(endpoint).device);
    nics.push_back(fmt::format("{} {}", network.machine(device.machine).name, device.rail));
  }
  EXPECT_EQ(fmt::format("{}", fmt::join(nics, ", ")), "a 0, b 0, a 1, b 1, a 0");
}

TEST(EndpointsOfRanks, UseBothPortsOfADualPortNic) {
  NetworkBuilder builder;
  const auto router = builder.add_router("leaf", 1, 4);
  const auto nic = builder.add_nic("a HCA-1", 0x100, 2, "a", 0);
  ASSERT_TRUE(builder.connect(nic, 1, router, 1, {}));
  ASSERT_TRUE(builder.connect(nic, 2, router, 2, {}));
  const Network network = std::move(*builder.build());
  const Job job{{0, 0, 0}};
  std::vector<int> ports;
  for (const PortId endpoint : endpoints_of_ranks(network, job)) ports.push_back(network.port(endpoint).number);
  EXPECT_EQ(ports, (std::vector{1, 2, 1}));
}

TEST(EndpointsOfRanks, UseOnlyRailsWithACable) {
  NetworkBuilder builder;
  const auto router = builder.add_router("leaf", 1, 4);
  for (const std::uint16_t rail : {std::uint16_t{1}, std::uint16_t{3}}) {  // rails 0 and 2 are unplugged
    const auto nic = builder.add_nic("a", 0x100U * (rail + 1U), 1, "a", rail);
    ASSERT_TRUE(builder.connect(nic, 1, router, static_cast<PortNumber>(rail), {}));
  }
  const Network network = std::move(*builder.build());
  std::vector<int> rails;
  for (const PortId endpoint : endpoints_of_ranks(network, Job{{0, 0, 0, 0}})) {
    rails.push_back(network.device(network.port(endpoint).device).rail);
  }
  EXPECT_EQ(rails, (std::vector{1, 1, 1, 3}));
}

}  // namespace
}  // namespace ayatori
