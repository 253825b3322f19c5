/* Allreduces, then messages between neighbours, 8 MiB of each; prints as JSON how many bytes interfaces of the first
   process's host (the arguments) sent meanwhile. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { count = 1 << 18, calls = 8 };

/* The ninth number of an interface's line in /proc/net/dev. */
static long long bytes_sent_by(const char *interface) {
  char line[512];
  long long sent = -1;
  FILE *file = fopen("/proc/net/dev", "r");
  while (file && fgets(line, sizeof line, file)) {
    char *colon = strchr(line, ':');
    if (!colon) continue;
    *colon = 0;
    if (strcmp(line + strspn(line, " "), interface) != 0) continue;
    sscanf(colon + 1, "%*s %*s %*s %*s %*s %*s %*s %*s %lld", &sent);
  }
  if (file) fclose(file);
  return sent;
}

static void send_all(int collective, int *out, int *in, int peer) {
  for (int call = 0; call < calls; ++call) {
    if (collective) {
      MPI_Allreduce(out, in, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    } else {
      MPI_Sendrecv(out, count, MPI_INT, peer, 0, in, count, MPI_INT, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
}

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int *out = calloc(count, sizeof *out), *in = calloc(count, sizeof *in);
  if (!out || !in) MPI_Abort(MPI_COMM_WORLD, 1);
  if (rank == 0) printf("{");
  for (int collective = 1; collective >= 0; --collective) {
    long long before[8] = {0};
    for (int i = 1; i < argc && i < 8; ++i) before[i] = bytes_sent_by(argv[i]);
    send_all(collective, out, in, 1 - rank);
    MPI_Barrier(MPI_COMM_WORLD); /* What has been sent may still be in a socket. */
    if (rank == 0) printf("\"%s\": {", collective ? "collectives" : "neighbours");
    for (int i = 1; i < argc && i < 8 && rank == 0; ++i) {
      printf("%s\"%s\": %lld", i > 1 ? ", " : "", argv[i], bytes_sent_by(argv[i]) - before[i]);
    }
    if (rank == 0) printf("}%s", collective ? ", " : "}\n");
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  free(out);
  free(in);
  MPI_Finalize();
  return 0;
}
