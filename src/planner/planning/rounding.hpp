#pragma once
/// \file
/// How searches compare sums of doubles.

namespace ayatori {

constexpr double least_gain = 1e-12;  ///< what rounding can't make

}  // namespace ayatori
