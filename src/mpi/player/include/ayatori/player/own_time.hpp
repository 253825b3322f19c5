#pragma once
/// \file
/// What the player itself costs, for whoever has a clock.

#include <cstdint>

#include "ayatori/base/error.hpp"

namespace ayatori {

/// Plays steps in which a message is sent and another one received, over a carrier that carries nothing and has each
/// message complete at once, one after the other, as an MPI would. What it takes is the time of the player alone.
/// Returns the number of messages: twice the number of steps, which is at least `steps`.
[[nodiscard]] Result<std::uint64_t> play_without_carrying(std::uint64_t steps);

}  // namespace ayatori
