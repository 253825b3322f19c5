/// \file
/// libayatori_mpi_engine.so: loaded by libayatori_mpi.so after MPI_Init.

#include "background.hpp"
#include "cached_calls.hpp"
#include "calls.hpp"

struct ayatori_mpi_calls ayatori_own_calls;

extern "C" __attribute__((visibility("default"))) int ayatori_mpi_engine_start(struct ayatori_mpi_calls* executed,
                                                                               int level) {
  using namespace ayatori::plugin;
  ayatori_own_calls = *executed;
  if (!begin_process(level)) return 0;
  begin_communicators();
  if (process().executes_nonblocking) {
    if (Communicator* const world = Communicator::find(MPI_COMM_WORLD)) static_cast<void>(world->prepare());
  }
  execute_broadcasts(*executed);
  execute_gathers(*executed);
  execute_exchanges(*executed);
  execute_reductions(*executed);
  prepare_communicators(*executed);
  begin_background(*executed);
  return 1;
}

/// For `ayatori tune`, which compares algorithms in one run: as if the variable had this value from now on. Collective.
/// Returns whether it is one.
extern "C" __attribute__((visibility("default"))) int ayatori_mpi_engine_force(const char* variable,
                                                                               const char* value) {
  using namespace ayatori;
  for (const MpiCallNames& call : mpi_calls()) {
    if (call.variable != variable) continue;
    const auto choice = parse_forced_choice(call.call, value);
    if (!choice) return 0;
    plugin::process().settings.forced[static_cast<std::size_t>(call.call)] = *choice;
    plugin::forget_cached_calls();
    return 1;
  }
  return 0;
}
