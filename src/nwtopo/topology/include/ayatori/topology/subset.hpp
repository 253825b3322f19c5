#pragma once
/// \file
/// Some of the machines of a Topology, and the part of the network that lies between them.

#include <span>

#include "ayatori/base/error.hpp"
#include "ayatori/topology/topology.hpp"

namespace ayatori {

/// The machines of `base` with these ids (in any order). Ids and heights stay what they are in `base`.
///   tree    the routers on shortest paths between the machines, with all parallel cables between them
///   other   the machines' routers, and those on shortest paths between them
///   grid    the smallest box around the machines, or the routers that stay; over the edge of a torus where that is
///           smaller. A dimension is periodic if it was and the box has its full length; the grid is not dense where
///           points have no machine or router.
/// Links that lead out of the subset are not there. In a direct network packets still travel through machines that are
/// not in the subset (Topology::transit): in a grid those in the box, otherwise those on shortest paths. Takes a bit a
/// machine of `base`, nothing if it is all of them. Errors: an empty list, an id that is not a machine of `base`, a
/// machine that comes twice.
[[nodiscard]] Result<TopologyPtr> make_subset(TopologyPtr base, std::span<const ObjectId> machines);

}  // namespace ayatori
