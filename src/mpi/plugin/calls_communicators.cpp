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

#if AYATORI_HAS_LARGE_COUNTS
/// Of a session, which may outlast MPI_COMM_WORLD.
int Comm_create_from_group(MPI_Group group, const char* tag, MPI_Info info, MPI_Errhandler handler, MPI_Comm* made) {
  const int code = ayatori_own_calls.Comm_create_from_group(group, tag, info, handler, made);
  if (code != MPI_SUCCESS || made == nullptr) return code;
  if (Communicator* const on = Communicator::find(*made)) on->leave_to_mpi();
  explain("collectives on communicators of MPI_Comm_create_from_group: the MPI's own");
  return code;
}
#endif

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
#if AYATORI_HAS_LARGE_COUNTS
  if (executed.Comm_create_from_group != nullptr) executed.Comm_create_from_group = &Comm_create_from_group;
#endif
}

}  // namespace ayatori::plugin
