// The MPI's own collectives, or those of whatever is preloaded.
#include "mpi_call.hpp"

int main(int argc, char** argv) {
  using ayatori::bench::Call;
  return ayatori::bench::run_program(
      argc, argv, [](Call& call) { return [&call](int root) { ayatori::bench::call_mpi(call, root); }; });
}
