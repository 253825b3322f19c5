#include "ayatori/tuning/predicted.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "ayatori/artefacts/assumed_costs.hpp"
#include "ayatori/schedule/algorithms.hpp"
#include "ayatori/schedule/same_messages.hpp"

namespace ayatori {
namespace {

CostModel model_of(const char* rate, bool direct = false) {
  const auto link = *parse_link_rate(rate);
  const AssumedCosts assumed = assumed_costs(link, direct);
  return {assumed.costs, link.bytes_per_second(), assumed.link_latency};
}

std::vector<std::string> names_in(const std::vector<PredictedChoice>& found) {
  std::vector<std::string> names;
  for (const PredictedChoice& one : found) names.push_back(one.choice.algorithm);
  return names;
}

TEST(PredictedChoices, CanBeExecutedAndAreSortedByTime) {
  for (const MpiCallNames& call : mpi_calls()) {
    for (const Bytes bytes : {Bytes{0}, Bytes{1}, Bytes{100'000}}) {
      for (const Placement& placement :
           {placement_of_ranks(6, 6), placement_of_ranks(6, 1), placement_of_ranks(6, 2)}) {
        const auto found = predicted_choices(call.call, bytes, placement, model_of("4xHDR"));
        EXPECT_EQ(found.empty(), call.sized_by_rank) << call.name;
        EXPECT_TRUE(std::ranges::is_sorted(found, {}, &PredictedChoice::seconds)) << call.name;
        for (const PredictedChoice& one : found) {
          EXPECT_TRUE(parse_forced_choice(call.call, one.choice.algorithm)) << call.name << one.choice.algorithm;
        }
      }
    }
  }
}

TEST(PredictedChoices, OfASmallBroadcastBetweenMachinesAreTreesAndOfALargeOneArePipelines) {
  const Placement placement = placement_of_ranks(16, 1);
  const auto small = predicted_choices(MpiCall::bcast, 8, placement, model_of("4xHDR"));
  const auto large = predicted_choices(MpiCall::bcast, 16 << 20, placement, model_of("4xHDR"));
  ASSERT_FALSE(small.empty());
  ASSERT_FALSE(large.empty());
  EXPECT_TRUE(small[0].choice.algorithm == "knomial" || small[0].choice.algorithm == "binomial");
  EXPECT_TRUE(large[0].choice.algorithm == "chain" || large[0].choice.algorithm == "scatter-allgather")
      << large[0].choice.algorithm;
}

TEST(PredictedChoices, OnAGridHaveTheAlgorithmsForGrids) {
  const std::uint32_t lengths[] = {4, 4};
  const bool rings[] = {true, true};
  const auto on_grid =
      names_in(predicted_choices(MpiCall::bcast, 1 << 20, placement_on_grid(lengths, rings), model_of("4xHDR", true)));
  const auto elsewhere =
      names_in(predicted_choices(MpiCall::bcast, 1 << 20, placement_of_ranks(16), model_of("4xHDR")));
  EXPECT_NE(std::ranges::find(on_grid, "trinaryx3"), on_grid.end());
  EXPECT_EQ(std::ranges::find(elsewhere, "trinaryx3"), elsewhere.end());
}

TEST(PredictedChoices, SimulateNoMoreMessagesThanTheyMay) {
  const Placement placement = placement_of_ranks(64);
  const auto all = predicted_choices(MpiCall::allgather, 8, placement, model_of("4xHDR"), 1'000'000);
  const auto few = names_in(predicted_choices(MpiCall::allgather, 8, placement, model_of("4xHDR"), 1000));
  EXPECT_GT(all.size(), few.size());
  EXPECT_EQ(std::ranges::find(few, "ring"), few.end()) << "63 steps of 64 messages";
  EXPECT_NE(std::ranges::find(few, "bruck"), few.end()) << "6 steps";
}

TEST(PredictedChoices, CountTheMessagesOfAStepThatHasMany) {
  const auto found = names_in(predicted_choices(MpiCall::alltoall, 8, placement_of_ranks(64), model_of("4xHDR"), 3000));
  EXPECT_EQ(std::ranges::find(found, "spread"), found.end()) << "64 x 63 messages in one step";
  EXPECT_NE(std::ranges::find(found, "bruck"), found.end()) << "6 steps";
}

TEST(PredictedChoices, ThatSendTheSameMessagesAreOne) {
  for (const Collective collective : {Collective::allreduce, Collective::alltoall, Collective::allgather}) {
    for (const MpiCallNames& call : mpi_calls()) {
      if (call.collective != collective || call.sized_by_rank) continue;
      const Placement placement = placement_of_ranks(2, 2);
      std::vector<SchedulePtr> schedules;
      for (const PredictedChoice& one : predicted_choices(call.call, 4096, placement, model_of("4xHDR"))) {
        AlgorithmOptions options;
        options.chunk_bytes = one.choice.chunk_bytes;
        schedules.push_back(*make_schedule(one.choice.algorithm, {collective, 2, 0, 4096}, placement, options));
        for (std::size_t i = 0; i + 1 < schedules.size(); ++i)
          EXPECT_FALSE(send_the_same_messages(*schedules[i], *schedules.back())) << one.choice.algorithm;
      }
      EXPECT_FALSE(schedules.empty());
    }
  }
}

TEST(PredictedChoices, OfOneRankAreNone) {
  EXPECT_TRUE(predicted_choices(MpiCall::bcast, 8, placement_of_ranks(1), model_of("4xHDR")).empty());
}

}  // namespace
}  // namespace ayatori
