#pragma once
/// \file
/// What endpoints of libfabric send each other in messages of the transport. Little-endian, unaligned:
///
///      0  kind (1)   1  flags (1)   2  endpoint to (2)   4  endpoint from (2)
///      6  message, tagged:             tag (8)  data (8)  [operation (8), if an answer is wanted]  payload
///         long_message, long_tagged:   tag (8)  data (8)  size (8)  operation (8)
///         received:                    operation (8)
///         written:                     size (8)  data (8)

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "ayatori/base/ids.hpp"

namespace ayatori::fabric {

/// An endpoint of a process. Each process numbers its endpoints from 0.
using EndpointNumber = std::uint16_t;

/// An endpoint in the job.
struct Address {
  Rank rank = 0;
  EndpointNumber endpoint = 0;

  bool operator==(const Address&) const = default;
};

enum class FrameKind : std::uint8_t {
  message = 1,   ///< with its bytes
  tagged,        ///< the same, with a tag
  long_message,  ///< the receiver fetches the bytes once it has memory for them
  long_tagged,
  received,  ///< the bytes of a message are in the receiver's memory: answers `operation`
  written,   ///< a write with data for the peer's completion queue was carried out
};

struct Frame {
  FrameKind kind = FrameKind::message;
  bool has_data = false;
  bool wants_answer = false;  ///< `received`, once a receive has the bytes
  EndpointNumber to = 0;
  EndpointNumber from = 0;
  std::uint64_t tag = 0;
  std::uint64_t data = 0;
  std::uint64_t size = 0;       ///< of a long message, and of what was written
  std::uint64_t operation = 0;  ///< the sender's number of what is answered
  std::span<const std::byte> payload{};

  [[nodiscard]] bool is_message() const { return kind < FrameKind::received; }
  [[nodiscard]] bool is_long() const { return kind == FrameKind::long_message || kind == FrameKind::long_tagged; }
  [[nodiscard]] bool is_tagged() const { return kind == FrameKind::tagged || kind == FrameKind::long_tagged; }
};

inline constexpr std::size_t max_frame_header = 38;
using FrameHeader = std::array<std::byte, max_frame_header>;

/// Everything but the payload; returns how many bytes that are.
std::size_t write_header(const Frame& frame, FrameHeader& header);

/// Nothing if the bytes are no frame.
[[nodiscard]] std::optional<Frame> read_frame(std::span<const std::byte> bytes);

}  // namespace ayatori::fabric
