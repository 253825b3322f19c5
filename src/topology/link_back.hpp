#pragma once
/// \file
/// The other direction of a link.

#include <optional>

#include "ayatori/topology/topology.hpp"

namespace ayatori {

/// Index of the link at `link(from, index).to` that leads back through the same cable. Cables that nobody could tell
/// apart (two NICs of a machine, port 1 each, to two NICs of another) are taken in their order. Nothing if there is
/// none.
[[nodiscard]] std::optional<std::uint32_t> link_back(const Topology& topology, ObjectId from, std::uint32_t index);

}  // namespace ayatori
