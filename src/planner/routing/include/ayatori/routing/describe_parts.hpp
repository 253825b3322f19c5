#pragma once
/// \file
/// Says in words which parts a network is in, if cables do not join all of it.

#include <string>
#include <vector>

#include "ayatori/network/network.hpp"

namespace ayatori {

/// Each part by its hosts and its first router: "16 hosts on 'leaf-1' and 5 more". Empty if cables join all routers and
/// each NIC is cabled to one, or if there is no router.
[[nodiscard]] std::vector<std::string> describe_parts(const Network& network);

}  // namespace ayatori
