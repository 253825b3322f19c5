// check_nonblocking SEED ROUNDS [MAX_INTS]: begins several collectives that do not block (MPI_I…), with random
// datatypes, counts, operations and roots, among messages and calls that block, and ends them in an order that each
// rank draws for itself. The results must be those of the MPI's own that block (MPIS_OWN), gaps and margins included.
// Prints what differs; exit status 1 then.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "begun_calls.hpp"

namespace {

/// Ends all requests, in an order and by functions that this rank draws.
void end_all(std::vector<MPI_Request>& requests, Drawn& own) {
  const int count = static_cast<int>(requests.size());
  std::vector<MPI_Status> statuses(requests.size());
  std::vector<int> indices(requests.size());
  int which = 0;
  int done = 0;
  for (int left = count; left > 0;) {
    MPI_Request& one = requests[static_cast<std::size_t>(own.below(count))];
    const bool is_open = one != MPI_REQUEST_NULL;
    switch (own.below(8)) {
      case 0:
        MPI_Wait(&one, &statuses[0]);
        left -= is_open ? 1 : 0;
        break;
      case 1:
        MPI_Test(&one, &done, &statuses[0]);
        left -= is_open && done != 0 ? 1 : 0;
        break;
      case 2:
        MPI_Waitany(count, requests.data(), &which, MPI_STATUS_IGNORE);
        --left;
        break;
      case 3:
        MPI_Testany(count, requests.data(), &which, &done, MPI_STATUS_IGNORE);
        left -= done;
        break;
      case 4:
        MPI_Waitsome(count, requests.data(), &done, indices.data(), statuses.data());
        left -= done;
        break;
      case 5:
        MPI_Testsome(count, requests.data(), &done, indices.data(), MPI_STATUSES_IGNORE);
        left -= done;
        break;
      case 6:
        MPI_Testall(count, requests.data(), &done, statuses.data());
        left = done != 0 ? 0 : left;
        break;
      default:
        if (own.once_in(4)) {
          MPI_Waitall(count, requests.data(), statuses.data());
          left = 0;
        }
        break;
    }
  }
  for (const MPI_Request request : requests) check(request == MPI_REQUEST_NULL, "request that is over");
}

void run(std::uint64_t seed, int rounds, int max_ints, MPI_Comm comm) {
  Drawn all(seed);
  Drawn own(seed * 1000003 + static_cast<std::uint64_t>(rank) + 1);
  std::vector<IntType> types = make_int_types();
  const Operations operations;
  for (int i = 0; i < rounds; ++i) {
    what = "seed " + std::to_string(seed) + ", round " + std::to_string(i);
    const int begun = 1 + all.below(6);
    std::vector<Pending> pending;
    std::vector<MPI_Request> requests;
    pending.reserve(32);
    requests.reserve(32);
    for (int k = 0; k < begun; ++k) {
      Round round{all, own, types, comm, max_ints, all.below(ranks)};
      Calls calls{round, operations, pending, requests};
      calls.any();
      if (all.once_in(4)) calls.messages();
      if (all.once_in(5)) MPI_Barrier(comm);
    }
    end_all(requests, own);
    for (const Pending& one : pending) {
      if (!(one.received == one.expected)) check(false, ("data of " + one.name).c_str());
    }
  }
  free_int_types(types);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::uint64_t seed = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 140;
  const int max_ints = argc > 3 ? std::atoi(argv[3]) : 5000;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  run(seed, rounds, max_ints, MPI_COMM_WORLD);
  MPIS_OWN(Allreduce)(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%d rounds, %d failures\n", rounds, failures);
  MPI_Finalize();
  return failures == 0 ? 0 : 1;
}
