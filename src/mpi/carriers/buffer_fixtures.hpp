#pragma once
/// \file
/// For tests of carriers: memory that is sent or received as one message.

#include <gtest/gtest.h>

#include <array>
#include <span>
#include <vector>

#include "ayatori/base/random.hpp"
#include "ayatori/executor/carrier.hpp"

namespace ayatori {

/// Bytes in pieces, as a message.
struct Buffer {
  explicit Buffer(std::size_t size, std::size_t piece_count = 1, std::byte value = {}) : bytes(size, value) {
    for (std::size_t i = 0; i < piece_count; ++i) {
      const std::size_t begin = size * i / piece_count;
      pieces.emplace_back(bytes.data() + begin, size * (i + 1) / piece_count - begin);
    }
  }
  Buffer(Buffer&&) = default;
  Buffer& operator=(Buffer&&) = default;
  [[nodiscard]] CarriedMessage message(Rank peer, std::uint32_t stream = 0) const {
    return {peer, stream, bytes.size(), pieces};
  }
  std::vector<std::byte> bytes;
  std::vector<std::span<std::byte>> pieces;
};

inline Buffer filled(std::size_t size, std::uint64_t seed, std::size_t pieces = 1) {
  Buffer buffer(size, pieces);
  Random random(seed);
  for (std::byte& byte : buffer.bytes) byte = static_cast<std::byte>(random.below(256));
  return buffer;
}

inline std::vector<RequestId> test_all(Carrier& carrier) {
  std::array<RequestId, 64> completed{};
  const auto count = carrier.test_some(completed);
  EXPECT_TRUE(count);
  return {completed.begin(), completed.begin() + static_cast<std::ptrdiff_t>(count.value_or(0))};
}

}  // namespace ayatori
