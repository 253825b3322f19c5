#pragma once
/// \file
/// The two step modes (StepMode), and what they share.

#include <vector>

#include "ayatori/flow/simulate.hpp"
#include "resources.hpp"

namespace ayatori {

[[nodiscard]] Result<Prediction> simulate_drift(const Schedule& schedule, const Resources& resources,
                                                const FlowOptions& options);
[[nodiscard]] Result<Prediction> simulate_synchronous(const Schedule& schedule, const Resources& resources,
                                                      const FlowOptions& options);

/// Errors of simulate(): options that are negative or not finite; participants that `paths` does not know.
[[nodiscard]] Result<> check_options(const FlowOptions& options);
/// Nor what is not modelled where packets spread by load.
[[nodiscard]] Result<> check_split(const Paths& paths, const FlowOptions& options);
[[nodiscard]] Result<> check_participants(const Schedule& schedule, const Paths& paths);

/// Seconds of the local operations of one step of a participant (simulate.hpp); 0 of a router.
[[nodiscard]] double local_seconds(const Schedule& schedule, Rank participant, const StepActions& actions,
                                   const FlowOptions& options);

/// Prediction::hot_links, from the bytes and the saturated seconds of each link.
[[nodiscard]] std::vector<HotLinkTime> hottest_links(const Resources& resources, const std::vector<Bytes>& bytes,
                                                     const std::vector<double>& saturated, double seconds);

/// "participant 3 sends to 17 in step 4 of stream 0, but there are 16".
[[nodiscard]] Failure no_such_peer(const Schedule& schedule, Rank from, Rank peer, std::uint32_t stream,
                                   std::size_t step);

}  // namespace ayatori
