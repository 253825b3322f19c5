// The thread with a clock that the test sets, and operations that are over after some polls.
#include "ayatori/progress/progress_thread.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace ayatori {
namespace {

/// Waits for something that must happen; the deadline is only for a test that fails.
template <typename Condition>
bool happens(Condition condition) {
  for (int i = 0; i < 20000 && !condition(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return condition();
}

/// A time at which a trial that begins then is in a slice with the thread.
double with_thread() {
  for (double now = 0;; now += 0.01) {
    ProgressTrial trial;
    trial.begin_cycle(now);
    if (trial.on(now)) return now;
  }
}

struct Fixture {
  std::atomic<int> left{0};  ///< polls until nothing is under way
  std::atomic<double> now{with_thread()};
  std::atomic<int> outcomes{0};
  std::atomic<bool> pays{true};

  ProgressThreadOptions options() {
    ProgressThreadOptions options;
    options.poll = [this] { --left; };
    options.has_work = [this] { return left > 0; };
    options.now = [this] { return now.load(); };
    options.time_on_core = [] { return std::int64_t{0}; };
    options.is_oversubscribed = [] { return true; };
    options.tried = [this](const ProgressTrial::Outcome& outcome) {
      pays = outcome.pays;
      ++outcomes;
    };
    return options;
  }
};

TEST(ProgressThread, PollsWhileSomethingIsUnderWayAndThenSleeps) {
  Fixture fixture;
  ProgressThread thread(fixture.options());
  for (int round = 1; round <= 3; ++round) {
    fixture.left = 5;
    thread.wake();
    ASSERT_TRUE(happens([&] { return fixture.left == 0; }));
    EXPECT_EQ(thread.polls(), 5U * static_cast<unsigned>(round));
  }
}

TEST(ProgressThread, DoesNotDisturbTheProgram) {
  Fixture fixture;
  ProgressThread thread(fixture.options());
  thread.enter();
  fixture.left = 3;
  thread.wake();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(fixture.left, 3);
  thread.leave();
  EXPECT_TRUE(happens([&] { return fixture.left == 0; }));
}

TEST(ProgressThread, EndsWhileItSleepsAndWhileItWorks) {
  for (const int left : {0, 1'000'000}) {
    Fixture fixture;
    ProgressThread thread(fixture.options());
    fixture.left = left;
    thread.wake();
  }
}

/// Cycles of 10 ms, and 12 ms with the thread, by the test's clock.
TEST(ProgressThread, IsOffWhereItCostsMoreThanItHides) {
  Fixture fixture;
  ProgressThread thread(fixture.options());
  ProgressTrial same;
  for (int cycle = 0; cycle < 300 && fixture.outcomes == 0; ++cycle) {
    same.begin_cycle(fixture.now);
    thread.wake();
    fixture.now = fixture.now + (same.on(fixture.now) ? 0.012 : 0.010);
  }
  ASSERT_EQ(fixture.outcomes, 1);
  EXPECT_FALSE(fixture.pays);
  const std::uint64_t before = thread.polls();
  fixture.left = 5;
  thread.wake();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(thread.polls(), before);
}

TEST(MoreThreadsThanCores, IsTrueWhereThreadsThatComputeOutnumberCores) {
  std::atomic<bool> stop{false};
  std::vector<std::jthread> busy;
  for (unsigned i = 0; i < 4 * std::thread::hardware_concurrency(); ++i) {
    busy.emplace_back([&] {
      while (!stop) {
      }
    });
  }
  EXPECT_TRUE(happens(more_threads_than_cores));
  stop = true;
}

}  // namespace
}  // namespace ayatori
