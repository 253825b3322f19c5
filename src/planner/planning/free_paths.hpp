#pragma once
/// \file
/// Can the messages of a step all go by links that nobody else uses? An exact answer where the step is small.

#include <cstdint>
#include <span>
#include <vector>

#include "ayatori/contention/job_endpoints.hpp"
#include "graph_colouring.hpp"
#include "job_paths.hpp"
#include "step_paths.hpp"

namespace ayatori {

struct FreePaths {
  Colouring::Outcome outcome = Colouring::Outcome::gave_up;
  std::vector<std::uint32_t> choices = {};  ///< by message, if found
};

/// Looks for a choice for each message so that all links have price 0 and no two messages are on one, as a colouring of
/// messages with paths. Gives up after `budget` tries, and on steps that are too large for it or whose `time` lets a
/// link carry several messages.
[[nodiscard]] FreePaths free_paths(const JobPaths& paths, const LinkWeights& weights,
                                   std::span<const StepMessage> messages, double time, std::span<const double> prices,
                                   std::uint64_t budget);

}  // namespace ayatori
