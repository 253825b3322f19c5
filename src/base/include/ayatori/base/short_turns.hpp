#pragma once
/// \file
/// For threads that move messages while others of the program compute.

namespace ayatori {

/// Asks the kernel for short turns of the calling thread: since Linux 6.12 a thread that wakes up for one does not wait
/// until the program's thread has had all of its own turn, which is some milliseconds. Older kernels ignore it.
void take_short_turns();

}  // namespace ayatori
