#pragma once
/// \file
/// Which numbers of a sender have arrived already: a sliding window, as in IPsec (RFC 4303, section 3.4.3), in a ring
/// of words (RFC 6479).

#include <array>
#include <cstdint>

namespace ayatori {

class ReplayWindow {
 public:
  /// A number that is `bits` - 64 or more below the highest counts as replayed.
  static constexpr std::uint64_t bits = 1024;

  /// Whether the number is new; it is not any more then.
  [[nodiscard]] bool take(std::uint64_t number);

 private:
  std::uint64_t highest_ = 0;  // 0: none yet
  std::array<std::uint64_t, bits / 64> seen_{};
};

}  // namespace ayatori
