#pragma once
/// \file
/// Words of 8 bytes: 4 of data and 4 of a flag, so that data and the news of its arrival are written as one. A put
/// writes aligned words as a whole, in any order and perhaps twice (acp.h): whoever finds the flag that it waits for
/// has the data, and needs no second put.
///
/// Words fill a ring again and again. The flag of a word is the number of its lap, so that what is left of the lap
/// before is not taken for new; memory that was never written has flag 0, which no lap has.

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "ayatori/base/ids.hpp"

namespace ayatori {

using FlaggedWord = std::uint64_t;
inline constexpr Bytes bytes_of_word = sizeof(FlaggedWord);
inline constexpr Bytes data_bytes_of_word = 4;

/// A ring of words, counted from the first word ever: which word is where, in which lap. The number of words is a power
/// of 2, so that no word costs a division.
class WordRing {
 public:
  constexpr explicit WordRing(std::uint64_t words)
      : mask_(words - 1), lap_shift_(static_cast<std::uint32_t>(std::countr_zero(words))) {}

  [[nodiscard]] constexpr std::uint64_t words() const { return mask_ + 1; }
  [[nodiscard]] constexpr Bytes place(std::uint64_t position) const { return (position & mask_) * bytes_of_word; }
  [[nodiscard]] constexpr std::uint32_t flag(std::uint64_t position) const {
    const std::uint64_t lap = position >> lap_shift_;
    return static_cast<std::uint32_t>(lap < most_flags ? lap : lap % most_flags) + 1;
  }

 private:
  static constexpr std::uint64_t most_flags = 0xffff'ffff;

  std::uint64_t mask_;
  std::uint32_t lap_shift_;
};

constexpr FlaggedWord flagged(std::uint32_t data, std::uint32_t flag) { return FlaggedWord{flag} << 32 | data; }

/// Of a message; one without bytes has a word, too.
constexpr std::uint64_t words_of(Bytes bytes) {
  return std::max<std::uint64_t>(1, (bytes + data_bytes_of_word - 1) / data_bytes_of_word);
}

/// What a peer has written there by now.
inline std::uint64_t load_word(const std::byte* word) {
  return std::atomic_ref<const std::uint64_t>(*reinterpret_cast<const std::uint64_t*>(word))
      .load(std::memory_order_acquire);
}

inline void store_word(std::byte* word, std::uint64_t value) {
  std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(word)).store(value, std::memory_order_release);
}

/// The end of a ring that reads: it lies in this process's memory, a peer writes.
class WordReader {
 public:
  WordReader(const std::byte* ring, std::uint64_t words) : memory_(ring), ring_(words) {}

  /// The next word's data, if it has arrived.
  [[nodiscard]] std::optional<std::uint32_t> take() {
    const FlaggedWord word = load_word(memory_ + ring_.place(position_));
    if (word >> 32 != ring_.flag(position_)) return std::nullopt;
    ++position_;
    return static_cast<std::uint32_t>(word);
  }

  /// Words that were taken.
  [[nodiscard]] std::uint64_t position() const { return position_; }

 private:
  const std::byte* memory_;
  WordRing ring_;
  std::uint64_t position_ = 0;
};

}  // namespace ayatori
