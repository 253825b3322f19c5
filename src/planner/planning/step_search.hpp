#pragma once
/// \file
/// A step for each message of an all-to-all, on any paths: a colouring of messages in which those that share a sender,
/// a receiver or a full link differ, found by search. Messages without a step are put where they push out the least,
/// and what they push out waits; a message that was often pushed out pushes harder (a form of guided local
/// search, as timetables are made).

#include <cstdint>
#include <vector>

#include "ayatori/base/search_control.hpp"
#include "pair_links.hpp"

namespace ayatori {

/// `[step · endpoints + from]` is the endpoint that `from` sends to, no_id if none. Begins with `steps` steps, which
/// should be the bound by load; messages for which the search finds no step there get further steps at the end. Looks
/// at some `effort` entries of its tables. Deterministic until `control` stops it.
[[nodiscard]] std::vector<std::uint32_t> searched_steps(const PairLinks& links, std::size_t steps, std::uint64_t effort,
                                                        const SearchControl& control);

}  // namespace ayatori
