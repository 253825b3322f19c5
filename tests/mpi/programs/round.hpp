#pragma once
// What a round of check_collectives draws, and where it says what is wrong.

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
