#pragma once
/// \file
/// Cables with latency, for networks of namespaces where the kernel has no netem: both ends of a cable are devices
/// whose frames a process reads and writes (TAP), and this process hands each frame from one end to the other when its
/// time has come.

#include <span>

#include "ayatori/base/error.hpp"

namespace ayatori {

struct DelayedCable {
  int near = -1;  ///< descriptors of both ends, which don't block; a read gives one frame, a write takes one
  int far = -1;
  double seconds = 0;  ///< from one end to the other, in each direction
};

/// Carries frames, in the order in which they came, until an end can't be read any more: says why. A frame that an end
/// does not take is lost, as on a cable whose interface is down. Frames have at most 64 KiB. The descriptors stay the
/// caller's.
[[nodiscard]] Error carry_frames(std::span<const DelayedCable> cables);

}  // namespace ayatori
