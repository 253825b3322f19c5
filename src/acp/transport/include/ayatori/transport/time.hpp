#pragma once
/// \file
/// Time as the transport sees it: passed in with every call, never read. All
/// times of one endpoint come from one monotonic source, in nanoseconds.

#include <chrono>

namespace ayatori::transport {

/// A clock that can't be asked; it only keeps passed-in times apart from other numbers.
struct PassedInClock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<PassedInClock>;
  static constexpr bool is_steady = true;
};

using Duration = PassedInClock::duration;
using Time = PassedInClock::time_point;

inline constexpr Time never = Time::max();

}  // namespace ayatori::transport
