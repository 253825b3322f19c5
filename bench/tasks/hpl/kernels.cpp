/// What the parts of HPL take on this machine. Started by the launcher of the MPI, for a grid of 1 x Q:
///
///     hpl_kernels_FAMILY N NB SECONDS
///
/// As many processes compute at the same time as there are cores, so that they share caches and memory as HPL's do, and
/// each has a core for itself. Where there are more, they take turns. Rank 0 prints a JSON line first:
///
///     machine_of  the machine of each process, by number
///     cores       how many of its cores the processes of each machine may use
///
/// and then one for heights of N, N/2, N/4, … down to NB, as long as SECONDS lasts (each twice at least), of medians,
/// each over the means of the processes:
///
///     rows, columns  of the trailing matrix, and those of them that one process has (NB at least)
///     panel          seconds to factor rows x NB with row exchanges, recursively as HPL with Crout, NDIV 2 and NBMIN 4
///     update         seconds of the row exchanges, the triangular solve and the DGEMM of rows x columns x NB
///     message        seconds to pass a panel of rows x NB on to the next process in the ring and get one, all at the
///                    same time; 0 of one process
///     solve          seconds of a product of rows x NB with a vector, which the backward substitution consists of

#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
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

int rank = 0;
int processes = 1;
int turn = 0;   // of this process, among those of its machine
int turns = 1;  // of the machine that needs most

/// What tells a process's machine from others, also where hosts are namespaces of one kernel; and its cores.
struct Place {
  std::array<char, 64> boot;
  cpu_set_t cores;
};

std::vector<Place> places_of_all() {
  Place own{};
  std::string line;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), line);
  std::strncpy(own.boot.data(), line.c_str(), own.boot.size() - 1);
  sched_getaffinity(0, sizeof own.cores, &own.cores);
  std::vector<Place> all(static_cast<std::size_t>(processes));
  MPI_Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, MPI_COMM_WORLD);
  return all;
}

struct Machine {
  Place place;
  std::vector<int> ranks;

  [[nodiscard]] int cores() const { return std::max(1, CPU_COUNT(&place.cores)); }
  [[nodiscard]] int turn_of(std::size_t number) const { return static_cast<int>(number) / cores(); }
};

std::vector<Machine> machines_of(const std::vector<Place>& places) {
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

void take_turns(const std::vector<Machine>& machines) {
  for (const Machine& machine : machines) {
    turns = std::max(turns, machine.turn_of(machine.ranks.size() - 1) + 1);
    const auto own = std::find(machine.ranks.begin(), machine.ranks.end(), rank);
    if (own != machine.ranks.end()) turn = machine.turn_of(static_cast<std::size_t>(own - machine.ranks.begin()));
  }
}

std::string joined(const std::vector<int>& numbers) {
  std::string text;
  for (const int number : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text;
}

void print(const std::vector<Machine>& machines) {
  std::vector<int> machine_of(static_cast<std::size_t>(processes));
  std::vector<int> cores;
  for (const Machine& machine : machines) {
    for (const int one : machine.ranks)
      machine_of[static_cast<std::size_t>(one)] = static_cast<int>(&machine - machines.data());
    cores.push_back(machine.cores());
  }
  std::printf("{\"machine_of\": [%s], \"cores\": [%s]}\n", joined(machine_of).c_str(), joined(cores).c_str());
}

/// Columns `from` to `from + width` of a panel, right-looking, one by one.
void factor_columns(int rows, int block, int from, int width, double* a, int* pivots) {
  for (int j = from; j < from + width; ++j) {
    double* column = a + static_cast<std::size_t>(j) * static_cast<std::size_t>(rows);
    const int below = rows - j;
    const int pivot = j + idamax_(&below, column + j, &ONE) - 1;
    pivots[j] = pivot + 1;
    if (pivot != j) dswap_(&block, a + j, &rows, a + pivot, &rows);
    const int left = below - 1;
    const int right = from + width - j - 1;
    if (left == 0) continue;
    const double scale = 1 / column[j];
    dscal_(&left, &scale, column + j + 1, &ONE);
    if (right > 0)
      dger_(&left, &right, &MINUS, column + j + 1, &ONE, column + rows + j, &rows, column + rows + j + 1, &rows);
  }
}

void factor_panel(int rows, int block, int from, int width, double* a, int* pivots) {
  if (width <= NBMIN) {
    factor_columns(rows, block, from, width, a, pivots);
    return;
  }
  const int half = (width / 2 + NBMIN - 1) / NBMIN * NBMIN;
  const int rest = width - half;
  factor_panel(rows, block, from, half, a, pivots);
  if (rest == 0) return;
  double* left = a + static_cast<std::size_t>(from) * static_cast<std::size_t>(rows) + from;
  double* right = left + static_cast<std::size_t>(half) * static_cast<std::size_t>(rows);
  dtrsm_("L", "L", "N", "U", &half, &rest, &PLUS, left, &rows, right, &rows);
  const int below = rows - from - half;
  if (below > 0)
    dgemm_("N", "N", &below, &rest, &half, &MINUS, left + half, &rows, right, &rows, &PLUS, right + half, &rows);
  factor_panel(rows, block, from + half, rest, a, pivots);
}

struct Arrays {
  std::vector<double> matrix;
  std::vector<double> panel;
  std::vector<double> incoming;
  std::vector<double> vector;
  std::vector<int> pivots;
};

void fill(std::vector<double>& values) {
  unsigned state = 12345u + static_cast<unsigned>(rank);
  for (double& value : values) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<double>(state >> 8) / 16777216.0 - 0.5;
  }
}

/// A barrier in which nobody spins: that would slow down those whose turn it is.
void sleep_until_all_are_here() {
  using namespace std::chrono_literals;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int all_are_here = 0; !all_are_here;) {
    MPI_Test(&request, &all_are_here, MPI_STATUS_IGNORE);
    if (!all_are_here) std::this_thread::sleep_for(50us);
  }
}

/// Seconds: the mean over the processes.
double mean_of(double seconds) {
  double sum = 0;
  MPI_Allreduce(&seconds, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum / processes;
}

/// The mean over the processes, which all begin at the same time.
double timed_together(const std::function<void()>& work) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begun = MPI_Wtime();
  work();
  return mean_of(MPI_Wtime() - begun);
}

/// The mean over the processes, each of which has a core to itself.
double timed_in_turns(const std::function<void()>& work) {
  double seconds = 0;
  for (int i = 0; i < turns; ++i) {
    sleep_until_all_are_here();
    if (i != turn) continue;
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

void update(int rows, int columns, int block, Arrays& arrays) {
  dlaswp_(&columns, arrays.matrix.data(), &rows, &ONE, &block, arrays.pivots.data(), &ONE);
  dtrsm_("L", "L", "N", "U", &block, &columns, &PLUS, arrays.panel.data(), &rows, arrays.matrix.data(), &rows);
  const int below = rows - block;
  if (below > 0) {
    dgemm_("N", "N", &below, &columns, &block, &MINUS, arrays.panel.data() + block, &rows, arrays.matrix.data(), &rows,
           &PLUS, arrays.matrix.data() + block, &rows);
  }
}

void pass_on(int rows, int block, Arrays& arrays) {
  const int count = rows * block;
  MPI_Sendrecv(arrays.panel.data(), count, MPI_DOUBLE, (rank + 1) % processes, 0, arrays.incoming.data(), count,
               MPI_DOUBLE, (rank + processes - 1) % processes, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void measure(int rows, int block, double seconds) {
  const int columns = std::max(block, rows / processes);
  Arrays arrays;
  const auto height = static_cast<std::size_t>(rows);
  arrays.matrix.resize(height * static_cast<std::size_t>(columns));
  arrays.panel.resize(height * static_cast<std::size_t>(block));
  arrays.incoming.resize(arrays.panel.size());
  arrays.vector.resize(height);
  arrays.pivots.resize(static_cast<std::size_t>(block));
  std::vector<double> panel, updates, messages, solves;
  double spent = 0;
  while (spent < seconds || panel.size() < 2) {
    const double begun = MPI_Wtime();
    fill(arrays.matrix);
    fill(arrays.panel);
    panel.push_back(
        timed_in_turns([&] { factor_panel(rows, block, 0, block, arrays.panel.data(), arrays.pivots.data()); }));
    updates.push_back(timed_in_turns([&] { update(rows, columns, block, arrays); }));
    messages.push_back(processes > 1 ? timed_together([&] { pass_on(rows, block, arrays); }) : 0);
    solves.push_back(timed_in_turns([&] {
      dgemv_("N", &rows, &block, &MINUS, arrays.matrix.data(), &rows, arrays.incoming.data(), &ONE, &PLUS,
             arrays.vector.data(), &ONE);
    }));
    spent += mean_of(MPI_Wtime() - begun);
  }
  if (rank != 0) return;
  std::printf(
      "{\"rows\": %d, \"columns\": %d, \"panel\": %.6g, \"update\": %.6g, \"message\": %.6g, \"solve\": %.6g}\n", rows,
      columns, median(panel), median(updates), median(messages), median(solves));
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
  const std::vector<Machine> machines = machines_of(places_of_all());
  take_turns(machines);
  if (rank == 0) print(machines);
  int heights = 1;
  for (int rows = order / 2; rows > block; rows /= 2) ++heights;
  for (int rows = order; rows > block; rows /= 2) measure(rows, block, seconds / (heights + 1));
  measure(block, block, seconds / (heights + 1));
  MPI_Finalize();
  return 0;
}
