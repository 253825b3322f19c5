#pragma once
/// \file
/// Numbers in packets and descriptors: little-endian, unaligned.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

namespace ayatori::transport {

class Writer {
 public:
  explicit Writer(std::span<std::byte> bytes) : bytes_(bytes) {}

  template <std::unsigned_integral Integer>
  void put(Integer value) {
    for (std::size_t i = 0; i < sizeof(Integer); ++i) {
      bytes_[size_++] = static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * i));
    }
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
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < sizeof(Integer); ++i) value |= std::to_integer<std::uint64_t>(rest_[i]) << (8 * i);
    rest_ = rest_.subspan(sizeof(Integer));
    return static_cast<Integer>(value);
  }

  [[nodiscard]] std::span<const std::byte> rest() const { return rest_; }

 private:
  std::span<const std::byte> rest_;
};

}  // namespace ayatori::transport
