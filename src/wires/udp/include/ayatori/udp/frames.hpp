#pragma once
/// \file
/// What travels in one UDP datagram: *frames*, each a length (2 bytes, little-endian), a datagram of the transport, and
/// a byte of padding if its length is odd. A length of 0 is padding, too.
///
/// Several UDP datagrams to one destination make a *train*: *segments* of one size, but for the last, which may be
/// shorter. The kernel takes and gives a train as one piece (UDP_SEGMENT, UDP_GRO; see udp(7)). No frame crosses from
/// one segment into the next, and segments are filled up with padding, so a train reads as its segments do: where they
/// begin need not be known.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace ayatori::wires {

inline constexpr std::size_t frame_header_bytes = 2;

/// Largest payload of UDP over IPv4: 65,535 bytes less both headers.
inline constexpr std::size_t max_udp_payload = 65'507;

/// What a datagram takes in a segment.
[[nodiscard]] constexpr std::size_t framed_bytes(std::size_t size) { return frame_header_bytes + (size + 1) / 2 * 2; }

/// Largest datagram that a UDP datagram of `payload` bytes has room for.
[[nodiscard]] constexpr std::size_t max_framed(std::size_t payload) { return payload / 2 * 2 - frame_header_bytes; }

/// Writes a frame's header; returns where its datagram starts.
std::byte* put_frame_header(std::size_t length, std::byte* to);

/// Takes a train, or a segment, apart.
class FrameReader {
 public:
  FrameReader() = default;
  explicit FrameReader(std::span<const std::byte> train) : rest_(train) {}

  /// The next datagram, which points into the train; nothing at its end, or where it makes no sense any more.
  [[nodiscard]] std::optional<std::span<const std::byte>> next();
  [[nodiscard]] bool malformed() const { return malformed_; }

 private:
  std::span<const std::byte> rest_;
  bool malformed_ = false;
};

}  // namespace ayatori::wires
