#pragma once
/// \file
/// The one Process of the C functions.

#include "errors.hpp"
#include "process.hpp"

namespace ayatori::acp {

/// Who this process is, as the environment says.
[[nodiscard]] Result<Setup> read_setup();

/// nullptr and EPERM, if the library is not open.
[[nodiscard]] Process* opened();

/// The one between acp_init and acp_finalize.
extern std::unique_ptr<Process> the_process;

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
