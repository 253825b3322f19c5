#pragma once
/// \file
/// Interference of concurrent jobs on one fabric, measured with the paths of all jobs. concurrent_bandwidth.hpp
/// estimates it for one job, from the footprints of the others.
///
/// The model is that of contention.hpp, with each job at a random phase. A *round* is one superposition: each job is in
/// some step, and a link carries the messages of all of these steps. With load(l, j) the messages of job j on link l in
/// this round, r(l) the link's rate and r0 the rate of the fastest endpoint of all jobs:
///
///     together(j) = max over the links l that j uses of  Σ_k load(l, k) · r0 / r(l)
///     alone(j)    = max over l of                        load(l, j) · r0 / r(l)
///     ideal(j)    = max over the endpoints' own cables of the same
///     bandwidth of j = Σ ideal(j) / Σ together(j)     over the rounds in which j uses the network
///
/// Messages of all jobs have one size. The steps of a job are drawn without repetition until all have been drawn, and
/// then anew, so that with as many rounds as it has steps each counts once.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ayatori/artefacts/plan.hpp"
#include "ayatori/base/error.hpp"
#include "ayatori/contention/footprint.hpp"
#include "ayatori/network/network.hpp"
#include "ayatori/network/step.hpp"
#include "ayatori/tables/tables.hpp"

namespace ayatori {

/// One of several jobs. What it refers to must outlive it.
struct JobOnFabric {
  std::string name;                   ///< for messages
  std::span<const PortId> endpoints;  ///< the port of each rank
  const Plan& plan;
  const StepSequence& steps;
};

struct RoundOptions {
  std::uint32_t rounds = 300;
  std::uint64_t seed = 1;
};

/// What one job loses to the others. Bandwidths are relative, as in contention.hpp: 1 is what the endpoints' cables
/// carry.
struct JobInterference {
  double alone = 1;
  double together = 1;
  std::uint64_t delayed_rounds = 0;   ///< rounds that took the job longer than alone
  std::uint32_t worst_neighbour = 0;  ///< number of the job that delays this one most; the job's own number: none
  double with_worst_neighbour = 1;    ///< bandwidth if only these two ran
};

struct JobsTogether {
  std::uint32_t rounds = 0;
  std::vector<JobInterference> jobs;  ///< in the order given
  std::vector<SharedLink> shared;     ///< over all steps, not only those of the rounds (footprint.hpp)
};

/// Measures jobs, which may share endpoints. Deterministic, on all cores: the same on any number of threads.
/// Errors: those of footprint_of(), with the job's name.
[[nodiscard]] Result<JobsTogether> measure_together(const Network& network, const Routes& routes,
                                                    std::span<const JobOnFabric> jobs, const RoundOptions& options);

}  // namespace ayatori
