#pragma once
/// \file
/// Max-min fair rates of flows over shared links: the one place where rates are computed.

#include <cstdint>
#include <span>
#include <vector>

namespace ayatori {

/// Rates of flows, each over some constraints (links, NICs, buses): raise all rates together; when a constraint is
/// full, its flows keep their rate, and the others go on (Bertsekas and Gallager, Data Networks, section 6.5.2). A flow
/// over no constraint gets infinity. `paths[f]` are the constraints of flow f; each at most once.
[[nodiscard]] std::vector<double> max_min_fair_rates(std::span<const double> capacity,
                                                     std::span<const std::vector<std::uint32_t>> paths);

}  // namespace ayatori
