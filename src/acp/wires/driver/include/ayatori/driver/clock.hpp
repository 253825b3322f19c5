#pragma once
/// \file
/// Where time comes from: the only clock of libacp. What needs the time is given a Clock, so that tests can set it.

#include "ayatori/transport/time.hpp"

namespace ayatori::wires {

class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual transport::Time now() = 0;  ///< never less than before
};

/// CLOCK_MONOTONIC. It goes on while a process is stopped, and it goes on from one process to the next on the same
/// machine: a process that starts later has later epochs.
class SteadyClock final : public Clock {
 public:
  [[nodiscard]] transport::Time now() override;
};

/// One SteadyClock for all; any thread may use it.
[[nodiscard]] Clock& steady_clock();

/// Sleeps: for who waits for something that nothing announces, such as an address that another process still has.
void pause(transport::Duration duration);

}  // namespace ayatori::wires
