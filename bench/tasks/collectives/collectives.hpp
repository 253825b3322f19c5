#pragma once
/// \file
/// How long does a collective take? Each rank calls it several times in a row, with the roots in turn, between two
/// barriers: a block. The time of a block is that of its slowest rank. The data is checked before anything is timed.
///
///     mpirun -np N PROGRAM COLLECTIVE[,…] BYTES[,…] BLOCKS [peer's own arguments]
///
/// Prints a JSON line for each collective and size: {"collective", "bytes", "ranks", "machines", "calls", "us": [one a
/// block]}, microseconds for one call. BYTES are as in CollectiveCall: what one rank has for one other, or the whole
/// vector.

#include <mpi.h>

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

namespace ayatori::bench {

inline constexpr double seconds_of_a_block = 1e-3;
inline constexpr int max_calls_of_a_block = 1 << 14;
inline constexpr int checked_calls = 40;
inline constexpr double seconds_of_warm_up = 30e-3;

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
    out_.resize(bytes * (is("alltoall") || is("scatter") || is("reduce_scatter") ? ranks_ : 1) / sizeof(std::uint32_t));
    in_.resize(bytes * (is("alltoall") || is("gather") || is("allgather") ? ranks_ : 1) / sizeof(std::uint32_t));
  }

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
  std::vector<std::uint32_t> out_;
  std::vector<std::uint32_t> in_;
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

template <typename Run>
double seconds_of(int calls, const Call& call, Run run) {
  PMPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int i = 0; i < calls; ++i) run(i % call.ranks());
  double seconds = MPI_Wtime() - start;
  PMPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

template <typename Run>
void measure(Call& call, int blocks, Run run) {
  // Each root several times: what is made for it when it is first needed is used again, and a plug-in that compares its
  // first calls with the MPI's own is done with that after the warm-up.
  for (int i = 0; i < checked_calls * (call.has_root() ? call.ranks() : 1); ++i) {
    const int root = i % call.ranks();
    call.fill(root);
    run(root);
    call.check(root);
  }
  for (double warm = 0; warm < seconds_of_warm_up;) warm += seconds_of(16, call, run);
  int calls = 1;
  while (calls < max_calls_of_a_block && seconds_of(calls, call, run) < seconds_of_a_block / 2) calls *= 2;
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
  MPI_Finalize();
  return 0;
}

}  // namespace ayatori::bench
