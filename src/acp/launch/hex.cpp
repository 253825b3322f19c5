#include "exchange.hpp"

namespace ayatori::launch {

namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";

}  // namespace

std::string hex_of(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) {
    text.append(
        {hex_digits[std::to_integer<std::size_t>(byte >> 4)], hex_digits[std::to_integer<std::size_t>(byte) & 15]});
  }
  return text;
}

std::optional<std::vector<std::byte>> bytes_of(std::string_view hex) {
  if (hex.size() % 2 != 0 || hex.find_first_not_of(hex_digits) != std::string_view::npos) return std::nullopt;
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(hex_digits.find(hex[i]) << 4 | hex_digits.find(hex[i + 1])));
  }
  return bytes;
}

}  // namespace ayatori::launch
