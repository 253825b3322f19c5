#pragma once
/// \file
/// An all-to-all that shifts between two orders. Senders have the numbers σ of the network order, and receivers get
/// slots δ of their own on a circle of T slots; in step t the sender σ sends to the receiver in slot (σ + t) mod T, and
/// is silent if that slot is empty. Two messages meet in a step if their senders are as far apart as their receivers:
///
///     δ(d) − δ(d') = σ(s) − σ(s')   (mod T)
///
/// If all senders that reach d or d' by a link stand within w consecutive numbers, then receivers that are at least w
/// slots apart on the circle never share that link in a step. On a fat tree whose tables choose the path by the
/// destination alone, the senders below a router are consecutive, and w is their number: a link that is to carry m
/// receivers' messages from w senders needs m · w steps in any schedule, and gets by with that many here. The shift of
/// all hosts of the fabric, with those silent that are not in the job, is one such pair of orders.

#include <cstdint>
#include <vector>

#include "pair_links.hpp"

namespace ayatori {

/// The receiver in each slot, no_id in empty ones; at least as many slots as endpoints. Takes the receivers that wait
/// for the busiest links first; tries circles from the fewest slots that are possible on, up to twice as many. Nothing
/// if none of them fits within `max_slots`.
[[nodiscard]] std::vector<std::uint32_t> spaced_receivers(const PairLinks& links, std::size_t max_slots);

}  // namespace ayatori
