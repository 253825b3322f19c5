// Ranks that exchange the notices of barriers over a network that loses, repeats and reorders them.

#include "barrier.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "ayatori/base/random.hpp"

namespace ayatori::onesided {
namespace {

using transport::Time;

struct Notice {
  bool asks = false;
  Rank from = 0;
  Rank to = 0;
  std::uint64_t place = 0;
  std::uint64_t number = 0;
};

/// All ranks of a job and what is under way between them.
class Job {
 public:
  Job(Rank procs, std::uint64_t seed, unsigned lost_percent)
      : random_(seed), lost_percent_(lost_percent), entered_(procs), left_(procs), sent_(procs) {
    for (Rank rank = 0; rank < procs; ++rank) ranks_.emplace_back(rank, procs);
  }

  /// One random thing happens: a rank enters its next barrier, a notice arrives, or time passes.
  void step(std::uint64_t barriers) {
    const auto rank = static_cast<Rank>(random_.below(ranks_.size()));
    if (ranks_[rank].done() && entered_[rank] < barriers && random_.below(4) == 0) {
      ++entered_[rank];
      ranks_[rank].start();
    }
    for (int i = 0; i < 4 && !under_way_.empty(); ++i) deliver();
    if (random_.below(8) == 0) now_ += std::chrono::microseconds(random_.below(400));
    go_on(rank);
  }

  [[nodiscard]] bool all_left(std::uint64_t barriers) const {
    return std::ranges::all_of(left_, [&](std::uint64_t left) { return left == barriers; });
  }
  [[nodiscard]] std::uint64_t sent_by(Rank rank) const { return sent_[rank]; }

 private:
  void deliver() {
    std::swap(under_way_[random_.below(under_way_.size())], under_way_.back());
    const Notice notice = under_way_.back();
    if (random_.below(10) > 0) under_way_.pop_back();  // otherwise it will come again
    if (random_.below(100) < lost_percent_) return;
    if (!notice.asks) return ranks_[notice.to].arrived(notice.place, notice.number);
    if (ranks_[notice.to].has_sent(notice.place, notice.number)) {
      under_way_.push_back({false, notice.to, notice.from, notice.place, notice.number});
    }
  }

  void go_on(Rank rank) {
    const bool was_inside = !ranks_[rank].done();
    ranks_[rank].progress(
        now_,
        [&](Rank to, std::uint64_t place, std::uint64_t number) {
          if (random_.below(5) == 0) return false;  // no room
          under_way_.push_back({false, rank, to, place, number});
          ++sent_[rank];
          return true;
        },
        [&](Rank from, std::uint64_t place, std::uint64_t number) {
          under_way_.push_back({true, rank, from, place, number});
        });
    if (!ranks_[rank].done() || left_[rank] == entered_[rank]) return;
    left_[rank] = entered_[rank];
    EXPECT_TRUE(was_inside || ranks_.size() == 1);
    for (const std::uint64_t other : entered_) EXPECT_GE(other, left_[rank]) << "a rank has left too early";
  }

  Random random_;
  unsigned lost_percent_;
  std::vector<Barrier> ranks_;
  std::vector<std::uint64_t> entered_, left_, sent_;
  std::vector<Notice> under_way_;
  Time now_{};
};

TEST(Barrier, NobodyLeavesBeforeAllHaveEnteredAndAllLeave) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const auto procs = static_cast<Rank>(1 + seed % 23);
    Job job(procs, seed, seed % 3 * 20);
    constexpr std::uint64_t barriers = 5;
    int steps = 0;
    while (!job.all_left(barriers) && ++steps < 2'000'000 && !testing::Test::HasFailure()) job.step(barriers);
    ASSERT_TRUE(job.all_left(barriers)) << procs << " ranks";
  }
}

TEST(Barrier, ARankSendsThreeNoticesForEachHopOfRadixFour) {
  for (const auto& [procs, notices] : {std::pair<Rank, int>{1, 0}, {2, 1}, {4, 3}, {5, 4}, {16, 6}, {17, 7}, {64, 9}}) {
    Job job(procs, 1, 0);
    while (!job.all_left(1)) job.step(1);
    for (Rank rank = 0; rank < procs; ++rank)
      EXPECT_EQ(job.sent_by(rank), static_cast<std::uint64_t>(notices)) << procs;
  }
}

TEST(Barrier, APeerThatAsksTooEarlyOrForNoPlaceGetsNoAnswer) {
  Barrier barrier(0, 4);
  EXPECT_FALSE(barrier.has_sent(0, 1));
  barrier.start();
  EXPECT_FALSE(barrier.has_sent(0, 1));
  barrier.progress(Time{}, [](auto...) { return true; }, [](auto...) {});
  EXPECT_TRUE(barrier.has_sent(2, 1));
  EXPECT_FALSE(barrier.has_sent(0, 2));
  EXPECT_FALSE(barrier.has_sent(1'000'000, 0));
}

/// How many questions a rank sends in a barrier whose other rank comes so much later.
int questions_until(Barrier& barrier, Time& now, std::uint64_t number, transport::Duration wait) {
  int asked = 0;
  const auto go_on = [&] { barrier.progress(now, [](auto...) { return true; }, [&](auto...) { ++asked; }); };
  barrier.start();
  for (const Time end = now + wait; now < end; now += std::chrono::microseconds(10)) go_on();
  barrier.arrived(0, number);
  go_on();
  EXPECT_TRUE(barrier.done());
  return asked;
}

TEST(Barrier, ARankMeasuresHowLongWaitsAreAndThenAsksLaterThanThat) {
  Barrier barrier(0, 2);
  Time now{};
  std::uint64_t number = 0;
  const auto wait = std::chrono::microseconds(700);
  EXPECT_GT(questions_until(barrier, now, ++number, wait), 0);
  while (number < 20) (void)questions_until(barrier, now, ++number, wait);
  EXPECT_EQ(questions_until(barrier, now, ++number, wait), 0);
  EXPECT_GT(questions_until(barrier, now, ++number, 2 * Barrier::max_first_pause), 0) << "a lost notice is asked for";
}

TEST(Barrier, NoticesThatNoPeerSendsHaveNoEffect) {
  Barrier barrier(0, 2);
  barrier.start();
  barrier.arrived(1'000'000, 1);
  barrier.arrived(0, 3);  // nobody is two barriers ahead
  const auto go_on = [&] { barrier.progress(Time{}, [](auto...) { return true; }, [](auto...) {}); };
  go_on();
  EXPECT_FALSE(barrier.done());
  barrier.arrived(0, 2);  // the peer is in the next one
  go_on();
  EXPECT_TRUE(barrier.done());
}

}  // namespace
}  // namespace ayatori::onesided
