#pragma once
/// \file
/// The contents of a UDP datagram: *frames*. A frame is a length (2 bytes, little-endian), a datagram of the transport,
/// and a byte of padding if the length is odd. A length of 0 is padding, too.
///
/// Several UDP datagrams to one destination are a *train*. They are the GSO segments (generic segmentation offload) of
/// one send: all have the same size, except the last, which may be shorter. The kernel takes and returns a train as one
/// piece (UDP_SEGMENT, UDP_GRO; see udp(7)). No frame crosses from one GSO segment into the next, and GSO segments are
/// filled up with padding. So a train is read like one GSO segment, and its reader need not know where
/// they begin.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace ayatori::wires {

inline constexpr std::size_t frame_header_bytes = 2;

/// Largest payload of UDP over IPv4: 65,535 bytes less both headers.
inline constexpr std::size_t max_udp_payload = 65'507;

/// The bytes that a datagram takes in a GSO segment.
[[nodiscard]] constexpr std::size_t framed_bytes(std::size_t size) { return frame_header_bytes + (size + 1) / 2 * 2; }

/// Largest datagram that a UDP datagram of `payload` bytes has room for.
[[nodiscard]] constexpr std::size_t max_framed(std::size_t payload) { return payload / 2 * 2 - frame_header_bytes; }

/// Writes a frame's header; returns where its datagram starts.
std::byte* put_frame_header(std::size_t length, std::byte* to);

/// Reads the datagrams of a train, or of one GSO segment.
class FrameReader {
 public:
  FrameReader() = default;
  explicit FrameReader(std::span<const std::byte> train) : rest_(train) {}

  /// The next datagram, which points into the train; nothing at the end of the train, or where a frame is malformed.
  [[nodiscard]] std::optional<std::span<const std::byte>> next();
  [[nodiscard]] bool malformed() const { return malformed_; }

 private:
  std::span<const std::byte> rest_;
  bool malformed_ = false;
};

}  // namespace ayatori::wires
