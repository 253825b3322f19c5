// Random failures and questions, against the set of all handles that failed.

#include "failures.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "ayatori/base/random.hpp"

namespace ayatori::onesided {
namespace {

TEST(Failures, NoFailureIsReportedAsASuccess) {
  constexpr std::size_t capacity = 8;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    Failures failures(capacity);
    std::map<Handle, Rank> failed;  // and not asked for
    bool overflowed = false;
    Handle latest = 0;
    for (int step = 0; step < 500; ++step) {
      ++latest;
      if (random.below(1 + seed % 4) == 0) {
        const auto rank = static_cast<Rank>(random.below(2));
        failures.add(latest, Fault::lost, rank);
        failed[latest] = rank;
        overflowed = overflowed || failed.size() > capacity;
      }
      if (random.below(seed % 2 == 0 ? 8 : 64) != 0) continue;
      const Handle asked = latest - random.below(std::min<Handle>(latest, 40));
      const auto run = failures.take(asked);
      const auto first = failed.begin();
      if (first != failed.end() && first->first <= asked) {
        ASSERT_TRUE(run);
        EXPECT_LE(run->first, first->first);
        EXPECT_LE(first->first, run->last);
        if (run->exact) {
          EXPECT_EQ(run->first, first->first);
          EXPECT_EQ(run->rank, first->second);
        }
      } else if (!overflowed) {
        EXPECT_FALSE(run);
      }
      failed.erase(failed.begin(), failed.upper_bound(asked));
      overflowed = overflowed && !failed.empty();
    }
    EXPECT_EQ(failures.take(latest).has_value() || overflowed, !failed.empty() || overflowed);
    EXPECT_FALSE(failures.take(latest));
  }
}

TEST(Failures, NeighboursWithOneCauseTakeOnePlace) {
  Failures failures(2);
  for (Handle handle = 1; handle <= 5000; ++handle) failures.add(handle, Fault::lost, handle < 3000 ? 1 : 2);
  const auto first = failures.take(2000);
  ASSERT_TRUE(first);
  EXPECT_TRUE(first->exact);
  const auto second = failures.take(2999);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->first, 2001U);
  EXPECT_EQ(second->rank, 1U);
  const auto third = failures.take(5000);
  ASSERT_TRUE(third);
  EXPECT_TRUE(third->exact);
  EXPECT_EQ(third->rank, 2U);
  EXPECT_FALSE(failures.take(5000));
}

TEST(Failures, WithoutRoomTheLastRunTakesWhatLiesBetween) {
  Failures failures(2);
  for (const Handle handle : {1, 3, 5, 9}) failures.add(handle, Fault::no_memory, 0);
  EXPECT_TRUE(failures.take(1));
  EXPECT_FALSE(failures.take(2));
  const auto either = failures.take(8);
  ASSERT_TRUE(either);
  EXPECT_FALSE(either->exact);
  EXPECT_EQ(either->first, 3U);
  EXPECT_EQ(either->last, 9U);
  failures.add(11, Fault::no_memory, 0);
  EXPECT_FALSE(failures.take(8));
  EXPECT_TRUE(failures.take(9));
  EXPECT_FALSE(failures.take(10));
  EXPECT_TRUE(failures.take(11));
}

}  // namespace
}  // namespace ayatori::onesided
