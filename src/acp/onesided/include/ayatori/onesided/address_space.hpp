#pragma once
/// \file
/// Global addresses: 64 bits that name a byte of a process's registered memory, by a formula from the number of
/// processes.
///
///     [ rank, as many bits as the highest rank needs | region + 1, 8 bits | offset, the rest ]
///
/// Arithmetic within a region is arithmetic on the number. 0 is not an address, since region + 1 is not 0.

#include <bit>
#include <cstdint>
#include <optional>

#include "ayatori/base/ids.hpp"

namespace ayatori::onesided {

using GlobalAddress = std::uint64_t;
inline constexpr GlobalAddress no_address = 0;

/// Where a global address points.
struct Location {
  Rank rank = 0;
  std::uint32_t region = 0;
  std::uint64_t offset = 0;

  bool operator==(const Location&) const = default;
};

class AddressSpace {
 public:
  static constexpr std::uint32_t regions = 255;  ///< that a process may have

  /// `procs` is at least 1.
  explicit AddressSpace(Rank procs)
      : procs_(procs), offset_bits_(64 - region_bits - static_cast<std::uint32_t>(std::bit_width(procs - 1U))) {}

  /// Largest region: 64 GiB with a million processes.
  [[nodiscard]] Bytes max_bytes() const { return (Bytes{1} << offset_bits_) - 1; }

  [[nodiscard]] GlobalAddress of(const Location& location) const {
    const std::uint64_t upper = std::uint64_t{location.rank} << region_bits | (location.region + 1);
    return upper << offset_bits_ | location.offset;
  }

  /// Nothing if it is not an address, or if the job has no such rank.
  [[nodiscard]] std::optional<Location> find(GlobalAddress address) const {
    const std::uint64_t upper = address >> offset_bits_;
    const std::uint64_t region = upper & regions;
    const std::uint64_t rank = upper >> region_bits;
    if (region == 0 || rank >= procs_) return std::nullopt;
    return Location{static_cast<Rank>(rank), static_cast<std::uint32_t>(region - 1), address & max_bytes()};
  }

  [[nodiscard]] Rank procs() const { return procs_; }

 private:
  static constexpr std::uint32_t region_bits = 8;

  Rank procs_;
  std::uint32_t offset_bits_;
};

}  // namespace ayatori::onesided
