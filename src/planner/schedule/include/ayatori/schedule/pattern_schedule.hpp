#pragma once
/// \file
/// A communication pattern as a schedule: background traffic that belongs to no collective.

#include "ayatori/network/step.hpp"
#include "ayatori/schedule/schedule.hpp"

namespace ayatori {

/// Every message of `steps` as one of `bytes` bytes, or of those that a pattern file gives it (parse_pattern()): a rank
/// goes on when it has sent and received what a step asks of it. Messages from a rank to itself are left out. Stores
/// all messages. It has no postcondition; its call() says alltoallv, of no bytes.
[[nodiscard]] SchedulePtr schedule_of_pattern(const StepSequence& steps, Bytes bytes);

}  // namespace ayatori
