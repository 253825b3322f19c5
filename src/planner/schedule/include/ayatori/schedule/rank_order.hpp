#pragma once
/// \file
/// Schedules for operations that do not commute (MPI_Op_create with commute = 0): what is combined must be combined in
/// the order of the ranks.

#include "ayatori/schedule/schedule.hpp"
#include "ayatori/schedule/verify.hpp"

namespace ayatori {

/// The same schedule with an order of operands in each of its reductions (LocalOperation::Kind::append or prepend), so
/// that every result is the contribution of rank 0 ∘ that of rank 1 ∘ … ∘ that of the last rank. The brackets are the
/// algorithm's: the operation is associative, as MPI requires.
///
/// Found by symbolic execution: two values may be combined if all ranks of one are before all ranks of the other.
/// Precondition: verify() finds nothing wrong with the schedule. It may be read from many threads, as all schedules.
///
/// Errors: a participant combines what no order makes right, since ranks between its operands are missing; or a limit
/// is reached. All participants get the same answer.
[[nodiscard]] Result<SchedulePtr> in_rank_order(SchedulePtr schedule, const VerificationLimits& limits = {});

}  // namespace ayatori
