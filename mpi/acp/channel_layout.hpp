#pragma once
/// \file
/// What lies where in the memory of the two ends of a channel: a block at each, into which the other end writes.

#include "flagged_words.hpp"

namespace ayatori {

/// Words of the ring for small messages, and of that for announcements of large ones.
inline constexpr std::uint64_t words_of_ring = 512;
inline constexpr std::uint64_t words_of_announcements = 256;
/// Half a ring, so that a message that waits for room gets it, whatever the peer has not reported yet.
inline constexpr Bytes max_small_bytes = words_of_ring / 2 * data_bytes_of_word;
/// The receiver tells how much it has read when that is a quarter of the ring.
inline constexpr std::uint64_t words_of_a_report = words_of_ring / 4;

/// Pieces of memory in one announcement: their number, then the address and the bytes of each, two words for either.
inline constexpr std::uint32_t max_pieces_of_segment = 16;
inline constexpr std::uint64_t words_of_segment(std::uint32_t pieces) { return 1 + 4 * std::uint64_t{pieces}; }
static_assert(2 * words_of_segment(max_pieces_of_segment) <= words_of_announcements);
/// Numbers of segments that may be on their way.
inline constexpr std::uint64_t max_reports = 8;

/// The receiver's end.
struct IncomingBlock {
  static constexpr Bytes greeting = 0;  ///< a flagged word: the sender's block, in units of 64 bytes
  static constexpr Bytes segments = 8;  ///< how many segments the sender has put
  static constexpr Bytes ring = 64;
  static constexpr Bytes staging = ring + words_of_ring * bytes_of_word;             ///< of announcements
  static constexpr Bytes report = staging + words_of_announcements * bytes_of_word;  ///< the number that is on its way
  static constexpr Bytes bytes = report + 64;
};

/// The sender's end.
struct OutgoingBlock {
  static constexpr Bytes words_read = 0;  ///< what the receiver has read of the ring
  static constexpr Bytes greeting = 8;    ///< the flagged word that is sent
  static constexpr Bytes announcements = 64;
  static constexpr Bytes staging = announcements + words_of_announcements * bytes_of_word;
  static constexpr Bytes reports = staging + words_of_ring * bytes_of_word;
  static constexpr Bytes bytes = reports + max_reports * 8;
};

inline constexpr Bytes unit_of_blocks = 64;

}  // namespace ayatori
