// check_repeats [TURNS]: makes the same calls again and again, as programs do, with other data each time, in place and
// not, on communicators, datatypes and operations that are freed and made anew, so that handles come to mean others.
// What it gets by the plug-in (MPI_…) must be what it gets without (MPIS_OWN). Prints "right" or what differs.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "mpis_own.hpp"

namespace {

int rank = 0;
int wrong = 0;
unsigned state = 1;

int next_value() {
  state = state * 1664525U + 1013904223U;
  return static_cast<int>(state >> 8) ^ (rank * 7919);
}

std::vector<int> fresh(std::size_t ints) {
  std::vector<int> values(ints);
  for (int& value : values) value = next_value();
  return values;
}

/// call(ours, received): both get a buffer of the same contents.
void compare(const std::string& what, std::size_t ints, const std::function<int(bool, int*)>& call) {
  std::vector<int> received = fresh(ints);
  std::vector<int> expected = received;
  if (call(true, received.data()) != MPI_SUCCESS) ++wrong;
  call(false, expected.data());
  if (received == expected) return;
  ++wrong;
  std::printf("%s differs on rank %d\n", what.c_str(), rank);
}

/// What a communicator's calls are made with.
struct With {
  MPI_Comm comm;
  MPI_Datatype type;
  int type_ints;  ///< of an element
  int count;
  int root;
  MPI_Op op;
  bool in_place;
};

void check_exchanges(const With& with) {
  const auto [comm, type, type_ints, count, root, op, in_place] = with;
  int here = 0;
  int n = 0;
  MPI_Comm_rank(comm, &here);
  MPI_Comm_size(comm, &n);
  const auto block = static_cast<std::size_t>(count) * static_cast<std::size_t>(type_ints);
  const auto all = block * static_cast<std::size_t>(n);
  const std::vector<int> sent = fresh(all);
  const void* const or_in_place = in_place ? MPI_IN_PLACE : static_cast<const void*>(sent.data());
  compare("Allgather", all, [&](bool ours, int* received) {
    return (ours ? &MPI_Allgather : MPIS_OWN(Allgather))(or_in_place, count, type, received, count, type, comm);
  });
  compare("Alltoall", all, [&](bool ours, int* received) {
    return (ours ? &MPI_Alltoall : MPIS_OWN(Alltoall))(or_in_place, count, type, received, count, type, comm);
  });
  const bool at_root_in_place = in_place && here == root;
  compare("Gather", all, [&](bool ours, int* received) {
    return (ours ? &MPI_Gather : MPIS_OWN(Gather))(at_root_in_place ? MPI_IN_PLACE : sent.data(), count, type, received,
                                                   count, type, root, comm);
  });
  compare("Scatter", block, [&](bool ours, int* received) {
    return (ours ? &MPI_Scatter : MPIS_OWN(Scatter))(sent.data(), count, type,
                                                     at_root_in_place ? MPI_IN_PLACE : static_cast<void*>(received),
                                                     count, type, root, comm);
  });
  // The same bytes on the wire, by other types at the receivers.
  compare("Gather of other types", all, [&](bool ours, int* received) {
    return (ours ? &MPI_Gather : MPIS_OWN(Gather))(sent.data(), count, type, received, count * type_ints, MPI_INT, root,
                                                   comm);
  });
  compare("Bcast", block, [&](bool ours, int* received) {
    return (ours ? &MPI_Bcast : MPIS_OWN(Bcast))(received, count, type, root, comm);
  });
}

/// Integers only: sums of them are the same in any order.
void check_reductions(const With& with) {
  const auto [comm, type, type_ints, count, root, op, in_place] = with;
  int here = 0;
  int n = 0;
  MPI_Comm_rank(comm, &here);
  MPI_Comm_size(comm, &n);
  const auto ints = static_cast<std::size_t>(count);
  const std::vector<int> sent = fresh(ints * static_cast<std::size_t>(n));
  const void* const or_in_place = in_place ? MPI_IN_PLACE : static_cast<const void*>(sent.data());
  compare("Allreduce", ints, [&](bool ours, int* received) {
    return (ours ? &MPI_Allreduce : MPIS_OWN(Allreduce))(or_in_place, received, count, MPI_INT, op, comm);
  });
#ifdef OPEN_MPI
  const bool may_be_in_place = here == root;
#else
  const bool may_be_in_place = false;  // MPICH 4.0 itself crashes here
#endif
  compare("Reduce", ints, [&](bool ours, int* received) {
    return (ours ? &MPI_Reduce : MPIS_OWN(Reduce))(may_be_in_place ? or_in_place : sent.data(), received, count,
                                                   MPI_INT, op, root, comm);
  });
  // In place, what is received beyond the own block is undefined.
  compare("Reduce_scatter_block", ints, [&](bool ours, int* received) {
    std::vector<int> in = sent;
    const int code = (ours ? &MPI_Reduce_scatter_block : MPIS_OWN(Reduce_scatter_block))(
        in_place ? MPI_IN_PLACE : sent.data(), in.data(), count, MPI_INT, op, comm);
    std::copy_n(in.data(), ints, received);
    return code;
  });
}

void add_three(void* from, void* to, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i) static_cast<int*>(to)[i] += static_cast<int*>(from)[i];
}

void take_larger(void* from, void* to, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i) {
    static_cast<int*>(to)[i] = std::max(static_cast<int*>(to)[i], static_cast<int*>(from)[i]);
  }
}

void check_on(MPI_Comm comm, int generation, int turns) {
  int n = 0;
  MPI_Comm_size(comm, &n);
  MPI_Datatype made = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(1 + generation % 3, MPI_INT, &made);
  MPI_Type_commit(&made);
  MPI_Op own = MPI_OP_NULL;
  MPI_Op_create(generation % 2 == 0 ? add_three : take_larger, 1, &own);
  for (int turn = 0; turn < turns; ++turn) {
    for (const int count : {1, 0, 60, 2000}) {
      for (int root = 0; root < n; ++root) {
        const bool in_place = (turn + root) % 3 == 2;
        check_exchanges({comm, MPI_INT, 1, count, root, MPI_OP_NULL, in_place});
        check_exchanges({comm, made, 1 + generation % 3, count, root, MPI_OP_NULL, in_place});
        for (const MPI_Op op : {MPI_SUM, MPI_MIN, own}) check_reductions({comm, MPI_INT, 1, count, root, op, in_place});
        MPI_Barrier(comm);
      }
    }
  }
  MPI_Op_free(&own);
  MPI_Type_free(&made);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  state += static_cast<unsigned>(rank);
  const int turns = argc > 1 ? std::atoi(argv[1]) : 60;
  for (int generation = 0; generation < 4; ++generation) {
    MPI_Comm comm = MPI_COMM_NULL;
    // All in turned order, then those of even and odd ranks, …
    MPI_Comm_split(MPI_COMM_WORLD, generation % 2 == 0 ? 0 : rank % 2, generation < 2 ? -rank : rank, &comm);
    check_on(comm, generation, turns);
    MPI_Comm_free(&comm);
  }
  check_on(MPI_COMM_WORLD, 5, turns);
  int all_wrong = 0;
  MPIS_OWN(Allreduce)(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && all_wrong == 0) std::printf("right\n");
  MPI_Finalize();
  return all_wrong == 0 ? 0 : 1;
}
