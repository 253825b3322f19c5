#pragma once
/// \file
/// Questions and answers of AddressLookup, within their seals:
///
///     kind (1 byte: 1 question, 2 answer), steps left (1), rank whose card this is (4), rank that is wanted (4), card
///
/// The card is that of the process that asks, or that answers. An answer repeats the wanted rank, which is its own.

#include "ayatori/base/ids.hpp"
#include "ayatori/lookup/card.hpp"

namespace ayatori::wires {

struct LookupMessage {
  bool question = false;
  std::uint8_t steps = 0;  ///< how many more processes may pass it on
  Rank from = 0;
  Rank wanted = 0;
  Card card;
};

inline constexpr std::size_t lookup_head_bytes = 10;
inline constexpr std::size_t max_lookup_bytes = lookup_head_bytes + max_card_bytes;

[[nodiscard]] std::vector<std::byte> written(const LookupMessage& message);

/// Nothing if the bytes are no such message.
[[nodiscard]] std::optional<LookupMessage> read_lookup_message(std::span<const std::byte> bytes);

}  // namespace ayatori::wires
