#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "ayatori/base/parallel.hpp"

namespace ayatori {
namespace {

TEST(ParallelFor, TakesEachIterationOnce) {
  for (const std::size_t threads : {1U, 2U, 7U}) {
    const ThreadLimit limit(threads);
    for (const std::size_t count : {0U, 1U, 2U, 15U, 16U, 17U, 1000U}) {
      for (const std::size_t piece : {1U, 16U, 5000U}) {
        std::vector<int> taken(count, 0);
        parallel_for({.count = count, .piece = piece}, [&](std::size_t iteration) { ++taken[iteration]; });
        EXPECT_EQ(taken, std::vector<int>(count, 1)) << threads << " threads, pieces of " << piece;
      }
    }
  }
}

/// Each iteration waits until `threads` of them run at once, which only that many threads can.
std::size_t threads_that_meet(std::size_t threads) {
  std::atomic<std::size_t> arrived{0};
  std::mutex mutex;
  std::set<std::thread::id> seen;
  parallel_for({.count = threads}, [&](std::size_t) {
    ++arrived;
    while (arrived < threads) std::this_thread::yield();
    const std::scoped_lock lock(mutex);
    seen.insert(std::this_thread::get_id());
  });
  return seen.size();
}

TEST(ParallelFor, RunsOnSeveralThreads) {
  const ThreadLimit limit(5);
  EXPECT_EQ(threads_that_meet(5), 5U);
}

TEST(ParallelFor, SumsWhatEachThreadHas) {
  const ThreadLimit limit(4);
  std::vector<std::uint64_t> numbers(10'000);
  std::iota(numbers.begin(), numbers.end(), 1);
  std::mutex mutex;
  std::uint64_t sum = 0;
  std::atomic<int> bodies{0};
  parallel_for({.count = numbers.size(), .piece = 64}, [&](Iterations& iterations) {
    ++bodies;
    std::uint64_t mine = 0;
    for (const std::size_t iteration : iterations) mine += numbers[iteration];
    const std::scoped_lock lock(mutex);
    sum += mine;
  });
  EXPECT_EQ(sum, 50'005'000U);
  EXPECT_EQ(bodies, 4);
}

TEST(ParallelFor, CarriesAnExceptionToTheCaller) {
  const ThreadLimit limit(3);
  std::atomic<std::size_t> taken{0};
  const auto fail_at_17 = [&](std::size_t iteration) {
    ++taken;
    if (iteration == 17) throw std::runtime_error("iteration 17");
  };
  for (const bool worth_threads : {true, false}) {
    taken = 0;
    try {
      parallel_for({.count = 100'000'000, .worth_threads = worth_threads}, fail_at_17);
      FAIL() << "no exception";
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(std::string(error.what()), "iteration 17");
    }
    EXPECT_LT(taken, 100'000'000U);
  }
}

TEST(ParallelFor, KeepsALoopWithinAnIterationOnItsThread) {
  const ThreadLimit limit(4);
  std::atomic<std::size_t> elsewhere{0};
  parallel_for({.count = 8}, [&](std::size_t) {
    const auto me = std::this_thread::get_id();
    parallel_for({.count = 8}, [&](std::size_t) { elsewhere += std::this_thread::get_id() != me; });
  });
  EXPECT_EQ(elsewhere, 0U);
  EXPECT_EQ(threads_that_meet(4), 4U) << "after a loop";
}

TEST(ParallelFor, StartsNoThreadThatIsNotWorthIt) {
  const auto me = std::this_thread::get_id();
  for (const Loop& loop : {Loop{.count = 100, .worth_threads = false}, Loop{.count = 100, .piece = 100}}) {
    parallel_for(loop, [&](std::size_t) { EXPECT_EQ(std::this_thread::get_id(), me); });
  }
}

}  // namespace
}  // namespace ayatori
