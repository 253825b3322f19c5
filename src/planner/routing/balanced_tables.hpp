#pragma once
/// \file
/// Writes forwarding tables by BalancedPaths.

#include <cstdint>
#include <span>

#include "ayatori/network/network.hpp"
#include "ayatori/network/router_graph.hpp"
#include "ayatori/tables/tables.hpp"

namespace ayatori {

/// Tables in which every LID is reachable from every router of a connected network. Base LIDs have the same entries
/// whatever the number of LIDs a port.
[[nodiscard]] ForwardingTables write_balanced_tables(const Network& network, const LidMap& lids,
                                                     const RouterGraph& graph, const SearchControl& control);

}  // namespace ayatori
