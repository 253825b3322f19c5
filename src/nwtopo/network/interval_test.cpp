#include "ayatori/network/interval.hpp"

#include <gtest/gtest.h>

namespace ayatori {
namespace {

bool holds_all(const Interval& interval, const std::vector<bool>& used) {
  std::vector<bool> inside(used.size());
  for (std::uint32_t i = 0; i < interval.length; ++i) inside[(interval.start + i) % used.size()] = true;
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (used[i] && !inside[i]) return false;
  }
  return true;
}

/// The same by trying all intervals, shorter ones first.
Interval found_by_trying(const std::vector<bool>& used, bool ring) {
  const auto n = static_cast<std::uint32_t>(used.size());
  for (std::uint32_t length = 1; length <= n; ++length) {
    for (std::uint32_t start = 0; start < (ring ? n : n - length + 1); ++start) {
      if (holds_all({start, length}, used)) return {start, length};
    }
  }
  return {};
}

TEST(ShortestAround, IsTheShortestIntervalOfAll) {
  for (std::uint32_t n = 1; n <= 10; ++n) {
    for (std::uint32_t bits = 1; bits < 1U << n; ++bits) {
      std::vector<bool> used(n);
      for (std::uint32_t i = 0; i < n; ++i) used[i] = (bits >> i & 1) != 0;
      for (const bool ring : {false, true}) {
        const Interval interval = shortest_around(used, ring);
        EXPECT_EQ(interval.length, found_by_trying(used, ring).length) << n << " " << bits << " " << ring;
        EXPECT_TRUE(holds_all(interval, used)) << n << " " << bits << " " << ring;
        EXPECT_TRUE(ring || interval.start + interval.length <= n) << n << " " << bits;
      }
    }
  }
}

}  // namespace
}  // namespace ayatori
