#include "ayatori/schedule/same_messages.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "ayatori/schedule/algorithms.hpp"

namespace ayatori {
namespace same_messages_test {

SchedulePtr made(const char* algorithm, Collective collective, Rank ranks, Bytes bytes) {
  const auto schedule = make_schedule(algorithm, {collective, ranks, 0, bytes}, placement_of_ranks(ranks, ranks), {});
  EXPECT_TRUE(schedule) << algorithm;
  return *schedule;
}

bool are_the_same(const char* a, const char* b, Collective collective, Rank ranks, Bytes bytes = 4096) {
  return send_the_same_messages(*made(a, collective, ranks, bytes), *made(b, collective, ranks, bytes));
}

TEST(SendTheSameMessages, TreesOfTwoRanksDoAndOfEightDoNot) {
  EXPECT_TRUE(are_the_same("binomial", "linear", Collective::broadcast, 2));
  EXPECT_FALSE(are_the_same("binomial", "linear", Collective::broadcast, 8));
  EXPECT_TRUE(are_the_same("ring", "recursive-doubling", Collective::allgather, 2));
  EXPECT_FALSE(are_the_same("ring", "recursive-doubling", Collective::allgather, 4));
}

TEST(SendTheSameMessages, OtherSizesAreOtherMessages) {
  EXPECT_FALSE(send_the_same_messages(*made("binomial", Collective::broadcast, 4, 8),
                                      *made("binomial", Collective::broadcast, 4, 16)));
  EXPECT_FALSE(send_the_same_messages(*made("binomial", Collective::broadcast, 4, 8),
                                      *made("binomial", Collective::broadcast, 5, 8)));
}

/// All that a participant does, in words; what is compared, written down first.
std::string in_words(const Schedule& schedule, Rank participant) {
  std::string words;
  StepActions actions;
  for (std::uint32_t stream = 0; stream < schedule.stream_count(); ++stream) {
    words += "stream\n";
    for (std::size_t step = 0; step < schedule.step_count(stream); ++step) {
      schedule.actions(participant, stream, step, actions);
      if (actions.idle()) continue;
      words += "step";
      const auto add = [&](const char* what, const std::vector<Transfer>& transfers) {
        for (const Transfer& one : transfers) {
          words += std::string(what) + std::to_string(one.peer) + "/" + std::to_string(one.range_count) + ":" +
                   std::to_string(bytes_of(schedule, participant, actions, one));
        }
      };
      add(" to ", actions.sends);
      add(" from ", actions.receives);
      for (const LocalOperation& local : actions.locals) {
        words += (local.kind == LocalOperation::Kind::copy ? " copy " : " combine ") +
                 std::to_string(bytes_in(schedule, participant, local.from));
      }
      words += "\n";
    }
  }
  return words;
}

TEST(SendTheSameMessages, SaysWhatTheStepsInWordsSayOfAllAlgorithms) {
  for (const Rank ranks : {2U, 3U, 4U, 7U}) {
    std::map<Collective, std::vector<SchedulePtr>> by_collective;
    for (const Algorithm& algorithm : algorithms()) {
      if (algorithm.needs_grid) continue;
      const CollectiveCall call{algorithm.collective, ranks, 0, 840};
      const auto schedule = make_schedule(algorithm.name, call, placement_of_ranks(ranks, ranks), {});
      if (schedule) by_collective[algorithm.collective].push_back(*schedule);
    }
    int same = 0;
    for (const auto& [collective, schedules] : by_collective) {
      for (const SchedulePtr& a : schedules) {
        for (const SchedulePtr& b : schedules) {
          bool expected = a->participant_count() == b->participant_count();
          for (Rank rank = 0; expected && rank < a->participant_count(); ++rank)
            expected = in_words(*a, rank) == in_words(*b, rank);
          EXPECT_EQ(send_the_same_messages(*a, *b), expected) << to_word(collective) << " on " << ranks;
          same += expected && a != b;
        }
      }
    }
    EXPECT_GT(same, 0) << ranks << " ranks";
  }
}

}  // namespace same_messages_test
}  // namespace ayatori
