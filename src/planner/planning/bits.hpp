#pragma once
/// \file
/// Numbers as bits of a word.

#include <bit>
#include <cstdint>

namespace ayatori {

/// Calls visit(std::uint32_t) for each bit that is set, from the least on.
template <typename Visit>
void for_each_bit(std::uint64_t bits, Visit visit) {
  for (; bits != 0; bits &= bits - 1) visit(static_cast<std::uint32_t>(std::countr_zero(bits)));
}

}  // namespace ayatori
