#pragma once
/// \file
/// Few hot spots with one choice per node, where no colouring exists or none was found.

#include <cstdint>

#include "job_loads.hpp"

namespace ayatori {

/// Improves `choices` as measured by JobLoads::cost(), and returns the best met. Each move takes a hot spot at random
/// and changes the choice of one of its nodes to the best that is not tabu (Hertz and de Werra's TabuCol, 1987, with
/// loads in place of conflicts). Stops without hot spots, or after `effort`. Draws from a fixed seed: deterministic.
/// `loads` must hold `choices`, and holds the result afterwards.
[[nodiscard]] NodeChoices tabu_search(const JobPaths& paths, JobLoads& loads, NodeChoices choices,
                                      std::uint64_t effort);

}  // namespace ayatori
