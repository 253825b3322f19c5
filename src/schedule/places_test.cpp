#include "ayatori/schedule/places.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ayatori/network/builder.hpp"
#include "ayatori/sources/source.hpp"

namespace ayatori {
namespace {

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
    job.machines.push_back({machine.value_or(0), ranks});
  }
  return job;
}

TEST(Places, OfRanks) {
  const Places places = places_of_ranks(5, 2);
  EXPECT_EQ(places.node, (Numbers{0, 0, 1, 1, 2}));
  EXPECT_EQ(places.group, (Numbers{0, 0, 0}));
  EXPECT_EQ(places.gateway, std::vector<bool>(3, true));
  EXPECT_TRUE(places.dimensions.empty());
}

TEST(Places, OnGrid) {
  const std::uint32_t lengths[] = {2, 3};
  const bool periodic[] = {true, false};
  const Places places = places_on_grid(lengths, periodic, 2);
  EXPECT_EQ(places.node_count(), 6U);
  EXPECT_EQ(places.node.size(), 12U);
  EXPECT_EQ(places.dimensions, (Numbers{2, 3}));
  EXPECT_EQ(places.periodic, (std::vector<bool>{true, false}));
  EXPECT_EQ(places.point, (Numbers{0, 1, 2, 3, 4, 5}));
}

TEST(Places, GroupsAreLeaves) {
  const Network network = opened("fattree:K=3,levels=2,nodes=9");
  const auto job = contiguous_job(network, 7, 2);
  ASSERT_TRUE(job);
  const Places places = places_of_job(network, *job);
  EXPECT_EQ(places.node, (Numbers{0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6}));
  EXPECT_EQ(places.group, (Numbers{0, 0, 0, 1, 1, 1, 2}));
  EXPECT_EQ(places.gateway, std::vector<bool>(7, true));
  EXPECT_TRUE(places.dimensions.empty());
  ASSERT_EQ(places.aggregators.size(), 4U);
  for (const NodeId leaf : {0, 1, 2}) {
    EXPECT_NE(places.aggregators[leaf], places.aggregators[3]) << "a spine stands above the leaves";
  }
}

TEST(Places, ATorusIsAGrid) {
  const Network network = opened("torus:3x4x5");
  const auto job = contiguous_job(network, 60, 1);
  ASSERT_TRUE(job);
  const Places places = places_of_job(network, *job);
  EXPECT_EQ(places.dimensions, (Numbers{3, 4, 5}));
  EXPECT_EQ(places.periodic, (std::vector<bool>{true, true, true}));
  for (std::uint32_t node = 0; node < 60; ++node) {
    const std::string& name = network.machine(job->machines[node].machine).name;
    const std::uint32_t point = places.point[node];
    EXPECT_EQ(name, fmt::format("N{}-{}-{}", point / 20, point / 5 % 4, point % 5));
  }
}

TEST(Places, ABoxMayGoOverTheEdge) {
  const Network network = opened("torus:5x4");
  const Places places = places_of_job(network, job_of(network, {"N4-1", "N0-1", "N4-2", "N0-2"}));
  EXPECT_EQ(places.dimensions, (Numbers{2, 2}));
  EXPECT_EQ(places.periodic, (std::vector<bool>{false, false}));
  EXPECT_EQ(places.point, (Numbers{0, 2, 1, 3}));
  const Places ring = places_of_job(network, job_of(network, {"N2-3", "N2-0", "N2-2", "N2-1"}));
  EXPECT_EQ(ring.dimensions, (Numbers{1, 4}));
  EXPECT_EQ(ring.periodic, (std::vector<bool>{false, true}));
  EXPECT_EQ(ring.point, (Numbers{3, 0, 2, 1}));
}

TEST(Places, AnythingElseIsNoGrid) {
  const Network network = opened("torus:5x4");
  EXPECT_TRUE(places_of_job(network, job_of(network, {"N0-0", "N0-1", "N1-0"})).dimensions.empty());
  EXPECT_TRUE(places_of_job(network, job_of(network, {"N0-0", "N1-1"})).dimensions.empty());
}

TEST(Places, GatewaysAreOnEveryPlane) {
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
  EXPECT_EQ(places_of_job(*network, job_of(*network, {"n1", "n2", "n3"})).gateway,
            (std::vector<bool>{false, true, false}));
  EXPECT_EQ(places_of_job(*network, job_of(*network, {"n1", "n3"})).gateway, (std::vector<bool>{true, true}))
      << "on all planes that the job has";
}

/// Cables alone can't tell two rings of 2 from one of 4: the source does.
TEST(Places, OfASquareAreAsItsSourceSays) {
  const Network network = opened("torus:2x2");
  const Places places = places_of_job(network, job_of(network, {"N0-0", "N0-1", "N1-0", "N1-1"}));
  EXPECT_EQ(places.dimensions, (Numbers{2, 2}));
  EXPECT_EQ(places.point, (Numbers{0, 1, 2, 3}));
}

}  // namespace
}  // namespace ayatori
