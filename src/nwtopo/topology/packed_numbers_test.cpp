#include "packed_numbers.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace ayatori::image {
namespace {

PackedNumbers numbers_of(const NumberPacking& packing, std::size_t count) {
  const Array<NumberBlock> blocks{std::span(packing.blocks)};
  const Array<std::uint8_t> entries{std::span(packing.entries)};
  return {blocks, entries, packing.format, count};
}

void expect_unpacked(const std::vector<std::uint32_t>& numbers) {
  const NumberPacking packing = pack(numbers);
  const PackedNumbers packed = numbers_of(packing, numbers.size());
  ASSERT_TRUE(packed.is_complete());
  for (std::size_t i = 0; i < numbers.size(); ++i) ASSERT_EQ(packed[i], numbers[i]) << "number " << i;
}

TEST(Pack, NumbersThatRiseEvenlyTakeOneEntryABlock) {
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < 1000; ++i) numbers.push_back(17 + 36 * i);
  expect_unpacked(numbers);
  EXPECT_LT(pack(numbers).bytes(), 1000U);
}

TEST(Pack, NumbersThatRiseAlternatelyTakeOneEntryForEach) {
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < 1000; ++i) numbers.push_back(100'000 * (i % 4) + i / 4);
  expect_unpacked(numbers);
  EXPECT_LT(pack(numbers).bytes(), 1500U);
}

TEST(Pack, TheGreatestAndNoNumbersAreKept) {
  expect_unpacked({});
  expect_unpacked({0});
  expect_unpacked(std::vector<std::uint32_t>(40, 0));
  expect_unpacked({0xFFFF'FFFF, 0, 0xFFFF'FFFF, 5});
  expect_unpacked({0, 0x0800'0000, 0x1000'0000});  // strides that no pattern has room for
  expect_unpacked({9, 8, 7, 6, 5, 4, 3, 2, 1, 0});
}

/// Random runs with patterns of their own, which begin anywhere in a block.
TEST(Pack, AnyNumbersAreKept) {
  for (std::uint32_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto below = [&](std::uint32_t end) {
      return std::uniform_int_distribution<std::uint32_t>(0, end - 1)(random);
    };
    const std::uint32_t largest = 1U << below(32);
    std::vector<std::uint32_t> numbers;
    while (numbers.size() < 500) {
      const std::uint32_t period = 1 + below(20);
      const std::uint32_t stride = below(3) == 0 ? 0 : below(largest);
      std::vector<std::uint32_t> first(period);
      for (std::uint32_t& number : first) number = below(largest);
      const std::uint32_t length = 1 + below(60);
      for (std::uint32_t i = 0; i < length; ++i) numbers.push_back(first[i % period] + stride * (i / period));
    }
    expect_unpacked(numbers);
  }
}

/// An image may be forged: periods of 0, entries after the end, more bits than a number has.
TEST(PackedNumbers, EntriesAfterTheEndReadAsZero) {
  const std::vector<NumberBlock> blocks = {{0xFFFF'FFFF, 0}, {9, 127}, {0, 0xFFFF'FFFF}};
  const std::vector<std::uint8_t> entries = {7, 8, 9, 0, 0, 0, 0, 0, 0};
  const Array<NumberBlock> block_array{std::span(blocks)};
  const Array<std::uint8_t> entry_array{std::span(entries)};
  const PackedNumbers packed(block_array, entry_array, {8, 4}, 48);
  EXPECT_TRUE(packed.is_complete());
  EXPECT_EQ(packed[0], 0U);
  EXPECT_EQ(packed[16], 0U);
  EXPECT_EQ(packed[32], 7U);
  EXPECT_FALSE(PackedNumbers(block_array, entry_array, {8, 4}, 49).is_complete());
  const PackedNumbers wide(block_array, entry_array, {255, 255}, 3 * 64);
  EXPECT_TRUE(wide.is_complete());
  EXPECT_EQ(wide[128], 0x0009'0807U);
}

}  // namespace
}  // namespace ayatori::image
