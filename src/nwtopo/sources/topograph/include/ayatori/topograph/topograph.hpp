#pragma once
/// \file
/// What NVIDIA's topograph discovered: the JSON of its engine "graph" (docs/engines/graph.md there; since 2026-05).

#include <string_view>

#include "ayatori/base/error.hpp"
#include "ayatori/network/network.hpp"

namespace ayatori {

/// {"instances": [{"id": …, "network_layers": [nearest switch, …, farthest], "labels": {…}}, …]}. Hosts are named
/// by their instance ids; labels (accelerator domains) are not read. The plane is "fabric": topograph does not say
/// which network it is.
[[nodiscard]] Result<Network> parse_topograph(std::string_view text, std::string_view file);
[[nodiscard]] Result<Network> open_topograph(std::string_view file);

}  // namespace ayatori
