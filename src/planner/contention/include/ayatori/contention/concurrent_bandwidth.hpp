#pragma once
/// \file
/// The bandwidth of a job among concurrent jobs that are known by their footprints alone. Where the paths of all jobs
/// are known, jobs_together.hpp measures the bandwidth of each.

#include <array>
#include <span>
#include <vector>

#include "ayatori/artefacts/plan.hpp"
#include "ayatori/base/error.hpp"
#include "ayatori/contention/footprint.hpp"
#include "ayatori/network/network.hpp"
#include "ayatori/network/step.hpp"
#include "ayatori/tables/tables.hpp"

namespace ayatori {

/// The probabilities that at least 1, 2, … other jobs use a link at one moment. Each job is in a step drawn at random.
using LinkOccupancy = std::array<double, 6>;

/// The occupancies of all links, by PortId.
[[nodiscard]] std::vector<LinkOccupancy> link_occupancies(const Network& network, std::span<const Footprint> others);

/// The expected relative bandwidth (contention.hpp) of a job among concurrent jobs. It equals what measure_together()
/// (jobs_together.hpp) measures if the occupancies of links are independent and each job has one message on a link.
/// With time(s) the time of step s alone and P_k(l) the occupancies,
///
///     bandwidth = Σ ideal(s) / Σ ( time(s) + Σ_k (1 − Π over the links l of step s of (1 − P_k(l))) )
///
/// Fast enough for searches over plans. Errors: those of footprint_of().
[[nodiscard]] Result<double> concurrent_bandwidth(const Network& network, const Routes& routes,
                                                  std::span<const PortId> endpoints, const Plan& plan,
                                                  const StepSequence& steps, std::span<const Footprint> others);

/// The same, with the steps of the other jobs where their footprints list them: over all combinations of steps, or over
/// a sample of them if there are too many. The remaining jobs count as occupancies. Each other job has one message on
/// each link that it uses. Deterministic. Errors: those of footprint_of().
[[nodiscard]] Result<double> bandwidth_at_random_phases(const Network& network, const Routes& routes,
                                                        std::span<const PortId> endpoints, const Plan& plan,
                                                        const StepSequence& steps, std::span<const Footprint> others);

}  // namespace ayatori
