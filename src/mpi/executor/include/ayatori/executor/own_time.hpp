#pragma once
/// \file
/// What the executor itself costs, for whoever has a clock.

#include <cstdint>

#include "ayatori/base/error.hpp"

namespace ayatori {

/// Executions steps in which a message is sent and another one received, over a carrier that carries nothing and has
/// each message complete at once, one after the other, as an MPI would. What it takes is the time of the executor
/// alone. Returns the number of messages: twice the number of steps, which is at least `steps`.
[[nodiscard]] Result<std::uint64_t> execute_without_carrying(std::uint64_t steps);

}  // namespace ayatori
