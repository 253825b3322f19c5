#pragma once
/// \file
/// Queries of a network: distances, routes, nearest machines, cuts. Every answer is computed on
/// demand from links that are up; nothing of size N² is kept. Grids answer from their coordinates, all else by
/// breadth-first search. Safe from many threads.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/topology/topology.hpp"

namespace ayatori {

class HostNames;

inline constexpr std::uint32_t unreachable = ~std::uint32_t{0};

/// Links on a shortest path between two machines or routers: 0 to itself, 2 between two hosts of one leaf, 1 between
/// neighbours in a torus (whose routers are built in). `unreachable` if no path exists. Hosts do not forward.
[[nodiscard]] std::uint32_t hops(const Topology& topology, ObjectId from, ObjectId to);

/// Row-major matrix of hops, objects.size()² numbers. Outside of grids: a search over the routers for every 64 sets of
/// routers that machines are cabled to.
[[nodiscard]] std::vector<std::uint32_t> distances(const Topology& topology, std::span<const ObjectId> objects);

/// Links on a shortest path that leaves a machine by one of its NICs and arrives at a NIC of another; `unreachable` if
/// there is none. In a direct network, where links leave the built-in routers: hops between the machines.
[[nodiscard]] std::uint32_t nic_hops(const Topology& topology, ObjectId from, std::uint32_t from_nic, ObjectId to,
                                     std::uint32_t to_nic);

/// The NIC of `to` that is nearest to a NIC of `from`; of several that of the same rail, or else the first. Nothing if
/// none can be reached.
[[nodiscard]] std::optional<std::uint32_t> nearest_nic(const Topology& topology, ObjectId from, std::uint32_t from_nic,
                                                       ObjectId to);

/// A machine or router by its name; a machine also if the name given, or its own, has a domain that the other lacks,
/// and by its other names, which may be of a topology that this one is a part of.
[[nodiscard]] std::optional<ObjectId> find_by_name(const Topology& topology, std::string_view name,
                                                   const HostNames* other_names = nullptr);

/// A NIC: number `index` of a machine.
struct NicPlace {
  ObjectId machine = no_object;
  std::uint32_t index = 0;
};

/// By its GUID, which is not 0; nothing if no machine has it. Looks at all NICs.
[[nodiscard]] std::optional<NicPlace> find_nic(const Topology& topology, Guid guid);

/// The router with a GUID, or the machine with a NIC that has it.
[[nodiscard]] std::optional<ObjectId> find_by_guid(const Topology& topology, Guid guid);

/// One link of a route: link `index` of object `from` in transit_of(the topology).
struct RouteStep {
  ObjectId from = no_object;
  std::uint32_t index = 0;
};

/// The `which`-th shortest route in a fixed order, `which` < count_routes(). In a torus without faults, route 0 is
/// dimension-ordered, from the first dimension to the last, upwards where both directions are equally far. Empty from
/// an object to itself. Error: no such route.
[[nodiscard]] Result<std::vector<RouteStep>> shortest_route(const Topology& topology, ObjectId from, ObjectId to,
                                                            std::uint64_t which);
/// How many shortest routes there are, parallel cables counted apart; 2^64 − 1 if more than fit.
[[nodiscard]] std::uint64_t count_routes(const Topology& topology, ObjectId from, ObjectId to);

/// The lowest objects above (or equal to) both, by rising id: the routers where two hosts of a tree may meet, the grid
/// of two torus nodes.
[[nodiscard]] std::vector<ObjectId> common_ancestors(const Topology& topology, ObjectId a, ObjectId b);

/// The `count` machines nearest to an object, nearest first, equally near ones by rising id; not the object itself.
[[nodiscard]] std::vector<ObjectId> nearest_machines(const Topology& topology, ObjectId from, std::size_t count);

/// Machines under an object, by rising id; a machine is under itself.
[[nodiscard]] std::vector<ObjectId> machines_under(const Topology& topology, ObjectId object);

/// The child of a grid that an object is, or lies below; no_object if it does not lie below the grid.
[[nodiscard]] ObjectId child_of_grid(const Topology& topology, ObjectId grid, ObjectId object);
/// The row-major number of that child's point; nothing if the object does not lie below the grid.
[[nodiscard]] std::optional<std::uint64_t> point_in_grid(const Topology& topology, ObjectId grid, ObjectId object);
/// Coordinates of a point given by its row-major number, the last one running fastest.
[[nodiscard]] std::vector<std::uint32_t> coordinates_of_point(const GridShape& shape, std::uint64_t point);
/// Row-major matrix with a row for each machine, by its index, and a column for each dimension of the grid; -1 for
/// machines that do not lie below the grid.
[[nodiscard]] std::vector<std::int32_t> machine_coordinates(const Topology& topology, ObjectId grid);

/// The bandwidth between two sets of machines, in bytes a second; 0 where it is not known.
struct Cut {
  double bandwidth = 0;         ///< most that can flow from a to b at once: the narrowest cut between them
  double injection = 0;         ///< the lesser of what the NICs of a, and of b, carry
  std::uint64_t num_links = 0;  ///< links of that cut, or where its bandwidth is not known, of the one with the fewest
  [[nodiscard]] double oversubscription() const { return bandwidth > 0 ? injection / bandwidth : 0; }
};

/// The narrowest cut between two sets of machines without a common member (maximum flow, Dinic 1970); of several that
/// nearest to a. Its bandwidth is not known where it depends on links of unknown rate. A bandwidth of 0 and no links:
/// there is no path. Error: an empty set, a common machine.
[[nodiscard]] Result<Cut> cut_between(const Topology& topology, std::span<const ObjectId> a,
                                      std::span<const ObjectId> b);

}  // namespace ayatori
