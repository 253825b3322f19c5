/// A system of linear equations solved in mixed precision, as HPL-MxP and LAPACK's dsgesv do it: the matrix is factored
/// in single precision, and the solution refined to double. Started by the launcher of the MPI:
///
///     hpl_mixed_FAMILY N NB [single|double] [check] [SEED]
///
/// The matrix is random, as HPL's: uniform in -0.5 to 0.5, and so is the right-hand side. Blocks of NB columns are
/// dealt out to the processes round-robin (HPL's grid 1 x Q). `double` factors in double precision, without refinement,
/// for comparison. `check` lets rank 0 solve the same system by LAPACK's dsgesv, too. Rank 0 prints one JSON line:
///
///     seconds, factoring, refining   of the slowest process; the rest of `seconds` is the first solution
///     gflops                         2/3 N^3 + 3/2 N^2 by `seconds`, whatever was done
///     residual                       HPL's: |Ax - b| / (eps (|A| |x| + |b|) N), norms of the largest, computed in
///     double iterations                     refinements; -1: MAX_ITERATIONS of them did not make it small x_sum of the
///     elements of the solution, each by its number from 1 on difference, dsgesv_iterations  with `check`: of the two
///     solutions, by the largest element

#include "linear_system.hpp"
#include "mixed_solver.hpp"

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

extern "C" void dsgesv_(const int* n, const int* columns, double* a, const int* lda, int* pivots, const double* b,
                        const int* ldb, double* x, const int* ldx, double* work, float* swork, int* iterations,
                        int* info);

namespace {

using namespace ayatori::hpl;

int whole_number(const char* word, const char* what, int most) {
  char* end = nullptr;
  const long value = std::strtol(word, &end, 10);
  if (*word == '\0' || *end != '\0' || value < 1 || value > most) {
    std::fprintf(stderr, "hpl_mixed: %s is a number from 1 to %d, not '%s'\n", what, most, word);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  return static_cast<int>(value);
}

struct Checked {
  double difference = 0;
  int iterations = 0;
};

/// LAPACK's own mixed precision, on the whole matrix.
Checked by_lapack(const LinearSystem& system, const std::vector<double>& x) {
  const int n = system.order();
  const auto size = static_cast<std::size_t>(n);
  std::vector<double> a(size * size);
  std::vector<double> b(size);
  std::vector<double> theirs(size);
  std::vector<double> work(size);
  std::vector<float> small_work(size * (size + 1));
  std::vector<int> pivots(size);
  for (int j = 0; j < n; ++j) system.column(j, &a[static_cast<std::size_t>(j) * size]);
  system.column(n, b.data());
  const int one = 1;
  int info = 0;
  Checked found;
  dsgesv_(&n, &one, a.data(), &n, pivots.data(), b.data(), &n, theirs.data(), &n, work.data(), small_work.data(),
          &found.iterations, &info);
  double largest = 0;
  for (std::size_t i = 0; i < size; ++i) {
    found.difference = std::max(found.difference, std::abs(x[i] - theirs[i]));
    largest = std::max(largest, std::abs(theirs[i]));
  }
  found.difference = info == 0 ? found.difference / largest : -1;
  return found;
}

template <typename Real>
Solution solve(const LinearSystem& system, int block) {
  return MixedSolver<Real>(system, block, MPI_COMM_WORLD).solve();
}

void print(const LinearSystem& system, int block, const std::string& precision, const Solution& solution, bool check) {
  int processes = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  double x_sum = 0;
  for (std::size_t i = 0; i < solution.x.size(); ++i) x_sum += static_cast<double>(i + 1) * solution.x[i];
  const double n = system.order();
  std::printf("{\"order\": %d, \"block\": %d, \"processes\": %d, \"precision\": \"%s\", \"seconds\": %.6g, ",
              system.order(), block, processes, precision.c_str(), solution.seconds);
  std::printf("\"factoring\": %.6g, \"refining\": %.6g, \"gflops\": %.6g, ", solution.factoring, solution.refining,
              (2 * n / 3 + 1.5) * n * n / solution.seconds / 1e9);
  std::printf("\"residual\": %.6g, \"iterations\": %d, \"x_sum\": %.17g", solution.residual, solution.iterations,
              x_sum);
  if (check) {
    const Checked found = by_lapack(system, solution.x);
    std::printf(", \"difference\": %.6g, \"dsgesv_iterations\": %d", found.difference, found.iterations);
  }
  std::printf("}\n");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc < 3) {
    std::fprintf(stderr, "hpl_mixed N NB [single|double] [check] [SEED]\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const int n = whole_number(argv[1], "N", 1'000'000);
  const int block = whole_number(argv[2], "NB", 4096);
  std::string precision = "single";
  bool check = false;
  int seed = 1;
  for (int i = 3; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "single" || word == "double") {
      precision = word;
    } else if (word == "check") {
      check = true;
    } else {
      seed = whole_number(argv[i], "SEED", 1'000'000'000);
    }
  }
  const LinearSystem system(n, static_cast<std::uint64_t>(seed));
  const Solution solution = precision == "single" ? solve<float>(system, block) : solve<double>(system, block);
  if (rank == 0) print(system, block, precision, solution, check);
  MPI_Finalize();
  return 0;
}
