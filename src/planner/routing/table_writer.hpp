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

/// Tables in which every LID is reachable from every router, by routes that climb in the order, then descend.
/// `endpoint_numbers` and `numbering` as in generate_routes(). OpenMP over the routers that destinations are attached
/// to; the result does not depend on the number of threads.
[[nodiscard]] ForwardingTables write_tables_for(const Network& network, const LidMap& lids, const FabricPaths& paths,
                                                const RouterOrder& order,
                                                std::span<const std::uint32_t> endpoint_numbers,
                                                PathNumbering numbering);

}  // namespace ayatori
