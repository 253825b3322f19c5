// Caches in which one word was changed and the checksum put right: the C functions refuse them, or can all be called.
// What is called is in fuzz/nwtopo_cache_fuzz.cpp, which ends the program where an answer contradicts another.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr std::size_t first_checked_word = 6;  // after the checksum

class ForgedCache : public testing::TestWithParam<const char*> {};

TEST_P(ForgedCache, WithAnyWordChangedIsRefusedOrAnswers) {
  std::ifstream file(std::string(CORPUS "/") + GetParam(), std::ios::binary);
  std::vector<std::uint8_t> bytes((std::istreambuf_iterator<char>(file)), {});
  ASSERT_GT(bytes.size(), 500U);
  for (std::size_t word = first_checked_word; 4 * word + 4 <= bytes.size(); ++word) {
    std::uint32_t original = 0;
    std::memcpy(&original, &bytes[4 * word], sizeof original);
    for (const std::uint32_t value : {original + 1, original ^ 0x0001'0000U, 0xFFFF'FFFFU}) {
      std::memcpy(&bytes[4 * word], &value, sizeof value);
      ASSERT_EQ(LLVMFuzzerTestOneInput(bytes.data(), bytes.size()), 0);
    }
    std::memcpy(&bytes[4 * word], &original, sizeof original);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, ForgedCache, testing::Values("tree", "torus", "rails", "sparse-subset", "graph"));

}  // namespace
