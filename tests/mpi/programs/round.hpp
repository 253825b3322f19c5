#pragma once
// What a round of check_collectives or check_nonblocking draws, and where it says what is wrong.

#include <cstdio>
#include <cstdlib>
#include <string>

#include "drawn.hpp"
#include "mpis_own.hpp"

inline int rank = 0;
inline int ranks = 1;
inline int failures = 0;
inline std::string what;  // is being called

/// For a program that hangs or is killed.
inline void trace() {
  if (std::getenv("CHECK_TRACE") != nullptr) std::fprintf(stderr, "%d: %s\n", rank, what.c_str());
}

inline void check(bool right, const char* where) {
  if (right) return;
  ++failures;
  if (failures < 10) std::printf("rank %d of %d: %s: wrong %s\n", rank, ranks, what.c_str(), where);
}

/// The same random numbers on all ranks (`all`), and different ones (`own`).
struct Round {
  Drawn& all;
  Drawn& own;
  std::vector<IntType>& types;
  MPI_Comm comm;
  int max_ints;
  int root = 0;

  IntType type() { return types[static_cast<std::size_t>(all.below(static_cast<int>(types.size())))]; }
  /// An even number, so that elements of two fit.
  int ints() { return all.once_in(6) ? 0 : all.once_in(3) ? 2 * all.below(max_ints / 2 + 1) : 2 * all.below(20); }
  /// Ranks may have other layouts for the same data.
  IntType own_type() {
    return all.once_in(2) ? type() : types[static_cast<std::size_t>(own.below(static_cast<int>(types.size())))];
  }
};

inline std::vector<int> drawn_ints(Round& round) {
  std::vector<int> ints;
  for (int r = 0; r < ranks; ++r) ints.push_back(round.ints());
  return ints;
}

/// The program: run(seed, rounds, max_ints, comm) by its words SEED ROUNDS [MAX_INTS]. Its exit status.
template <typename Run>
int run_rounds(int argc, char** argv, Run run) {
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
