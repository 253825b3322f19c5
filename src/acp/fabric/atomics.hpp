#pragma once
/// \file
/// Atomics on a peer's memory: a request of at most 36 bytes, which the peer carries out by instructions of the
/// processor, so that they are atomic also where several processes share the memory.
///
///      0  operation (1)  datatype (1)  count (1)  flags (1)   4  key (8)   12  address (8)   20  operand (8)  28
///      compare (8)

#include <rdma/fi_atomic.h>

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "ayatori/base/ids.hpp"
#include "ayatori/transport/application.hpp"

namespace ayatori::fabric {

/// Operand, compare value and result of all elements together.
inline constexpr std::size_t max_atomic_bytes = 8;
using AtomicWord = std::array<std::byte, max_atomic_bytes>;

struct AtomicRequest {
  fi_op operation = FI_ATOMIC_READ;
  fi_datatype type = FI_UINT64;
  std::uint8_t count = 1;
  bool fetches = false;  ///< the caller wants the value from before
  std::uint64_t key = 0;
  std::uint64_t address = 0;
  AtomicWord operand{};
  AtomicWord compare{};
};

/// Bytes of an element; 0 if there are no atomics on this type.
[[nodiscard]] std::size_t size_of(fi_datatype type);

enum class AtomicForm : std::uint8_t { write, fetch, compare };

/// How many elements an operation takes at once; 0 if it is not offered.
[[nodiscard]] std::size_t max_count(fi_datatype type, fi_op operation, AtomicForm form);

[[nodiscard]] std::array<std::byte, 36> encode(const AtomicRequest& request);
/// Nothing if the bytes are no request, or for an operation that is not offered.
[[nodiscard]] std::optional<AtomicRequest> decode_atomic(std::span<const std::byte> bytes);

/// Carries it out on this memory, which has the size of all elements. Returns the value from before; nothing if the
/// memory is not aligned to the elements.
[[nodiscard]] std::optional<AtomicWord> carry_out(const AtomicRequest& request, std::span<std::byte> memory);

}  // namespace ayatori::fabric
