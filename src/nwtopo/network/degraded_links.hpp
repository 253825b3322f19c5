#pragma once
/// \file
/// Which cables of a network run slower than they should.

#include <vector>

#include "ayatori/network/network.hpp"

namespace ayatori {

/// The lower port ids of the links that run slower than they should (see NetworkBuilder::build), by rising id. Links of
/// unknown rate are left out.
[[nodiscard]] std::vector<PortId> find_degraded_links(const Network& network);

}  // namespace ayatori
