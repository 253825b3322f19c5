#pragma once
/// \file
/// Contention: how the messages of a step share links, and how much longer the step takes.
///
/// The step-synchronous model: all messages of a step have one size and start together, a link divides its capacity
/// evenly, and the step lasts as long as its busiest link. With load(l, s) the messages of step s on
/// directed link l, r(l) the link's rate and r0 the rate of the endpoints' cables:
///
///     time(s)  = max over l of  load(l, s) · r0 / r(l)
///     ideal(s) = max over the endpoints' own cables of the same
///     relative bandwidth = Σ ideal(s) / Σ time(s)     over the steps that use the network
///
/// With one rank per NIC ideal(s) = 1, and relative bandwidth is 1 / (mean over the steps of the highest link load). A
/// *hot spot* is a (link, step) with load(l, s) · r0 / r(l) > ideal(s); a job without a hot spot is *free*.

#include <cstdint>
#include <span>
#include <vector>

#include "ayatori/artefacts/plan.hpp"
#include "ayatori/base/error.hpp"
#include "ayatori/base/search_control.hpp"
#include "ayatori/network/network.hpp"
#include "ayatori/network/step.hpp"
#include "ayatori/tables/tables.hpp"

namespace ayatori {

/// A link that is a hot spot in some step.
struct HotLink {
  PortId link = no_id;
  std::uint32_t worst_load = 0;  ///< messages in its worst step
  std::uint32_t worst_step = 0;
  std::uint32_t hot_steps = 0;  ///< steps in which it is a hot spot
};

/// The contention of a job, over all of its steps.
struct Contention {
  std::uint64_t steps = 0;       ///< number of steps that use the network
  std::uint64_t unmeasured = 0;  ///< further steps, not looked at since the measurement was stopped
  bool free = true;              ///< no hot spot, and every step was measured
  double relative_bandwidth = 1;
  double mean_time = 0;  ///< Σ time(s) / steps, in units of one message on an endpoint's cable
  double worst_time = 0;
  std::uint32_t worst_step = 0;
  std::uint64_t hot_spots = 0;
  std::vector<HotLink> hot_links;  ///< most hot steps first, then by link id

  [[nodiscard]] double total_time() const { return mean_time * static_cast<double>(steps); }  ///< Σ time(s)
};

/// Measures all steps, on all cores. It needs memory for one load counter per link and thread. Error: a message
/// that does not arrive (names source, destination and LID). Where `control` stops it: some of the steps, from all over
/// the sequence, and enough of them for an estimate.
[[nodiscard]] Result<Contention> measure_contention(const Network& network, const Routes& routes,
                                                    std::span<const PortId> endpoints, const Plan& plan,
                                                    const StepSequence& steps, const SearchControl& control = {});

/// The same with every message in equal parts over all paths that its destination's LIDs name (multipath_tracer.hpp):
/// load(l, s) then is a sum of parts, and HotLink::worst_load is rounded up. Errors: those of MultipathTracer::of(), an
/// endpoint without a cable.
[[nodiscard]] Result<Contention> measure_multipath_contention(const Network& network, const Routes& routes,
                                                              std::span<const PortId> endpoints,
                                                              const StepSequence& steps);

/// The number of messages on each directed link in one step, by PortId. Errors as for measure_contention.
[[nodiscard]] Result<std::vector<std::uint32_t>> link_loads(const Network& network, const Routes& routes,
                                                            std::span<const PortId> endpoints, const Plan& plan,
                                                            const StepSequence& steps, std::size_t step);

}  // namespace ayatori
