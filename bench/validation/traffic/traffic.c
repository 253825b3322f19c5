/* traffic CELLS OUT MILLISECONDS: does the collectives of a file and writes what each rank sent in them.
 *
 * A line of CELLS is "COLLECTIVE BYTES ROOT LATE", bytes as in ayatori/schedule/collective.hpp. Rank r writes the file
 * OUT.r: first "sees" and the ranks to which it sees its messages, then a line "CELL PEER BYTES" for each message that
 * it sent, in the order of sending; cells count from 0. Rank LATE, if it is not -1, makes its call so much later than
 * the others; only what is sent before is written then. Elements are bytes, and operations are bitwise. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "traffic.h"

typedef struct {
  int peer;
  size_t bytes;
  double time;
} Message;

static Message* messages;
static size_t message_count;
static size_t message_capacity;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

void traffic_sent(int peer, size_t bytes) {
  if (message_count == message_capacity) {
    message_capacity = message_capacity == 0 ? 1024 : 2 * message_capacity;
    messages = realloc(messages, message_capacity * sizeof *messages);
    if (messages == NULL) abort();
  }
  messages[message_count++] = (Message){peer, bytes, now()};
}

static void fail(const char* what, const char* which) {
  fprintf(stderr, "traffic: %s%s\n", what, which);
  MPI_Abort(MPI_COMM_WORLD, 1);
  exit(1);
}

/* Both buffers hold `bytes` for each rank. */
static void call(const char* collective, int bytes, int root, int ranks, unsigned char* in, unsigned char* out) {
  const MPI_Comm world = MPI_COMM_WORLD;
  const MPI_Datatype type = MPI_UNSIGNED_CHAR;
  if (strcmp(collective, "broadcast") == 0) {
    MPI_Bcast(in, bytes, type, root, world);
  } else if (strcmp(collective, "reduce") == 0) {
    MPI_Reduce(in, out, bytes, type, MPI_BOR, root, world);
  } else if (strcmp(collective, "allreduce") == 0) {
    MPI_Allreduce(in, out, bytes, type, MPI_BOR, world);
  } else if (strcmp(collective, "alltoall") == 0) {
    MPI_Alltoall(in, bytes, type, out, bytes, type, world);
  } else if (strcmp(collective, "allgather") == 0) {
    MPI_Allgather(in, bytes, type, out, bytes, type, world);
  } else if (strcmp(collective, "gather") == 0) {
    MPI_Gather(in, bytes, type, out, bytes, type, root, world);
  } else if (strcmp(collective, "scatter") == 0) {
    MPI_Scatter(in, bytes, type, out, bytes, type, root, world);
  } else if (strcmp(collective, "reduce_scatter_block") == 0) {
    MPI_Reduce_scatter_block(in, out, bytes, type, MPI_BOR, world);
  } else if (strcmp(collective, "reduce_scatter") == 0) {
    int* counts = malloc((size_t)ranks * sizeof *counts);
    for (int rank = 0; rank < ranks; ++rank) counts[rank] = bytes;
    MPI_Reduce_scatter(in, out, counts, type, MPI_BOR, world);
    free(counts);
  } else if (strcmp(collective, "barrier") == 0) {
    MPI_Barrier(world);
  } else {
    fail("no collective is called ", collective);
  }
}

static void write_messages(FILE* file, int cell, double until) {
  for (size_t i = 0; i < message_count && messages[i].time < until; ++i)
    fprintf(file, "%d %d %zu\n", cell, messages[i].peer, messages[i].bytes);
  message_count = 0;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 4) fail("usage: traffic CELLS OUT MILLISECONDS", "");
  const long milliseconds = atol(argv[3]);
  const struct timespec lateness = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  char name[4096];
  snprintf(name, sizeof name, "%s.%d", argv[2], rank);
  FILE* cells = fopen(argv[1], "r");
  FILE* out = fopen(name, "w");
  if (cells == NULL || out == NULL) fail("can't open ", cells == NULL ? argv[1] : name);

  traffic_begin(rank, ranks);
  fprintf(out, "sees");
  for (int peer = 0; peer < ranks; ++peer) {
    if (peer != rank && traffic_sees(peer)) fprintf(out, " %d", peer);
  }
  fprintf(out, "\n");

  char collective[64];
  int bytes = 0;
  int root = 0;
  int late = -1;
  for (int cell = 0; fscanf(cells, "%63s %d %d %d", collective, &bytes, &root, &late) == 4; ++cell) {
    const size_t room = (size_t)bytes * (size_t)ranks + 1;
    unsigned char* in = calloc(1, room);
    unsigned char* result = calloc(1, room);
    if (in == NULL || result == NULL) fail("no memory for ", collective);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == late) nanosleep(&lateness, NULL);
    double until = now();
    traffic_record(1);
    call(collective, bytes, root, ranks, in, result);
    traffic_record(0);
    free(in);
    free(result);
    if (late >= 0) MPI_Bcast(&until, 1, MPI_DOUBLE, late, MPI_COMM_WORLD);
    write_messages(out, cell, late >= 0 ? until : now());
  }
  fclose(cells);
  fclose(out);
  MPI_Finalize();
  return 0;
}
