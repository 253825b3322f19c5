#pragma once
/// \file
/// Can several jobs all have links of their own? An exact answer where the jobs are small.

#include <cstdint>
#include <span>
#include <vector>

#include "ayatori/base/search_control.hpp"
#include "ayatori/contention/footprint.hpp"
#include "joint_messages.hpp"

namespace ayatori {

struct JointIsolation {
  enum class Outcome : std::uint8_t {
    found,
    impossible,  ///< proven, of plans in which a link carries at most one message of a step: the search was exhaustive
    gave_up,     ///< the budget ran out
  };
  Outcome outcome = Outcome::gave_up;
  std::vector<std::uint32_t> choices = {};  ///< by message, if found
};

/// Looks for a path for each message so that no link carries two messages of a step, messages of two jobs, whatever
/// step each is in, or messages of `others`. A constraint problem: the message with the fewest paths left for its
/// conflicts so far is next (Boussemart et al., 2004: dom/wdeg), paths that clash are struck off all other messages,
/// and the search begins anew now and then, with what it has learnt of messages. It tries `hints` (choices by message)
/// first. Gives messages at most `budget` paths, and gives up when `control` stops it.
[[nodiscard]] JointIsolation isolate_jointly(const JointMessages& messages, const Network& network,
                                             std::span<const Footprint> others, std::span<const std::uint32_t> hints,
                                             std::uint64_t budget, const SearchControl& control = {});

}  // namespace ayatori
