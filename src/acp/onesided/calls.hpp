#pragma once
/// \file
/// The requests of one process to another, and their answers. Each is a call of the transport, which is carried out
/// exactly once.
///
///     call     kind (1 byte)  size (1)  four words (8 bytes each, little-endian)
///     answer   status (1)  value (8)

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "ayatori/transport/application.hpp"

namespace ayatori::onesided {

enum class CallKind : std::uint8_t {
  alive = 1,  ///< no request: the answer shows that the peer lives
  swap,       ///< words: address, operand; size 4 or 8; the answer is the value from before
  add,        ///< as swap, and so are those up to conjunction
  exclusive_or,
  inclusive_or,
  conjunction,
  compare_swap,   ///< words: address, new value, expected value
  write,          ///< words: address, then `size` bytes, at most 16
  copy,           ///< words: destination (the receiver's), source, bytes, handle: `copied` says when it is done
  copied,         ///< words: handle, Status
  arrive,         ///< words: place of a barrier's notice, number of the barrier (barrier.hpp)
  open_channel,   ///< words: channel; size: 1 if the caller sends. The answer's value: 1 if the peer has it
  ready,          ///< words: channel and number of the receive, bytes it takes, key of its buffer
  inlined,        ///< words: channel and number of the receive, size of the message, its bytes (at most 16)
  written,        ///< words: channel and number of the receive, size of the message, which is in its buffer
  close_channel,  ///< words: channel; size: 1 if the caller sends
  ask_arrival,    ///< words: as `arrive`: send me that notice, if you have sent it before
  connect,        ///< words: an end of a reliable connection; the answer's value: the other end (connections.cpp)
  grant,          ///< words: key of a region; the answer's value: the key by which an adapter reaches it, and more
};

struct Call {
  CallKind kind = CallKind::alive;
  std::uint8_t size = 0;
  std::array<std::uint64_t, 4> words{};

  bool operator==(const Call&) const = default;
};

enum class Status : std::uint8_t {
  done,
  busy,     ///< no room now: to be asked again
  refused,  ///< there is no such memory
  lost,     ///< the rank that has it is lost
};

struct Answer {
  Status status = Status::done;
  std::uint64_t value = 0;
};

inline constexpr std::size_t max_inline_bytes = 16;
inline constexpr std::size_t call_bytes = 34;
inline constexpr std::size_t answer_bytes = 9;
static_assert(call_bytes <= transport::max_operation_bytes);

[[nodiscard]] std::array<std::byte, call_bytes> encode(const Call& call);
[[nodiscard]] transport::OperationResult encode(const Answer& answer);

/// Nothing if the bytes are not a call, or its size is not allowed for its kind.
[[nodiscard]] std::optional<Call> decode_call(std::span<const std::byte> bytes);
[[nodiscard]] std::optional<Answer> decode_answer(std::span<const std::byte> bytes);

/// Whether it reads and changes 4 or 8 bytes at once.
[[nodiscard]] constexpr bool is_atomic(CallKind kind) {
  return kind >= CallKind::swap && kind <= CallKind::compare_swap;
}

/// Changes memory of this process; returns the value before. `at` is aligned to `call.size`.
[[nodiscard]] std::uint64_t apply_atomic(const Call& call, std::byte* at);

}  // namespace ayatori::onesided
