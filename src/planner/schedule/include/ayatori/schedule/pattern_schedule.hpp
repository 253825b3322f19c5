#pragma once
/// \file
/// A communication pattern as a schedule, for traffic that belongs to no collective: beside it others are timed.

#include "ayatori/network/step.hpp"
#include "ayatori/schedule/schedule.hpp"

namespace ayatori {

/// Every message of `steps` as one of `bytes` bytes, or of those that a pattern file gives it (parse_pattern()): a rank
/// goes on when it has sent and received what a step asks of it. Messages from a rank to itself are left out. Stores
/// all messages. It keeps no collective's promise; its call() says alltoallv, of no bytes.
[[nodiscard]] SchedulePtr schedule_of_pattern(const StepSequence& steps, Bytes bytes);

}  // namespace ayatori
