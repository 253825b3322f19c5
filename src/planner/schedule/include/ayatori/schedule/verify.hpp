#pragma once
/// \file
/// Proof by symbolic execution that a schedule fulfils the postcondition of its collective.

#include <cstdint>
#include <limits>

#include "ayatori/base/error.hpp"
#include "ayatori/schedule/schedule.hpp"

namespace ayatori {

/// What verify() may take, for schedules that somebody else has made. Our own have no limits.
struct VerificationLimits {
  /// Slots of all participants together; each takes some 30 bytes, and 100 more if it holds something at the start.
  std::uint64_t slots = std::numeric_limits<std::uint64_t>::max();
  /// Slots that are read or written, steps, messages that are compared, and contributions that are combined, all added
  /// up. A unit takes some ten nanoseconds, and at most some 16 bytes.
  std::uint64_t work = std::numeric_limits<std::uint64_t>::max();
};

/// The most often that a slot may hold one contribution while a schedule runs. Whatever holds one twice is wrong in the
/// end; the limit keeps the count from going round.
inline constexpr std::int32_t max_times_combined = 1 << 20;

/// Runs the schedule with slots that hold *which contributions* (of which rank's which slot, and how often) instead of
/// bytes, under rendezvous semantics, and checks
///   - every participant ends with the postcondition (collective.hpp), each contribution combined once,
///   - no deadlock: no send waits for a receive that is never posted, nor the other way round,
///   - matched messages have the same sizes, slot by slot,
///   - no slot is written (by a receive, or by another stream) while a message of the same step reads or writes it, and
///     no operation reads a slot that nothing was written to,
///   - no rank leaves a barrier before all ranks have entered it,
///   - each rank of a halo has its neighbours' faces; neighbours name each other, on opposite sides, and connect all
///     ranks.
/// Error: the first thing that is wrong, with participant, stream and step; or that a limit is reached. Takes memory
/// for all slots of all participants: meant for up to some hundred ranks.
[[nodiscard]] Result<> verify(const Schedule& schedule, const VerificationLimits& limits = {});

}  // namespace ayatori
