/// LU factorization in the precision `Real` on a grid of 1 x Q processes, with refinement to double (Langou et al.,
/// 2006; Kurzak and Dongarra, LAPACK Working Note 177).
///
/// The factors are P A = L U. Each process keeps its columns of A in double, for residuals, and those of L and U in
/// Real.
#pragma once

#include "blas.hpp"
#include "linear_system.hpp"

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

namespace ayatori::hpl {

struct Solution {
  std::vector<double> x;
  double seconds = 0;
  double factoring = 0;
  double refining = 0;
  double residual = 0;
  int iterations = 0;
};

template <typename Real>
class MixedSolver {
 public:
  MixedSolver(const LinearSystem& system, int block, MPI_Comm comm)
      : n_(system.order()), block_(std::min(block, system.order())), comm_(comm), pivots_(size(n_)), b_(size(n_)) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &processes_);
    for (int first = rank_ * block_; first < n_; first += processes_ * block_) {
      for (int j = first; j < std::min(first + block_, n_); ++j) mine_.push_back(j);
    }
    a_.resize(mine_.size() * size(n_));
    for (std::size_t k = 0; k < mine_.size(); ++k) system.column(mine_[k], &a_[k * size(n_)]);
    system.column(n_, b_.data());
    norm_ = norm_of_matrix();
  }

  /// Collective. The time is counted from here, as HPL does, with the conversion to Real.
  Solution solve() {
    MPI_Barrier(comm_);
    const double begun = MPI_Wtime();
    lu_.assign(a_.begin(), a_.end());
    factor_all();
    Solution found;
    found.factoring = longest(MPI_Wtime() - begun);
    found.x = solved(b_);
    const double solved_at = MPI_Wtime();
    found.iterations = refine(found.x);
    found.refining = longest(MPI_Wtime() - solved_at);
    found.seconds = longest(MPI_Wtime() - begun);
    found.residual = scaled_residual(found.x);
    return found;
  }

 private:
  static constexpr int MAX_ITERATIONS = 30;
  static constexpr double EPSILON = std::numeric_limits<double>::epsilon() / 2;  // as HPL and LAPACK count it
  static constexpr MPI_Datatype type() { return sizeof(Real) == 4 ? MPI_FLOAT : MPI_DOUBLE; }
  static std::size_t size(int count) { return static_cast<std::size_t>(count); }

  [[nodiscard]] int blocks() const { return (n_ + block_ - 1) / block_; }
  [[nodiscard]] int first_of(int k) const { return k * block_; }
  [[nodiscard]] int width_of(int k) const { return std::min(block_, n_ - first_of(k)); }
  [[nodiscard]] int owner_of(int k) const { return k % processes_; }
  /// Where among this process' columns those of block `k` begin, or would.
  [[nodiscard]] int place_of(int k) const {
    const int before = k / processes_ + (k % processes_ > rank_ ? 1 : 0);
    return std::min(before * block_, static_cast<int>(mine_.size()));
  }
  Real* at(int row, int place) { return &lu_[size(place) * size(n_) + size(row)]; }

  void factor_all() {
    std::vector<Real> panel;
    for (int k = 0; k < blocks(); ++k) {
      const int first = first_of(k);
      const int height = n_ - first;
      const int width = width_of(k);
      panel.resize(size(height) * size(width));
      int info = 0;
      if (owner_of(k) == rank_) info = factor_panel(k, panel.data());
      MPI_Bcast(&info, 1, MPI_INT, owner_of(k), comm_);
      if (info != 0) give_up("a pivot is 0: the matrix is singular");
      MPI_Bcast(&pivots_[size(first)], width, MPI_INT, owner_of(k), comm_);
      MPI_Bcast(panel.data(), height * width, type(), owner_of(k), comm_);
      update(k, panel.data());
    }
  }

  int factor_panel(int k, Real* panel) {
    const int first = first_of(k);
    const int height = n_ - first;
    Real* own = at(first, place_of(k));
    const int info = factor(height, width_of(k), own, n_, &pivots_[size(first)]);
    for (int j = 0; j < width_of(k); ++j) std::copy_n(own + size(j) * size(n_), height, panel + size(j) * size(height));
    return info;
  }

  /// What panel `k` does to the other columns of this process; those before it only have their rows exchanged.
  void update(int k, const Real* panel) {
    const int first = first_of(k);
    const int width = width_of(k);
    const int height = n_ - first;
    const int own = owner_of(k) == rank_ ? width : 0;
    const int before = place_of(k);
    const int after = static_cast<int>(mine_.size()) - before - own;
    if (before > 0) exchange_rows(before, at(first, 0), n_, width, &pivots_[size(first)]);
    if (after == 0) return;
    Real* columns = at(first, before + own);
    exchange_rows(after, columns, n_, width, &pivots_[size(first)]);
    solve_triangle(true, width, after, panel, height, columns, n_);
    if (height > width) {
      subtract_product(height - width, after, width, panel + width, height, columns, n_, columns + width, n_);
    }
  }

  /// A^-1 r by the factors. All processes have r, and get the result.
  std::vector<double> solved(std::vector<double> r) {
    for (int k = 0; k < blocks(); ++k) {
      for (int i = 0; i < width_of(k); ++i) {
        const auto row = size(first_of(k) + i);
        std::swap(r[row], r[size(first_of(k) + pivots_[row] - 1)]);
      }
    }
    scale_ =
        std::max(largest(r), std::numeric_limits<double>::min());  // a small residual has no place in single precision
    right_.resize(size(n_));
    std::transform(r.begin(), r.end(), right_.begin(),
                   [this](double value) { return static_cast<Real>(value / scale_); });
    sums_.assign(size(n_), 0);
    for (int k = 0; k < blocks(); ++k) solve_block(k, true);
    std::fill(sums_.begin(), sums_.end(), Real{0});
    for (int k = blocks() - 1; k >= 0; --k) solve_block(k, false);
    std::vector<double> x(size(n_));
    std::transform(right_.begin(), right_.end(), x.begin(), [this](Real value) { return scale_ * value; });
    return x;
  }

  /// The unknowns of block `k`: `sums_` of each process has what its known unknowns contribute to all rows.
  void solve_block(int k, bool lower) {
    const int first = first_of(k);
    const int width = width_of(k);
    std::vector<Real> known(size(width));
    MPI_Reduce(&sums_[size(first)], known.data(), width, type(), MPI_SUM, owner_of(k), comm_);
    if (owner_of(k) == rank_) {
      Real* columns = at(0, place_of(k));
      for (int i = 0; i < width; ++i) right_[size(first + i)] += known[size(i)];
      solve_triangle(lower, width, 1, columns + first, n_, &right_[size(first)], n_);
      const int from = lower ? first + width : 0;
      const int rows = lower ? n_ - from : first;
      if (rows > 0)
        subtract_product(rows, 1, width, columns + from, n_, &right_[size(first)], n_, &sums_[size(from)], n_);
    }
    MPI_Bcast(&right_[size(first)], width, type(), owner_of(k), comm_);
  }

  /// LAPACK's criterion: the residual is as small as that of a solution in double precision. Returns the refinements.
  /// Of small systems it asks for less than LAPACK: the residual itself is not computed any better.
  int refine(std::vector<double>& x) {
    if (sizeof(Real) == sizeof(double)) return 0;
    const double enough = std::max(4.0, std::sqrt(static_cast<double>(n_))) * EPSILON * norm_;
    for (int done = 0; done <= MAX_ITERATIONS; ++done) {
      const std::vector<double> r = residual_of(x);
      if (largest(r) <= largest(x) * enough) return done;
      if (done == MAX_ITERATIONS) break;
      const std::vector<double> change = solved(r);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] += change[i];
    }
    return -1;
  }

  /// b - A x
  std::vector<double> residual_of(const std::vector<double>& x) {
    std::vector<double> own(size(n_), 0);
    for (std::size_t k = 0; k < mine_.size(); ++k) {
      const double factor = x[size(mine_[k])];
      const double* column = &a_[k * size(n_)];
      for (std::size_t i = 0; i < own.size(); ++i) own[i] += factor * column[i];
    }
    std::vector<double> sum(size(n_));
    MPI_Allreduce(own.data(), sum.data(), n_, MPI_DOUBLE, MPI_SUM, comm_);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = b_[i] - sum[i];
    return sum;
  }

  double scaled_residual(const std::vector<double>& x) {
    return largest(residual_of(x)) / (EPSILON * (norm_ * largest(x) + largest(b_)) * n_);
  }

  /// The largest sum of a row.
  double norm_of_matrix() {
    std::vector<double> own(size(n_), 0);
    for (std::size_t k = 0; k < mine_.size(); ++k) {
      for (std::size_t i = 0; i < own.size(); ++i) own[i] += std::abs(a_[k * size(n_) + i]);
    }
    std::vector<double> sum(size(n_));
    MPI_Allreduce(own.data(), sum.data(), n_, MPI_DOUBLE, MPI_SUM, comm_);
    return largest(sum);
  }

  static double largest(const std::vector<double>& values) {
    double most = 0;
    for (const double value : values) most = std::isnan(value) ? value : std::max(most, std::abs(value));
    return most;
  }

  double longest(double seconds) {
    double most = 0;
    MPI_Allreduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, comm_);
    return most;
  }

  [[noreturn]] void give_up(const char* what) {
    std::fprintf(stderr, "hpl_mixed: rank %d: %s\n", rank_, what);
    MPI_Abort(comm_, 1);
    std::abort();
  }

  int n_;
  int block_;
  MPI_Comm comm_;
  int rank_ = 0;
  int processes_ = 1;
  std::vector<int> mine_;  ///< columns of this process
  std::vector<double> a_;
  std::vector<Real> lu_;
  std::vector<int> pivots_;  ///< LAPACK's, from 1 on, relative to the first row of their block
  std::vector<double> b_;
  double norm_ = 0;
  double scale_ = 1;
  std::vector<Real> right_;  ///< right-hand side, then solution
  std::vector<Real> sums_;
};

}  // namespace ayatori::hpl
