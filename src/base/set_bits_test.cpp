#include "ayatori/base/set_bits.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ayatori {
namespace {

template <std::size_t count>
std::vector<std::size_t> found_in(const std::bitset<count>& bits) {
  std::vector<std::size_t> found;
  for (std::size_t bit = first_set_bit(bits); bit < count; bit = set_bit_from(bits, bit + 1)) found.push_back(bit);
  return found;
}

TEST(SetBitFrom, FindsEachSetBitOnceInRisingOrder) {
  for (const auto& bits :
       std::vector<std::vector<std::size_t>>{{}, {0}, {63}, {64}, {127}, {0, 1, 62, 63, 64, 65, 127}, {5, 126}}) {
    std::bitset<128> set;
    for (const std::size_t bit : bits) set.set(bit);
    EXPECT_EQ(found_in(set), bits);
  }
  EXPECT_EQ(found_in(std::bitset<256>().set()).size(), 256U);
}

TEST(SetBitFrom, AnswersTheSizeAfterTheLast) {
  EXPECT_EQ(set_bit_from(std::bitset<64>(1), 1), 64U);
  EXPECT_EQ(set_bit_from(std::bitset<64>().set(), 64), 64U);
}

}  // namespace
}  // namespace ayatori
