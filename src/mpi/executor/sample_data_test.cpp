#include "ayatori/executor/sample_data.hpp"

#include <gtest/gtest.h>

#include "ayatori/schedule/algorithms.hpp"

namespace ayatori {
namespace {

/// Any schedule of this collective for three ranks, root 1.
SchedulePtr schedule_of(Collective collective) {
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective != collective || algorithm.needs_grid) continue;
    AlgorithmOptions options;
    if (collective == Collective::alltoallv) options.pair_sizes = table_of_sizes(3, std::vector<Bytes>(9, 5));
    return make_schedule(algorithm.name, {collective, 3, 1, 5}, placement_of_ranks(3), options).value();
  }
  return nullptr;
}

void write_sum_of_all_ranks(const Schedule& schedule, Slot slot, std::span<std::byte> bytes) {
  std::fill(bytes.begin(), bytes.end(), std::byte{});
  for (Rank rank = 0; rank < schedule.call().ranks; ++rank) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const std::byte part = sample_byte({rank, slot}, i);
      add_bytes(&bytes[i], &part, 1);
    }
  }
}

/// The postcondition of `rank`, written without executing anything.
SlotMemory right_result(const Schedule& schedule, Rank rank) {
  SlotMemory memory(schedule, rank);
  fill_with_sample_data(schedule, rank, memory);
  const SlotRange result = slots_at_end(schedule, rank);
  for (Slot slot = result.first; slot < result.first + result.count; ++slot) {
    const SlotContent content = content_at_end(schedule, rank, slot);
    const auto bytes = memory.slot(slot);
    if (content.kind == SlotContent::Kind::combination) write_sum_of_all_ranks(schedule, slot, bytes);
    if (content.kind != SlotContent::Kind::contribution) continue;
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = sample_byte(content.contribution, i);
  }
  return memory;
}

class CheckSampleData : public testing::TestWithParam<Collective> {};

TEST_P(CheckSampleData, AcceptsDataThatFulfilThePostcondition) {
  const SchedulePtr schedule = schedule_of(GetParam());
  for (Rank rank = 0; rank < 3; ++rank) EXPECT_TRUE(check_sample_data(*schedule, rank, right_result(*schedule, rank)));
}

TEST_P(CheckSampleData, RejectsEachByteThatIsWrong) {
  const SchedulePtr schedule = schedule_of(GetParam());
  std::size_t changed = 0;
  for (Rank rank = 0; rank < 3; ++rank) {
    SlotMemory memory = right_result(*schedule, rank);
    const SlotRange result = slots_at_end(*schedule, rank);
    for (Slot slot = result.first; slot < result.first + result.count; ++slot) {
      for (std::byte& byte : memory.slot(slot)) {
        byte ^= std::byte{1};
        EXPECT_FALSE(check_sample_data(*schedule, rank, memory)) << "rank " << rank << ", slot " << slot;
        byte ^= std::byte{1};
        ++changed;
      }
    }
  }
  EXPECT_GT(changed, 0U);
}

/// A rank that received nothing must not pass as one that received the right bytes.
TEST_P(CheckSampleData, RejectsSlotsAsTheyWereFilled) {
  const SchedulePtr schedule = schedule_of(GetParam());
  std::size_t rejected = 0;
  for (Rank rank = 0; rank < 3; ++rank) {
    SlotMemory memory(*schedule, rank);
    fill_with_sample_data(*schedule, rank, memory);
    rejected += check_sample_data(*schedule, rank, memory) ? 0 : 1;
  }
  EXPECT_GT(rejected, 0U);
}

/// All collectives with a result; a barrier has none.
INSTANTIATE_TEST_SUITE_P(Of, CheckSampleData,
                         testing::Values(Collective::alltoall, Collective::alltoallv, Collective::broadcast,
                                         Collective::reduce, Collective::allreduce, Collective::reduce_scatter,
                                         Collective::allgather, Collective::gather, Collective::scatter,
                                         Collective::halo),
                         [](const auto& test) { return std::string(to_word(test.param)); });

TEST(SampleByte, DiffersBetweenContributions) {
  std::size_t equal = 0;
  for (Rank rank = 0; rank < 16; ++rank) {
    for (std::size_t i = 0; i < 256; ++i) {
      equal += sample_byte({rank, 3}, i) == sample_byte({rank + 1, 3}, i) ? 1 : 0;
      equal += sample_byte({rank, 3}, i) == sample_byte({rank, 4}, i) ? 1 : 0;
    }
  }
  EXPECT_LT(equal, 16U * 256 * 2 / 128) << "bytes of a hash agree once in 256 times";
}

}  // namespace
}  // namespace ayatori
