#pragma once
/// \file
/// How long does a collective take? Each rank calls it several times in a row, with the roots cyclically, between two
/// barriers: a block. The time of a block is that of its slowest rank. The data is checked before anything is timed.
///
/// All that is repeated ends after a time, too: of MPICH over UCX, which waits for messages without giving its core to
/// others, each call of 8 ranks on 2 cores takes 10 to 70 ms.
///
///     mpirun -np N PROGRAM COLLECTIVE[,…] BYTES[,…] BLOCKS [peer's own arguments]
///
/// Prints a JSON line for each collective and size: {"collective", "bytes", "ranks", "machines", "calls", "us": [one a
/// block]}, microseconds for one call. BYTES are as in CollectiveCall: what one rank has for one other, or the whole
/// vector.

#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "harness/leave_mpi.h"

namespace ayatori::bench {

inline constexpr double seconds_of_a_block = 1e-3;
inline constexpr int max_calls_of_a_block = 1 << 14;
inline constexpr int checked_calls = 40;
inline constexpr double max_seconds_of_checks = 0.25;  ///< after each root's first call
inline constexpr double seconds_of_warm_up = 100e-3;
inline constexpr int calls_of_warm_up = 256;
inline constexpr double max_seconds_of_warm_up = 1;
inline constexpr double max_seconds_for_all_roots = 0.2;  ///< in one block

[[noreturn]] inline void stop(const std::string& why) {
  std::fprintf(stderr, "error: %s\n", why.c_str());
  MPI_Abort(MPI_COMM_WORLD, 2);
  std::exit(2);
}

inline std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> found;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, ',');) found.push_back(word);
  return found;
}

/// One collective of one size, with the memory for it.
class Call {
 public:
  Call(const std::string& collective, std::size_t bytes) : collective_(collective), bytes_(bytes) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    if (bytes % sizeof(std::uint32_t) != 0) stop("sizes are multiples of 4");
    place(bytes * (is("alltoall") || is("scatter") || is("reduce_scatter") ? ranks_ : 1) / sizeof(std::uint32_t),
          bytes * (is("alltoall") || is("gather") || is("allgather") ? ranks_ : 1) / sizeof(std::uint32_t));
  }

  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  [[nodiscard]] bool is(const char* name) const { return collective_ == name; }
  [[nodiscard]] const std::string& collective() const { return collective_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] int count() const { return static_cast<int>(bytes_ / sizeof(std::uint32_t)); }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int ranks() const { return ranks_; }
  [[nodiscard]] bool has_root() const { return is("broadcast") || is("reduce") || is("gather") || is("scatter"); }
  [[nodiscard]] std::uint32_t* out() { return out_.data(); }
  /// Of a broadcast also what the root sends.
  [[nodiscard]] std::uint32_t* in() { return in_.data(); }

  [[nodiscard]] std::span<std::uint32_t> out_memory() { return out_; }
  [[nodiscard]] std::span<std::uint32_t> in_memory() { return in_; }

  /// Before a call whose result is checked.
  void fill(int root) {
    for (std::size_t i = 0; i < out_.size(); ++i) out_[i] = value(rank_, i);
    for (std::size_t i = 0; i < in_.size(); ++i) in_[i] = is("broadcast") && rank_ == root ? value(root, i) : ~0U;
  }

  void check(int root) const {
    if (has_root() && !is("broadcast") && !is("scatter") && rank_ != root) return;
    for (std::size_t i = 0; i < in_.size(); ++i) {
      if (in_[i] != expected(i, root)) stop(collective_ + " of " + std::to_string(bytes_) + " bytes: wrong result");
    }
  }

 private:
  /// Both begin at fixed places of a page, half a page apart. Sums take twice as long where one is 16 bytes after the
  /// other, modulo a page: the processor then takes loads for those of the last store. In a heap, a library that is
  /// preloaded decides whether they are.
  void place(std::size_t out, std::size_t in) {
    constexpr std::size_t page = 4096 / sizeof(std::uint32_t);
    const std::size_t second = (out + page - 1) / page * page + page / 2;
    memory_.resize(page + second + in);
    std::uint32_t* const first =
        memory_.data() +
        (page - reinterpret_cast<std::uintptr_t>(memory_.data()) / sizeof(std::uint32_t) % page) % page;
    out_ = {first, out};
    in_ = {first + second, in};
  }

  /// Element i of what `rank` has at the start.
  static std::uint32_t value(int rank, std::size_t i) {
    return static_cast<std::uint32_t>(i * 2654435761U) ^ static_cast<std::uint32_t>(rank + 1) * 40503U;
  }

  [[nodiscard]] std::uint32_t sum(std::size_t i) const {
    std::uint32_t total = 0;
    for (int rank = 0; rank < ranks_; ++rank) total += value(rank, i);
    return total;
  }

  [[nodiscard]] std::uint32_t expected(std::size_t i, int root) const {
    const std::size_t block = bytes_ / sizeof(std::uint32_t);
    if (is("broadcast")) return value(root, i);
    if (is("scatter")) return value(root, static_cast<std::size_t>(rank_) * block + i);
    if (is("gather") || is("allgather")) return value(static_cast<int>(i / block), i % block);
    if (is("alltoall")) return value(static_cast<int>(i / block), static_cast<std::size_t>(rank_) * block + i % block);
    if (is("reduce_scatter")) return sum(static_cast<std::size_t>(rank_) * block + i);
    return sum(i);
  }

  std::string collective_;
  std::size_t bytes_;
  int rank_ = 0;
  int ranks_ = 1;
  std::vector<std::uint32_t> memory_;
  std::span<std::uint32_t> out_;  ///< in memory_
  std::span<std::uint32_t> in_;
};

/// On how many machines the ranks are: those that can share memory are on one.
inline int count_machines() {
  MPI_Comm machine = MPI_COMM_NULL;
  PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  int local = 0;
  PMPI_Comm_rank(machine, &local);
  PMPI_Comm_free(&machine);
  int machines = local == 0 ? 1 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &machines, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return machines;
}

/// Waits without keeping others from the core: where ranks share cores they begin soon after each other only so.
inline void finish(MPI_Request request) {
  for (int is_over = 0;;) {
    PMPI_Test(&request, &is_over, MPI_STATUS_IGNORE);
    if (is_over != 0) return;
    sched_yield();
  }
}

inline void meet() {
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Ibarrier(MPI_COMM_WORLD, &request);
  finish(request);
}

inline double longest(double mine) {
  double of_all = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Iallreduce(&mine, &of_all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &request);
  finish(request);
  return of_all;
}

/// Roots go on cyclically from one block to the next.
template <typename Run>
double seconds_of(int calls, const Call& call, Run run) {
  static int root = 0;
  meet();
  const double start = MPI_Wtime();
  for (int i = 0; i < calls; ++i) {
    root = root + 1 < call.ranks() ? root + 1 : 0;
    run(root);
  }
  return longest(MPI_Wtime() - start);
}

/// Each root several times: what is made for it when it is first needed is used again.
template <typename Run>
void check_first_calls(Call& call, Run run) {
  const int roots = call.has_root() ? call.ranks() : 1;
  double seconds = 0;
  for (int round = 0; round < checked_calls && seconds < max_seconds_of_checks; ++round) {
    seconds -= MPI_Wtime();
    for (int root = 0; root < roots; ++root) {
      call.fill(root);
      run(root);
      call.check(root);
    }
    seconds = longest(seconds + MPI_Wtime());  // all go on, or none
  }
}

/// A plug-in that compares its first calls with the MPI's own is done with that afterwards.
template <typename Run>
void warm_up(Call& call, Run run) {
  constexpr int calls_at_once = 8;
  double seconds = 0;
  for (int calls = 0; seconds < max_seconds_of_warm_up; calls += calls_at_once) {
    if (calls >= calls_of_warm_up && seconds >= seconds_of_warm_up) return;
    seconds += seconds_of(calls_at_once, call, run);
  }
}

/// So many that they take about a millisecond, and that each root is called, unless this takes too long.
template <typename Run>
int calls_of_a_block(Call& call, Run run) {
  int calls = 1;
  double seconds = 0;
  while ((seconds = seconds_of(calls, call, run)) < seconds_of_a_block / 2 && calls < max_calls_of_a_block) calls *= 2;
  if (!call.has_root() || calls >= call.ranks()) return calls;
  const double in_time = max_seconds_for_all_roots / (seconds / calls);
  return std::max(calls, in_time < call.ranks() ? static_cast<int>(in_time) : call.ranks());
}

template <typename Run>
void measure(Call& call, int blocks, Run run) {
  check_first_calls(call, run);
  warm_up(call, run);
  const int calls = calls_of_a_block(call, run);
  std::string line;
  for (int i = 0; i < blocks; ++i) {
    char text[32];
    std::snprintf(text, sizeof text, "%s%.3f", i == 0 ? "" : ", ", seconds_of(calls, call, run) / calls * 1e6);
    line += text;
  }
  const int machines = count_machines();
  if (call.rank() != 0) return;
  std::printf(
      "{\"collective\": \"%s\", \"bytes\": %zu, \"ranks\": %d, \"machines\": %d, \"calls\": %d, \"us\": [%s]}\n",
      call.collective().c_str(), call.bytes(), call.ranks(), machines, calls, line.c_str());
  std::fflush(stdout);
}

/// make(call) gives what runs the call: a function of the root.
template <typename Make>
int run_program(int argc, char** argv, Make make) {
  MPI_Init(&argc, &argv);
  if (argc < 4) stop("COLLECTIVE[,...] BYTES[,...] BLOCKS");
  for (const std::string& collective : words(argv[1])) {
    for (const std::string& bytes : words(argv[2])) {
      Call call(collective, collective == "barrier" ? 0 : std::strtoull(bytes.c_str(), nullptr, 10));
      measure(call, std::atoi(argv[3]), make(call));
      if (collective == "barrier") break;
    }
  }
  leave_mpi();
  return 0;
}

}  // namespace ayatori::bench
