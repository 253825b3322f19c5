#pragma once
/// \file
/// Queries and replies of processes about the addresses of their adapters: one UDP datagram each.
///
/// 4 bytes "acpA", kind (0 question, 1 answer), 3 bytes 0, job key (8), rank of the sender (4), then the sender's own
/// address. Numbers are little-endian. A question says where the answer would have to be looked up the next time.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "ayatori/base/ids.hpp"
#include "ayatori/transport/endpoint.hpp"

namespace ayatori::wires {

inline constexpr std::size_t address_header_bytes = 20;
inline constexpr std::size_t max_address_bytes = 256;

struct AddressMessage {
  bool question = false;
  transport::JobKey key = 0;
  Rank from = 0;
  std::span<const std::byte> address;  ///< of the sender; 1 to max_address_bytes bytes
};

[[nodiscard]] std::vector<std::byte> written(const AddressMessage& message);

/// Nothing if the bytes are no such message. The address lies within `bytes`.
[[nodiscard]] std::optional<AddressMessage> read_address_message(std::span<const std::byte> bytes);

}  // namespace ayatori::wires
