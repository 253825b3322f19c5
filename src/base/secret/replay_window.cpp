#include "ayatori/secret/replay_window.hpp"

#include <algorithm>

namespace ayatori {

bool ReplayWindow::take(std::uint64_t number) {
  const auto word = [this](std::uint64_t of) -> std::uint64_t& { return seen_[of / 64 % seen_.size()]; };
  if (number > highest_) {
    // Words are reused in a ring; the one of the number itself is kept if it is that of the highest so far.
    const std::uint64_t passed = std::min<std::uint64_t>(number / 64 - highest_ / 64, seen_.size());
    for (std::uint64_t i = 0; i < passed; ++i) word(number - 64 * i) = 0;
    highest_ = number;
  } else if (highest_ - number >= bits - 64) {
    return false;  // the ring's oldest word may be in use again
  }
  const std::uint64_t bit = std::uint64_t{1} << number % 64;
  if ((word(number) & bit) != 0) return false;
  word(number) |= bit;
  return true;
}

}  // namespace ayatori
