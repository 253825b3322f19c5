// Caches in which one word was changed and the checksum put right: the C functions refuse them, or can all be called.
// What is called is in src/nwtopo/fuzz/nwtopo_cache_fuzz.cpp, which ends the program where an answer contradicts
// another.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "../../base/thoroughness_fixtures.hpp"
#include "nwtopo.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr std::size_t first_checked_word = 6;  // after the checksum

/// What loading says of a cache; "" if it is good.
std::string error_of(const std::vector<std::uint8_t>& bytes) {
  nwtopo_topology_t topology = nullptr;
  EXPECT_EQ(nwtopo_topology_init(&topology), 0);
  EXPECT_EQ(nwtopo_topology_set_buffer(topology, bytes.data(), bytes.size()), 0);
  const std::string error = nwtopo_topology_load(topology) == 0 ? "" : nwtopo_error_message();
  nwtopo_topology_destroy(topology);
  return error;
}

class ForgedCache : public testing::TestWithParam<const char*> {};

TEST_P(ForgedCache, WithAnyWordChangedIsRefusedOrAnswers) {
  std::ifstream file(std::string(CORPUS "/") + GetParam(), std::ios::binary);
  std::vector<std::uint8_t> bytes((std::istreambuf_iterator<char>(file)), {});
  ASSERT_GT(bytes.size(), 500U);
  ASSERT_EQ(error_of(bytes), "") << "the corpus has caches that no reader opens any more";
  for (std::size_t word = first_checked_word; 4 * word + 4 <= bytes.size(); ++word) {
    std::uint32_t original = 0;
    std::memcpy(&original, &bytes[4 * word], sizeof original);
    const std::array<std::uint32_t, 3> values{original + 1, original ^ 0x0001'0000U, 0xFFFF'FFFFU};
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i != word % values.size() && !ayatori::test::all_is_tried()) continue;
      const std::uint32_t value = values[i];
      std::memcpy(&bytes[4 * word], &value, sizeof value);
      ASSERT_EQ(LLVMFuzzerTestOneInput(bytes.data(), bytes.size()), 0);
    }
    std::memcpy(&bytes[4 * word], &original, sizeof original);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, ForgedCache,
                         testing::Values("tree", "torus", "rails", "graph", "sparse-subset", "sparse-direct",
                                         "sparse-faulty"));

}  // namespace
