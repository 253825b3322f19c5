#pragma once
/// \file
/// For threads that move messages while others of the program compute.

namespace ayatori {

/// Requests short time slices for the calling thread. Since Linux 6.12 such a thread, when it wakes up, preempts the
/// program's thread before the end of its time slice of some milliseconds. Older kernels ignore the request.
void request_short_time_slices();

}  // namespace ayatori
