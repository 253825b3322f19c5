// check_communicators [threads [TIMES]|many]: collectives on communicators that come and go, with attributes, error
// handlers and processes that have no part in them. Prints "right" on rank 0; any other end is a failure.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

int rank = 0;
int ranks = 1;
int copied = 0;
int deleted = 0;
int handled = 0;

void need(bool right, const char* what) {
  if (right) return;
  std::printf("rank %d: %s\n", rank, what);
  std::fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

void sum(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  int one = 1;
  int all = 0;
  MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, comm);
  need(all == size, "a sum over a communicator");
}

/// `times`: many are more than an MPI has context ids (MPICH: 2048). Some are used for long, and others once.
void come_and_go(int times) {
  for (int i = 0; i < times; ++i) {
    MPI_Comm comm = MPI_COMM_NULL;
    if (i % 2 == 0) {
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    } else {
      MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &comm);
    }
    const int calls = i % 10 < 2 ? 1200 : 1;
    for (int k = 0; k < calls; ++k) sum(comm);
    MPI_Comm_free(&comm);
  }
}

int copy(MPI_Comm, int, void*, void* value, void* copy_of_it, int* keep) {
  ++copied;
  std::memcpy(copy_of_it, &value, sizeof value);
  *keep = 1;
  return MPI_SUCCESS;
}

int forget(MPI_Comm, int, void*, void*) {
  ++deleted;
  return MPI_SUCCESS;
}

void attributes_of_the_program() {
  int keyval = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(copy, forget, &keyval, nullptr);
  MPI_Comm first = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &first);
  MPI_Comm_set_attr(first, keyval, &rank);
  sum(first);
  need(copied == 0, "a collective copied an attribute");
  MPI_Comm second = MPI_COMM_NULL;
  MPI_Comm_dup(first, &second);
  need(copied == 1, "an attribute was not copied once");
  sum(second);
  MPI_Comm_free(&first);
  need(deleted == 1, "an attribute was not deleted once");
  sum(second);
  MPI_Comm_free(&second);
  need(deleted == 2, "an attribute was not deleted with its communicator");
  MPI_Comm_free_keyval(&keyval);
}

void others_have_no_part() {
  sum(MPI_COMM_SELF);
  if (ranks < 2) return;
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm both = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank < ranks / 2 ? 0 : 1, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < ranks / 2 ? ranks / 2 : 0, 7, &both);
  int value = rank < ranks / 2 ? 1 : 100;
  int all = 0;
  MPI_Allreduce(&value, &all, 1, MPI_INT, MPI_SUM, both);
  need(all == (rank < ranks / 2 ? 100 * (ranks - ranks / 2) : ranks / 2), "a sum over an inter-communicator");
  MPI_Comm merged = MPI_COMM_NULL;
  MPI_Intercomm_merge(both, 0, &merged);
  sum(merged);
  MPI_Comm_free(&merged);
  MPI_Comm_free(&both);
  sum(half);
  MPI_Comm_free(&half);
}

void handle(MPI_Comm*, int*, ...) { ++handled; }

/// Wrong arguments are the MPI's to refuse, with the handler of the program.
void errors_of_the_program() {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(handle, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  int value = 1;
  sum(comm);
  need(MPI_Bcast(&value, 1, MPI_INT, ranks + 3, comm) != MPI_SUCCESS, "a root that is not a rank was taken");
  need(handled == 1, "the program's error handler was not called once");
  need(MPI_Bcast(&value, -1, MPI_INT, 0, comm) != MPI_SUCCESS, "a negative count was taken");
  need(handled == 2, "the program's error handler was not called twice");
  MPI_Errhandler now = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(comm, &now);
  need(now == handler, "the communicator has another error handler");
  MPI_Errhandler_free(&now);
  MPI_Errhandler_free(&handler);
  MPI_Comm_free(&comm);
}

/// Each thread on a communicator of its own.
void from_several_threads(int times) {
  std::vector<MPI_Comm> comms(3);
  for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  std::vector<std::thread> threads;
  for (const MPI_Comm comm : comms) {
    threads.emplace_back([comm, times] {
      for (int i = 0; i < times; ++i) sum(comm);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  const bool threads = argc > 1 && std::strcmp(argv[1], "threads") == 0;
  const bool many = argc > 1 && std::strcmp(argv[1], "many") == 0;
  int level = MPI_THREAD_SINGLE;
  if (threads) {
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  } else {
    MPI_Init(&argc, &argv);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  sum(MPI_COMM_WORLD);
  if (threads && level == MPI_THREAD_MULTIPLE) from_several_threads(argc > 2 ? std::atoi(argv[2]) : 2000);
  come_and_go(many ? 2500 : 20);
  attributes_of_the_program();
  others_have_no_part();
  errors_of_the_program();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) std::puts("right");
  MPI_Finalize();
  return 0;
}
