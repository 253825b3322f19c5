#pragma once
/// \file
/// A plan for all that a program may send, or for what it is known to send and as well as possible for the rest. No one
/// plan is the best for all traffics: a plan without hot spots in an all-to-all by shifts can be worse than none in one
/// by exchanges.

#include <cstddef>
#include <span>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/base/search_control.hpp"
#include "ayatori/network/network.hpp"
#include "ayatori/network/step.hpp"
#include "ayatori/planning/make_plan.hpp"
#include "ayatori/planning/plan_concurrent.hpp"
#include "ayatori/tables/tables.hpp"

namespace ayatori {

/// Messages that plans are judged by.
struct Traffic {
  const StepSequence& steps;
  bool permutations = false;  ///< its steps are examples of random permutations, of which others will come
};

/// The relative bandwidth of a traffic (contention.hpp).
struct TrafficShare {
  double without = 0;  ///< with base LIDs on the same tables
  double with = 0;     ///< with the plan
};

struct PlannedForTraffics {
  Planned planned;                   ///< a plan of Method::pair; contention and bounds are those of the first traffic
  std::vector<TrafficShare> shares;  ///< by traffic
};

/// By how much a traffic may be worse with a plan for all traffics than with base LIDs.
inline constexpr double tolerated_loss = 0.02;

/// The relative bandwidth by which plans are judged: that of some steps, if a traffic has very many messages or
/// `control` stops it; among other jobs, if there are any, what is expected (concurrent_bandwidth.hpp). Errors: those
/// of measure_contention().
[[nodiscard]] Result<double> judged_share(const Network& network, const Routes& routes,
                                          std::span<const PortId> endpoints, const Plan& plan,
                                          const StepSequence& steps, std::span<const Footprint> others = {},
                                          const SearchControl& control = {});

/// Plans a job for `traffics`, at least one. If `named` is 0, the plan has the best mean of their relative bandwidths
/// among plans that lose more than tolerated_loss in none of them. Base LIDs are one of these, and stay where that
/// gains next to nothing. Otherwise the first `named` of them come first: the plan has their best mean, and among such
/// plans the best mean over all.
///
/// Tried are base LIDs, the plans of make_plan() for the first traffic, and paths that are searched for all traffics.
/// Shares are those of judged_share(). Deterministic until `control` stops it: then it
/// returns the best of what was tried. Errors: those of make_plan().
[[nodiscard]] Result<PlannedForTraffics> plan_for_traffics(const Network& network, const Routes& routes,
                                                           std::span<const PortId> endpoints,
                                                           std::span<const Traffic> traffics, std::size_t named,
                                                           const SearchControl& control = {});

/// The same among other jobs: shares are what is expected among them. `made` is the plan of
/// plan_concurrent() or plan_jointly() for the first traffic; with base LIDs and what is searched for all traffics it
/// is one of the candidates. Where the first traffics do not decide, a plan that shares no link with the others goes
/// before one that does.
[[nodiscard]] Result<Plan> plan_for_traffics_among(const Network& network, const Routes& routes,
                                                   std::span<const PortId> endpoints, std::span<const Traffic> traffics,
                                                   std::size_t named, std::span<const Footprint> others,
                                                   const ConcurrentPlan& made, const SearchControl& control = {});

}  // namespace ayatori
