#include "ayatori/schedule/planned_steps.hpp"

#include <gtest/gtest.h>

#include <string>

#include "ayatori/schedule/algorithms.hpp"
#include "ayatori/schedule/pattern.hpp"

namespace ayatori {
namespace planned_steps_test {

std::string error_of(Rank ranks, std::vector<Rank> destinations) {
  const auto steps = PlannedSteps::of(ranks, std::move(destinations));
  return steps ? "none" : steps.error().message;
}

TEST(PlannedSteps, TellsWhoSendsAndWhoReceives) {
  const auto steps = PlannedSteps::of(3, {1, no_id, 0, 2, 0, no_id, no_id, 2, 1}).value();
  EXPECT_EQ(steps.step_count(), 3U);
  EXPECT_EQ(steps.destination(0, 2), 0U);
  EXPECT_EQ(steps.source(0, 0), 2U);
  EXPECT_EQ(steps.source(0, 2), no_id);
  std::vector<Message> messages;
  steps.step(1, messages);
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(messages[1].from, 1U);
  EXPECT_EQ(messages[1].to, 0U);
}

TEST(PlannedSteps, RefusesWhatIsNoAllToAll) {
  EXPECT_EQ(error_of(2, {1, 0}), "none");
  EXPECT_EQ(error_of(0, {}), "none");
  EXPECT_EQ(error_of(0, {1}), "a table of 1 entries has no whole steps of 0 ranks");
  EXPECT_EQ(error_of(2, {1, 0, 1}), "a table of 3 entries has no whole steps of 2 ranks");
  EXPECT_EQ(error_of(2, {1, 2}), "rank 1 sends to 2 in step 0, but there are 2 ranks");
  EXPECT_EQ(error_of(2, {1, 1}), "rank 1 sends to itself in step 0");
  EXPECT_EQ(error_of(3, {2, 2, no_id}), "rank 2 receives from 0 and from 1 in step 0");
  EXPECT_EQ(error_of(2, {1, 0, 1, no_id}), "rank 0 sends to 1 twice");
  EXPECT_EQ(error_of(2, {1, no_id}), "rank 1 never sends to 0");
}

TEST(PlannedSteps, ReadsAnyStepsThatAreAnAllToAll) {
  const auto shift = PlannedSteps::of(*shift_all_to_all(5)).value();
  EXPECT_EQ(shift.destination(1, 4), 1U);
  const auto twice = parse_pattern("0 1\n0 2\n", "file", 3).value();
  EXPECT_EQ(PlannedSteps::of(*twice).error().message, "rank 0 sends twice in step 0");
  EXPECT_EQ(PlannedSteps::of(*ring(3)).error().message, "rank 0 never sends to 2");
}

TEST(PlannedSteps, ComeBackFromAPatternFile) {
  const auto steps = PlannedSteps::of(3, {1, no_id, 0, 2, 0, no_id, no_id, 2, 1}).value();
  std::string text;
  write_pattern(steps, [&](std::string_view piece) { text += piece; });
  EXPECT_EQ(text, "0 1\n2 0\n\n0 2\n1 0\n\n1 2\n2 1\n\n");
  const auto read = PlannedSteps::of(*parse_pattern(text, "file", 3).value()).value();
  for (std::size_t step = 0; step < 3; ++step) {
    for (Rank rank = 0; rank < 3; ++rank) EXPECT_EQ(read.destination(step, rank), steps.destination(step, rank));
  }
}

TEST(AlltoallPlanned, SendsAsItsStepsSay) {
  AlgorithmOptions options;
  options.planned_steps =
      std::make_shared<const PlannedSteps>(PlannedSteps::of(3, {1, no_id, 0, 2, 0, no_id, no_id, 2, 1}).value());
  const auto schedule =
      make_schedule("path-aware", {Collective::alltoall, 3, 0, 10}, placement_of_ranks(3), options).value();
  EXPECT_EQ(schedule->step_count(0), 3U);
  StepActions actions;
  schedule->actions(1, 0, 0, actions);
  EXPECT_TRUE(actions.sends.empty());
  ASSERT_EQ(actions.receives.size(), 1U);
  EXPECT_EQ(actions.receives[0].peer, 0U);
}

}  // namespace planned_steps_test
}  // namespace ayatori
