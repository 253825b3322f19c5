#pragma once
/// \file
/// Head-of-line blocking, which max-min fair rates leave out.
///
/// A switch keeps the packets that arrive over a link in one queue and forwards them in their order. If the packet at
/// its head has to wait for a busy link, all packets after it wait as well, wherever they go (Karol, Hluchyj and
/// Morgan, IEEE Transactions on Communications 35, 1987). Packets of flows that share the link alternate in the queue,
/// so none of these flows can be faster than the one that waits.
///
/// Raise all rates together. At the level where link l becomes full
///
///   every flow over l keeps that rate, and *waits* at l, or beyond it;
///   if flow f waits at the k-th link of its path, every flow that shares one of f's links 1 … k − 1 and has not
///   stopped at a lower level keeps that rate too, and waits at the end of the link that they share:
///
///       x_g ≤ x_f    for all g over link i of f's path, i < k(f), that reach this level
///
/// and so on until no other flow has to; the remaining flows go on. A flow that waits for nothing beyond a link (its
/// bottleneck is the link itself or one before it) has nothing in that link's queue, and holds up no flow. Capacity may
/// stay unused: that is the loss.

#include <cstdint>
#include <span>
#include <vector>

namespace ayatori {

/// Rates of flows over links with one queue each; `paths[f]` are the links of flow f in the order it takes them, each
/// at most once. As max_min_fair_rates otherwise.
[[nodiscard]] std::vector<double> head_of_line_rates(std::span<const double> capacity,
                                                     std::span<const std::vector<std::uint32_t>> paths);

}  // namespace ayatori
