/// What the parts of HPL take on this machine, each measured by all processes at the same time, so that they share
/// cores, caches and memory as HPL's processes do. Started by the launcher of the MPI, for a grid of 1 x Q:
///
///     hpl_kernels_FAMILY N NB SECONDS
///
/// For heights of N, N/2, N/4, … down to NB, and as long as SECONDS lasts (each twice at least), rank 0 prints a JSON
/// line of medians, each over the means of the processes:
///
///     rows, columns   of the trailing matrix, and those of them that one process has (NB at least)
///     panel           seconds to factor rows x NB with row exchanges, recursively as HPL with Crout, NDIV 2 and NBMIN
///     4 update          seconds of the row exchanges, the triangular solve and the DGEMM of rows x columns x NB
///     message         seconds to pass a panel of rows x NB on to the next process in the ring and get one; 0 of one
///     process solve           seconds of a product of rows x NB with a vector, which the backward substitution
///     consists of

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <utility>
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

/// Seconds: the mean over the processes, which all begin at the same time.
double timed(const std::function<void()>& work) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begun = MPI_Wtime();
  work();
  double seconds = MPI_Wtime() - begun;
  double sum = 0;
  MPI_Allreduce(&seconds, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum / processes;
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
    fill(arrays.matrix);
    fill(arrays.panel);
    panel.push_back(timed([&] { factor_panel(rows, block, 0, block, arrays.panel.data(), arrays.pivots.data()); }));
    updates.push_back(timed([&] { update(rows, columns, block, arrays); }));
    messages.push_back(processes > 1 ? timed([&] { pass_on(rows, block, arrays); }) : 0);
    solves.push_back(timed([&] {
      dgemv_("N", &rows, &block, &MINUS, arrays.matrix.data(), &rows, arrays.incoming.data(), &ONE, &PLUS,
             arrays.vector.data(), &ONE);
    }));
    spent += panel.back() + updates.back() + messages.back() + solves.back();
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
  int heights = 1;
  for (int rows = order / 2; rows > block; rows /= 2) ++heights;
  for (int rows = order; rows > block; rows /= 2) measure(rows, block, seconds / (heights + 1));
  measure(block, block, seconds / (heights + 1));
  MPI_Finalize();
  return 0;
}
