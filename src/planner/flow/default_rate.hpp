#pragma once
/// \file
/// The rate of links whose rate is not known.

#include "ayatori/network/link_rate.hpp"

namespace ayatori {

inline double default_bytes_per_second() {
  return LinkRate{.width = 4, .speed = LaneSpeed::hdr, .megabits = 0}.bytes_per_second();
}

}  // namespace ayatori
