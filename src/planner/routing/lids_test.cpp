#include "ayatori/tables/lids.hpp"

#include <gtest/gtest.h>

#include "fabric_fixtures.hpp"

namespace ayatori {
namespace {

using test::Blueprint;

// Paper 1, section 4.1: BaseLID(i) = 2^lmc · (i + 1).
TEST(LidMap, AssignGivesTheLidsOfThePaper) {
  const Network network = test::open("fattree:K=6,levels=2,nodes=30");
  const LidMap lids = LidMap::assign(network, 3).value();
  for (std::size_t i = 0; i < 30; ++i) {
    const LidRange range = lids.of(network.endpoints()[i]);
    EXPECT_EQ(range.base, 8 * (i + 1));
    EXPECT_EQ(range.count(), 8U);
    for (std::uint32_t j = 0; j < 8; ++j) EXPECT_EQ(lids.owner(static_cast<Lid>(range.base + j)), range.port);
  }
  EXPECT_EQ(lids.of(network.port_id(0, 0)).base, 8 * 31);
  EXPECT_EQ(lids.of(network.port_id(0, 0)).count(), 1U);
  EXPECT_EQ(lids.lid_count(), 30 * 8 + network.router_count());
  EXPECT_EQ(lids.last(), LidMap::last_lid_needed(network, 3));
  EXPECT_EQ(lids.owner(7), no_id);
  EXPECT_EQ(lids.owner(static_cast<Lid>(lids.last() + 1)), no_id);
}

TEST(LidMap, AssignPutsAggregationPortsAfterEndpoints) {
  const Network network = Blueprint{2, {{0, 1}}, {0, 1}, {1}}.build();
  const LidMap lids = LidMap::assign(network, 2).value();
  EXPECT_EQ(lids.of(network.aggregation_ports()[0]).base, 12);
  EXPECT_EQ(lids.of(network.aggregation_ports()[0]).count(), 4U);
  EXPECT_EQ(lids.of(network.port_id(0, 0)).base, 16);
}

TEST(LidMap, AssignRefusesAnLmcOutOfRange) {
  const Network network = test::open("fattree:K=2,levels=2");
  EXPECT_EQ(LidMap::assign(network, 8).error().message, "LMC 8 is out of range: 0 to 7");
  EXPECT_FALSE(LidMap::assign(network, -1));
}

TEST(LidMap, AssignSaysWhichLmcFits) {
  const Network network = test::open("fattree:K=18,levels=2");
  const auto lids = LidMap::assign(network, 7);
  ASSERT_FALSE(lids);
  EXPECT_EQ(lids.error().message, "LMC 7 needs LIDs up to 0x144b5, but unicast LIDs end at 0xbfff");
  EXPECT_EQ(lids.error().hint, "the largest LMC that fits 648 ports and 54 routers is 6");
}

TEST(LidMap, FromRangesRefusesOverlaps) {
  const Network network = test::open("fattree:K=2,levels=2");
  const PortId a = network.endpoints()[0];
  const PortId b = network.endpoints()[1];
  const auto lids = LidMap::from_ranges(network, {{a, 8, 2}, {b, 11, 0}});
  ASSERT_FALSE(lids);
  EXPECT_EQ(lids.error().message, "LID 0x000b is given twice: to 'N0 HCA-1' port 1 and to 'N1 HCA-1' port 1");
  EXPECT_TRUE(LidMap::from_ranges(network, {{a, 8, 2}, {b, 12, 0}}));
}

TEST(LidMap, RefusesLidsOutsideTheUnicastSpace) {
  const Network network = test::open("fattree:K=2,levels=2");
  const PortId a = network.endpoints()[0];
  EXPECT_FALSE(LidMap::from_ranges(network, {{a, 0, 0}}));
  EXPECT_TRUE(LidMap::from_ranges(network, {{a, 0xBFF8, 3}}));
  EXPECT_FALSE(LidMap::from_ranges(network, {{a, 0xBFFC, 3}}));
}

TEST(LidMap, ReportedByNamesAPortWithoutALid) {
  const Network network = test::open("fattree:K=2,levels=2");
  const auto lids = LidMap::reported_by(network);
  ASSERT_FALSE(lids);
  EXPECT_EQ(lids.error().message, "'N0 HCA-1' port 1 has no LID");
}

TEST(LidMap, OfIsEmptyForPortsWithoutALid) {
  const Network network = test::open("fattree:K=2,levels=2");
  const LidMap lids = LidMap::assign(network, 0).value();
  EXPECT_EQ(lids.of(network.port_id(0, 1)).base, 0);
  EXPECT_EQ(LidMap().of(3).base, 0);
  EXPECT_EQ(LidMap().owner(1), no_id);
}

}  // namespace
}  // namespace ayatori
