#pragma once
/// \file
/// What a job gets beside others of which only the footprints are known. Where the paths of all jobs are known,
/// jobs_together.hpp measures what each of them gets.

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

/// How likely at least 1, 2, … other jobs use a link at one moment, each being in a step of its own that is drawn at
/// random.
using Crowd = std::array<double, 6>;

/// The crowds on all links, by PortId.
[[nodiscard]] std::vector<Crowd> crowds_of(const Network& network, std::span<const Footprint> others);

/// The relative bandwidth (contention.hpp) that a job is expected to get beside others: as jobs_together.hpp's
/// measure_together() would measure it, if every link's crowd were independent of those of the other links and each
/// job had one message on it. With time(s) that of the step alone and P_k(l) the crowds,
///
///     bandwidth = Σ ideal(s) / Σ ( time(s) + Σ_k (1 − Π over the links l of step s of (1 − P_k(l))) )
///
/// Fast enough for searches over plans. Errors: those of footprint_of().
[[nodiscard]] Result<double> bandwidth_beside(const Network& network, const Routes& routes,
                                              std::span<const PortId> endpoints, const Plan& plan,
                                              const StepSequence& steps, std::span<const Footprint> others);

/// What measure_together() measures of the job, each of the others having one message on the links that it uses: others
/// whose footprints list their steps are in all combinations of these, or where those are too many, in steps that are
/// drawn at random, again and again. The others are crowds, as above. Deterministic. Errors: those of footprint_of().
[[nodiscard]] Result<double> bandwidth_at_random_phases(const Network& network, const Routes& routes,
                                                        std::span<const PortId> endpoints, const Plan& plan,
                                                        const StepSequence& steps, std::span<const Footprint> others);

}  // namespace ayatori
