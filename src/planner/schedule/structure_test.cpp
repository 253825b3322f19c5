// The shapes of the algorithms as the literature has them: which ranks exchange messages, over which cables, in how
// many steps.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <array>

#include <map>

#include "schedule_fixtures.hpp"

namespace ayatori {
namespace structure_test {

std::size_t depth_of(const std::set<Edge>& edges, Rank root) {
  std::map<Rank, Rank> parent;
  for (const Edge& edge : edges) parent[edge.second] = edge.first;
  std::size_t deepest = 0;
  for (const auto& [child, ignored] : parent) {
    std::size_t depth = 0;
    for (Rank r = child; r != root; r = parent.at(r)) ++depth;
    deepest = std::max(deepest, depth);
  }
  return deepest;
}

std::size_t max_children(const std::set<Edge>& edges) {
  std::map<Rank, std::size_t> children;
  std::size_t most = 0;
  for (const Edge& edge : edges) most = std::max(most, ++children[edge.first]);
  return most;
}

TEST(TotalsOf, IsTheSumOfAllSteps) {
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.needs_grid || algorithm.collective == Collective::alltoallv) continue;
    const Placement placement = placement_of_ranks(12, 3);
    auto schedule = make_schedule(algorithm.name, {algorithm.collective, 12, 0, 4800}, placement, {});
    if (!schedule) continue;  // not for this job
    const auto steps = steps_of(*schedule);
    std::uint64_t messages = 0;
    Bytes bytes = 0;
    for (std::size_t i = 0; i < steps->step_count(); ++i) {
      for (const Message& message : step_of(*steps, i)) ++messages, bytes += message.bytes;
    }
    const ScheduleTotals totals = totals_of(**schedule);
    EXPECT_EQ(totals.messages, messages) << algorithm.name;
    EXPECT_EQ(totals.bytes, bytes) << algorithm.name;
  }
}

TEST(TotalsOf, ABinomialBroadcastSendsTheVectorOnceToEachOtherRank) {
  const ScheduleTotals totals =
      totals_of(*made("binomial", {Collective::broadcast, 12, 3, 1000}, placement_of_ranks(12)));
  EXPECT_EQ(totals.messages, 11U);
  EXPECT_EQ(totals.bytes, 11'000U);
}

class TorusColours : public testing::TestWithParam<std::vector<std::uint32_t>> {};

TEST_P(TorusColours, ShareNoDirectedLink) {
  const Placement placement = torus(GetParam());
  const auto n = static_cast<Rank>(placement.machine.size());
  const bool all_long =
      std::all_of(GetParam().begin(), GetParam().end(), [](std::uint32_t length) { return length >= 3; });
  for (const Rank root : {0U, n / 2, n - 1}) {
    const CollectiveCall call{Collective::broadcast, n, root, 1 << 16};
    const auto three = made("trinaryx3", call, placement);
    const auto six = made("sixcolour", call, placement);
    EXPECT_EQ(three->stream_count(), GetParam().size());
    EXPECT_EQ(six->stream_count(), 2 * GetParam().size());
    for (const auto& schedule : all_long ? std::vector{three, six} : std::vector{three}) {
      std::set<Edge> used;
      std::size_t total = 0;
      for (std::uint32_t colour = 0; colour < schedule->stream_count(); ++colour) {
        const auto edges = edges_of(*schedule, colour);
        EXPECT_EQ(edges.size(), n - 1) << "a tree";
        for (const Edge& edge : edges) EXPECT_EQ(hops(edge.first, edge.second, placement), 1U);
        EXPECT_LE(max_children(edges), 3U);
        used.insert(edges.begin(), edges.end());
        total += edges.size();
      }
      EXPECT_EQ(used.size(), total) << "root " << root << ", " << schedule->stream_count() << " colours";
    }
  }
}

TEST_P(TorusColours, Trinaryx1IsTheFirstTreeOfTrinaryx3) {
  const Placement placement = torus(GetParam());
  const CollectiveCall call{Collective::broadcast, static_cast<Rank>(placement.machine.size()), 1, 1 << 16};
  const auto one = made("trinaryx1", call, placement);
  EXPECT_EQ(one->stream_count(), 1U);
  EXPECT_EQ(edges_of(*one, 0), edges_of(*made("trinaryx3", call, placement), 0));
}

TEST_P(TorusColours, HaveTheDepthOfTheSumOfLengths) {
  const Placement placement = torus(GetParam());
  const auto n = static_cast<Rank>(placement.machine.size());
  const auto schedule = made("sixcolour", {Collective::broadcast, n, 0, 1}, placement);
  const auto axes = static_cast<std::uint32_t>(GetParam().size());
  for (std::uint32_t colour = 0; colour < 2 * axes; ++colour) {
    std::size_t straight = 0;
    for (const std::uint32_t length : GetParam()) straight += length - 1;
    const std::size_t to_ghosts = straight - (GetParam()[colour % axes] - 1) + 2;
    const std::size_t depth = std::max(straight, to_ghosts);
    EXPECT_EQ(depth_of(edges_of(*schedule, colour), 0), depth);
    EXPECT_EQ(schedule->step_count(colour), depth) << "one chunk takes as many steps as the tree is deep";
  }
}

INSTANTIATE_TEST_SUITE_P(On, TorusColours,
                         testing::Values(std::vector{3U, 3U, 3U}, std::vector{4U, 4U, 4U}, std::vector{4U, 6U, 8U},
                                         std::vector{2U, 3U, 4U}, std::vector{5U, 3U}));

/// Cables (lower end first) on the way of a packet: dimension by dimension, the shorter way round, upwards if both are
/// equal.
std::vector<Edge> route(Rank from, Rank to, const Placement& placement) {
  std::vector<Edge> cables;
  const auto& lengths = placement.dimensions;
  auto here = coordinates(from, lengths);
  const auto there = coordinates(to, lengths);
  const auto point = [&] {
    Rank number = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i) number = number * lengths[i] + here[i];
    return number;
  };
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const std::uint32_t up = (there[i] + lengths[i] - here[i]) % lengths[i];
    const bool upwards = placement.periodic[i] ? 2 * up <= lengths[i] : there[i] > here[i];
    while (here[i] != there[i]) {
      const Rank last = point();
      here[i] = (here[i] + (upwards ? 1 : lengths[i] - 1)) % lengths[i];
      cables.emplace_back(std::min(last, point()), std::max(last, point()));
    }
  }
  return cables;
}

TEST(MappedBinary, UsesNoCableTwiceAndNoEdgeOfMoreThanTwoHops) {
  const std::vector<std::vector<std::uint32_t>> grids{{4, 4},    {3, 3}, {5, 7}, {4, 4, 4},
                                                      {2, 3, 4}, {2, 2}, {9},    {6, 6}};
  for (const auto& lengths : grids) {
    for (const bool ring : {true, false}) {
      Placement placement = torus(lengths);
      placement.periodic.assign(lengths.size(), ring);
      const auto n = static_cast<Rank>(placement.machine.size());
      for (Rank root = 0; root < n; ++root) {
        const auto schedule = made("mapped-binary", {Collective::broadcast, n, root, 1}, placement);
        const auto edges = edges_of(*schedule, 0);
        const auto what = fmt::format("root {} of {} machines, rings {}", root, n, ring);
        ASSERT_EQ(edges.size(), n - 1) << what;
        ASSERT_LE(max_children(edges), 2U) << what;
        std::set<Edge> taken;
        for (const Edge& edge : edges) {
          const auto cables = route(edge.first, edge.second, placement);
          ASSERT_LE(cables.size(), 2U) << what;
          for (const Edge& cable : cables) ASSERT_TRUE(taken.insert(cable).second) << what;
        }
      }
    }
  }
}

TEST(MappedBinary, IsNoDeeperThanTheTreeInRankOrderOnThePapersTorus) {
  const Placement placement = torus({4, 4});
  const CollectiveCall call{Collective::broadcast, 16, 0, 1};
  const auto in_rank_order = edges_of(*made("binary", call, placement), 0);
  const auto mapped = edges_of(*made("mapped-binary", call, placement), 0);
  EXPECT_EQ(depth_of(in_rank_order, 0), 4U);
  EXPECT_LE(depth_of(mapped, 0), 5U);
  std::uint32_t max_hops = 0;
  for (const Edge& edge : in_rank_order) max_hops = std::max(max_hops, hops(edge.first, edge.second, placement));
  EXPECT_EQ(max_hops, 3U) << "as the paper says of figure 2(c)";
}

// ---------------------------------------------------------------------------------------------------------------------

TEST(InNetwork, SendsEachVectorOnceUpAndOnceDown) {
  Placement placement = placement_of_ranks(12, 2);
  placement.group = {0, 0, 0, 1, 1, 2};
  const auto schedule = made("in-network", {Collective::allreduce, 12, 0, 1000}, placement);
  EXPECT_EQ(schedule->participant_count(), 12U + 3U + 1U);
  const auto edges = edges_of(*schedule, 0);
  EXPECT_EQ(edges.size(), 2 * 15U) << "each participant but the top has one edge, used both ways";
  for (const Edge& edge : edges) EXPECT_TRUE(edges.contains({edge.second, edge.first}));
}

/// 3 groups of 3 machines with 2 ranks; the last machine of each group is its gateway.
Placement with_gateways() {
  Placement placement = placement_of_ranks(18, 2);
  for (std::uint32_t machine = 0; machine < 9; ++machine) {
    placement.group[machine] = machine / 3;
    placement.gateway[machine] = machine % 3 == 2;
  }
  return placement;
}

TEST(Hierarchical, LeavesGroupsThroughGatewaysOnly) {
  const Placement placement = with_gateways();
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.name != "hierarchical") continue;
    for (Rank root = 0; root < 18; ++root) {
      const auto schedule = made(algorithm.name, {algorithm.collective, 18, root, 100}, placement);
      for (const Edge& edge : edges_of(*schedule, 0)) {
        const std::uint32_t from = placement.machine[edge.first];
        const std::uint32_t to = placement.machine[edge.second];
        if (placement.group[from] == placement.group[to]) continue;
        EXPECT_TRUE(placement.gateway[from] && placement.gateway[to])
            << to_word(algorithm.collective) << ", root " << root << ": " << edge.first << " to " << edge.second;
      }
    }
  }
}

TEST(Hierarchical, CrossesBetweenGroupsAsRarelyAsPossible) {
  const Placement placement = with_gateways();
  for (Rank root = 0; root < 18; ++root) {
    const auto edges = edges_of(*made("hierarchical", {Collective::broadcast, 18, root, 100}, placement), 0);
    const auto crossing = std::count_if(edges.begin(), edges.end(), [&](const Edge& edge) {
      return placement.group[placement.machine[edge.first]] != placement.group[placement.machine[edge.second]];
    });
    EXPECT_EQ(crossing, 2);
  }
}

/// By hand: row-major points of 3 × 4, a ring in the first dimension, a line in the second.
TEST(Halo, ExchangesFacesWithItsNeighboursOnTheGrid) {
  AlgorithmOptions options;
  options.stencil = {3, 4};
  options.stencil_periodic = {true, false};
  const auto schedule = made("halo", {Collective::halo, 12, 0, 10}, placement_of_ranks(12), options);
  EXPECT_EQ(schedule->block_count(), 4U);
  EXPECT_EQ(edges_of(*schedule, 0).size(), 12U * 2 + 2 * 3U * 3) << "a ring of 3 for each column, lines of 4";
  const auto neighbours = [&](Rank rank) {
    return std::array{schedule->neighbour(rank, 0), schedule->neighbour(rank, 1), schedule->neighbour(rank, 2),
                      schedule->neighbour(rank, 3)};
  };
  EXPECT_EQ(neighbours(0), (std::array<Rank, 4>{4, 8, 1, no_id}));
  EXPECT_EQ(neighbours(5), (std::array<Rank, 4>{9, 1, 6, 4}));
  EXPECT_EQ(neighbours(11), (std::array<Rank, 4>{3, 7, no_id, 10}));
}

/// Without a stencil, a rank's neighbours are those of its machine on the places' grid, in whatever order ranks lie on
/// it.
TEST(Halo, NeighboursFollowTheGridOfThePlacement) {
  Placement placement = torus({5});
  placement.point = {2, 0, 3, 1, 4};
  const auto schedule = made("halo", {Collective::halo, 5, 0, 10}, placement);
  EXPECT_EQ(schedule->neighbour(0, 0), 2U);
  EXPECT_EQ(schedule->neighbour(0, 1), 3U);
  EXPECT_EQ(schedule->neighbour(4, 0), 1U);
}

TEST(ChunkCount, FollowsTheFormulaOfTheHeader) {
  const auto chunks = [](Bytes bytes, Rank n, Bytes chunk) {
    AlgorithmOptions options;
    options.chunk_bytes = chunk;
    return made("chain", {Collective::broadcast, n, 0, bytes}, placement_of_ranks(n), options)->block_count();
  };
  EXPECT_EQ(chunks(16 << 20, 5, 0), 55U);  // sqrt(3 · 1024) = 55.4
  EXPECT_EQ(chunks(0, 5, 0), 1U);
  EXPECT_EQ(chunks(1000, 5, 300), 4U);
  EXPECT_EQ(chunks(3, 5, 1), 3U);
}

}  // namespace structure_test
}  // namespace ayatori
