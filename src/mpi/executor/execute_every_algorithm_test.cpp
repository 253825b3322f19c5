// Every algorithm, executed with real data by all of its participants: in random orders, and by threads.
#include <gtest/gtest.h>

#include "carrier_fixtures.hpp"
#include "case_fixtures.hpp"
#include "participant_fixtures.hpp"
#include "random_execution_fixtures.hpp"

namespace ayatori {
namespace {

Result<> execute_and_check(const Schedule& schedule, std::uint64_t seed) {
  const auto participants = execute_in_random_order(schedule, seed);
  if (!participants) return Failure(participants.error());
  return check_postcondition(schedule, *participants);
}

constexpr Bytes max_bytes = 400;

class ExecuteEveryAlgorithm : public testing::TestWithParam<Collective> {
 protected:
  template <typename Execute>
  static void expect_postcondition(Rank ranks, std::uint64_t seed, Execute execute) {
    for (const Algorithm& algorithm : algorithms()) {
      if (algorithm.collective != GetParam()) continue;
      const ScheduleCase drawn = CaseDraw(seed, max_bytes).of(algorithm, ranks);
      const auto schedule = make_schedule(algorithm.name, drawn.call, drawn.placement, drawn.options);
      ASSERT_TRUE(schedule) << schedule.error().message;
      const Result<> executed = execute(**schedule);
      ASSERT_TRUE(executed) << executed.error().message << "\n" << drawn.describe() << ", seed " << seed;
    }
  }
};

TEST_P(ExecuteEveryAlgorithm, InRandomOrdersFulfilsThePostcondition) {
  for (Rank ranks = 1; ranks <= 16; ++ranks) {
    const std::uint64_t seed = 7000 + ranks;
    ASSERT_NO_FATAL_FAILURE(
        expect_postcondition(ranks, seed, [&](const Schedule& schedule) { return execute_and_check(schedule, seed); }));
  }
}

TEST_P(ExecuteEveryAlgorithm, ByThreadsFulfilsThePostcondition) {
  for (const Rank ranks : {2U, 5U, 8U, 12U}) {
    ASSERT_NO_FATAL_FAILURE(expect_postcondition(ranks, 8000 + ranks, [](const Schedule& schedule) {
      ThreadNetwork network(schedule.participant_count());
      return execute_by_threads(schedule, network);
    }));
  }
}

INSTANTIATE_TEST_SUITE_P(Of, ExecuteEveryAlgorithm,
                         testing::Values(Collective::alltoall, Collective::alltoallv, Collective::broadcast,
                                         Collective::reduce, Collective::allreduce, Collective::reduce_scatter,
                                         Collective::allgather, Collective::gather, Collective::scatter,
                                         Collective::barrier, Collective::halo),
                         [](const auto& test) { return std::string(to_word(test.param)); });

/// Commutes as floating-point operations may: what comes out depends on the order, bit by bit.
void combine_in_order(std::byte* to, const std::byte* from, std::size_t bytes, OperandOrder order) {
  for (std::size_t i = 0; i < bytes; ++i) {
    const auto [first, second] =
        order == OperandOrder::from_first ? std::pair(from[i], to[i]) : std::pair(to[i], from[i]);
    to[i] = static_cast<std::byte>(std::to_integer<unsigned>(first) * 3 + std::to_integer<unsigned>(second) * 5);
  }
}

TEST(ExecuteAllreduce, AllRanksGetTheSameBitsWhateverTheOrderOfOperandsDoes) {
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective != Collective::allreduce || algorithm.name == "in-network") continue;
    for (Rank ranks = 2; ranks <= 17; ++ranks) {
      const ScheduleCase drawn = CaseDraw(9000 + ranks, max_bytes).of(algorithm, ranks);
      const auto schedule = make_schedule(algorithm.name, drawn.call, drawn.placement, drawn.options).value();
      const auto participants = execute_in_random_order(*schedule, ranks, combine_in_order);
      ASSERT_TRUE(participants) << participants.error().message;
      for (Slot slot = 0; slot < schedule->block_count(); ++slot) {
        const auto expected = (*participants)[0]->memory.slot(slot);
        for (Rank rank = 1; rank < drawn.call.ranks; ++rank) {
          ASSERT_TRUE(std::ranges::equal((*participants)[rank]->memory.slot(slot), expected))
              << drawn.describe() << ", rank " << rank;
        }
      }
    }
  }
}

/// The faces are compared with those of a grid that is walked here, not with the neighbours that the schedule names.
TEST(ExecuteHalo, FacesComeFromTheNeighboursOnTheGrid) {
  constexpr Rank rows = 3;
  constexpr Rank columns = 4;
  AlgorithmOptions options;
  options.stencil = {rows, columns};
  options.stencil_periodic = {true, false};
  const CollectiveCall call{Collective::halo, rows * columns, 0, 10};
  const auto schedule = make_schedule("halo", call, placement_of_ranks(rows * columns), options).value();
  const auto participants = execute_in_random_order(*schedule, 1);
  ASSERT_TRUE(participants) << participants.error().message;
  const auto expect_face = [&](Rank rank, Slot slot, Rank neighbour, Slot sent) {
    const auto bytes = (*participants)[rank]->memory.slot(slot);
    ASSERT_EQ(bytes.size(), 10U);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      EXPECT_EQ(bytes[i], sample_byte({neighbour, sent}, i)) << "rank " << rank << ", slot " << slot;
    }
  };
  for (Rank row = 0; row < rows; ++row) {
    for (Rank column = 0; column < columns; ++column) {
      const Rank rank = row * columns + column;
      expect_face(rank, 4, (row + 1) % rows * columns + column, 1);
      expect_face(rank, 5, (row + rows - 1) % rows * columns + column, 0);
      if (column + 1 < columns) expect_face(rank, 6, rank + 1, 3);
      if (column > 0) expect_face(rank, 7, rank - 1, 2);
    }
  }
}

}  // namespace
}  // namespace ayatori
