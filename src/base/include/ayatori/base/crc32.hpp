#pragma once
/// \file
/// CRC-32 as Ethernet, zlib and many others have it (polynomial 0x04C11DB7, bits reversed).

#include <array>
#include <cstdint>

namespace ayatori {

class Crc32 {
 public:
  void add(std::uint8_t byte) { value_ = value_ >> 8U ^ table[(value_ ^ byte) & 0xFFU]; }
  /// Of the bytes so far.
  [[nodiscard]] std::uint32_t value() const { return ~value_; }

 private:
  static constexpr std::array<std::uint32_t, 256> table = [] {
    std::array<std::uint32_t, 256> made{};
    for (std::uint32_t byte = 0; byte < made.size(); ++byte) {
      std::uint32_t value = byte;
      for (int bit = 0; bit < 8; ++bit) value = value >> 1U ^ ((value & 1U) != 0 ? 0xEDB88320U : 0U);
      made[byte] = value;
    }
    return made;
  }();

  std::uint32_t value_ = 0xFFFFFFFF;
};

}  // namespace ayatori
