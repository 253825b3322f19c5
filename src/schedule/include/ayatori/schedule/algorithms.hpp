#pragma once
/// \file
/// The list of algorithms: every collective, every name, and how to make one.

#include <span>
#include <string>
#include <string_view>

#include "ayatori/base/error.hpp"
#include "ayatori/schedule/places.hpp"
#include "ayatori/schedule/schedule.hpp"

namespace ayatori {

struct AlgorithmOptions {
  std::uint32_t radix = 0;  ///< of k-nomial trees; 0: the algorithm's own choice
  Bytes segment = 0;        ///< of pipelines; 0: chosen by the algorithm from size and depth (formula in its header)
};

struct Algorithm {
  Collective collective;
  std::string_view name;    ///< "ring2"
  std::string_view about;   ///< one line, with its source
  bool needs_grid = false;  ///< Places::dimensions must not be empty
  Result<SchedulePtr> (*make)(const CollectiveCall& call, const Places& places, const AlgorithmOptions& options);
};

[[nodiscard]] std::span<const Algorithm> algorithms();

/// Every algorithm works for every number of ranks from 1 on; those that need a grid need one. Errors: a name that is
/// not known for the collective (the hint lists those that are), a root beyond the ranks, places of another number of
/// ranks.
[[nodiscard]] Result<SchedulePtr> make_schedule(std::string_view algorithm, const CollectiveCall& call,
                                                const Places& places, const AlgorithmOptions& options = {});

}  // namespace ayatori
