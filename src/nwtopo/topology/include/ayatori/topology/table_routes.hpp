#pragma once
/// \file
/// The paths that packets take by forwarding tables, in the ids of the Topology that shows the same network.

#include <string_view>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/network/network.hpp"
#include "ayatori/tables/tables.hpp"
#include "ayatori/topology/queries.hpp"
#include "ayatori/topology/topology.hpp"

namespace ayatori {

/// A network with its tables. Immutable; safe to read from many threads.
class TableRoutes {
 public:
  /// The tables in `text` (tables/table_files.hpp) for this network; `file` is for messages.
  [[nodiscard]] static Result<TableRoutes> parse(Network network, std::string_view text, std::string_view file);

  /// The path from one machine to the `path`-th LID of another (0: its base LID), as links of `topology`, which is
  /// make_image_topology of the same network, with faults or as a subset too. Goes from the first machine's port on the
  /// plane of the second's that has the lowest rail. Error: no machine, a machine without LID, fewer LIDs than that, a
  /// packet that does not arrive, a path that leaves the subset.
  [[nodiscard]] Result<std::vector<RouteStep>> route(const Topology& topology, ObjectId from, ObjectId to,
                                                     std::uint32_t path) const;

  /// Of lines of the file that were skipped (Routes::warnings).
  [[nodiscard]] std::span<const std::string> warnings() const { return routes_.warnings; }

 private:
  TableRoutes(Network network, Routes routes);
  [[nodiscard]] ObjectId object_of(DeviceId node) const;

  Network network_;
  Routes routes_;
  std::vector<ObjectId> object_of_router_;
  std::vector<ObjectId> object_of_machine_;
};

}  // namespace ayatori
