#pragma once
/// \file
/// Writes forwarding tables from paths.

#include <cstdint>
#include <span>

#include "ayatori/routing/generate.hpp"
#include "ayatori/tables/tables.hpp"
#include "fabric_paths.hpp"
#include "router_order.hpp"

namespace ayatori {

/// Which routes tables have.
enum class RouteRule : std::uint8_t {
  by_order,   ///< UpDown: all climb in the order, then descend
  by_levels,  ///< LevelRoutes, in trees: check them for deadlock
};

/// Tables in which every LID is reachable from every router.
/// `endpoint_numbers` and `numbering` as in generate_routes(). Threads over the routers that destinations are attached
/// to; the result does not depend on the number of threads.
[[nodiscard]] ForwardingTables write_tables_for(const Network& network, const LidMap& lids, const FabricPaths& paths,
                                                const RouterOrder& order, RouteRule rule,
                                                std::span<const std::uint32_t> endpoint_numbers,
                                                PathNumbering numbering);

}  // namespace ayatori
