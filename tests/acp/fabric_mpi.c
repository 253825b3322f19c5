/* Messages, collectives and one-sided communication of MPI, whose bytes are checked.
 *
 *     fabric_mpi             all of them
 *     fabric_mpi replies N   two ranks: so many messages each, and each answers the one before
 *     fabric_mpi away FILE   the last rank sends to rank 0, then computes until rank 0 has received and makes FILE
 *     fabric_mpi neighbours FILE
 *                            rank 0 sends to all others, then computes until each has received and makes FILE-RANK
 *     fabric_mpi windows     all kinds of windows, on which programs compare and swap, and take the greatest
 *     fabric_mpi forked      a child of rank 0 ends by exit(), before all of them
 *     fabric_mpi killed      the last rank is killed, and others wait for it
 *     fabric_mpi stopped N   the last rank is stopped for N seconds, while others send to it
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(holds)                                                                   \
  do {                                                                                 \
    if (!(holds)) {                                                                    \
      fprintf(stderr, "line %d: rank %d: %s does not hold\n", __LINE__, rank, #holds); \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                    \
    }                                                                                  \
  } while (0)

static int rank, size;

static void fill(unsigned char *bytes, int count, int seed) {
  for (int i = 0; i < count; ++i) bytes[i] = (unsigned char)(seed * 31 + i * 7 + (i >> 8));
}

static void check(const unsigned char *bytes, int count, int seed) {
  for (int i = 0; i < count; ++i) CHECK(bytes[i] == (unsigned char)(seed * 31 + i * 7 + (i >> 8)));
}

static void messages(void) {
  enum { most = 1 << 20 };
  static unsigned char out[most], in[most];
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  MPI_Status status;
  int count;
  for (int bytes = 0; bytes <= most; bytes = bytes * 4 + 1) {
    fill(out, bytes, rank);
    MPI_Sendrecv(out, bytes, MPI_BYTE, next, bytes % 100, in, most, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG,
                 MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_BYTE, &count);
    CHECK(status.MPI_SOURCE == previous && status.MPI_TAG == bytes % 100 && count == bytes);
    check(in, bytes, previous);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Request sending;
  MPI_Message message;
  fill(out, 50000, rank);
  MPI_Isend(out, 50000, MPI_BYTE, next, 7, MPI_COMM_WORLD, &sending);
  MPI_Mprobe(previous, 7, MPI_COMM_WORLD, &message, &status);
  MPI_Mrecv(in, 50000, MPI_BYTE, &message, &status);
  check(in, 50000, previous);
  MPI_Wait(&sending, MPI_STATUS_IGNORE);
  /* Open MPI 4.1.4 answers no synchronous send that was probed for (mtl/ofi). */
  MPI_Issend(out, 50000, MPI_BYTE, next, 8, MPI_COMM_WORLD, &sending);
  MPI_Recv(in, 50000, MPI_BYTE, previous, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  check(in, 50000, previous);
  MPI_Wait(&sending, MPI_STATUS_IGNORE);
}

static void collectives(void) {
  enum { each = 30000 };
  unsigned char *out = malloc((size_t)size * each), *in = malloc((size_t)size * each);
  for (int to = 0; to < size; ++to) fill(out + to * each, each, rank * 100 + to);
  for (int round = 0; round < 5; ++round) {
    memset(in, 0, (size_t)size * each);
    MPI_Alltoall(out, each, MPI_BYTE, in, each, MPI_BYTE, MPI_COMM_WORLD);
    for (int from = 0; from < size; ++from) check(in + from * each, each, from * 100 + rank);
  }
  long sum = rank, total = 0;
  MPI_Allreduce(&sum, &total, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  CHECK(total == (long)size * (size - 1) / 2);
  free(out);
  free(in);
}

static void one_sided(void) {
  enum { each = 5000, adds = 20 };
  unsigned char *memory = calloc(1, 64 + 2 * each), *local = malloc(each);
  MPI_Win window;
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  /* Memory that MPI allocates is shared within a host: no provider would see the accesses. */
  MPI_Win_create(memory, 64 + 2 * each, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  fill(local, each, rank);
  MPI_Put(local, each, MPI_BYTE, next, 64, each, MPI_BYTE, window);
  MPI_Win_fence(0, window);
  check(memory + 64, each, previous);
  memset(local, 0, each);
  MPI_Get(local, each, MPI_BYTE, next, 64, each, MPI_BYTE, window);
  MPI_Win_fence(0, window);
  check(local, each, rank);
  const long one = 1;
  long before, after;
  MPI_Win_lock_all(0, window);
  for (int i = 0; i < adds; ++i) {
    MPI_Fetch_and_op(&one, &before, MPI_LONG, 0, 0, MPI_SUM, window);
    MPI_Win_flush(0, window);
    CHECK(before >= i && before < (long)size * adds);
  }
  MPI_Win_unlock_all(window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
  MPI_Get(&after, 1, MPI_LONG, 0, 0, 1, MPI_LONG, window);
  MPI_Win_unlock(0, window);
  CHECK(after == (long)size * adds);
  MPI_Win_free(&window);
  free(memory);
  free(local);
}

static void replies(int count) {
  int number = 0;
  for (int i = 0; i < count; ++i) {
    if (rank == 0) MPI_Send(&i, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(&number, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(number == i);
    if (rank == 1) MPI_Send(&i, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
}

static void away(const char *file) {
  enum { count = 20 };
  int number = 0;
  if (rank == size - 1) {
    for (int i = 0; i < count; ++i) MPI_Send(&i, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    while (access(file, F_OK) != 0) usleep(10000);
  } else if (rank == 0) {
    for (int i = 0; i < count; ++i) {
      MPI_Recv(&number, 1, MPI_INT, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK(number == i);
    }
    fclose(fopen(file, "w"));
  }
}

static void neighbours(const char *file) {
  enum { most = 8 };
  static int numbers[most];
  MPI_Request requests[most];
  char name[4096];
  if (rank == size - 1) usleep(200000);  // rank 0 waits in the barrier, so all that it sent before has left
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank > 0) {
    MPI_Recv(numbers, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(numbers[0] == rank);
    snprintf(name, sizeof name, "%s-%d", file, rank);
    fclose(fopen(name, "w"));
    return;
  }
  for (int to = 1; to < size; ++to) {
    numbers[to] = to;
    MPI_Isend(&numbers[to], 1, MPI_INT, to, 0, MPI_COMM_WORLD, &requests[to]);
  }
  for (int to = 1; to < size; ++to) {
    snprintf(name, sizeof name, "%s-%d", file, to);
    while (access(name, F_OK) != 0) usleep(10000);
  }
  MPI_Waitall(size - 1, requests + 1, MPI_STATUSES_IGNORE);
}

static void swap_and_take_the_greatest(MPI_Comm ranks, MPI_Win window, const long *memory) {
  const long none = 0, small = 1, great = 5;
  long before = -1;
  int here, count;
  MPI_Comm_rank(ranks, &here);
  MPI_Comm_size(ranks, &count);
  for (int to = here; to <= here + 1; ++to) {
    MPI_Win_fence(0, window);
    MPI_Compare_and_swap(&small, &none, &before, MPI_LONG, to % count, to - here, window);
    MPI_Win_fence(0, window);
    CHECK(before == 0 && memory[to - here] == small);
    MPI_Win_fence(0, window);
    MPI_Accumulate(&great, 1, MPI_LONG, to % count, to - here, 1, MPI_LONG, MPI_MAX, window);
    MPI_Win_fence(0, window);
    CHECK(memory[to - here] == great);
  }
}

static void windows(void) {
  long created[2] = {0, 0}, *memory;
  MPI_Comm host;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  const MPI_Comm groups[] = {MPI_COMM_SELF, MPI_COMM_WORLD, host};
  MPI_Win window;
  for (int i = 0; i < 3; ++i) {
    created[0] = created[1] = 0;
    MPI_Win_create(created, sizeof created, sizeof(long), MPI_INFO_NULL, groups[i], &window);
    swap_and_take_the_greatest(groups[i], window, created);
    MPI_Win_free(&window);
    MPI_Win_allocate(sizeof created, sizeof(long), MPI_INFO_NULL, groups[i], &memory, &window);
    memory[0] = memory[1] = 0;
    swap_and_take_the_greatest(groups[i], window, memory);
    MPI_Win_free(&window);
  }
  MPI_Win_allocate_shared(sizeof created, sizeof(long), MPI_INFO_NULL, host, &memory, &window);
  memory[0] = memory[1] = 0;
  swap_and_take_the_greatest(host, window, memory);
  MPI_Win_free(&window);
  MPI_Comm_free(&host);
}

static void killed(void) {
  char byte = 0;
  if (rank == size - 1) raise(SIGKILL);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int error = MPI_Recv(&byte, 1, MPI_BYTE, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(error != MPI_SUCCESS);
  fprintf(stderr, "rank %d: no message of a rank that is gone\n", rank);
  _exit(3);
}

static void stop_for(int seconds) {
  if (fork() == 0) {
    sleep((unsigned)seconds);
    kill(getppid(), SIGCONT);
    _exit(0);
  }
  raise(SIGSTOP);
}

/* Short messages and long ones; more of them than wait in queues anywhere. */
static void stopped(int seconds) {
  enum { count = 3000, most = 40000, in_flight = 100 };
  static unsigned char bytes[in_flight][most];
  MPI_Request sending[in_flight];
  MPI_Status status;
  int got;
  if (rank == size - 1) {
    stop_for(seconds);
    for (int from = 0; from < size - 1; ++from) {
      for (int i = 0; i < count; ++i) {
        MPI_Recv(bytes[0], most, MPI_BYTE, from, i, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_BYTE, &got);
        CHECK(got == (i % 50 == 0 ? most : i % 1000));
        check(bytes[0], got, from + i);
      }
    }
    return;
  }
  for (int i = 0; i < count; ++i) {
    const int mine = i % in_flight, size_now = i % 50 == 0 ? most : i % 1000;
    if (i >= in_flight) MPI_Wait(&sending[mine], MPI_STATUS_IGNORE);
    fill(bytes[mine], size_now, rank + i);
    MPI_Isend(bytes[mine], size_now, MPI_BYTE, size - 1, i, MPI_COMM_WORLD, &sending[mine]);
  }
  MPI_Waitall(in_flight, sending, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (strcmp(what, "away") == 0) away(argv[2]);
  if (strcmp(what, "neighbours") == 0) neighbours(argv[2]);
  if (strcmp(what, "forked") == 0 && rank == 0) {
    const pid_t child = fork();
    if (child == 0) exit(0);
    CHECK(waitpid(child, NULL, 0) == child);
  }
  messages();
  collectives();
#ifndef WITHOUT_WINDOWS
  one_sided();
  if (strcmp(what, "windows") == 0) windows();
#endif
  if (strcmp(what, "replies") == 0) replies(atoi(argv[2]));
  if (strcmp(what, "killed") == 0) killed();
  if (strcmp(what, "stopped") == 0) stopped(atoi(argv[2]));
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("all bytes are right\n");
  MPI_Finalize();
  return 0;
}
