#pragma once
/// \file
/// What travels in one UDP datagram: *frames*, each a length (2 bytes, little-endian) and a datagram of the transport.
/// A length of 0 says that only padding follows.
///
/// Several UDP datagrams to one destination make a *train*: *segments* of one size, but for the last, which may be
/// shorter. The kernel takes and gives a train as one piece (UDP_SEGMENT, UDP_GRO; see udp(7)).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace ayatori::wires {

inline constexpr std::size_t frame_header_bytes = 2;

/// Largest payload of UDP over IPv4: 65,535 bytes less both headers.
inline constexpr std::size_t most_udp_payload = 65'507;

void put_frame_header(std::size_t length, std::byte* to);

/// Takes a received train apart. Whatever is wrong in a segment, the next one is read.
class FrameReader {
 public:
  FrameReader() = default;
  /// `segment_bytes`: 0 if the kernel said nothing, and all of `train` is one segment.
  FrameReader(std::span<const std::byte> train, std::size_t segment_bytes);

  /// The next datagram, which points into the train; nothing at its end.
  [[nodiscard]] std::optional<std::span<const std::byte>> next();
  [[nodiscard]] bool done() const { return rest_.empty(); }
  [[nodiscard]] std::uint32_t malformed() const { return malformed_; }  ///< segments with a frame that doesn't fit

 private:
  void skip_segment();

  std::span<const std::byte> rest_;
  std::size_t segment_bytes_ = 0;
  std::size_t left_ = 0;  // of the segment
  std::uint32_t malformed_ = 0;
};

}  // namespace ayatori::wires
