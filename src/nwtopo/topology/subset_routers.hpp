#pragma once
/// \file
/// Which routers lie between some machines.

#include <span>
#include <vector>

#include "ayatori/topology/topology.hpp"

namespace ayatori {

/// In a direct network, by rising id: the machines, and those whose built-in routers are on a shortest path between two
/// of them. Paths go over links that are up.
[[nodiscard]] std::vector<ObjectId> machines_between(const Topology& direct, std::span<const ObjectId> machines);

/// By rising id, none in a direct network: the routers that the machines are cabled to, and from each part of the
/// network that is cabled together
///   in a tree    those on a shortest path between two of the machines
///   elsewhere    those on a shortest path between two of the machines' routers
/// Paths go over links that are up, and not through machines. Takes time proportional to the cables in trees in which
/// each group of leaves has a router above all of them; otherwise times the number of the machines' routers, or less:
/// the search ends when all routers of a part are found to stay.
[[nodiscard]] std::vector<ObjectId> routers_between(const Topology& topology, std::span<const ObjectId> machines);

}  // namespace ayatori
