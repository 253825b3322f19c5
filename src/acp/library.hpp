#pragma once
/// \file
/// The one Process of the C functions: opened, closed, and left alone by forks and exits.

#include "errors.hpp"
#include "process.hpp"

namespace ayatori::acp {

/// What the environment says, but for the placement.
[[nodiscard]] Result<Setup> read_setup();

/// Who this process is, as its launcher says.
[[nodiscard]] Result<launch::Placement> read_placement();

/// acp_init, acp_finalize and acp_reset.
int open_library();
int close_library();
int reopen_library(int rank);

/// nullptr and EPERM, if the library is not open.
[[nodiscard]] Process* opened();

/// What a function that needs the library returns: `failed` if it is not open, or if the result is none.
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
