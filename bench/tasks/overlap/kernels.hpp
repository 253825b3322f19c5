#pragma once
/// \file
/// What the program computes meanwhile. A kernel's work is cut into units of some microseconds each, so that it can be
/// made as long as a communication, and calls to MPI can stand between them. Its results are whole numbers that can be
/// computed in another way.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace ayatori::bench {

class Kernel {
 public:
  Kernel() = default;
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;
  virtual ~Kernel() = default;

  /// `units` more, from where the last call ended.
  virtual void compute(long units) = 0;
  /// Of the whole problem, this rank's part.
  [[nodiscard]] virtual long whole() const = 0;
  /// Whether all that was computed so far is what it must be.
  [[nodiscard]] virtual bool is_right() const = 0;
};

/// In registers.
class Arithmetic final : public Kernel {
 public:
  void compute(long units) override {
    for (long unit = 0; unit < units; ++unit) {
      for (int i = 0; i < 2000; ++i) x_ = x_ * 0.5 + 1;
    }
  }
  [[nodiscard]] long whole() const override { return 1000; }
  [[nodiscard]] bool is_right() const override { return x_ == 2; }

 private:
  double x_ = 2;
};

/// As STREAM's triad: arrays that fit into no cache.
class Triad final : public Kernel {
 public:
  void compute(long units) override {
    for (long unit = 0; unit < units; ++unit) {
      const std::size_t begin = place_;
#pragma omp parallel for schedule(static)
      for (std::size_t i = begin; i < begin + part; ++i) a_[i] = b_[i] + 0.5 * c_[i];
      place_ = (place_ + part) % elements;
      computed_ = std::max(computed_, begin + part);
    }
  }
  [[nodiscard]] long whole() const override { return elements / part; }
  [[nodiscard]] bool is_right() const override {
    const auto is_sum = [](double value) { return value == 5; };
    return std::all_of(a_.begin(), a_.begin() + static_cast<std::ptrdiff_t>(computed_), is_sum);
  }

 private:
  static constexpr std::size_t elements = std::size_t{8} << 20;  // 64 MiB each
  static constexpr std::size_t part = 8192;
  std::size_t place_ = 0;
  std::size_t computed_ = 0;
  std::vector<double> a_ = std::vector<double>(elements, 1);
  std::vector<double> b_ = std::vector<double>(elements, 2);
  std::vector<double> c_ = std::vector<double>(elements, 6);
};

/// What matrices are made of.
inline double entry(std::size_t row, std::size_t column) { return static_cast<double>((row * 7 + column * 3) % 11); }

/// The rows that a rank has of `order` rows.
inline std::size_t first_row(std::size_t order, int rank, int ranks) {
  return order * static_cast<std::size_t>(rank) / static_cast<std::size_t>(ranks);
}

/// Calls `work` for `units` rows from `place` on, which comes to be the row after them; the first follows the last of
/// `rows`. OpenMP's threads share the rows, and no two have the same at the same time.
template <typename Work>
void each_alternately(std::size_t& place, std::size_t rows, long units, Work work) {
  for (auto left = static_cast<std::size_t>(units); left > 0 && rows > 0;) {
    const std::size_t end = std::min(rows, place + left);
#pragma omp parallel for schedule(static)
    for (std::size_t row = place; row < end; ++row) work(row);
    left -= end - place;
    place = end % rows;
  }
}

/// y = A x, rows divided among ranks, and those of a rank among OpenMP's threads. A unit is a row.
class MatrixVector final : public Kernel {
 public:
  MatrixVector(std::size_t order, int rank, int ranks)
      : order_(order),
        first_(first_row(order, rank, ranks)),
        rows_(first_row(order, rank + 1, ranks) - first_),
        a_(rows_ * order),
        x_(order),
        y_(rows_, -1) {
    for (std::size_t i = 0; i < rows_ * order_; ++i) a_[i] = entry(first_ + i / order_, i % order_);
    for (std::size_t k = 0; k < order_; ++k) x_[k] = entry(k, 1);
  }

  void compute(long units) override {
    each_alternately(place_, rows_, units, [&](std::size_t row) {
      double sum = 0;
      for (std::size_t k = 0; k < order_; ++k) sum += a_[row * order_ + k] * x_[k];
      y_[row] = sum;
    });
  }
  [[nodiscard]] long whole() const override { return static_cast<long>(rows_); }

  [[nodiscard]] bool is_right() const override {
    for (std::size_t row = 0; row < rows_; ++row) {
      long sum = 0;
      for (std::size_t k = 0; k < order_; ++k) sum += static_cast<long>(entry(first_ + row, k) * entry(k, 1));
      if (y_[row] != -1 && y_[row] != static_cast<double>(sum)) return false;
    }
    return true;
  }

 private:
  std::size_t order_;
  std::size_t first_;
  std::size_t rows_;
  std::size_t place_ = 0;
  std::vector<double> a_;
  std::vector<double> x_;
  std::vector<double> y_;
};

/// C = A B of matrices that fit into a cache, as a block of DGEMM's is. A unit is a row of C.
class MatrixMatrix final : public Kernel {
 public:
  explicit MatrixMatrix(std::size_t order)
      : order_(order), a_(order * order), b_(order * order), c_(order * order, -1) {
    for (std::size_t i = 0; i < order * order; ++i) {
      a_[i] = entry(i / order, i % order);
      b_[i] = entry(i % order, i / order);
    }
  }

  void compute(long units) override {
    each_alternately(place_, order_, units, [&](std::size_t i) { row(i); });
  }
  [[nodiscard]] long whole() const override { return static_cast<long>(order_); }

  [[nodiscard]] bool is_right() const override {
    for (std::size_t i = 0; i < order_; ++i) {
      for (std::size_t k = 0; k < order_; ++k) {
        double sum = 0;
        for (std::size_t j = 0; j < order_; ++j) sum += entry(i, j) * entry(k, j);
        if (c_[i * order_ + k] != -1 && c_[i * order_ + k] != sum) return false;
      }
    }
    return true;
  }

 private:
  void row(std::size_t i) {
    std::vector<double> sums(order_, 0.0);
    for (std::size_t j = 0; j < order_; ++j) {
      const double factor = a_[i * order_ + j];
      for (std::size_t k = 0; k < order_; ++k) sums[k] += factor * b_[j * order_ + k];
    }
    std::copy(sums.begin(), sums.end(), c_.begin() + static_cast<std::ptrdiff_t>(i * order_));
  }

  std::size_t order_;
  std::size_t place_ = 0;
  std::vector<double> a_;
  std::vector<double> b_;
  std::vector<double> c_;
};

/// `order` of matrices; 0: one that is usual. Null if nothing is called so.
inline std::unique_ptr<Kernel> kernel_of(const std::string& name, std::size_t order, int rank, int ranks) {
  if (name == "arithmetic") return std::make_unique<Arithmetic>();
  if (name == "memory") return std::make_unique<Triad>();
  if (name == "matrix-vector") return std::make_unique<MatrixVector>(order == 0 ? 2048 : order, rank, ranks);
  if (name == "matrix-matrix") return std::make_unique<MatrixMatrix>(order == 0 ? 160 : order);
  return nullptr;
}

}  // namespace ayatori::bench
