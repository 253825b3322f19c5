/// How much of a communication is hidden by a computation? Started by the launcher of the MPI, with two processes or
/// more:
///
///     overlap_mpi_FAMILY CALL KERNEL BYTES REPEATS [WARM_UP_SECONDS]
///
/// CALL: isend (from rank 0 to rank 1) or iallreduce (of doubles). KERNEL: arithmetic, or memory (a triad over arrays
/// that fit into no cache). The computation is made as long as the communication is alone. Then three things take
/// turns, each after a barrier: the communication alone (begun and waited for), the computation alone, and both (begun,
/// computed, waited for). A time is that of the slowest rank. Rank 0 prints one JSON line:
///
///     communication, computation, both   medians in seconds, each with its quartiles
///     computing, waiting                 the same of two parts of `both`: how long the computation took meanwhile, and
///     how
///                                        long the communication was waited for after it
///     overlap                            (communication + computation − both) / min(communication, computation): 1 if
///                                        the shorter one costs nothing, 0 if one comes after the other, and less if
///                                        they hinder each other. Of each turn; median and quartiles
///
/// What was received is checked after every turn.
///
///     overlap_mpi_FAMILY idle SECONDS
///
/// has nothing under way for so long, and prints which share of a core each thread named "ayatori" used meanwhile, by
/// the kernel's account (/proc/self/task/N/schedstat).

#include <mpi.h>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

int rank = 0;
int ranks = 1;

[[noreturn]] void give_up(const char* what) {
  std::fprintf(stderr, "overlap: rank %d: %s\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::exit(1);
}

/// A turn's communication: other data each time.
class Communication {
 public:
  Communication(const std::string& call, std::size_t bytes)
      : reduces_(call == "iallreduce"), sent_(bytes / sizeof(double)), received_(sent_.size()) {
    if (!reduces_ && call != "isend") give_up("CALL is isend or iallreduce");
    if (ranks < 2) give_up("two processes at least are needed");
  }

  void prepare(int turn) {
    turn_ = turn;
    for (std::size_t i = 0; i < sent_.size(); ++i) sent_[i] = value(rank, i);
    std::fill(received_.begin(), received_.end(), -1);
  }

  void begin() {
    const int count = static_cast<int>(sent_.size());
    if (reduces_) {
      MPI_Iallreduce(sent_.data(), received_.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request_);
    } else if (rank == 0) {
      MPI_Isend(sent_.data(), count, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, &request_);
    } else if (rank == 1) {
      MPI_Irecv(received_.data(), count, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, &request_);
    }
  }

  void wait() { MPI_Wait(&request_, MPI_STATUS_IGNORE); }

  void check() const {
    if (!reduces_ && rank != 1) return;
    for (std::size_t i = 0; i < received_.size(); ++i) {
      double expected = reduces_ ? 0 : value(0, i);
      for (int r = 0; reduces_ && r < ranks; ++r) expected += value(r, i);
      if (received_[i] != expected) give_up("what was received is wrong");
    }
  }

 private:
  /// Whole numbers: their sum is exact.
  [[nodiscard]] double value(int from, std::size_t i) const {
    return static_cast<double>((static_cast<std::size_t>(turn_) * 31 + static_cast<std::size_t>(from) * 17 + i) % 1000);
  }

  bool reduces_;
  int turn_ = 0;
  std::vector<double> sent_;
  std::vector<double> received_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

class Kernel {
 public:
  explicit Kernel(const std::string& name) : uses_memory_(name == "memory") {
    if (!uses_memory_ && name != "arithmetic") give_up("KERNEL is arithmetic or memory");
    if (!uses_memory_) return;
    constexpr std::size_t elements = std::size_t{8} << 20;  // 64 MiB each
    a_.assign(elements, 1);
    b_.assign(elements, 2);
    c_.assign(elements, 3);
  }

  /// Some microseconds each.
  void compute(long units) {
    for (long unit = 0; unit < units; ++unit) {
      if (uses_memory_) {
        triad();
      } else {
        arithmetic();
      }
    }
  }

  [[nodiscard]] double result() const { return x_ + (a_.empty() ? 0 : a_[place_]); }

 private:
  void arithmetic() {
    for (int i = 0; i < 2000; ++i) x_ = x_ * 0.999999 + 1e-6;
  }

  /// The next part of the arrays.
  void triad() {
    constexpr std::size_t part = 8192;
    if (place_ + part > a_.size()) place_ = 0;
    for (std::size_t i = place_; i < place_ + part; ++i) a_[i] = b_[i] + 0.5 * c_[i];
    place_ += part;
  }

  bool uses_memory_;
  double x_ = 1;
  std::size_t place_ = 0;
  std::vector<double> a_;
  std::vector<double> b_;
  std::vector<double> c_;
};

double of_slowest_rank(double seconds) {
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

/// Seconds of the slowest rank.
template <typename Work>
double time_of(Work work) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  work();
  return of_slowest_rank(MPI_Wtime() - begin);
}

double quantile(std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1) + 0.5)];
}

std::string summary(const char* name, const std::vector<double>& values) {
  char text[200];
  std::snprintf(text, sizeof text, "\"%s\": {\"median\": %.6g, \"quartiles\": [%.6g, %.6g]}", name,
                quantile(values, 0.5), quantile(values, 0.25), quantile(values, 0.75));
  return text;
}

struct Times {
  std::vector<double> communication;
  std::vector<double> computation;
  std::vector<double> both;
  std::vector<double> computing;
  std::vector<double> waiting;
  std::vector<double> overlap;
};

class Overlap {
 public:
  Overlap(const std::string& call, const std::string& kernel, std::size_t bytes)
      : communication_(call, bytes), kernel_(kernel) {}

  double communicate() {
    return turn([&] {
      communication_.begin();
      communication_.wait();
    });
  }
  double compute() {
    return time_of([&] { kernel_.compute(units_); });
  }
  double do_both() {
    return turn([&] {
      communication_.begin();
      const double begun = MPI_Wtime();
      kernel_.compute(units_);
      const double computed = MPI_Wtime();
      communication_.wait();
      computing_ = computed - begun;
      waiting_ = MPI_Wtime() - computed;
    });
  }

  /// Makes the computation as long as the communication.
  void adjust() {
    std::vector<double> alone;
    for (int i = 0; i < 9; ++i) alone.push_back(communicate());
    const double wanted = quantile(alone, 0.5);
    units_ = 64;
    for (int i = 0; i < 4; ++i) {
      std::vector<double> computed;
      for (int k = 0; k < 5; ++k) computed.push_back(compute());
      units_ = std::max(1L, static_cast<long>(static_cast<double>(units_) * wanted / quantile(computed, 0.5)));
      MPI_Bcast(&units_, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    }
  }

  Times measure(int repeats) {
    Times times;
    for (int i = 0; i < repeats; ++i) {
      times.communication.push_back(communicate());
      times.computation.push_back(compute());
      times.both.push_back(do_both());
      times.computing.push_back(of_slowest_rank(computing_));
      times.waiting.push_back(of_slowest_rank(waiting_));
      const double shorter = std::min(times.communication.back(), times.computation.back());
      times.overlap.push_back((times.communication.back() + times.computation.back() - times.both.back()) / shorter);
    }
    return times;
  }

  [[nodiscard]] double result() const { return kernel_.result(); }

 private:
  template <typename Work>
  double turn(Work work) {
    communication_.prepare(++turn_);
    const double seconds = time_of(work);
    communication_.check();
    return seconds;
  }

  Communication communication_;
  Kernel kernel_;
  long units_ = 64;
  int turn_ = 0;
  double computing_ = 0;  ///< of the last do_both(), on this rank
  double waiting_ = 0;
};

/// Nanoseconds on a core, of all threads of this name.
double used_by(const std::string& name) {
  double used = 0;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string comm;
    std::ifstream(thread.path() / "comm") >> comm;
    double nanoseconds = 0;
    if (comm == name && std::ifstream(thread.path() / "schedstat") >> nanoseconds) used += nanoseconds;
  }
  return used;
}

void idle(double seconds) {
  const std::string name = "ayatori";
  std::vector<int> data(1000000);  // the thread has had something to do
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(data.data(), 1000000, MPI_INT, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  usleep(100000);
  const double before = used_by(name);
  usleep(static_cast<useconds_t>(seconds * 1e6));
  const double share = (used_by(name) - before) / (seconds * 1e9);
  if (rank == 0) {
    std::printf("{\"idle\": %g, \"used_before\": %g, \"share_of_a_core\": %g}\n", seconds, before / 1e9, share);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc == 3 && std::string(argv[1]) == "idle") {
    idle(std::atof(argv[2]));
    MPI_Finalize();
    return 0;
  }
  if (argc < 5) give_up("overlap CALL KERNEL BYTES REPEATS [WARM_UP_SECONDS]");
  Overlap overlap(argv[1], argv[2], std::strtoull(argv[3], nullptr, 10));
  const int repeats = std::max(1, std::atoi(argv[4]));
  overlap.adjust();
  for (double left = argc > 5 ? std::atof(argv[5]) : 0; left > 0;) left -= overlap.do_both();
  const Times times = overlap.measure(repeats);
  if (rank == 0) {
    std::printf("{\"call\": \"%s\", \"kernel\": \"%s\", \"bytes\": %s, \"repeats\": %d, ", argv[1], argv[2], argv[3],
                repeats);
    std::printf("%s, %s, ", summary("communication", times.communication).c_str(),
                summary("computation", times.computation).c_str());
    std::printf("%s, %s, %s, ", summary("both", times.both).c_str(), summary("computing", times.computing).c_str(),
                summary("waiting", times.waiting).c_str());
    std::printf("%s, \"computed\": %g}\n", summary("overlap", times.overlap).c_str(), overlap.result());
  }
  MPI_Finalize();
  return 0;
}
