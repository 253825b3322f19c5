#include "ayatori/schedule/pattern.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

namespace ayatori {
namespace pattern_test {

/// Written over what the vector had.
std::vector<Message> step_over_others(const StepSequence& steps, std::size_t index) {
  std::vector<Message> messages{{99, 99, 99}};
  steps.step(index, messages);
  return messages;
}

std::string text_of(const std::vector<Message>& messages) {
  std::string text;
  for (const Message& m : messages) text += std::to_string(m.from) + ">" + std::to_string(m.to) + " ";
  return text;
}

std::string error_of(std::string_view text, Rank ranks = 4) {
  const auto steps = parse_pattern(text, "p.txt", ranks);
  return steps ? "no error" : steps.error().message;
}

TEST(ShiftAllToAll, HasEveryOrderedPairOnce) {
  for (Rank ranks = 0; ranks < 9; ++ranks) {
    const auto steps = shift_all_to_all(ranks);
    EXPECT_EQ(steps->rank_count(), ranks);
    std::multiset<std::pair<Rank, Rank>> met;
    for (std::size_t s = 0; s < steps->step_count(); ++s) {
      for (const Message& m : step_over_others(*steps, s)) {
        EXPECT_EQ(m.to, (m.from + s + 1) % ranks);
        met.insert({m.from, m.to});
      }
    }
    EXPECT_EQ(met.size(), ranks == 0 ? 0 : ranks * (ranks - 1));
    EXPECT_EQ(std::set(met.begin(), met.end()).size(), met.size());
  }
}

TEST(Ring, SendsToTheNextRank) {
  EXPECT_EQ(ring(4)->step_count(), 1U);
  EXPECT_EQ(text_of(step_over_others(*ring(4), 0)), "0>1 1>2 2>3 3>0 ");
  EXPECT_EQ(ring(1)->step_count(), 0U);
}

TEST(Neighbour, SendsToTheNextRankThenToThePrevious) {
  const auto steps = neighbour(3);
  EXPECT_EQ(steps->step_count(), 2U);
  EXPECT_EQ(text_of(step_over_others(*steps, 0)), "0>1 1>2 2>0 ");
  EXPECT_EQ(text_of(step_over_others(*steps, 1)), "0>2 1>0 2>1 ");
}

/// Every message of every step, with how often it comes.
std::multiset<std::pair<Rank, Rank>> all_messages(const StepSequence& steps) {
  std::multiset<std::pair<Rank, Rank>> met;
  for (std::size_t s = 0; s < steps.step_count(); ++s) {
    for (const Message& m : step_over_others(steps, s)) met.insert({m.from, m.to});
  }
  return met;
}

TEST(XorExchanges, HasEveryOrderedPairOnceAndBothDirectionsInOneStep) {
  for (Rank ranks = 0; ranks < 18; ++ranks) {
    const auto steps = xor_exchanges(ranks);
    EXPECT_EQ(all_messages(*steps), all_messages(*shift_all_to_all(ranks))) << ranks;
    for (std::size_t s = 0; s < steps->step_count(); ++s) {
      for (const Message& m : step_over_others(*steps, s)) EXPECT_EQ(m.to, m.from ^ (s + 1));
    }
  }
}

TEST(AllAtOnce, HasTheMessagesOfTheShiftInOneStep) {
  for (Rank ranks = 2; ranks < 9; ++ranks) {
    EXPECT_EQ(all_at_once(ranks)->step_count(), 1U);
    EXPECT_EQ(all_messages(*all_at_once(ranks)), all_messages(*shift_all_to_all(ranks)));
  }
  EXPECT_EQ(all_at_once(1)->step_count(), 0U);
  const auto every_second = all_messages(*all_at_once(6, 2));
  EXPECT_EQ(every_second.size(), 3U * 6U);  // distances 1, 3 and 5
  for (const auto& [from, to] : every_second) EXPECT_EQ((to + 6 - from) % 2, 1U);
}

TEST(Halo, SendsToBothNeighboursInEachRing) {
  EXPECT_EQ(text_of(step_over_others(*halo(6, 2), 0)),
            "0>2 1>3 2>4 3>5 4>0 5>1 0>4 1>5 2>0 3>1 4>2 5>3 0>1 1>0 2>3 3>2 4>5 5>4 0>1 1>0 2>3 3>2 4>5 5>4 ");
  EXPECT_EQ(text_of(step_over_others(*halo(3, 3), 0)), "0>1 1>2 2>0 0>2 1>0 2>1 ");
  EXPECT_EQ(halo(1, 2)->step_count(), 0U);
}

TEST(BinomialTree, ReducesToRank0AndBroadcastsFromIt) {
  for (Rank ranks = 1; ranks < 20; ++ranks) {
    const auto steps = binomial_tree(ranks);
    std::vector<Rank> parts(ranks, 1);  // how many contributions each has
    std::set<Rank> reached{0};
    for (std::size_t s = 0; s < steps->step_count(); ++s) {
      for (const Message& m : step_over_others(*steps, s)) {
        if (s < steps->step_count() / 2) {
          parts[m.to] += std::exchange(parts[m.from], 0);
        } else {
          EXPECT_TRUE(reached.contains(m.from));
          EXPECT_TRUE(reached.insert(m.to).second);
        }
      }
    }
    EXPECT_EQ(parts[0], ranks);
    EXPECT_EQ(reached.size(), ranks);
  }
}

TEST(RandomPermutations, EachRankSendsAndReceivesAtMostOnce) {
  const auto steps = random_permutations(50, 20, 7);
  std::set<std::string> different;
  for (std::size_t s = 0; s < 20; ++s) {
    std::set<Rank> senders;
    std::set<Rank> receivers;
    for (const Message& m : step_over_others(*steps, s)) {
      EXPECT_NE(m.from, m.to);
      EXPECT_TRUE(senders.insert(m.from).second);
      EXPECT_TRUE(receivers.insert(m.to).second);
    }
    different.insert(text_of(step_over_others(*steps, s)));
  }
  EXPECT_EQ(different.size(), 20U);
}

TEST(RandomPermutations, DependOnTheSeedOnly) {
  EXPECT_EQ(text_of(step_over_others(*random_permutations(9, 3, 5), 2)),
            text_of(step_over_others(*random_permutations(9, 3, 5), 2)));
  EXPECT_NE(text_of(step_over_others(*random_permutations(9, 3, 5), 2)),
            text_of(step_over_others(*random_permutations(9, 3, 6), 2)));
}

TEST(ParsePattern, BlankLinesEndSteps) {
  const auto steps =
      parse_pattern("\n# all about it\n0 1\n1\t2 4096 # big\n  # still this step\n2 3\r\n\n\n \n3 0", "p.txt", 4);
  ASSERT_TRUE(steps) << steps.error().message;
  ASSERT_EQ((*steps)->step_count(), 2U);
  EXPECT_EQ((*steps)->rank_count(), 4U);
  EXPECT_EQ(text_of(step_over_others(**steps, 0)), "0>1 1>2 2>3 ");
  EXPECT_EQ(step_over_others(**steps, 0)[1].bytes, 4096U);
  EXPECT_EQ(text_of(step_over_others(**steps, 1)), "3>0 ");
}

TEST(ParsePattern, ErrorsNameFileAndLine) {
  EXPECT_EQ(error_of("0 1\n\n0 4\n"), "p.txt:3: rank 4 in a job of 4 ranks (they count from 0)");
  EXPECT_EQ(error_of("0 -1"), "p.txt:1: '-1' is not a rank");
  EXPECT_EQ(error_of("zero 1"), "p.txt:1: 'zero' is not a rank");
  EXPECT_EQ(error_of("0 99999999999"), "p.txt:1: '99999999999' is not a rank");
  EXPECT_EQ(error_of("0"), "p.txt:1: expected \"FROM TO [BYTES]\", found 1 fields");
  EXPECT_EQ(error_of("0 1 2 3"), "p.txt:1: expected \"FROM TO [BYTES]\", found 4 fields");
  EXPECT_EQ(error_of("0 1 many"), "p.txt:1: 'many' is not a number of bytes");
  EXPECT_EQ(error_of("0 1 0"), "p.txt:1: '0' is not a number of bytes");
  EXPECT_EQ(error_of(""), "p.txt: no message in it: expected lines \"FROM TO [BYTES]\"");
  EXPECT_EQ(error_of("# nothing\n\n"), "p.txt: no message in it: expected lines \"FROM TO [BYTES]\"");
  EXPECT_EQ(error_of(std::string_view("\0\x7f\n", 3)), "p.txt:1: expected \"FROM TO [BYTES]\", found 1 fields");
  EXPECT_EQ(error_of(std::string_view("\0\x7f 1\n", 5)),
            "p.txt:1: '?"
            "?' is not a rank");
}

}  // namespace pattern_test
}  // namespace ayatori
