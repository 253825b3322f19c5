#include "ayatori/lookup/address_messages.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace ayatori::wires {

namespace {

constexpr std::array magic{std::byte{'a'}, std::byte{'c'}, std::byte{'p'}, std::byte{'A'}};

template <typename Number>
void append(std::vector<std::byte>& bytes, Number number) {
  for (std::size_t i = 0; i < sizeof number; ++i) {
    bytes.push_back(static_cast<std::byte>(static_cast<std::uint64_t>(number) >> (8 * i)));
  }
}

std::uint64_t number_in(std::span<const std::byte> bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) number = number << 8 | std::to_integer<std::uint64_t>(bytes[i]);
  return number;
}

}  // namespace

std::vector<std::byte> written(const AddressMessage& message) {
  std::vector<std::byte> bytes(magic.begin(), magic.end());
  append(bytes, static_cast<std::uint32_t>(message.question ? 0 : 1));
  append(bytes, message.key);
  append(bytes, message.from);
  bytes.insert(bytes.end(), message.address.begin(), message.address.end());
  return bytes;
}

std::optional<AddressMessage> read_address_message(std::span<const std::byte> bytes) {
  if (bytes.size() <= address_header_bytes || bytes.size() > address_header_bytes + max_address_bytes) return {};
  if (!std::ranges::equal(bytes.first(magic.size()), magic)) return {};
  const std::uint64_t kind = number_in(bytes.subspan(4, 4));
  if (kind > 1) return {};
  return AddressMessage{.question = kind == 0,
                        .key = number_in(bytes.subspan(8, 8)),
                        .from = static_cast<Rank>(number_in(bytes.subspan(16, 4))),
                        .address = bytes.subspan(address_header_bytes)};
}

}  // namespace ayatori::wires
