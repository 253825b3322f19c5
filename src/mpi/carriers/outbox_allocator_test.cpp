#include "outbox_allocator.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "ayatori/base/random.hpp"
#include "segment_layout.hpp"

namespace ayatori {
namespace {

constexpr std::uint32_t begin = 4096;
constexpr std::uint32_t size = 8192;

bool all_taken(const OutboxReader&) { return true; }
bool none_taken(const OutboxReader&) { return false; }

TEST(OutboxAllocator, AllocatesWithinItsBytesUntilItIsFull) {
  OutboxAllocator outbox(begin, size);
  std::uint32_t given = 0;
  while (const auto offset = outbox.take(1000, none_taken)) {
    EXPECT_GE(*offset, begin);
    EXPECT_LE(*offset + 1000, begin + size);
    EXPECT_EQ(*offset % cache_line, 0U);
    outbox.add_reader({0, given++});
    outbox.close();
  }
  EXPECT_EQ(given, size / 1024);
}

TEST(OutboxAllocator, GivesAsMuchAsItHasAndNotMore) {
  OutboxAllocator outbox(begin, size);
  EXPECT_FALSE(outbox.take(size + 1, all_taken));
  EXPECT_TRUE(outbox.take(size, all_taken));
  EXPECT_FALSE(outbox.take(1, all_taken)) << "it is not closed";
  outbox.close();
  EXPECT_TRUE(outbox.take(size, all_taken));
}

TEST(OutboxAllocator, KeepsWhatHasNoReaderYetUntilItIsClosed) {
  OutboxAllocator outbox(begin, size);
  const auto first = outbox.take(size / 2, all_taken);
  const auto second = outbox.take(size / 2, all_taken);
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(outbox.take(1, all_taken));
}

/// Against a set of the bytes that are in use.
TEST(OutboxAllocator, NeverGivesBytesThatAReaderHasNotTaken) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    OutboxAllocator outbox(begin, size);
    std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> in_use;  // by number of the last reader
    std::set<std::uint32_t> unread;
    const auto taken = [&](const OutboxReader& reader) { return !unread.contains(reader.number); };
    std::uint32_t next = 0;
    std::size_t given = 0;
    for (int round = 0; round < 500; ++round) {
      const auto bytes = static_cast<std::uint32_t>(1 + random.below(size / 3));
      if (const auto offset = outbox.take(bytes, taken)) {
        ++given;
        for (const auto& [number, range] : in_use) {
          const bool apart = *offset >= range.second || *offset + bytes <= range.first;
          ASSERT_TRUE(apart || !unread.contains(number)) << "seed " << seed << ", round " << round;
        }
        const auto readers = static_cast<std::uint32_t>(1 + random.below(3));
        for (std::uint32_t i = 0; i < readers; ++i) {
          in_use[next] = {*offset, *offset + bytes};
          unread.insert(next);
          outbox.add_reader({i, next++});
        }
        outbox.close();
      }
      while (!unread.empty() && random.below(2) == 0) {
        auto any = unread.begin();
        std::advance(any, static_cast<std::ptrdiff_t>(random.below(unread.size())));
        unread.erase(any);
      }
    }
    EXPECT_GT(given, 50U) << "seed " << seed;
  }
}

}  // namespace
}  // namespace ayatori
