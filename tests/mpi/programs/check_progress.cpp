// check_progress [threads]: a rank that has begun a collective and is then busy elsewhere in the MPI must still do its
// part of it, since others wait for that (MPI 3.1, section 3.5). And what else programs may do with requests: free the
// communicator, free or cancel the request, leave it to MPI_Finalize. Prints "right" on rank 0; it hangs if it is
// wrong.
#include <mpi.h>

#include <cstdio>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

namespace {

int rank = 0;
int ranks = 1;
int handled = 0;

void need(bool right, const char* what) {
  if (right) return;
  std::printf("rank %d: %s\n", rank, what);
  std::fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

constexpr int count = 50000;  // not sent eagerly
constexpr int tag = 17;

/// From rank 0 along all others. Returns when this rank has begun.
MPI_Request begin_bcast(std::vector<int>& data, MPI_Comm comm) {
  data.assign(count, rank == 0 ? 4711 : 0);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(data.data(), count, MPI_INT, 0, comm, &request);
  return request;
}

void need_data(const std::vector<int>& data) {
  for (const int value : data) need(value == 4711, "what was broadcast");
}

/// All but the last begin a broadcast and then wait, by `wait_elsewhere`, for what the last does only once it has the
/// data, by `let_go`.
void others_wait_for_the_last(const std::function<void()>& wait_elsewhere, const std::function<void()>& let_go) {
  std::vector<int> data;
  MPI_Request request = begin_bcast(data, MPI_COMM_WORLD);
  if (rank == ranks - 1) {
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    let_go();
  } else {
    wait_elsewhere();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  need_data(data);
  MPI_Barrier(MPI_COMM_WORLD);
}

void send_to_all_others() {
  for (int to = 0; to < ranks - 1; ++to) MPI_Send(&rank, 1, MPI_INT, to, tag, MPI_COMM_WORLD);
}

void receive() { MPI_Recv(&handled, 1, MPI_INT, ranks - 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }

void busy_elsewhere() {
  others_wait_for_the_last(receive, send_to_all_others);
  others_wait_for_the_last(
      [] {
        MPI_Status status;
        MPI_Probe(ranks - 1, tag, MPI_COMM_WORLD, &status);
        receive();
      },
      send_to_all_others);
  others_wait_for_the_last(
      [] {
        MPI_Request other = MPI_REQUEST_NULL;
        int value = 0;
        MPI_Irecv(&value, 1, MPI_INT, ranks - 1, tag, MPI_COMM_WORLD, &other);
        PMPI_Wait(&other, MPI_STATUS_IGNORE);  // as Fortran does in Open MPI: no wrapper sees it
      },
      send_to_all_others);
  MPI_Comm other = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  const auto enter = [&] { MPI_Barrier(other); };
  others_wait_for_the_last(enter, enter);
  const auto add = [&] {
    std::vector<int> one(count, 1);
    std::vector<int> sum(count);
    MPI_Allreduce(one.data(), sum.data(), count, MPI_INT, MPI_SUM, other);
    need(sum[count - 1] == ranks, "a sum");
  };
  others_wait_for_the_last(add, add);
  const auto make = [&] {
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_dup(other, &made);
    MPI_Comm_free(&made);
  };
  others_wait_for_the_last(make, make);
  MPI_Comm_free(&other);
}

/// Rank 0 begins before rank 1 does anything collective: beginning must not wait for others, also at the first call on
/// a communicator.
void beginning_waits_for_nobody() {
  for (const bool dup : {true, false}) {
    MPI_Comm comm = MPI_COMM_NULL;
    if (dup) {
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    } else {
      MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
    }
    std::vector<int> data;
    int value = 0;
    if (rank != 0) MPI_Recv(&value, 1, MPI_INT, rank - 1, tag, comm, MPI_STATUS_IGNORE);
    MPI_Request request = begin_bcast(data, comm);
    if (rank + 1 < ranks) MPI_Send(&value, 1, MPI_INT, rank + 1, tag, comm);
    // What was begun goes on. It is executed on a duplicate; Open MPI 4.1 ends with a segmentation fault in its own.
    if (dup) MPI_Comm_free(&comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    need_data(data);
    if (!dup) MPI_Comm_free(&comm);
  }
}

void many_at_the_same_time() {
  constexpr int many = 200;
  std::vector<std::vector<int>> data(many);
  std::vector<MPI_Request> requests;
  for (auto& one : data) requests.push_back(begin_bcast(one, MPI_COMM_WORLD));
  int flag = 0;
  while (flag == 0) MPI_Testall(many, requests.data(), &flag, MPI_STATUSES_IGNORE);
  for (const auto& one : data) need_data(one);
}

/// The MPIs refuse to cancel their own.
void cancelled_calls_are_refused() {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  std::vector<int> data;
  MPI_Request request = begin_bcast(data, MPI_COMM_WORLD);
  need(MPI_Cancel(&request) != MPI_SUCCESS, "MPI_Cancel was taken");
  MPI_Status status;
  need(MPI_Wait(&request, &status) == MPI_SUCCESS, "the end after MPI_Cancel");
  int cancelled = 1;
  MPI_Test_cancelled(&status, &cancelled);
  need(cancelled == 0, "a status says cancelled");
  need_data(data);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

void handle(MPI_Comm*, int*, ...) { ++handled; }

void wrong_arguments_are_the_mpis_to_refuse() {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(handle, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  handled = 0;
  int value = 1;
  MPI_Request request = MPI_REQUEST_NULL;
  need(MPI_Ibcast(&value, 1, MPI_INT, ranks + 3, comm, &request) != MPI_SUCCESS, "a root that is not a rank was taken");
  need(handled == 1, "the program's error handler was not called once");
  MPI_Errhandler_free(&handler);
  MPI_Comm_free(&comm);
}

void from_several_threads() {
  std::vector<MPI_Comm> comms(3);
  for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  std::vector<std::thread> threads;
  for (const MPI_Comm comm : comms) {
    threads.emplace_back([comm] {
      for (int i = 0; i < 30; ++i) {
        std::vector<int> first;
        std::vector<int> second;
        MPI_Request requests[] = {begin_bcast(first, comm), begin_bcast(second, comm)};
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        need_data(first);
        need_data(second);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  const bool threads = argc > 1 && std::strcmp(argv[1], "threads") == 0;
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (threads && level == MPI_THREAD_MULTIPLE) from_several_threads();
  if (ranks > 1) busy_elsewhere();
  beginning_waits_for_nobody();
  many_at_the_same_time();
  if (ranks > 1) cancelled_calls_are_refused();
  wrong_arguments_are_the_mpis_to_refuse();
  std::vector<int> data;
  MPI_Request last = begin_bcast(data, MPI_COMM_WORLD);
  MPI_Wait(&last, MPI_STATUS_IGNORE);
  if (rank == 0) std::puts("right");
  MPI_Finalize();
  return 0;
}
