// What crosses from group to group where only some machines reach the network between them.
#include <gtest/gtest.h>

#include <map>

#include "schedule_fixtures.hpp"

namespace ayatori {
namespace gateways_test {

constexpr std::uint32_t machines_of_a_group = 4;

/// Groups of four machines with a rank each, of which the last two are gateways.
Placement chassis(std::uint32_t groups) {
  Placement placement = placement_of_ranks(groups * machines_of_a_group);
  for (std::uint32_t machine = 0; machine < placement.machine_count(); ++machine) {
    placement.group[machine] = machine / machines_of_a_group;
    placement.gateway[machine] = machine % machines_of_a_group >= 2;
  }
  return placement;
}

/// By sender the bytes that go to other groups, and whether all of them go from gateway to gateway.
struct Crossing {
  std::map<Rank, Bytes> bytes;
  bool by_gateways = true;
};

Crossing crossing_of(const SchedulePtr& schedule, const Placement& placement) {
  Crossing found;
  const auto steps = steps_of(schedule);
  for (std::size_t i = 0; i < steps->step_count(); ++i) {
    for (const Message& message : step_of(*steps, i)) {
      if (placement.group[message.from] == placement.group[message.to]) continue;
      found.bytes[message.from] += message.bytes;
      found.by_gateways = found.by_gateways && placement.gateway[message.from] && placement.gateway[message.to];
    }
  }
  return found;
}

TEST(GatewaysAlltoall, AllGatewaysSendTheSameToOtherGroups) {
  const Placement placement = chassis(3);
  const auto found = crossing_of(made("gateways", {Collective::alltoall, 12, 0, 100}, placement), placement);
  EXPECT_TRUE(found.by_gateways);
  // Of each group 4 ranks send to 8 others.
  const std::map<Rank, Bytes> equal{{2, 1600}, {3, 1600}, {6, 1600}, {7, 1600}, {10, 1600}, {11, 1600}};
  EXPECT_EQ(found.bytes, equal);
}

TEST(MixedGatewaysAlltoall, OnlyRanksThatAreNoGatewaysSendDirectlyToSuch) {
  const Placement placement = chassis(3);
  const auto found = crossing_of(made("gateways-mixed", {Collective::alltoall, 12, 0, 100}, placement), placement);
  EXPECT_EQ(found.bytes.at(0), 400U);
  EXPECT_EQ(found.bytes.at(1), 400U);
  EXPECT_EQ(found.bytes.at(2), 1200U);
  EXPECT_EQ(found.bytes.at(3), 1200U);
}

class GatewayTrees : public testing::TestWithParam<Rank> {};

TEST_P(GatewayTrees, CrossAtGatewaysEachWithItsShare) {
  const Placement placement = chassis(3);
  for (const Collective collective : {Collective::broadcast, Collective::reduce}) {
    const auto schedule = made("gateways", {collective, 12, GetParam(), 4000}, placement);
    ASSERT_EQ(schedule->stream_count(), 2U);
    const auto found = crossing_of(schedule, placement);
    EXPECT_TRUE(found.by_gateways);
    // The vector crosses to, or from, each of two other groups, one half by each of its gateways.
    Bytes all = 0;
    for (const auto& [rank, bytes] : found.bytes) {
      EXPECT_EQ(bytes, collective == Collective::reduce ? 2000U : 4000U) << rank;
      all += bytes;
    }
    EXPECT_EQ(all, 8000U);
  }
}

TEST_P(GatewayTrees, SendNoMoreFromARankByTheSlowNetworkThanTheVector) {
  for (const std::uint32_t groups : {1U, 2U, 3U, 7U}) {
    const Placement placement = chassis(groups);
    const Rank ranks = groups * machines_of_a_group;
    const auto schedule = made("gateways", {Collective::broadcast, ranks, GetParam() % ranks, 4000}, placement);
    std::map<Rank, Bytes> within;
    const auto steps = steps_of(schedule);
    for (std::size_t i = 0; i < steps->step_count(); ++i) {
      for (const Message& message : step_of(*steps, i)) {
        const bool by_slow_network = !placement.gateway[message.from] || !placement.gateway[message.to];
        if (by_slow_network) within[message.from] += message.bytes;
      }
    }
    for (const auto& [rank, bytes] : within) EXPECT_LE(bytes, 4000U) << rank << " of " << ranks;
  }
}

INSTANTIATE_TEST_SUITE_P(From, GatewayTrees, testing::Values(0, 2, 3, 5, 11));

}  // namespace gateways_test
}  // namespace ayatori
