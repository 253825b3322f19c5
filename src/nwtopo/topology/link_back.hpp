#pragma once
/// \file
/// The other direction of a link.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "ayatori/topology/topology.hpp"

namespace ayatori {

/// Where a directed link leaves and arrives.
struct LinkEnds {
  ObjectId from = no_object;
  ObjectId to = no_object;
  std::uint32_t from_port = 0;
  std::uint32_t to_port = 0;
  std::uint32_t from_nic = no_nic;
  std::uint32_t to_nic = no_nic;
  PlaneId plane = 0;

  LinkEnds() = default;
  LinkEnds(ObjectId leaves, const TopologyLink& link)
      : from(leaves),
        to(link.to),
        from_port(link.from_port),
        to_port(link.to_port),
        from_nic(link.from_nic),
        to_nic(link.to_nic),
        plane(link.plane) {}
};

inline constexpr std::size_t no_partner = ~std::size_t{0};

/// For each link the place of the one that leads back through the same cable; no_partner if it is not among them.
/// Cables that cannot be distinguished (two of one port, which no real network has) are taken in their order.
[[nodiscard]] std::vector<std::size_t> pair_up(std::span<const LinkEnds> links);

/// The index of that link at `link(from, index).to`.
[[nodiscard]] std::optional<std::uint32_t> link_back(const Topology& topology, ObjectId from, std::uint32_t index);

}  // namespace ayatori
