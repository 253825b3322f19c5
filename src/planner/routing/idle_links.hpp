#pragma once
/// \file
/// Links that could take over packets from busier ones, and carry none.

#include <cstdint>
#include <span>
#include <vector>

#include "ayatori/network/network.hpp"
#include "ayatori/tables/tables.hpp"

namespace ayatori {

/// TableCheck::idle_links, sorted. `load`: by port, how many LIDs of NICs packets from NICs take out of it. Follows the
/// tables once more if some link is idle (threads over ranges of LIDs).
[[nodiscard]] std::vector<PortId> find_idle_links(const Network& network, const Routes& routes,
                                                  std::span<const std::uint64_t> load);

}  // namespace ayatori
