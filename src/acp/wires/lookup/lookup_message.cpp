#include "lookup_message.hpp"

namespace ayatori::wires {

namespace {

enum Kind : std::uint8_t { question = 1, answer = 2 };

void append_rank(std::vector<std::byte>& bytes, Rank rank) {
  for (std::size_t i = 0; i < sizeof rank; ++i) bytes.push_back(static_cast<std::byte>(rank >> (8 * i) & 0xFF));
}

Rank rank_at(std::span<const std::byte> bytes, std::size_t at) {
  Rank rank = 0;
  for (std::size_t i = sizeof rank; i-- > 0;) rank = rank << 8 | std::to_integer<Rank>(bytes[at + i]);
  return rank;
}

}  // namespace

std::vector<std::byte> written(const LookupMessage& message) {
  std::vector<std::byte> bytes{static_cast<std::byte>(message.question ? question : answer),
                               static_cast<std::byte>(message.steps)};
  append_rank(bytes, message.from);
  append_rank(bytes, message.wanted);
  const auto card = written(message.card);
  bytes.insert(bytes.end(), card.begin(), card.end());
  return bytes;
}

std::optional<LookupMessage> read_lookup_message(std::span<const std::byte> bytes) {
  if (bytes.size() <= lookup_head_bytes) return std::nullopt;
  const auto kind = std::to_integer<std::uint8_t>(bytes[0]);
  auto card = read_card(bytes.subspan(lookup_head_bytes));
  if ((kind != question && kind != answer) || !card) return std::nullopt;
  return LookupMessage{kind == question, std::to_integer<std::uint8_t>(bytes[1]), rank_at(bytes, 2), rank_at(bytes, 6),
                       std::move(*card)};
}

}  // namespace ayatori::wires
