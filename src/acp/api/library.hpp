#pragma once
/// \file
/// The one Process that the C functions use: opens and closes it, and handles fork and exit.

#include "errors.hpp"
#include "process.hpp"

namespace ayatori::acp {

/// Reads the variables of the environment, except those of the placement.
[[nodiscard]] Result<Setup> read_setup();

/// acp_init, acp_finalize and acp_reset.
int open_library();
int close_library();
int reopen_library(int rank);

/// nullptr and EPERM, if the library is not open.
[[nodiscard]] Process* opened();

/// Calls `body(process)` and returns its value; sets the error and returns `failed` if there is none, or if the library
/// is not open.
template <typename Value, typename Body>
Value with_process(Value failed, Body body) noexcept {
  return guarded<Value>(failed, [&]() -> Value {
    Process* process = opened();
    if (!process) return failed;
    Result<Value> result = body(*process);
    if (result) return *result;
    refuse(result.error());
    return failed;
  });
}

}  // namespace ayatori::acp
