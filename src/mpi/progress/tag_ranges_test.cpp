#include "ayatori/progress/tag_ranges.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "ayatori/base/random.hpp"

namespace ayatori {
namespace {

TEST(TagRanges, FollowEachOtherAndBeginAgainAtTheFirst) {
  TagRanges tags(10, 15);
  EXPECT_EQ(tags.take(2), 10);
  EXPECT_EQ(tags.take(3), 12);
  tags.give_back(10);
  EXPECT_EQ(tags.take(2), 10) << "one tag is left at the end, and two must follow each other";
}

TEST(TagRanges, AreNotGivenAgainWhileTheyAreInUse) {
  TagRanges tags(0, 3);
  EXPECT_EQ(tags.take(4), 0);
  EXPECT_EQ(tags.take(1), std::nullopt);
  tags.give_back(0);
  EXPECT_EQ(tags.take(1), 0);
}

TEST(TagRanges, SayWhetherThereAreEverEnough) {
  EXPECT_TRUE(TagRanges(5, 9).has(5));
  EXPECT_FALSE(TagRanges(5, 9).has(6));
}

/// Two participants, of which one ends its operations in another order: against the set of all tags in use.
TEST(TagRanges, AreTheSameForAllWhoAskAlikeAndNeverOverlap) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    TagRanges here(100, 160);
    TagRanges there(100, 160);
    std::vector<std::pair<int, int>> taken;
    for (int i = 0; i < 300; ++i) {
      const int count = 1 + static_cast<int>(random.below(9));
      const auto first = here.take(count);
      std::set<int> in_use;
      for (const auto& [begin, size] : taken) {
        for (int tag = begin; tag < begin + size; ++tag) in_use.insert(tag);
      }
      if (!first) {
        ASSERT_FALSE(taken.empty()) << "seed " << seed;
        const std::size_t over = random.below(taken.size());
        here.give_back(taken[over].first);
        taken.erase(taken.begin() + static_cast<std::ptrdiff_t>(over));
        continue;
      }
      for (int tag = *first; tag < *first + count; ++tag) {
        ASSERT_TRUE(tag >= 100 && tag <= 160 && !in_use.contains(tag)) << "tag " << tag << ", seed " << seed;
      }
      const auto same = there.take(count);
      ASSERT_EQ(first, same) << "seed " << seed;
      there.give_back(*same);
      taken.emplace_back(*first, count);
    }
  }
}

}  // namespace
}  // namespace ayatori
