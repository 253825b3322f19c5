#pragma once
/// \file
/// Several drafts of balanced paths, and the best of them.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "balanced_paths.hpp"

namespace ayatori {

struct BestPaths {
  std::unique_ptr<BalancedPaths> paths;
  std::vector<PathTree> trees;  ///< paths->to(destinations)
};

/// Makes as many drafts as the size of the network allows, and measures random jobs with a shift all-to-all on each.
/// `destinations` are the routers of hosts, in network order. `dimensions`: of each channel of a HyperX, else empty.
/// Threads over drafts; deterministic.
[[nodiscard]] BestPaths find_best_paths(const RouterGraph& graph, const Channels& channels,
                                        std::span<const std::uint32_t> hosts, std::span<const DeviceId> destinations,
                                        std::span<const std::uint32_t> dimensions, const SearchControl& control);

}  // namespace ayatori
