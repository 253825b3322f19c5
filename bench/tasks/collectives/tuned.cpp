// `ayatori tune`: the MPI's own collectives and algorithms of ours, compared within one job. The plug-in is preloaded,
// and forces one algorithm after the other.
//
//     mpirun -np N PROGRAM                        {"hosts": [by rank], "mpi": "its name and version"}
//     mpirun -np N PROGRAM SECONDS SEED CELL[;…]  a line for each cell
//
// CELL is COLLECTIVE,BYTES,VARIABLE,ALGORITHM,…: the values of the variable that are compared with the MPI's own. First
// the slower half of ours is left out, until one is left. That one and the MPI's own then have pairs of blocks, of
// which the caller makes its sign test:
//
//     {"collective", "bytes", "algorithm", "us": [one a pair], "mpi_us": [likewise]}
//
// A block is some calls, each of which begins after a barrier. The time of a call counts from the last rank's arrival
// in it to the last one's return; among several hosts, which have no common clock, it is the longest of a rank's own
// times. The time of a block is the median of its calls. What is not measured after SECONDS is not printed.

#include <dlfcn.h>
#include <time.h>

#include <array>
#include <numeric>
#include <random>

#include "mpi_call.hpp"

namespace ayatori::bench {
namespace {

constexpr int pairs = 20;
constexpr int max_rounds = 3;  // before each halving; 1 if single calls take too long
constexpr int max_calls = 100;
constexpr int max_checked_roots = 4;

double now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);  // MPI_Wtime() has an origin of its own in each process
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

bool force(const std::string& variable, const std::string& value) {
  using Force = int(const char*, const char*);
  static auto* const forced = reinterpret_cast<Force*>(dlsym(RTLD_DEFAULT, "ayatori_mpi_force"));
  return forced != nullptr && forced(variable.c_str(), value.c_str()) != 0;
}

std::vector<std::string> parts(const std::string& text, char separator) {
  std::vector<std::string> found;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) found.push_back(part);
  return found;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// A candidate for the calls of one cell.
struct Candidate {
  std::string value;   ///< of the variable; "mpi": the MPI's own
  int calls = 1;       ///< of a block
  double seconds = 0;  ///< of a call, in the rounds since the last halving
};

class Cell {
 public:
  Cell(const std::string& text, bool one_clock)
      : words_(parts(text, ',')), one_clock_(one_clock), call_(words_.at(0), std::stoull(words_.at(1))) {}

  /// Of at most so many seconds, unless single calls take longer. All ranks have the same `random`.
  void measure(double seconds, std::mt19937_64& random) {
    std::vector<Candidate> ours = right_ones();
    if (ours.empty()) return;
    int blocks = 2 * pairs;
    for (std::size_t left = ours.size(); left > 1; left = (left + 1) / 2) blocks += static_cast<int>(left) * max_rounds;
    Candidate mpi{"mpi"};
    static_cast<void>(is_right(mpi));
    for (Candidate& one : ours) choose_calls(one, seconds / blocks);
    choose_calls(mpi, seconds / blocks);
    const bool is_slow = std::ranges::all_of(ours, [](const Candidate& one) { return one.calls == 1; });
    while (ours.size() > 1) halve(ours, is_slow ? 1 : max_rounds, random);
    print(compared(ours.front(), mpi, random));
  }

 private:
  struct Pairs {
    std::string algorithm;
    std::vector<double> ours, mpi;
  };

  [[nodiscard]] std::vector<Candidate> right_ones() {
    std::vector<Candidate> ours;
    for (std::size_t i = 3; i < words_.size(); ++i) {
      if (Candidate one{words_[i]}; is_right(one)) ours.push_back(one);
    }
    return ours;
  }

  /// Whether it can be forced; then its results are checked, and with them what it needs is made.
  bool is_right(const Candidate& one) {
    if (!force(words_[2], one.value)) return false;
    for (int root = 0; root < (call_.has_root() ? std::min(call_.ranks(), max_checked_roots) : 1); ++root) {
      call_.fill(root);
      call_mpi(call_, root);
      call_.check(root);
    }
    return true;
  }

  void choose_calls(Candidate& one, double seconds) {
    one.calls = 3;
    const double of_a_call = std::max(block(one, 0) * 2, 1e-6);  // with the barrier before it
    one.calls = std::clamp(static_cast<int>(seconds / of_a_call), 1, max_calls);
  }

  /// The roots of blocks of the same number are the same.
  double block(const Candidate& one, int number) {
    static_cast<void>(force(words_[2], one.value));
    std::vector<double> times(static_cast<std::size_t>(3 * one.calls));
    for (int i = 0; i < one.calls; ++i) {
      meet();
      const double begin = now();
      call_mpi(call_, (number + i) % call_.ranks());
      const double end = now();
      std::ranges::copy(std::array{begin, end, end - begin}, times.begin() + 3 * i);
    }
    MPI_Request request = MPI_REQUEST_NULL;
    PMPI_Iallreduce(MPI_IN_PLACE, times.data(), 3 * one.calls, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &request);
    finish(request);
    std::vector<double> seconds;
    for (std::size_t i = 0; i < times.size(); i += 3) {
      seconds.push_back(one_clock_ ? times[i + 1] - times[i] : times[i + 2]);
    }
    return median(std::move(seconds));
  }

  void halve(std::vector<Candidate>& ours, int rounds, std::mt19937_64& random) {
    std::vector<std::vector<double>> seconds(ours.size());
    std::vector<std::size_t> order(ours.size());
    std::iota(order.begin(), order.end(), 0);
    for (int round = 0; round < rounds; ++round) {
      std::ranges::shuffle(order, random);
      for (const std::size_t i : order) seconds[i].push_back(block(ours[i], round));
    }
    for (std::size_t i = 0; i < ours.size(); ++i) ours[i].seconds = median(seconds[i]);
    std::ranges::stable_sort(ours, {}, &Candidate::seconds);
    ours.resize((ours.size() + 1) / 2);
  }

  Pairs compared(Candidate ours, Candidate mpi, std::mt19937_64& random) {
    ours.calls = mpi.calls = std::min(ours.calls, mpi.calls);
    Pairs found{ours.value, {}, {}};
    for (int pair = 0; pair < pairs; ++pair) {
      const bool ours_first = random() % 2 == 0;
      if (ours_first) found.ours.push_back(block(ours, pair));
      found.mpi.push_back(block(mpi, pair));
      if (!ours_first) found.ours.push_back(block(ours, pair));
    }
    static_cast<void>(force(words_[2], "mpi"));
    return found;
  }

  void print(const Pairs& found) const {
    if (call_.rank() != 0) return;
    const auto list = [](const std::vector<double>& seconds) {
      std::string text;
      for (const double one : seconds) {
        char number[32];
        std::snprintf(number, sizeof number, "%s%.3f", text.empty() ? "" : ", ", one * 1e6);
        text += number;
      }
      return text;
    };
    std::printf("{\"collective\": \"%s\", \"bytes\": %zu, \"algorithm\": \"%s\", \"us\": [%s], \"mpi_us\": [%s]}\n",
                call_.collective().c_str(), call_.bytes(), found.algorithm.c_str(), list(found.ours).c_str(),
                list(found.mpi).c_str());
    std::fflush(stdout);
  }

  std::vector<std::string> words_;
  bool one_clock_;
  Call call_;
};

/// Where the ranks are.
void print_hosts() {
  int rank = 0;
  int ranks = 0;
  int length = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  MPI_Get_library_version(version, &length);
  version[std::strcspn(version, ",\n")] = '\0';
  std::ranges::replace(version, '\t', ' ');
  constexpr std::size_t bytes = 256;
  char host[bytes] = "";
  gethostname(host, sizeof host - 1);
  std::vector<char> hosts(bytes * static_cast<std::size_t>(ranks));
  MPI_Gather(host, bytes, MPI_CHAR, hosts.data(), bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (rank != 0) return;
  std::printf("{\"mpi\": \"%s\", \"hosts\": [", version);
  for (std::size_t i = 0; i < hosts.size(); i += bytes) std::printf("%s\"%s\"", i == 0 ? "" : ", ", &hosts[i]);
  std::printf("]}\n");
}

void measure_all(double seconds, std::uint64_t seed, const std::vector<std::string>& cells) {
  std::mt19937_64 random(seed);
  const bool one_clock = count_machines() == 1;
  const double begin = now();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const double left = seconds - longest(now() - begin);
    if (left <= 0) return;
    Cell(cells[i], one_clock).measure(left / static_cast<double>(cells.size() - i), random);
  }
}

}  // namespace
}  // namespace ayatori::bench

int main(int argc, char** argv) {
  using namespace ayatori::bench;
  MPI_Init(&argc, &argv);
  if (argc == 4) {
    measure_all(std::strtod(argv[1], nullptr), std::strtoull(argv[2], nullptr, 10), parts(argv[3], ';'));
  } else {
    print_hosts();
  }
  leave_mpi();
  return 0;
}
