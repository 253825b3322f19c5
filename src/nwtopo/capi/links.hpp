#pragma once
/// \file
/// Links as C sees them.

#include "handle.hpp"

namespace ayatori::capi {

/// A link that leaves `from`, as C sees it. Its ends come to exist; an end is NULL if it is a machine that was left out
/// (NO_MACHINES), or one that is not in the topology while its built-in router forwards (Topology::transit).
[[nodiscard]] nwtopo_link link_of(const Loaded& topology, ObjectId from, const TopologyLink& link);

}  // namespace ayatori::capi
