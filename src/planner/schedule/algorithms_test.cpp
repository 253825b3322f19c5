// Every algorithm, for numbers of ranks from 1 to 64 and some beyond, with places, roots and sizes drawn at random: the
// verifier must agree. A failure prints what to make again.
#include "ayatori/schedule/algorithms.hpp"

#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "../../base/thoroughness_fixtures.hpp"
#include "ayatori/base/random.hpp"
#include "ayatori/schedule/pattern.hpp"
#include "ayatori/schedule/verify.hpp"
#include "case_fixtures.hpp"

namespace ayatori {
namespace algorithms_test {

std::string verdict(const ScheduleCase& c) {
  const auto schedule = make_schedule(c.algorithm->name, c.call, c.placement, c.options);
  if (!schedule) return schedule.error().message;
  const auto ok = verify(**schedule);
  return ok ? "right" : ok.error().message;
}

class EveryAlgorithm : public testing::TestWithParam<Collective> {};

void expect_right(const Algorithm& algorithm, Rank ranks, std::uint64_t seed) {
  const ScheduleCase drawn = CaseDraw(seed).of(algorithm, ranks);
  ASSERT_EQ(verdict(drawn), "right") << drawn.describe() << ", seed " << seed;
}

/// All to 64, or those to 17 and those around what is a power of 2 or not.
std::vector<Rank> numbers_of_ranks() {
  std::vector<Rank> numbers(test::tries(17U, 64U));
  std::iota(numbers.begin(), numbers.end(), 1U);
  if (!test::all_is_tried()) numbers.insert(numbers.end(), {24U, 27U, 31U, 32U, 33U});
  return numbers;
}

/// Counts beyond 64 cost as much as all up to 64 together, so each algorithm has one of them: a prime or a power.
TEST_P(EveryAlgorithm, PassesTheVerifierForAnyRanksPlacementsRootsAndSizes) {
  const auto large = test::tries(std::array<Rank, 4>{67, 81, 72, 65}, std::array<Rank, 4>{67, 81, 97, 128});
  std::size_t next_large = 0;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective != GetParam()) continue;
    for (const Rank ranks : numbers_of_ranks()) ASSERT_NO_FATAL_FAILURE(expect_right(algorithm, ranks, ranks));
    const Rank ranks = large[next_large++ % large.size()];
    ASSERT_NO_FATAL_FAILURE(expect_right(algorithm, ranks, ranks));
    for (std::uint64_t seed = 1000; seed < 1010; ++seed) {
      ASSERT_NO_FATAL_FAILURE(expect_right(algorithm, static_cast<Rank>(1 + Random(seed).below(24)), seed));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Of, EveryAlgorithm, testing::ValuesIn(every_collective), name_of_collective);

// ---------------------------------------------------------------------------------------------------------------------

TEST(MakeSchedule, ErrorsSayWhatDoesNotFit) {
  const auto error_of = [](std::string_view name, const CollectiveCall& call, const Placement& placement,
                           const AlgorithmOptions& options = {}) {
    const auto made = make_schedule(name, call, placement, options);
    return made ? "no error" : made.error().message;
  };
  const Placement four = placement_of_ranks(4);
  AlgorithmOptions unary, of_five, six_points, small_chunks;
  unary.radix = 1;
  small_chunks.chunk_bytes = 1000;
  of_five.planned_steps = std::make_shared<const PlannedSteps>(PlannedSteps::of(*shift_all_to_all(5)).value());
  six_points.stencil = {3, 2};
  EXPECT_EQ(error_of("rings", {Collective::alltoall, 4, 0, 1}, four), "no alltoall algorithm is called 'rings'");
  EXPECT_EQ(error_of("ring", {Collective::alltoall, 5, 0, 1}, four), "the call has 5 ranks, their placement has 4");
  EXPECT_EQ(error_of("binomial", {Collective::broadcast, 4, 4, 1}, four), "root 4 of 4 ranks (they count from 0)");
  EXPECT_EQ(error_of("binomial", {Collective::broadcast, 0, 0, 1}, {}), "a collective needs at least one rank");
  EXPECT_EQ(error_of("trinaryx3", {Collective::broadcast, 4, 0, 1}, four),
            "trinaryx3 needs machines that form a grid, and these form none");
  EXPECT_EQ(error_of("chain", {Collective::broadcast, 4, 0, Bytes{1} << 30}, four, small_chunks),
            "chunks of 1000 bytes would cut 1073741824 bytes into more than 1048576 pieces");
  EXPECT_EQ(error_of("knomial", {Collective::broadcast, 4, 0, 1}, four, unary),
            "a k-nomial tree needs a radix of at least 2");
  EXPECT_EQ(error_of("path-aware", {Collective::alltoall, 4, 0, 1}, four, of_five),
            "the call has 4 ranks, the planned steps are those of 5");
  EXPECT_EQ(error_of("halo", {Collective::halo, 4, 0, 1}, four, six_points),
            "the stencil has 6 points, but there are 4 ranks");
  EXPECT_EQ(error_of("shift", {Collective::alltoall, 4, 0, ~Bytes{0}}, four),
            "18446744073709551615 bytes for each of 4 ranks can't be counted");
  AlgorithmOptions sized, too_large;
  sized.pair_sizes = table_of_sizes(4, std::vector<Bytes>(16, 1));
  too_large.pair_sizes = {4, [](Rank, Rank) { return ~Bytes{0} / 128; }};
  EXPECT_EQ(error_of("shift", {Collective::alltoallv, 4, 0, 0}, four), "alltoallv needs a size for each pair of ranks");
  EXPECT_EQ(error_of("shift", {Collective::alltoall, 4, 0, 1}, four, sized),
            "a size for each pair is for alltoallv, not for alltoall");
  EXPECT_EQ(error_of("shift", {Collective::alltoallv, 5, 0, 0}, placement_of_ranks(5), sized),
            "the call has 5 ranks, the sizes are those of 4");
  EXPECT_EQ(error_of("shift", {Collective::alltoallv, 4, 0, 0}, four, too_large),
            "the bytes of all pairs of 4 ranks can't be counted");
  EXPECT_EQ(make_schedule("rings", {Collective::halo, 4, 0, 1}, four).error().hint, "there are halo");
}

TEST(MakeSchedule, ChunkBytesChangePipelinedAlgorithmsOnly) {
  const std::array<std::uint32_t, 3> lengths{2, 3, 2};
  const std::array<bool, 3> rings{true, true, true};
  const Placement placement = placement_on_grid(lengths, rings);
  AlgorithmOptions long_ones, short_ones;
  long_ones.chunk_bytes = 1 << 16;
  short_ones.chunk_bytes = 1 << 10;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective == Collective::alltoallv) continue;  // has sizes instead
    const CollectiveCall call{algorithm.collective, 12, 0, 1 << 16};
    const auto whole = make_schedule(algorithm.name, call, placement, long_ones);
    const auto pieces = make_schedule(algorithm.name, call, placement, short_ones);
    ASSERT_TRUE(whole && pieces) << algorithm.name;
    EXPECT_EQ((*pieces)->slot_count() > (*whole)->slot_count(), algorithm.pipelined) << algorithm.name;
    if (!algorithm.pipelined) continue;
    EXPECT_NEAR(static_cast<double>((*pieces)->slot_bytes(0, 0)), 1 << 10, 1 << 7) << algorithm.name;
  }
}

TEST(Algorithms, NamesAreUniqueWithinACollective) {
  for (const Algorithm& a : algorithms()) {
    for (const Algorithm& b : algorithms()) {
      EXPECT_TRUE(&a == &b || a.collective != b.collective || a.name != b.name) << a.name;
    }
  }
}

}  // namespace algorithms_test
}  // namespace ayatori
