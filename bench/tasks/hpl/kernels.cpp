/// What the parts of HPL take on this machine. Started by the launcher of the MPI, for a grid of 1 x Q:
///
///     hpl_kernels_FAMILY N NB SECONDS
///
/// As many processes compute at the same time as there are cores, so that they share caches and memory as HPL's do, and
/// each has a core for itself. Where there are more, they run one after the other. Rank 0 prints a JSON line first:
///
///     machine_of  the machine of each process, by number
///     host_of     the host of each process, by its lowest rank: hosts that are namespaces are one machine, but their
///                 processes share no memory for messages
///     cores       how many of its cores the processes of each machine may use
///
/// and then one for heights of N, N/2, N/4, … down to NB, repeated as long as SECONDS lasts (three times at least), of
/// medians over the repeats, each of which is a mean over the processes:
///
///     rows, columns  of the trailing matrix, and those of them that one process has (NB at least)
///     panel          seconds to factor rows x NB with row exchanges, recursively as HPL with Crout, NDIV 2 and
///                    NBMIN 4, and to pack them where there are other processes
///     update         seconds of the row exchanges, the triangular solve and the DGEMM of rows x columns x NB
///     block_update   the same of NB columns
///     message        seconds to pass a panel of rows x NB on to the next process in the ring, while no other panel is
///                    under way; 0 of one process
///     solve          seconds of a product of rows x NB with a vector, which the backward substitution consists of

#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

extern "C" {
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*,
            const double*, const int*, const double*, double*, const int*);
void dtrsm_(const char*, const char*, const char*, const char*, const int*, const int*, const double*, const double*,
            const int*, double*, const int*);
void dger_(const int*, const int*, const double*, const double*, const int*, const double*, const int*, double*,
           const int*);
void dgemv_(const char*, const int*, const int*, const double*, const double*, const int*, const double*, const int*,
            const double*, double*, const int*);
void dlaswp_(const int*, double*, const int*, const int*, const int*, const int*, const int*);
int idamax_(const int*, const double*, const int*);
void dswap_(const int*, double*, const int*, double*, const int*);
void dscal_(const int*, const double*, double*, const int*);
}

namespace {

constexpr int ONE = 1;
constexpr double PLUS = 1;
constexpr double MINUS = -1;
constexpr int NBMIN = 4;
constexpr int LEAST_REPEATS = 3;
constexpr int LINE = 8;  // doubles in a cache line

int rank = 0;
int processes = 1;
int slot = 0;   // of this process, among those of its machine
int slots = 1;  // of the machine that needs most

/// What tells a process's machine from others, also where hosts are namespaces of one kernel; and its cores.
struct RankPlacement {
  std::array<char, 64> boot;
  cpu_set_t cores;
  int host;
};

int lowest_rank_on_host() {
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host);
  int lowest = rank;
  MPI_Bcast(&lowest, 1, MPI_INT, 0, host);
  MPI_Comm_free(&host);
  return lowest;
}

std::vector<RankPlacement> placement_of_all() {
  RankPlacement own{};
  std::string line;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), line);
  std::strncpy(own.boot.data(), line.c_str(), own.boot.size() - 1);
  sched_getaffinity(0, sizeof own.cores, &own.cores);
  own.host = lowest_rank_on_host();
  std::vector<RankPlacement> all(static_cast<std::size_t>(processes));
  MPI_Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, MPI_COMM_WORLD);
  return all;
}

struct Machine {
  RankPlacement place;
  std::vector<int> ranks;

  [[nodiscard]] int cores() const { return std::max(1, CPU_COUNT(&place.cores)); }
  [[nodiscard]] int slot_of(std::size_t number) const { return static_cast<int>(number) / cores(); }

  /// That the process has in its time slice.
  [[nodiscard]] int core_of(std::size_t number) const {
    int before = static_cast<int>(number) % cores();
    for (int core = 0; core < CPU_SETSIZE; ++core) {
      if (CPU_ISSET(core, &place.cores) && before-- == 0) return core;
    }
    return 0;
  }
};

std::vector<Machine> machines_of(const std::vector<RankPlacement>& places) {
  std::vector<Machine> machines;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto same = [&](const Machine& machine) { return machine.place.boot == places[i].boot; };
    auto machine = std::find_if(machines.begin(), machines.end(), same);
    if (machine == machines.end()) machine = machines.insert(machine, Machine{places[i], {}});
    CPU_OR(&machine->place.cores, &machine->place.cores, &places[i].cores);
    machine->ranks.push_back(static_cast<int>(i));
  }
  return machines;
}

/// Nothing changes where the launcher has chosen another core.
void stay_on(int core) {
  cpu_set_t allowed;
  sched_getaffinity(0, sizeof allowed, &allowed);
  if (!CPU_ISSET(core, &allowed)) return;
  CPU_ZERO(&allowed);
  CPU_SET(core, &allowed);
  sched_setaffinity(0, sizeof allowed, &allowed);
}

void run_by_slot(const std::vector<Machine>& machines) {
  for (const Machine& machine : machines) {
    slots = std::max(slots, machine.slot_of(machine.ranks.size() - 1) + 1);
    const auto own = std::find(machine.ranks.begin(), machine.ranks.end(), rank);
    if (own == machine.ranks.end()) continue;
    const auto number = static_cast<std::size_t>(own - machine.ranks.begin());
    slot = machine.slot_of(number);
    stay_on(machine.core_of(number));
  }
}

std::string joined(const std::vector<int>& numbers) {
  std::string text;
  for (const int number : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text;
}

void print(const std::vector<RankPlacement>& places, const std::vector<Machine>& machines) {
  std::vector<int> machine_of(places.size());
  std::vector<int> host_of;
  std::vector<int> cores;
  for (const Machine& machine : machines) {
    for (const int one : machine.ranks)
      machine_of[static_cast<std::size_t>(one)] = static_cast<int>(&machine - machines.data());
    cores.push_back(machine.cores());
  }
  for (const RankPlacement& place : places) host_of.push_back(place.host);
  std::printf("{\"machine_of\": [%s], \"host_of\": [%s], \"cores\": [%s]}\n", joined(machine_of).c_str(),
              joined(host_of).c_str(), joined(cores).c_str());
}

std::size_t elements(int rows, int columns) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
}

/// A panel of `rows` x `block`, whose columns are `leading` apart.
struct Panel {
  double* a;
  int leading;
  int rows;
  int block;
  int* pivots;

  [[nodiscard]] double* at(int row, int column) const { return a + elements(leading, column) + row; }
};

/// Columns `from` to `from + width` of a panel, right-looking, one by one.
void factor_columns(const Panel& panel, int from, int width) {
  for (int j = from; j < from + width; ++j) {
    const int below = panel.rows - j;
    const int pivot = j + idamax_(&below, panel.at(j, j), &ONE) - 1;
    panel.pivots[j] = pivot + 1;
    if (pivot != j) dswap_(&panel.block, panel.at(j, 0), &panel.leading, panel.at(pivot, 0), &panel.leading);
    const int left = below - 1;
    const int right = from + width - j - 1;
    if (left == 0) continue;
    const double scale = 1 / *panel.at(j, j);
    dscal_(&left, &scale, panel.at(j + 1, j), &ONE);
    if (right > 0) {
      dger_(&left, &right, &MINUS, panel.at(j + 1, j), &ONE, panel.at(j, j + 1), &panel.leading, panel.at(j + 1, j + 1),
            &panel.leading);
    }
  }
}

void factor_panel(const Panel& panel, int from, int width) {
  if (width <= NBMIN) {
    factor_columns(panel, from, width);
    return;
  }
  const int half = (width / 2 + NBMIN - 1) / NBMIN * NBMIN;
  const int rest = width - half;
  factor_panel(panel, from, half);
  if (rest == 0) return;
  const int* leading = &panel.leading;
  double* right = panel.at(from, from + half);
  dtrsm_("L", "L", "N", "U", &half, &rest, &PLUS, panel.at(from, from), leading, right, leading);
  const int below = panel.rows - from - half;
  if (below > 0) {
    dgemm_("N", "N", &below, &rest, &half, &MINUS, panel.at(from + half, from), leading, right, leading, &PLUS,
           panel.at(from + half, from + half), leading);
  }
  factor_panel(panel, from + half, rest);
}

/// Doubles from the beginning of a cache line on, as HPL has its own: addresses decide how fast a kernel is.
class Aligned {
 public:
  explicit Aligned(std::size_t count) : _storage(count + LINE), _first(_storage.data()) {
    while (reinterpret_cast<std::uintptr_t>(_first) % (LINE * sizeof(double)) != 0) ++_first;
  }

  [[nodiscard]] double* data() { return _first; }

 private:
  std::vector<double> _storage;
  double* _first;
};

/// Distance of columns: whole cache lines, and no power of two, which would map them to the same places of a cache.
int leading_dimension(int rows) {
  const int whole_lines = (rows + LINE - 1) / LINE * LINE;
  const bool power_of_two = (whole_lines & (whole_lines - 1)) == 0;
  return power_of_two ? whole_lines + LINE : whole_lines;
}

/// What a process of HPL has: its columns, and a panel, which is between them or was passed to it without gaps.
struct Arrays {
  Arrays(int order, int block)
      : leading(leading_dimension(order)),
        matrix(elements(leading, std::max(block, order / processes))),
        own_panel(elements(leading, block)),
        passed_panel(elements(order, block)),
        incoming(elements(order, block)),
        vector(static_cast<std::size_t>(order)),
        pivots(static_cast<std::size_t>(block)) {}

  int leading;
  Aligned matrix;
  Aligned own_panel;
  Aligned passed_panel;
  Aligned incoming;
  std::vector<double> vector;
  std::vector<int> pivots;
};

/// The rows of the trailing matrix, which are the last ones, and its columns.
struct Part {
  int above;
  int rows;
  int columns;
  int block;
};

void fill(double* values, int leading, const Part& part, int columns) {
  unsigned state = 12345u + static_cast<unsigned>(rank);
  for (int j = 0; j < columns; ++j) {
    double* column = values + elements(leading, j) + part.above;
    for (int i = 0; i < part.rows; ++i) {
      state = state * 1664525u + 1013904223u;
      column[i] = static_cast<double>(state >> 8) / 16777216.0 - 0.5;
    }
  }
}

/// A barrier in which nobody spins, or wakes up often: that would slow down those that are measured.
void sleep_until_all_are_here() {
  using namespace std::chrono_literals;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int all_are_here = 0; !all_are_here;) {
    MPI_Test(&request, &all_are_here, MPI_STATUS_IGNORE);
    if (!all_are_here) std::this_thread::sleep_for(500us);
  }
}

/// Seconds: the mean over the processes.
double mean_of(double seconds) {
  double sum = 0;
  MPI_Allreduce(&seconds, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum / processes;
}

/// The mean over the processes, each of which has a core to itself.
double timed_by_slot(const std::function<void()>& work) {
  double seconds = 0;
  for (int i = 0; i < slots; ++i) {
    sleep_until_all_are_here();
    if (i != slot) continue;
    const double begun = MPI_Wtime();
    work();
    seconds = MPI_Wtime() - begun;
  }
  sleep_until_all_are_here();
  return mean_of(seconds);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Factors a panel, and packs it where there is somebody to pass it on to.
void factor(const Part& part, Arrays& arrays) {
  double* a = arrays.own_panel.data() + part.above;
  factor_panel({a, arrays.leading, part.rows, part.block, arrays.pivots.data()}, 0, part.block);
  if (processes == 1) return;
  for (int j = 0; j < part.block; ++j)
    std::copy_n(a + elements(arrays.leading, j), part.rows, arrays.passed_panel.data() + elements(part.rows, j));
}

void update(const Part& part, int columns, Arrays& arrays) {
  double* a = arrays.matrix.data() + part.above;
  const int leading = arrays.leading;
  const double* panel = processes == 1 ? arrays.own_panel.data() + part.above : arrays.passed_panel.data();
  const int panel_leading = processes == 1 ? leading : part.rows;
  dlaswp_(&columns, a, &leading, &ONE, &part.block, arrays.pivots.data(), &ONE);
  dtrsm_("L", "L", "N", "U", &part.block, &columns, &PLUS, panel, &panel_leading, a, &leading);
  const int below = part.rows - part.block;
  if (below > 0) {
    dgemm_("N", "N", &below, &columns, &part.block, &MINUS, panel + part.block, &panel_leading, a, &leading, &PLUS,
           a + part.block, &leading);
  }
}

/// Seconds to pass the panel on to the next process of the ring, while the others sleep: the mean over the processes.
double timed_passing_on(const Part& part, Arrays& arrays) {
  const int count = part.rows * part.block;
  const int next = (rank + 1) % processes;
  const int previous = (rank + processes - 1) % processes;
  double seconds = 0;
  for (int sender = 0; sender < processes; ++sender) {
    sleep_until_all_are_here();
    if (rank == sender) {
      MPI_Send(nullptr, 0, MPI_BYTE, next, 0, MPI_COMM_WORLD);
      MPI_Recv(nullptr, 0, MPI_BYTE, next, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(arrays.passed_panel.data(), count, MPI_DOUBLE, next, 0, MPI_COMM_WORLD);
    }
    if (previous == sender) {
      MPI_Recv(nullptr, 0, MPI_BYTE, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      const double begun = MPI_Wtime();
      MPI_Send(nullptr, 0, MPI_BYTE, previous, 0, MPI_COMM_WORLD);
      MPI_Recv(arrays.incoming.data(), count, MPI_DOUBLE, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      seconds = MPI_Wtime() - begun;
    }
  }
  sleep_until_all_are_here();
  return mean_of(seconds);
}

/// Seconds of each repeat: the mean over the processes.
struct Samples {
  std::vector<double> panels, updates, block_updates, messages, solves;
};

void measure_once(const Part& part, Arrays& arrays, Samples& samples) {
  fill(arrays.matrix.data(), arrays.leading, part, part.columns);
  fill(arrays.own_panel.data(), arrays.leading, part, part.block);
  samples.panels.push_back(timed_by_slot([&] { factor(part, arrays); }));
  samples.updates.push_back(timed_by_slot([&] { update(part, part.columns, arrays); }));
  samples.block_updates.push_back(timed_by_slot([&] { update(part, part.block, arrays); }));
  samples.messages.push_back(processes > 1 ? timed_passing_on(part, arrays) : 0);
  samples.solves.push_back(timed_by_slot([&] {
    dgemv_("N", &part.rows, &part.block, &MINUS, arrays.matrix.data() + part.above, &arrays.leading,
           arrays.incoming.data(), &ONE, &PLUS, arrays.vector.data(), &ONE);
  }));
}

void print(const Part& part, const Samples& samples) {
  std::printf(
      "{\"rows\": %d, \"columns\": %d, \"panel\": %.6g, \"update\": %.6g, \"block_update\": %.6g, \"message\": %.6g, "
      "\"solve\": %.6g}\n",
      part.rows, part.columns, median(samples.panels), median(samples.updates), median(samples.block_updates),
      median(samples.messages), median(samples.solves));
}

/// All heights alternately, so that what disturbs the machine for a moment disturbs few repeats of each.
void measure(const std::vector<Part>& parts, double seconds, Arrays& arrays) {
  std::vector<Samples> samples(parts.size());
  double spent = 0;
  for (int repeat = 0; repeat < LEAST_REPEATS || spent < seconds; ++repeat) {
    const double begun = MPI_Wtime();
    for (std::size_t i = 0; i < parts.size(); ++i) measure_once(parts[i], arrays, samples[i]);
    spent += mean_of(MPI_Wtime() - begun);
  }
  if (rank != 0) return;
  for (std::size_t i = 0; i < parts.size(); ++i) print(parts[i], samples[i]);
}

/// N, N/2, N/4, … down to NB, without repeats; whole panels are above, as in HPL.
std::vector<int> heights_of(int order, int block) {
  std::vector<int> heights;
  for (int wanted = order;; wanted = std::max(block, wanted / 2)) {
    const int rows = order - (order - wanted) / block * block;
    if (heights.empty() || rows < heights.back()) heights.push_back(rows);
    if (wanted == block) return heights;
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  const int order = argc > 1 ? std::atoi(argv[1]) : 0;
  const int block = argc > 2 ? std::atoi(argv[2]) : 0;
  const double seconds = argc > 3 ? std::atof(argv[3]) : 0;
  if (order < 1 || order > 100'000 || block < 1 || block > 4096 || block > order || seconds <= 0) {
    std::fprintf(stderr, "hpl_kernels N NB SECONDS: N up to 100000, NB up to N and 4096\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const std::vector<RankPlacement> places = placement_of_all();
  const std::vector<Machine> machines = machines_of(places);
  run_by_slot(machines);
  if (rank == 0) print(places, machines);
  std::vector<Part> parts;
  for (const int rows : heights_of(order, block))
    parts.push_back({order - rows, rows, std::max(block, rows / processes), block});
  Arrays arrays(order, block);
  measure(parts, seconds, arrays);
  MPI_Finalize();
  return 0;
}
