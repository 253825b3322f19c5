#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "ayatori/base/random.hpp"
#include "ayatori/bounded/buffers.hpp"
#include "ayatori/bounded/peer_cache.hpp"

namespace ayatori::wires {
namespace {

/// A simpler, slower cache: a list whose last entry was used last.
class ListedPeers {
 public:
  explicit ListedPeers(std::size_t max_values) : max_values_(max_values) {}

  int* use(Rank peer) {
    const auto found = std::ranges::find(list_, peer, &std::pair<Rank, int>::first);
    if (found == list_.end()) return nullptr;
    std::rotate(found, found + 1, list_.end());
    return &list_.back().second;
  }
  void forget(Rank peer) {
    std::erase_if(list_, [&](const auto& entry) { return entry.first == peer; });
  }
  void keep(Rank peer, int value) {
    if (list_.size() == max_values_) list_.erase(list_.begin());
    list_.emplace_back(peer, value);
  }
  [[nodiscard]] bool empty() const { return list_.empty(); }
  [[nodiscard]] bool full() const { return list_.size() == max_values_; }
  [[nodiscard]] int oldest() const { return list_.front().second; }

 private:
  std::size_t max_values_;
  std::vector<std::pair<Rank, int>> list_;
};

TEST(PeerCache, KeepsTheValuesUsedLastAsASlowerListDoes) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const auto max_values = static_cast<std::uint32_t>(1 + random.below(9));
    PeerCache<int> cache(max_values);
    ListedPeers listed(max_values);
    for (int step = 0; step < 500; ++step) {
      const auto peer = static_cast<Rank>(random.below(16));
      int* const value = cache.use(peer);
      const int* const expected = listed.use(peer);
      ASSERT_EQ(value != nullptr, expected != nullptr);
      if (value) {
        ASSERT_EQ(*value, *expected);
      }
      if (!value) {
        cache.keep(peer, step);
        listed.keep(peer, step);
      }
      ASSERT_TRUE(cache.knows(peer));
      if (random.below(4) == 0) {
        const auto left = static_cast<Rank>(random.below(16));
        cache.forget(left);
        listed.forget(left);
        ASSERT_FALSE(cache.knows(left));
        if (listed.empty()) continue;
      }
      ASSERT_EQ(cache.full(), listed.full());
      ASSERT_EQ(cache.oldest(), listed.oldest());
    }
  }
}

TEST(PeerCache, RemovedValuesAreDestroyed) {
  PeerCache<std::shared_ptr<int>> cache(1);
  const auto first = std::make_shared<int>(1);
  cache.keep(7, first);
  EXPECT_EQ(first.use_count(), 2);
  cache.keep(8, std::make_shared<int>(2));
  EXPECT_EQ(first.use_count(), 1);
  EXPECT_FALSE(cache.knows(7));
}

TEST(Buffers, BuffersDoNotOverlapAndShareNoPageWithOthers) {
  const Buffers buffers(5, 100);
  EXPECT_EQ(buffers.memory().size() % 4096, 0U);
  for (std::uint32_t i = 0; i < buffers.count(); ++i) {
    EXPECT_EQ(buffers[i].size(), 100U);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffers[i].data()) % 64, 0U);
    std::ranges::fill(buffers[i], std::byte(i));
  }
  for (std::uint32_t i = 0; i < buffers.count(); ++i) EXPECT_EQ(std::ranges::count(buffers[i], std::byte(i)), 100);
}

}  // namespace
}  // namespace ayatori::wires
