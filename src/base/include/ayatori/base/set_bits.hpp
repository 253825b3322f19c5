#pragma once
/// \file
/// The set bits of a std::bitset in rising order, which the standard library can't find.

#include <array>
#include <bit>
#include <bitset>
#include <cstddef>
#include <cstdint>

namespace ayatori {

/// The lowest set bit from `from` on; `count` if there is none. `count` is a multiple of 64.
template <std::size_t count>
[[nodiscard]] std::size_t set_bit_from(const std::bitset<count>& bits, std::size_t from) {
  // Each library that compiles this keeps 64 bits a word, the lowest first.
  const auto words = std::bit_cast<std::array<std::uint64_t, count / 64>>(bits);
  for (std::size_t word = from / 64; word < words.size(); ++word) {
    const std::uint64_t left = word == from / 64 ? words[word] >> (from % 64) << (from % 64) : words[word];
    if (left != 0) return word * 64 + static_cast<std::size_t>(std::countr_zero(left));
  }
  return count;
}

template <std::size_t count>
[[nodiscard]] std::size_t first_set_bit(const std::bitset<count>& bits) {
  return set_bit_from(bits, 0);
}

}  // namespace ayatori
