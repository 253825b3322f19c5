// Functions that make communicators: what calls that do not block need of a new one is made here, where all of its
// processes are.
#include "calls.hpp"
#include "last_of.hpp"

namespace ayatori::plugin {

namespace {

int prepared(int code, const MPI_Comm* made) {
  if (code != MPI_SUCCESS || made == nullptr || !process().executes_nonblocking) return code;
  if (Communicator* const on = Communicator::find(*made)) static_cast<void>(on->prepare());
  return code;
}

/// `call` has the type of the MPI function `Member`, whose last argument is the communicator that it makes.
template <auto Member>
struct Makes;
template <typename... Arguments, int (*ayatori_mpi_calls::*Member)(Arguments...)>
struct Makes<Member> {
  static int call(Arguments... arguments) {
    return prepared((ayatori_own_calls.*Member)(arguments...), last_of(arguments...));
  }
};

}  // namespace

void prepare_communicators(ayatori_mpi_calls& executed) {
#define AYATORI_MAKES(name, parameters, arguments) executed.name = &Makes<&ayatori_mpi_calls::name>::call;
  AYATORI_COMMUNICATOR_CALLS(AYATORI_MAKES)
#undef AYATORI_MAKES
}

}  // namespace ayatori::plugin
