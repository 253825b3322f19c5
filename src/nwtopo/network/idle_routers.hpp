#pragma once
/// \file
/// Which routers of a tree do hosts not need?

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "ayatori/network/router_graph.hpp"

namespace ayatori {

/// The distance of a router that no leaf reaches.
inline constexpr std::uint32_t unreached = std::numeric_limits<std::uint32_t>::max();

/// By router: true for an idle one, as rank_levels() defines it. `distance`: by router, in cables from the nearest
/// leaf, or `unreached`. Leaves (distance 0) and routers with machines are never idle.
/// Takes a bit of memory for each pair of a leaf and a router, and some hundred milliseconds for thousands of leaves at
/// most.
[[nodiscard]] std::vector<bool> find_idle_routers(const RouterGraph& graph, std::span<const std::uint32_t> distance,
                                                  const std::vector<bool>& has_machines);

}  // namespace ayatori
