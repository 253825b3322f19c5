#include "ayatori/progress/poll_backoff.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "ayatori/base/random.hpp"

namespace ayatori {
namespace {

constexpr std::int64_t idle_poll = 1400;
constexpr std::int64_t poll_that_finds = 9000;
constexpr std::int64_t pause_after_finding = PollBackoff::share_of_pause * poll_that_finds;

TEST(PollBackoff, PausesGrowWhilePollsFindNothing) {
  PollBackoff pace;
  std::int64_t before = pace.pause(false);
  EXPECT_EQ(before, PollBackoff::shortest_ns);
  for (int poll = 0; poll < 20; ++poll) {
    pace.polled(idle_poll);
    EXPECT_TRUE(pace.pause(false) > before || before == PollBackoff::longest_ns);
    before = pace.pause(false);
  }
  EXPECT_EQ(before, PollBackoff::longest_ns);
}

TEST(PollBackoff, IsShortAgainAfterAPollThatFindsSomethingOrABeginning) {
  for (const bool finds : {false, true}) {
    PollBackoff pace;
    for (int poll = 0; poll < 20; ++poll) pace.polled(idle_poll);
    finds ? pace.polled(poll_that_finds) : pace.begin();
    EXPECT_EQ(pace.pause(false), finds ? pause_after_finding : PollBackoff::shortest_ns);
  }
}

TEST(PollBackoff, PollsThatFindSomethingTakeAFortiethOfTheTimeUnlessMuchHasGathered) {
  const auto pause_after = [](std::int64_t poll) {
    PollBackoff pace;
    pace.polled(idle_poll);
    pace.polled(poll);
    return pace.pause(false);
  };
  EXPECT_EQ(pause_after(10'000), 400'000);
  EXPECT_EQ(pause_after(PollBackoff::shortest_ns / 40 + 2000), 180'000);
  EXPECT_EQ(pause_after(PollBackoff::long_poll_ns - 1), PollBackoff::longest_ns);
  EXPECT_EQ(pause_after(PollBackoff::long_poll_ns), PollBackoff::shortest_ns);
}

TEST(PollBackoff, OversubscribedNodesArePolledLessOften) {
  PollBackoff pace;
  EXPECT_EQ(pace.pause(true), PollBackoff::shortest_oversubscribed_ns);
  for (int poll = 0; poll < 20; ++poll) pace.idled();
  EXPECT_EQ(pace.pause(true), PollBackoff::longest_ns);
}

TEST(PollBackoff, StaysTheSameForAsLongAsEveryPollFindsSomething) {
  PollBackoff pace;
  pace.polled(idle_poll);
  for (int poll = 0; poll < 2000; ++poll) {
    pace.polled(poll_that_finds);
    ASSERT_EQ(pace.pause(false), pause_after_finding) << "poll " << poll;
  }
}

TEST(PollBackoff, AdaptsToPollsThatTakeLonger) {
  PollBackoff pace;
  pace.polled(100);
  for (int poll = 0; poll < 100'000; ++poll) pace.polled(idle_poll);
  EXPECT_EQ(pace.pause(false), PollBackoff::longest_ns);
}

/// Against the mean of what arrived: data arrive in bursts at random times, and are found by the next poll.
TEST(PollBackoff, PollsFewTimesPerBurstAndSoonAfterIt) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed);
    std::vector<std::int64_t> bursts;
    const std::int64_t mean_gap = 200'000 + static_cast<std::int64_t>(random.below(3'000'000));
    for (std::int64_t at = 0; bursts.size() < 300;) {
      at += 1 + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(2 * mean_gap)));
      bursts.push_back(at);
    }
    PollBackoff pace;
    std::int64_t now = 0;
    std::size_t seen = 0;
    std::int64_t polls = 0;
    while (seen < bursts.size()) {
      now += pace.pause(false);
      ++polls;
      const std::size_t before = seen;
      for (; seen < bursts.size() && bursts[seen] <= now; ++seen) {
        ASSERT_TRUE(now - bursts[seen] <= PollBackoff::longest_ns) << "seed " << seed;
      }
      pace.polled(seen > before ? poll_that_finds : idle_poll);
    }
    const std::int64_t at_the_shortest = now / PollBackoff::shortest_ns;
    EXPECT_TRUE(polls * 10 <= at_the_shortest * 9 || mean_gap < 400'000)
        << "seed " << seed << ": " << polls << " polls";
    EXPECT_TRUE(polls >= now / PollBackoff::longest_ns) << "seed " << seed;
  }
}

}  // namespace
}  // namespace ayatori
