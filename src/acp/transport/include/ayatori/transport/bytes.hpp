#pragma once
/// \file
/// Numbers in packets and descriptors: little-endian, unaligned.

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace ayatori::transport {

/// To or from little-endian.
template <std::unsigned_integral Integer>
[[nodiscard]] constexpr Integer little_endian(Integer value) {
  return std::endian::native == std::endian::little ? value : std::byteswap(value);
}

class Writer {
 public:
  explicit Writer(std::span<std::byte> bytes) : bytes_(bytes) {}

  template <std::unsigned_integral Integer>
  void put(Integer value) {
    value = little_endian(value);
    std::memcpy(bytes_.data() + size_, &value, sizeof value);
    size_ += sizeof value;
  }

  [[nodiscard]] std::span<const std::byte> written() const { return bytes_.first(size_); }

 private:
  std::span<std::byte> bytes_;
  std::size_t size_ = 0;
};

/// The caller has checked that what it takes is there.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <std::unsigned_integral Integer>
  Integer take() {
    Integer value = 0;
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_ = rest_.subspan(sizeof value);
    return little_endian(value);
  }

  [[nodiscard]] std::span<const std::byte> rest() const { return rest_; }

 private:
  std::span<const std::byte> rest_;
};

}  // namespace ayatori::transport
