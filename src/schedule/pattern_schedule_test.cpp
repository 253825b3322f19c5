#include "ayatori/schedule/pattern_schedule.hpp"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "ayatori/schedule/pattern.hpp"

namespace ayatori {
namespace {

using Messages = std::multiset<std::tuple<Rank, Rank>>;

TEST(ScheduleOfPattern, HasTheMessagesOfEachStepAtBothEnds) {
  const auto steps = random_permutations(9, 5, 3);
  const SchedulePtr schedule = schedule_of_pattern(*steps, 700);
  ASSERT_EQ(schedule->step_count(0), 5U);
  EXPECT_EQ(schedule->participant_count(), 9U);
  for (std::size_t s = 0; s < 5; ++s) {
    Messages expected;
    std::vector<Message> messages;
    steps->step(s, messages);
    for (const Message& message : messages) {
      if (message.from != message.to) expected.insert({message.from, message.to});
    }
    Messages sent;
    Messages received;
    for (Rank rank = 0; rank < 9; ++rank) {
      StepActions actions;
      schedule->actions(rank, 0, s, actions);
      for (const Transfer& send : actions.sends) {
        sent.insert({rank, send.peer});
        EXPECT_EQ(bytes_of(*schedule, rank, actions, send), 700U);
      }
      for (const Transfer& receive : actions.receives) received.insert({receive.peer, rank});
    }
    EXPECT_EQ(sent, expected);
    EXPECT_EQ(received, expected);
  }
}

TEST(ScheduleOfPattern, LeavesOutWhatARankSendsToItself) {
  const auto steps = parse_pattern("0 0\n0 1\n", "here", 2).value();
  StepActions actions;
  schedule_of_pattern(*steps, 1)->actions(0, 0, 0, actions);
  EXPECT_EQ(actions.sends.size(), 1U);
  EXPECT_TRUE(actions.receives.empty());
}

}  // namespace
}  // namespace ayatori
