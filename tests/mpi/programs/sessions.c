/* sessions [init]: a collective on a communicator of a session, with or without MPI_Init. "right" on rank 0. */

#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int sum_is_right(MPI_Comm comm) {
  int one = 1, all = 0, ranks = 0;
  MPI_Comm_size(comm, &ranks);
  MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, comm);
  return all == ranks;
}

int main(int argc, char** argv) {
  const int initialised = argc > 1 && strcmp(argv[1], "init") == 0;
  if (initialised) MPI_Init(&argc, &argv);
  MPI_Session session = MPI_SESSION_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "all", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  int right = sum_is_right(comm) && (!initialised || sum_is_right(MPI_COMM_WORLD));
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0) puts(right ? "right" : "wrong");
  MPI_Group_free(&group);
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
  if (initialised) MPI_Finalize();
  return 0;
}
