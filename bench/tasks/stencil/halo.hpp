#pragma once
/// \file
/// One way of exchanging the halo with the four neighbours. The programs' steps are
///
///     pack into out(side)                 for each side with a neighbour
///     begin()                             the exchange starts
///     inner elements are computed         poll() between their rows
///     end()                               the neighbours' data are there
///     unpack from in(side)
///
/// A neighbour may be a step ahead, so one-sided modes alternate between two sets of buffers: who has received a
/// neighbour's data of a step knows that it has unpacked the step before.

#include <mpi.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "field.hpp"

namespace ayatori::bench {

/// What an exchange is made for.
struct HaloPlan {
  std::array<std::optional<int>, 4> neighbours;  ///< by index_of(side)
  std::array<std::size_t, 4> lengths{};          ///< elements of a side
  std::size_t longest = 0;                       ///< of any side of any process
  int polls_every = 0;                           ///< rows of inner elements between two polls of the program; 0: none
};

class Halo {
 public:
  explicit Halo(const HaloPlan& plan) : plan_(plan) {}
  Halo(const Halo&) = delete;
  Halo& operator=(const Halo&) = delete;
  virtual ~Halo() = default;

  [[nodiscard]] virtual double* out(Side side) = 0;
  [[nodiscard]] virtual const double* in(Side side) const = 0;
  virtual void begin() = 0;
  virtual void poll() {}
  virtual void end() = 0;
  /// Says what goes wrong if this step never ends; empty where nothing can.
  [[nodiscard]] virtual std::string trouble() const { return {}; }

 protected:
  [[nodiscard]] const HaloPlan& plan() const { return plan_; }
  [[nodiscard]] bool has(Side side) const { return plan_.neighbours[index_of(side)].has_value(); }
  [[nodiscard]] int neighbour(Side side) const { return plan_.neighbours[index_of(side)].value_or(MPI_PROC_NULL); }
  [[nodiscard]] int count(Side side) const { return static_cast<int>(plan_.lengths[index_of(side)]); }

 private:
  HaloPlan plan_;
};

/// Buffers of a process that nobody else writes to by itself.
class OwnBuffers {
 public:
  explicit OwnBuffers(const HaloPlan& plan) : longest_(plan.longest), out_(4 * longest_), in_(4 * longest_) {}
  [[nodiscard]] double* out(Side side) { return &out_[index_of(side) * longest_]; }
  [[nodiscard]] double* in(Side side) { return &in_[index_of(side) * longest_]; }
  [[nodiscard]] const double* in(Side side) const { return &in_[index_of(side) * longest_]; }

 private:
  std::size_t longest_;
  std::vector<double> out_;
  std::vector<double> in_;
};

}  // namespace ayatori::bench
