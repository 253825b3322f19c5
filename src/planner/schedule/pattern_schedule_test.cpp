#include "ayatori/schedule/pattern_schedule.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "ayatori/base/random.hpp"
#include "ayatori/schedule/pattern.hpp"

namespace ayatori {
namespace pattern_schedule_test {

/// From, to and bytes.
using Messages = std::multiset<std::tuple<Rank, Rank, Bytes>>;

/// A step as its senders have it, and as its receivers have it.
std::pair<Messages, Messages> both_ends(const Schedule& schedule, std::size_t step) {
  Messages sent;
  Messages received;
  StepActions actions;
  for (Rank rank = 0; rank < schedule.participant_count(); ++rank) {
    schedule.actions(rank, 0, step, actions);
    for (const Transfer& send : actions.sends) {
      sent.insert({rank, send.peer, bytes_of(schedule, rank, actions, send)});
    }
    for (const Transfer& receive : actions.receives) {
      received.insert({receive.peer, rank, bytes_of(schedule, rank, actions, receive)});
    }
  }
  return {sent, received};
}

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
      if (message.from != message.to) expected.insert({message.from, message.to, 700});
    }
    EXPECT_EQ(both_ends(*schedule, s), std::pair(expected, expected));
  }
}

TEST(ScheduleOfPattern, LeavesOutWhatARankSendsToItself) {
  const auto steps = parse_pattern("0 0\n0 1\n", "here", 2).value();
  StepActions actions;
  schedule_of_pattern(*steps, 1)->actions(0, 0, 0, actions);
  EXPECT_EQ(actions.sends.size(), 1U);
  EXPECT_TRUE(actions.receives.empty());
}

TEST(ScheduleOfPattern, MessagesHaveTheSizesOfTheFile) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    std::vector<Messages> written(1 + random.below(4));
    std::string text;
    for (Messages& step : written) {
      for (std::uint64_t count = 1 + random.below(12); count > 0; --count) {
        const auto from = static_cast<Rank>(random.below(6));
        const auto to = static_cast<Rank>((from + 1 + random.below(5)) % 6);
        const Bytes bytes = random.below(5);  // 0: none is written
        text += std::to_string(from) + " " + std::to_string(to);
        text += bytes == 0 ? "\n" : " " + std::to_string(bytes) + "\n";
        step.insert({from, to, bytes == 0 ? 4096 : bytes});
      }
      text += "\n";
    }
    const SchedulePtr schedule = schedule_of_pattern(*parse_pattern(text, "here", 6).value(), 4096);
    ASSERT_EQ(schedule->step_count(0), written.size());
    for (std::size_t s = 0; s < written.size(); ++s) {
      EXPECT_EQ(both_ends(*schedule, s), std::pair(written[s], written[s]));
    }
  }
}

}  // namespace pattern_schedule_test
}  // namespace ayatori
