#pragma once
/// \file
/// Which part of each region a program touches: who executes it in a caller's buffers needs memory of its own only for
/// the rest, and must not let it write where the caller wants nothing written.

#include <vector>

#include "ayatori/executor/rank_program.hpp"

namespace ayatori {

struct RegionUse {
  Bytes first = 0;  ///< of the bytes that the program reads or writes
  Bytes end = 0;    ///< after the last one; 0 if there is none
  bool written = false;
};

/// By region.
[[nodiscard]] std::vector<RegionUse> region_uses(const RankProgram& program);

}  // namespace ayatori
