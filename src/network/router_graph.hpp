#pragma once
/// \file
/// The routers of a network and which of them are cabled to each other, without the rest.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ayatori/network/network.hpp"

namespace ayatori {

class RouterGraph {
 public:
  struct Neighbour {
    NodeId router = no_id;
    std::uint32_t cables = 0;   ///< parallel ones
    PortNumber first_port = 0;  ///< lowest port, at the router whose neighbour this is
  };

  /// Cables from a router to itself are left out.
  explicit RouterGraph(const Network& network);

  [[nodiscard]] std::size_t size() const { return first_.size() - 1; }
  /// Sorted by router id.
  [[nodiscard]] std::span<const Neighbour> neighbours(NodeId router) const {
    return std::span(neighbours_).subspan(first_[router], first_[router + 1] - first_[router]);
  }
  [[nodiscard]] std::uint32_t cables(NodeId a, NodeId b) const;
  [[nodiscard]] bool joins(NodeId a, NodeId b) const { return cables(a, b) > 0; }
  [[nodiscard]] std::vector<NodeId> common_neighbours(NodeId a, NodeId b) const;

  /// Pairs of routers that have cables.
  [[nodiscard]] std::size_t pair_count() const { return neighbours_.size() / 2; }
  /// One router of each part that no cable joins to another.
  [[nodiscard]] std::vector<NodeId> parts() const;

 private:
  std::vector<std::size_t> first_;  // by router, and the end
  std::vector<Neighbour> neighbours_;
};

}  // namespace ayatori
