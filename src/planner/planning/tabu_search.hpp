#pragma once
/// \file
/// Finds choices with few hot spots where no colouring exists or none was found.

#include <cstdint>

#include "ayatori/base/search_control.hpp"
#include "job_loads.hpp"

namespace ayatori {

/// Improves `choices` as measured by JobLoads::cost(), and returns the best choices found. Each move takes a hot spot
/// at random and changes the choice of one of its endpoints to the best that is not tabu (Hertz and de Werra's TabuCol,
/// 1987, with loads in place of conflicts). Ends when there are no hot spots, after `effort`, or
/// where `control` stops it. Deterministic: the
/// seed is fixed. `loads` must hold `choices`, and holds the result afterwards.
[[nodiscard]] PathChoices tabu_search(const JobPaths& paths, JobLoads& loads, PathChoices choices, std::uint64_t effort,
                                      const SearchControl& control);

}  // namespace ayatori
