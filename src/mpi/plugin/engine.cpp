/// \file
/// libayatori_mpi_engine.so: loaded by libayatori_mpi.so after MPI_Init.

#include "background.hpp"
#include "calls.hpp"
#include "quick_calls.hpp"

struct ayatori_mpi_calls ayatori_own_calls;

extern "C" __attribute__((visibility("default"))) int ayatori_mpi_engine_start(struct ayatori_mpi_calls* played,
                                                                               int level) {
  using namespace ayatori::plugin;
  ayatori_own_calls = *played;
  if (!begin_process(level)) return 0;
  begin_communicators();
  if (process().plays_nonblocking) {
    if (Communicator* const world = Communicator::find(MPI_COMM_WORLD)) static_cast<void>(world->prepare());
  }
  play_broadcasts(*played);
  play_gathers(*played);
  play_exchanges(*played);
  play_reductions(*played);
  prepare_communicators(*played);
  begin_quick_calls(*played);
  begin_background(*played);
  return 1;
}
