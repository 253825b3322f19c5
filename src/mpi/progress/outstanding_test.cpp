// Operations that go on while others are added: alone, from within each other, from several threads, and as executions
// of real schedules.
#include "ayatori/progress/outstanding.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "ayatori/base/random.hpp"
#include "ayatori/schedule/algorithms.hpp"
#include "carrier_fixtures.hpp"
#include "participant_fixtures.hpp"

namespace ayatori {
namespace {

/// Over after so many rounds, each of which calls `each_round`.
class Rounds final : public Operation {
 public:
  Rounds(int rounds, std::function<void()> each_round) : rounds_(rounds), each_round_(std::move(each_round)) {}
  bool advance() override {
    each_round_();
    return --rounds_ == 0;
  }

 private:
  int rounds_;
  std::function<void()> each_round_;
};

TEST(Outstanding, AdvancesEachInTheOrderInWhichTheyWereAddedUntilItIsOver) {
  Outstanding outstanding;
  std::string order;
  outstanding.add(std::make_unique<Rounds>(1, [&] { order += 'a'; }));
  outstanding.add(std::make_unique<Rounds>(3, [&] { order += 'b'; }));
  outstanding.add(std::make_unique<Rounds>(2, [&] { order += 'c'; }));
  EXPECT_EQ(outstanding.count(), 3U);
  EXPECT_EQ(outstanding.advance(), 1U);
  EXPECT_EQ(outstanding.advance(), 1U);
  EXPECT_EQ(outstanding.count(), 1U);
  EXPECT_EQ(outstanding.advance(), 1U);
  EXPECT_EQ(outstanding.advance(), 0U);
  EXPECT_EQ(order, "abcbcb");
}

TEST(Outstanding, AnOperationThatComesBackHereFindsTheDoorClosed) {
  Outstanding outstanding;
  int calls = 0;
  outstanding.add(std::make_unique<Rounds>(1, [&] {
    ++calls;
    EXPECT_EQ(outstanding.advance(), 0U);
    outstanding.add(std::make_unique<Rounds>(1, [&] { ++calls; }));
  }));
  EXPECT_EQ(outstanding.advance(), 1U);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(outstanding.count(), 1U) << "what was added meanwhile is there";
  EXPECT_EQ(outstanding.advance(), 1U);
  EXPECT_EQ(calls, 2);
}

TEST(Outstanding, NoOperationIsAdvancedByTwoThreadsAtATime) {
  constexpr int threads = 4;
  constexpr int operations = 500;
  Outstanding outstanding;
  int inside = 0;  // not atomic: only advance() keeps threads apart
  std::atomic<int> over{0};
  {
    std::vector<std::jthread> running;
    for (int thread = 0; thread < threads; ++thread) {
      running.emplace_back([&] {
        for (int i = 0; i < operations; ++i) {
          outstanding.add(std::make_unique<Rounds>(3, [&] { ++inside; }));
          over += static_cast<int>(outstanding.advance());
        }
      });
    }
  }
  while (outstanding.count() > 0) over += static_cast<int>(outstanding.advance());
  EXPECT_EQ(over, threads * operations);
  EXPECT_EQ(inside, 3 * threads * operations);
}

/// One participant's part of an execution. Counts down when it is over.
class Execution final : public Operation {
 public:
  Execution(Participant& participant, std::atomic<int>& left) : participant_(participant), left_(left) {}
  bool advance() override {
    const auto done = participant_.executor.advance();
    EXPECT_TRUE(done) << done.error().message;
    if (!*done) return false;
    --left_;
    return true;
  }

 private:
  Participant& participant_;
  std::atomic<int>& left_;
};

/// Several allreduces at the same time, each over a network of its own, as each has tags of its own. All ranks of one
/// are started by different threads in an order of their own, and moved by whoever comes.
TEST(Outstanding, ExecutionsOfRealSchedulesEndRightWhoeverMovesThem) {
  constexpr Rank ranks = 4;
  constexpr int executions = 6;
  for (const char* algorithm : {"ring", "recursive-doubling", "binomial"}) {
    const auto schedule =
        make_schedule(algorithm, {Collective::allreduce, ranks, 0, 4000}, placement_of_ranks(ranks), {});
    ASSERT_TRUE(schedule) << schedule.error().message;
    std::vector<std::unique_ptr<ThreadNetwork>> networks;
    std::vector<Participants> participants;
    for (int execution = 0; execution < executions; ++execution) {
      networks.push_back(std::make_unique<ThreadNetwork>(ranks));
      participants.push_back(participants_of(**schedule, *networks.back()));
    }
    std::vector<std::unique_ptr<Outstanding>> of_rank;
    for (Rank rank = 0; rank < ranks; ++rank) of_rank.push_back(std::make_unique<Outstanding>());
    std::atomic<int> left{executions * static_cast<int>(ranks)};
    {
      std::vector<std::jthread> threads;
      for (Rank rank = 0; rank < ranks; ++rank) {
        threads.emplace_back([&, rank] {
          for (int execution = 0; execution < executions; ++execution) {
            Participant& mine = *participants[static_cast<std::size_t>(execution)][rank];
            ASSERT_TRUE(mine.start());
            of_rank[rank]->add(std::make_unique<Execution>(mine, left));
          }
          while (of_rank[rank]->count() > 0) of_rank[rank]->advance();
        });
      }
      threads.emplace_back([&] {  // a progress thread
        for (Rank rank = 0; left > 0; rank = (rank + 1) % ranks) of_rank[rank]->advance();
      });
    }
    for (const Participants& one : participants) {
      const auto right = check_postcondition(**schedule, one);
      EXPECT_TRUE(right) << right.error().message;
    }
  }
}

}  // namespace
}  // namespace ayatori
