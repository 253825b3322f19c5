#pragma once
/// \file
/// Where time comes from.

#include "ayatori/transport/time.hpp"

namespace ayatori::wires {

class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual transport::Time now() = 0;  ///< never less than before
};

/// CLOCK_MONOTONIC. It goes on while a process is stopped, and epochs of one machine are the later the higher.
class SteadyClock final : public Clock {
 public:
  [[nodiscard]] transport::Time now() override;
};

}  // namespace ayatori::wires
