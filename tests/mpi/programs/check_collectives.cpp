// check_collectives SEED ROUNDS [MAX_INTS]: calls collectives with random datatypes, counts, operations and roots, once
// through the plug-in (MPI_…) and once not (MPIS_OWN), and compares all memory that was handed over, gaps and margins
// included. Prints what differs; exit status 1 then.
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "reductions.hpp"
#include "round.hpp"

namespace {

/// A call by the plug-in, and by the MPI: with two buffers that begin with the same bytes.
void compare_filled(Buffer& received, const std::function<int(bool, void*)>& call) {
  Buffer expected = received;
  check(call(true, received.data()) == MPI_SUCCESS, "return code");
  call(false, expected.data());
  check(received == expected, "data");
}

void compare(Buffer& received, Drawn& own, const std::function<int(bool, void*)>& call) {
  received.fill(own);
  compare_filled(received, call);
}

int per(int ints, const IntType& type) { return ints / type.ints; }

void bcast(Round& round) {
  const int ints = round.ints();
  const IntType type = round.own_type();
  Buffer buffer(type.type, per(ints, type));
  compare(buffer, round.own, [&](bool ours, void* data) {
    return (ours ? &MPI_Bcast : MPIS_OWN(Bcast))(data, per(ints, type), type.type, round.root, round.comm);
  });
}

void gather(Round& round) {
  const int ints = round.ints();
  const IntType from = round.own_type();
  const IntType to = round.own_type();
  const bool in_place = round.all.once_in(3) && rank == round.root;
  Buffer sent(from.type, per(ints, from));
  sent.fill(round.own);
  const Buffer before = sent;
  Buffer received(to.type, long{per(ints, to)} * ranks);
  compare(received, round.own, [&](bool ours, void* data) {
    return (ours ? &MPI_Gather : MPIS_OWN(Gather))(in_place ? MPI_IN_PLACE : sent.data(), per(ints, from), from.type,
                                                   data, per(ints, to), to.type, round.root, round.comm);
  });
  check(sent == before, "sent data");
}

void scatter(Round& round) {
  const int ints = round.ints();
  const IntType from = round.own_type();
  const IntType to = round.own_type();
  const bool in_place = round.all.once_in(3) && rank == round.root;
  Buffer sent(from.type, long{per(ints, from)} * ranks);
  sent.fill(round.own);
  const Buffer before = sent;
  Buffer received(to.type, per(ints, to));
  compare(received, round.own, [&](bool ours, void* data) {
    return (ours ? &MPI_Scatter : MPIS_OWN(Scatter))(sent.data(), per(ints, from), from.type,
                                                     in_place ? MPI_IN_PLACE : data, per(ints, to), to.type, round.root,
                                                     round.comm);
  });
  check(sent == before, "sent data");
}

void allgather(Round& round) {
  const int ints = round.ints();
  const IntType from = round.own_type();
  const IntType to = round.own_type();
  const bool in_place = round.all.once_in(3);
  Buffer sent(from.type, per(ints, from));
  sent.fill(round.own);
  Buffer received(to.type, long{per(ints, to)} * ranks);
  compare(received, round.own, [&](bool ours, void* data) {
    return (ours ? &MPI_Allgather : MPIS_OWN(Allgather))(in_place ? MPI_IN_PLACE : sent.data(), per(ints, from),
                                                         from.type, data, per(ints, to), to.type, round.comm);
  });
}

/// MPI_Alltoall by the MPI's own MPI_Alltoallv.
int equal_alltoallv(const void* sent, int send_count, MPI_Datatype send_type, void* received, int receive_count,
                    MPI_Datatype receive_type, MPI_Comm comm) {
  const auto blocks = static_cast<std::size_t>(ranks);
  const std::vector<int> send_counts(blocks, send_count);
  const std::vector<int> receive_counts(blocks, receive_count);
  std::vector<int> send_at(blocks);
  std::vector<int> receive_at(blocks);
  for (std::size_t i = 0; i < blocks; ++i) {
    send_at[i] = static_cast<int>(i) * send_count;
    receive_at[i] = static_cast<int>(i) * receive_count;
  }
  return MPIS_OWN(Alltoallv)(sent, send_counts.data(), send_at.data(), send_type, received, receive_counts.data(),
                             receive_at.data(), receive_type, comm);
}

void alltoall(Round& round) {
  const int ints = round.ints();
  const IntType from = round.own_type();
  const IntType to = round.own_type();
  const bool in_place = round.all.once_in(3);
  Buffer sent(from.type, long{per(ints, from)} * ranks);
  sent.fill(round.own);
  const Buffer before = sent;
  Buffer received(to.type, long{per(ints, to)} * ranks);
  // Open MPI 4.1's own functions write beside the buffers if the type has gaps, in place and, from 12 ranks on, in
  // Bruck's algorithm: the reference is its MPI_Alltoallv, and not in place.
  received.fill(round.own);
  const Buffer received_before = received;
  compare_filled(received, [&](bool ours, void* data) {
    const int send_count = per(ints, from);
    const int receive_count = per(ints, to);
    if (ours) {
      return in_place ? MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, data, receive_count, to.type, round.comm)
                      : MPI_Alltoall(sent.data(), send_count, from.type, data, receive_count, to.type, round.comm);
    }
    Buffer from_place = received_before;
    const IntType& type = in_place ? to : from;
    const int count = in_place ? receive_count : send_count;
    return equal_alltoallv(in_place ? from_place.data() : sent.data(), count, type.type, data, receive_count, to.type,
                           round.comm);
  });
  check(sent == before, "sent data");
}

/// Blocks of random sizes at random distances, in any order of ranks.
struct Blocks {
  std::vector<int> counts;
  std::vector<int> at;
  long end = 0;

  Blocks(const std::vector<int>& ints, const IntType& type, Drawn& own) : counts(ints.size()), at(ints.size()) {
    const bool backwards = own.once_in(2);
    for (std::size_t i = 0; i < ints.size(); ++i) {
      const std::size_t r = backwards ? ints.size() - 1 - i : i;
      counts[r] = per(ints[r], type);
      at[r] = static_cast<int>(end);
      end += counts[r] + own.below(3);
    }
  }
};

void gatherv(Round& round) {
  const std::vector<int> ints = drawn_ints(round);
  const IntType from = round.own_type();
  const IntType to = round.own_type();
  const Blocks blocks(ints, to, round.own);
  const bool in_place = round.all.once_in(3) && rank == round.root;
  const int mine = per(ints[static_cast<std::size_t>(rank)], from);
  Buffer sent(from.type, mine);
  sent.fill(round.own);
  Buffer received(to.type, blocks.end);
  compare(received, round.own, [&](bool ours, void* data) {
    return (ours ? &MPI_Gatherv : MPIS_OWN(Gatherv))(in_place ? MPI_IN_PLACE : sent.data(), mine, from.type, data,
                                                     blocks.counts.data(), blocks.at.data(), to.type, round.root,
                                                     round.comm);
  });
}

void scatterv(Round& round) {
  const std::vector<int> ints = drawn_ints(round);
  const IntType from = round.own_type();
  const IntType to = round.own_type();
  const Blocks blocks(ints, from, round.own);
  const bool in_place = round.all.once_in(3) && rank == round.root;
  const int mine = per(ints[static_cast<std::size_t>(rank)], to);
  Buffer sent(from.type, blocks.end);
  sent.fill(round.own);
  Buffer received(to.type, mine);
  compare(received, round.own, [&](bool ours, void* data) {
    return (ours ? &MPI_Scatterv : MPIS_OWN(Scatterv))(sent.data(), blocks.counts.data(), blocks.at.data(), from.type,
                                                       in_place ? MPI_IN_PLACE : data, mine, to.type, round.root,
                                                       round.comm);
  });
}

void allgatherv(Round& round) {
  const std::vector<int> ints = drawn_ints(round);
  // Open MPI 4.1 multiplies the size of the type that it sends with the counts that it receives when it chooses its own
  // algorithm: ranks with other types would choose another one.
  const IntType from = round.type();
  const IntType to = round.type();
  const Blocks blocks(ints, to, round.own);
  const bool in_place = round.all.once_in(3);
  const int mine = per(ints[static_cast<std::size_t>(rank)], from);
  Buffer sent(from.type, mine);
  sent.fill(round.own);
  Buffer received(to.type, blocks.end);
  compare(received, round.own, [&](bool ours, void* data) {
    return (ours ? &MPI_Allgatherv : MPIS_OWN(Allgatherv))(in_place ? MPI_IN_PLACE : sent.data(), mine, from.type, data,
                                                           blocks.counts.data(), blocks.at.data(), to.type, round.comm);
  });
}

void alltoallv(Round& round) {
  // In place, what a rank sends to another is as long as what it gets from it.
  const bool in_place = round.all.once_in(3);
  std::vector<int> to_ints(static_cast<std::size_t>(ranks));
  std::vector<int> from_ints(to_ints.size());
  for (int a = 0; a < ranks; ++a) {
    for (int b = 0; b < ranks; ++b) {
      if (in_place && b < a) continue;
      const int ints = round.ints();
      if (a == rank) to_ints[static_cast<std::size_t>(b)] = ints;
      if (b == rank) from_ints[static_cast<std::size_t>(a)] = ints;
      if (in_place && a == rank) from_ints[static_cast<std::size_t>(b)] = ints;
    }
  }
  const IntType from = round.own_type();
  const IntType to = round.own_type();
  const Blocks leaving(to_ints, from, round.own);
  const Blocks arriving(from_ints, to, round.own);
  Buffer sent(from.type, leaving.end);
  sent.fill(round.own);
  Buffer received(to.type, arriving.end);
  received.fill(round.own);
  const Buffer received_before = received;
  compare_filled(received, [&](bool ours, void* data) {
    const int* const counts = arriving.counts.data();
    const int* const at = arriving.at.data();
    if (!in_place) {
      return (ours ? &MPI_Alltoallv : MPIS_OWN(Alltoallv))(sent.data(), leaving.counts.data(), leaving.at.data(),
                                                           from.type, data, counts, at, to.type, round.comm);
    }
    if (ours) return MPI_Alltoallv(MPI_IN_PLACE, nullptr, nullptr, MPI_INT, data, counts, at, to.type, round.comm);
    Buffer before = received_before;
    return MPIS_OWN(Alltoallv)(before.data(), counts, at, to.type, data, counts, at, to.type, round.comm);
  });
}

void barrier(Round& round) { check(MPI_Barrier(round.comm) == MPI_SUCCESS, "return code"); }

void run(std::uint64_t seed, int rounds, int max_ints, MPI_Comm comm) {
  Drawn all(seed);
  Drawn own(seed * 1000003 + static_cast<std::uint64_t>(rank) + 1);
  std::vector<IntType> types = make_int_types();
  const Operations operations;
  const std::pair<const char*, std::function<void(Round&)>> calls[] = {
      {"Barrier", barrier},
      {"Bcast", bcast},
      {"Gather", gather},
      {"Scatter", scatter},
      {"Allgather", allgather},
      {"Alltoall", alltoall},
      {"Gatherv", gatherv},
      {"Scatterv", scatterv},
      {"Allgatherv", allgatherv},
      {"Alltoallv", alltoallv},
      {"Reduce", [&](Round& round) { reduce(round, operations); }},
      {"Allreduce", [&](Round& round) { allreduce(round, operations); }},
      {"Reduce_scatter_block", [&](Round& round) { reduce_scatter(round, operations, true); }},
      {"Reduce_scatter", [&](Round& round) { reduce_scatter(round, operations, false); }},
  };
  for (int i = 0; i < rounds; ++i) {
    const auto& [name, call] = calls[static_cast<std::size_t>(i) % std::size(calls)];
    what = "seed " + std::to_string(seed) + ", round " + std::to_string(i) + ", " + name;
    Round round{all, own, types, comm, max_ints, all.below(ranks)};
    trace();
    call(round);
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
