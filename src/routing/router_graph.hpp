#pragma once
/// \file
/// The routers of a network and the cables between them, in arrays that loops over all destinations can run through.
/// Cables from a router to itself are left out: no route needs them.

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "ayatori/network/network.hpp"

namespace ayatori {

/// One end of a cable to another router.
struct Cable {
  NodeId peer = no_id;
  PortNumber port = 0;        ///< where it leaves
  PortNumber peer_port = 0;   ///< where it arrives
  std::uint8_t parallel = 0;  ///< which of the cables between these two routers it is, by port number at the lower id
};

class RouterGraph {
 public:
  explicit RouterGraph(const Network& network);

  [[nodiscard]] std::size_t size() const { return first_cable_.size() - 1; }

  /// By port number.
  [[nodiscard]] std::span<const Cable> cables(NodeId router) const {
    return {cables_.data() + first_cable_[router], cables_.data() + first_cable_[router + 1]};
  }
  /// Each neighbour once, by id.
  [[nodiscard]] std::span<const NodeId> neighbours(NodeId router) const {
    return {neighbours_.data() + first_neighbour_[router], neighbours_.data() + first_neighbour_[router + 1]};
  }

  /// Routers in the order of their distance from `start`, nearest first; those of other parts are missing.
  [[nodiscard]] std::vector<NodeId> by_distance_from(NodeId start) const;

 private:
  void number_parallel_cables();

  std::vector<Cable> cables_;
  std::vector<std::size_t> first_cable_;
  std::vector<NodeId> neighbours_;
  std::vector<std::size_t> first_neighbour_;
};

}  // namespace ayatori
