/// How much of a communication is hidden by a computation? Started by the launcher of the MPI, with two processes or
/// more:
///
///     overlap_mpi_FAMILY CALL KERNEL BYTES REPEATS [WARM_UP_SECONDS [TEST_SECONDS [ORDER [UNITS [SECONDS]]]]]
///
/// CALL: isend (from rank 0 to rank 1), iallreduce (of doubles), ialltoall, ibcast, iallgather; acp: a put of libacp
/// from rank 0 to rank 1. KERNEL: arithmetic, in registers; memory, a triad over arrays that fit into no cache;
/// matrix-vector, whose rows are divided among ranks and OpenMP's threads; matrix-matrix, in the cache. The computation
/// is made as long as the communication alone; with ORDER it is that of matrices of so many rows, and with UNITS so
/// many of the kernel's units, such as an earlier run has printed. SECONDS: there are more rounds than REPEATS until
/// all of them have taken so long, at most a hundred times as many. TEST_SECONDS: the program calls MPI_Test after
/// about so much of its computation, again and again; 0: not at all.
///
/// Four measurements alternate, each after a barrier: the communication alone (begun and waited for), the computation
/// alone, the call that blocks and then the computation, and both (begun, computed, waited for). A time is that of the
/// slowest rank. Rank 0 prints one JSON line:
///
///     communication, computation, sequential, both   medians in seconds, each with its quartiles
///     computing, waiting                 the same of two parts of `both`: how long the computation took meanwhile,
///     with
///                                        its tests, and how long the communication was waited for after it
///     testing                            of computing, what the tests took
///     overlap                            (communication + computation − both) / min(communication, computation): 1 if
///                                        the shorter one costs nothing, 0 if one comes after the other, and less if
///                                        they hinder each other. Of each round; median and quartiles
///     samples                            the times of all rounds
///     units                              of the kernel, in a computation
///     places                             each rank's host, machine and cores
///     threads                            of OpenMP, in a rank
///
/// What was received is checked after every round, and what was computed at the end.

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "calls.hpp"
#include "harness/leave_mpi.h"
#include "harness/rank_placement.hpp"
#include "kernels.hpp"

namespace {

using namespace ayatori::bench;

int rank = 0;
int ranks = 1;

[[noreturn]] void give_up(const char* what) {
  std::fprintf(stderr, "overlap: rank %d: %s\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::exit(1);
}

/// Of arguments, which all ranks have alike: none of them is ended before it was heard.
[[noreturn]] void refuse(const char* what) {
  if (rank == 0) std::fprintf(stderr, "overlap: %s\n", what);
  MPI_Finalize();
  std::exit(1);
}

struct Settings {
  std::string call;
  std::string kernel;
  std::size_t bytes = 0;
  int repeats = 1;
  double warm_up_seconds = 0;
  double test_seconds = 0;
  std::size_t order = 0;
  long units = 0;
  double least_seconds = 0;  ///< of all rounds together
};

Settings settings_of(int argc, char** argv) {
  if (argc < 5) {
    refuse("overlap CALL KERNEL BYTES REPEATS [WARM_UP_SECONDS [TEST_SECONDS [ORDER [UNITS [SECONDS]]]]]");
  }
  Settings settings{argv[1], argv[2], std::strtoull(argv[3], nullptr, 10), std::max(1, std::atoi(argv[4]))};
  if (argc > 5) settings.warm_up_seconds = std::atof(argv[5]);
  if (argc > 6) settings.test_seconds = std::atof(argv[6]);
  if (argc > 7) settings.order = std::strtoull(argv[7], nullptr, 10);
  if (argc > 8) settings.units = std::atol(argv[8]);
  if (argc > 9) settings.least_seconds = std::atof(argv[9]);
  if (ranks < 2) refuse("two processes at least are needed");
  if (settings.bytes < sizeof(double) || settings.bytes > std::size_t{1} << 30) refuse("BYTES is 8 to 1 GiB");
  return settings;
}

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

struct Times {
  std::vector<double> communication;
  std::vector<double> computation;
  std::vector<double> sequential;
  std::vector<double> both;
  std::vector<double> computing;
  std::vector<double> waiting;
  std::vector<double> testing;

  [[nodiscard]] std::vector<double> overlaps() const {
    std::vector<double> found;
    for (std::size_t i = 0; i < both.size(); ++i) {
      const double shorter = std::min(communication[i], computation[i]);
      found.push_back((communication[i] + computation[i] - both[i]) / shorter);
    }
    return found;
  }
};

class Overlap {
 public:
  explicit Overlap(const Settings& settings)
      : communication_(communication_of(settings.call, settings.bytes, rank, ranks)),
        kernel_(kernel_of(settings.kernel, settings.order, rank, ranks)),
        test_seconds_(settings.test_seconds),
        units_(first_units) {
    if (communication_ == nullptr) refuse("CALL is isend, iallreduce, ialltoall, ibcast, iallgather or acp");
    if (kernel_ == nullptr) refuse("KERNEL is arithmetic, memory, matrix-vector or matrix-matrix");
    if (settings.units > 0) {
      units_ = settings.units;
    } else if (settings.order > 0) {
      units_ = kernel_->whole();
    } else {
      adjust();
    }
    if (test_seconds_ > 0) set_units_between_tests();
  }

  double communicate() {
    return timed([&] {
      communication_->begin();
      communication_->wait();
    });
  }
  double compute() {
    return time_of([&] { kernel_->compute(units_); });
  }
  double do_sequentially() {
    return timed([&] {
      communication_->blocking();
      kernel_->compute(units_);
    });
  }
  double do_both() {
    return timed([&] {
      communication_->begin();
      const double begun = MPI_Wtime();
      compute_and_test();
      const double computed = MPI_Wtime();
      communication_->wait();
      computing_ = computed - begun;
      waiting_ = MPI_Wtime() - computed;
    });
  }

  [[nodiscard]] long units() const { return units_; }

  /// Rounds of microseconds need many for a median that comes again. All ranks know the same times, and so count alike.
  Times measure(int repeats, double least_seconds) {
    Times times;
    double taken = 0;
    for (int i = 0; i < repeats || (taken < least_seconds && i < most_rounds * repeats); ++i) {
      times.communication.push_back(communicate());
      times.computation.push_back(compute());
      times.sequential.push_back(do_sequentially());
      times.both.push_back(do_both());
      taken += times.communication.back() + times.computation.back() + times.sequential.back() + times.both.back();
      times.computing.push_back(of_slowest_rank(computing_));
      times.waiting.push_back(of_slowest_rank(waiting_));
      times.testing.push_back(of_slowest_rank(testing_));
    }
    if (!kernel_->is_right()) give_up("what was computed is wrong");
    return times;
  }

 private:
  /// Makes the computation as long as the communication.
  void adjust() {
    std::vector<double> alone;
    double taken = 0;
    for (int i = 0; i < 9 || (taken < seconds_of_adjusting && i < most_rounds * 9); ++i) {
      alone.push_back(communicate());
      taken += alone.back();
    }
    const double wanted = quantile(alone, 0.5);
    for (int i = 0; i < 4; ++i) {
      units_ = std::max(1L, static_cast<long>(static_cast<double>(units_) * wanted / median_computation()));
      MPI_Bcast(&units_, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    }
  }

  void set_units_between_tests() {
    const double share = test_seconds_ / median_computation();
    units_between_tests_ = std::max(1L, static_cast<long>(share * static_cast<double>(units_)));
  }

  double median_computation() {
    std::vector<double> computed;
    double taken = 0;
    for (int i = 0; i < 5 || (taken < seconds_of_adjusting && i < most_rounds * 5); ++i) {
      computed.push_back(compute());
      taken += computed.back();
    }
    return quantile(computed, 0.5);
  }

  void compute_and_test() {
    testing_ = 0;
    if (units_between_tests_ == 0) return kernel_->compute(units_);
    for (long left = units_; left > 0; left -= units_between_tests_) {
      kernel_->compute(std::min(left, units_between_tests_));
      const double begin = MPI_Wtime();
      communication_->test();
      testing_ += MPI_Wtime() - begin;
    }
  }

  template <typename Work>
  double timed(Work work) {
    communication_->prepare(++round_);
    const double seconds = time_of(work);
    if (!communication_->is_right()) give_up("what was received is wrong");
    return seconds;
  }

  static constexpr long first_units = 64;
  static constexpr int most_rounds = 100;  ///< for each that was asked for
  static constexpr double seconds_of_adjusting = 0.05;
  std::unique_ptr<Communication> communication_;
  std::unique_ptr<Kernel> kernel_;
  double test_seconds_;
  long units_;
  long units_between_tests_ = 0;
  int round_ = 0;
  double computing_ = 0;  ///< of the last do_both(), on this rank
  double waiting_ = 0;
  double testing_ = 0;
};

int threads_of_openmp() {
#ifdef _OPENMP
  return omp_get_max_threads();
#else
  return 1;
#endif
}

std::string summary(const char* name, const std::vector<double>& values) {
  char text[200];
  std::snprintf(text, sizeof text, "\"%s\": {\"median\": %.6g, \"quartiles\": [%.6g, %.6g]}, ", name,
                quantile(values, 0.5), quantile(values, 0.25), quantile(values, 0.75));
  return text;
}

void print(const Settings& settings, long units, const Times& times, const std::string& places) {
  const std::pair<const char*, const std::vector<double>*> all[] = {{"communication", &times.communication},
                                                                    {"computation", &times.computation},
                                                                    {"sequential", &times.sequential},
                                                                    {"both", &times.both},
                                                                    {"computing", &times.computing},
                                                                    {"waiting", &times.waiting},
                                                                    {"testing", &times.testing}};
  std::string summaries;
  std::string samples;
  for (const auto& [name, values] : all) {
    summaries += summary(name, *values);
    samples += std::string(samples.empty() ? "" : ", ") + samples_as_json(name, *values);
  }
  std::printf("{\"call\": \"%s\", \"kernel\": \"%s\", \"bytes\": %zu, \"repeats\": %d, \"units\": %ld, ",
              settings.call.c_str(), settings.kernel.c_str(), settings.bytes, settings.repeats, units);
  std::printf("%s%s\"samples\": {%s}, \"places\": %s, \"threads\": %d}\n", summaries.c_str(),
              summary("overlap", times.overlaps()).c_str(), samples.c_str(), places.c_str(), threads_of_openmp());
}

/// Who warms up for a second or longer waits until the plug-in has tried whether its thread pays. Where exchanges take
/// long that takes so many of them.
constexpr double seconds_of_trial = 1;
constexpr int exchanges_of_trial = 48;

void run(const Settings& settings) {
  Overlap overlap(settings);
  double left = settings.warm_up_seconds;
  const int at_least = left < seconds_of_trial ? 0 : exchanges_of_trial;
  for (int done = 0; left > 0 || done < at_least; ++done) left -= overlap.do_both();
  const Times times = overlap.measure(settings.repeats, settings.least_seconds);
  const std::string places = placement_as_json();
  if (rank == 0) print(settings, overlap.units(), times, places);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  run(settings_of(argc, argv));
  leave_mpi();
  return 0;
}
