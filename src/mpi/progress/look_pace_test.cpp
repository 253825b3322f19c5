#include "ayatori/progress/look_pace.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "ayatori/base/random.hpp"

namespace ayatori {
namespace {

constexpr std::int64_t idle_look = 1400;
constexpr std::int64_t look_that_finds = 9000;
constexpr std::int64_t pause_after_finding = LookPace::share_of_pause * look_that_finds;

TEST(LookPace, PausesGrowWhileLooksFindNothing) {
  LookPace pace;
  std::int64_t before = pace.pause(false);
  EXPECT_EQ(before, LookPace::shortest_ns);
  for (int look = 0; look < 20; ++look) {
    pace.looked(idle_look);
    EXPECT_TRUE(pace.pause(false) > before || before == LookPace::longest_ns);
    before = pace.pause(false);
  }
  EXPECT_EQ(before, LookPace::longest_ns);
}

TEST(LookPace, IsShortAgainAfterALookThatFindsSomethingOrABeginning) {
  for (const bool finds : {false, true}) {
    LookPace pace;
    for (int look = 0; look < 20; ++look) pace.looked(idle_look);
    finds ? pace.looked(look_that_finds) : pace.begin();
    EXPECT_EQ(pace.pause(false), finds ? pause_after_finding : LookPace::shortest_ns);
  }
}

TEST(LookPace, LooksThatFindSomethingTakeAFortiethOfTheTimeUnlessMuchHasGathered) {
  const auto pause_after = [](std::int64_t look) {
    LookPace pace;
    pace.looked(idle_look);
    pace.looked(look);
    return pace.pause(false);
  };
  EXPECT_EQ(pause_after(10'000), 400'000);
  EXPECT_EQ(pause_after(LookPace::shortest_ns / 40 + 2000), 180'000);
  EXPECT_EQ(pause_after(LookPace::long_look_ns - 1), LookPace::longest_ns);
  EXPECT_EQ(pause_after(LookPace::long_look_ns), LookPace::shortest_ns);
}

TEST(LookPace, CrowdedNodesAreLookedAtLessOften) {
  LookPace pace;
  EXPECT_EQ(pace.pause(true), LookPace::shortest_oversubscribed_ns);
  for (int look = 0; look < 20; ++look) pace.idled();
  EXPECT_EQ(pace.pause(true), LookPace::longest_ns);
}

TEST(LookPace, StaysTheSameForAsLongAsEveryLookFindsSomething) {
  LookPace pace;
  pace.looked(idle_look);
  for (int look = 0; look < 2000; ++look) {
    pace.looked(look_that_finds);
    ASSERT_EQ(pace.pause(false), pause_after_finding) << "look " << look;
  }
}

TEST(LookPace, LearnsThatLooksTakeLongerThanTheyDid) {
  LookPace pace;
  pace.looked(100);
  for (int look = 0; look < 100'000; ++look) pace.looked(idle_look);
  EXPECT_EQ(pace.pause(false), LookPace::longest_ns);
}

/// Against the mean of what arrived: data arrive in bursts at random times, and are found by the next look.
TEST(LookPace, LooksFewTimesForEachBurstAndSoonAfterIt) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed);
    std::vector<std::int64_t> bursts;
    const std::int64_t mean_gap = 200'000 + static_cast<std::int64_t>(random.below(3'000'000));
    for (std::int64_t at = 0; bursts.size() < 300;) {
      at += 1 + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(2 * mean_gap)));
      bursts.push_back(at);
    }
    LookPace pace;
    std::int64_t now = 0;
    std::size_t seen = 0;
    std::int64_t looks = 0;
    while (seen < bursts.size()) {
      now += pace.pause(false);
      ++looks;
      const std::size_t before = seen;
      for (; seen < bursts.size() && bursts[seen] <= now; ++seen) {
        ASSERT_TRUE(now - bursts[seen] <= LookPace::longest_ns) << "seed " << seed;
      }
      pace.looked(seen > before ? look_that_finds : idle_look);
    }
    const std::int64_t at_the_shortest = now / LookPace::shortest_ns;
    EXPECT_TRUE(looks * 10 <= at_the_shortest * 9 || mean_gap < 400'000)
        << "seed " << seed << ": " << looks << " looks";
    EXPECT_TRUE(looks >= now / LookPace::longest_ns) << "seed " << seed;
  }
}

}  // namespace
}  // namespace ayatori
