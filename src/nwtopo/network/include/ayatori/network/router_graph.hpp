#pragma once
/// \file
/// The routers of a network and the cables between them, in arrays that are fast to iterate over. Cables from a router
/// to itself are left out: no route needs them.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ayatori/network/network.hpp"

namespace ayatori {

/// Adjacency lists of cables and of neighbours, by router. Immutable: any number of threads may read it.
class RouterGraph {
 public:
  /// One end of a cable to another router.
  struct Cable {
    DeviceId peer = no_id;
    PortNumber port = 0;       ///< at this router
    PortNumber peer_port = 0;  ///< at the peer
    PortNumber parallel = 0;   ///< which of the cables between these two routers it is, by port number at the lower id
  };

  /// An adjacent router, with the cables to it.
  struct Neighbour {
    DeviceId router = no_id;
    std::uint32_t cables = 0;   ///< parallel ones
    PortNumber first_port = 0;  ///< lowest port, at the router whose neighbour this is
  };

  explicit RouterGraph(const Network& network);

  [[nodiscard]] std::size_t size() const { return first_cable_.size() - 1; }

  /// Sorted by port number.
  [[nodiscard]] std::span<const Cable> cables(DeviceId router) const {
    return {cables_.data() + first_cable_[router], cables_.data() + first_cable_[router + 1]};
  }
  /// Each neighbour once, sorted by router id.
  [[nodiscard]] std::span<const Neighbour> neighbours(DeviceId router) const {
    return {neighbours_.data() + first_neighbour_[router], neighbours_.data() + first_neighbour_[router + 1]};
  }

  [[nodiscard]] std::uint32_t cable_count(DeviceId a, DeviceId b) const;
  [[nodiscard]] bool joins(DeviceId a, DeviceId b) const { return cable_count(a, b) > 0; }
  [[nodiscard]] std::vector<DeviceId> common_neighbours(DeviceId a, DeviceId b) const;

  /// Pairs of routers that have cables.
  [[nodiscard]] std::size_t pair_count() const { return neighbours_.size() / 2; }

  /// The routers that cables lead to from `start`, nearest first, beginning with `start`.
  [[nodiscard]] std::vector<DeviceId> by_distance_from(DeviceId start) const;
  /// By router: hops from `start`; no_id if no cables lead there.
  [[nodiscard]] std::vector<std::uint32_t> hops_from(DeviceId start) const;
  /// One router of each connected component.
  [[nodiscard]] std::vector<DeviceId> parts() const;
  /// The connected component of each router: its index in parts().
  [[nodiscard]] std::vector<std::uint32_t> part_numbers() const;

 private:
  void add_cables(const Network& network, DeviceId router);
  void add_neighbours(DeviceId router);
  void number_parallel_cables();
  void reach(DeviceId start, std::vector<bool>& seen, std::vector<DeviceId>& reached) const;

  std::vector<Cable> cables_;
  std::vector<std::size_t> first_cable_;  // by router, and the end
  std::vector<Neighbour> neighbours_;
  std::vector<std::size_t> first_neighbour_;  // by router, and the end
};

/// Whether cables and routers lead from one endpoint to another.
[[nodiscard]] bool is_reachable(const Network& network, PortId from, PortId to);

}  // namespace ayatori
