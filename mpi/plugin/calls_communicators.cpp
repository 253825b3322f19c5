// Functions that make communicators: what calls that do not block need of a new one is made here, where all of its
// processes are.
#include "calls.hpp"

namespace ayatori::plugin {

namespace {

int prepared(int code, const MPI_Comm* made) {
  if (code != MPI_SUCCESS || made == nullptr || !process().plays_nonblocking) return code;
  if (Communicator* const on = Communicator::find(*made)) static_cast<void>(on->prepare());
  return code;
}

}  // namespace

int Comm_dup(MPI_Comm comm, MPI_Comm* made) { return prepared(PMPI_Comm_dup(comm, made), made); }

int Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm* made) {
  return prepared(PMPI_Comm_split(comm, colour, key, made), made);
}

int Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* made) {
  return prepared(PMPI_Comm_create(comm, group, made), made);
}

int Cart_create(MPI_Comm comm, int dimensions, const int lengths[], const int periodic[], int reorder, MPI_Comm* made) {
  return prepared(PMPI_Cart_create(comm, dimensions, lengths, periodic, reorder, made), made);
}

}  // namespace ayatori::plugin
