#pragma once
/// \file
/// Halo exchanges by MPI's one-sided operations, on memory that all processes lay out alike.

#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "halo.hpp"

namespace ayatori::bench {

/// What other processes reach: two sets of a buffer for each side, and two counters for each side. Offsets are in bytes
/// from the beginning, for which any process's memory will do.
struct WindowLayout {
  std::size_t longest;

  [[nodiscard]] std::size_t buffer(unsigned set, Side side) const {
    return (set * 4 + index_of(side)) * longest * sizeof(double);
  }
  [[nodiscard]] std::size_t counter(unsigned kind, Side side) const {
    return 8 * longest * sizeof(double) + (kind * 4 + index_of(side)) * sizeof(std::int64_t);
  }
  [[nodiscard]] std::size_t bytes() const { return counter(2, Side::left); }
};

/// A window, and what all ways need of it.
class WindowHalo : public Halo {
 public:
  explicit WindowHalo(const HaloPlan& plan) : Halo(plan), layout_{plan.longest} {
    MPI_Win_allocate(static_cast<MPI_Aint>(layout_.bytes()), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory_, &window_);
    std::fill_n(memory_, layout_.bytes(), '\0');
    MPI_Barrier(MPI_COMM_WORLD);
  }
  ~WindowHalo() override { MPI_Win_free(&window_); }

 protected:
  [[nodiscard]] MPI_Win window() const { return window_; }
  [[nodiscard]] const WindowLayout& layout() const { return layout_; }
  [[nodiscard]] double* buffer(unsigned set, Side side) const {
    return reinterpret_cast<double*>(memory_ + layout_.buffer(set, side));
  }
  [[nodiscard]] std::int64_t* counter(unsigned kind, Side side) const {
    return reinterpret_cast<std::int64_t*>(memory_ + layout_.counter(kind, side));
  }

  /// Into the neighbour's buffer for what comes from us.
  void put(const double* from, Side side, unsigned set) {
    MPI_Put(from, count(side), MPI_DOUBLE, neighbour(side), static_cast<MPI_Aint>(layout_.buffer(set, opposite(side))),
            count(side), MPI_DOUBLE, window_);
  }

  /// Atomically, when all that was put there before is there.
  void tell(const std::int64_t* value, Side side, unsigned kind) {
    MPI_Accumulate(value, 1, MPI_INT64_T, neighbour(side), static_cast<MPI_Aint>(layout_.counter(kind, opposite(side))),
                   1, MPI_INT64_T, MPI_REPLACE, window_);
  }

  /// Waits until the neighbour has reported at least this. Asked by an MPI call, so that the MPI makes progress; the
  /// neighbour may need this core.
  void wait_for(std::int64_t value, Side side, unsigned kind) {
    int self = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &self);
    std::int64_t found = 0;
    while (found < value) {
      MPI_Fetch_and_op(nullptr, &found, MPI_INT64_T, self, static_cast<MPI_Aint>(layout_.counter(kind, side)),
                       MPI_NO_OP, window_);
      MPI_Win_flush(self, window_);
      if (found < value) sched_yield();
    }
  }

 private:
  WindowLayout layout_;
  char* memory_ = nullptr;
  MPI_Win window_ = MPI_WIN_NULL;
};

/// Active target (ACTV, the paper's figure 1): a fence when all may be written to, and one when all is written.
class FenceHalo final : public WindowHalo {
 public:
  explicit FenceHalo(const HaloPlan& plan) : WindowHalo(plan), buffers_(plan) {}
  ~FenceHalo() override { MPI_Win_fence(MPI_MODE_NOSUCCEED, window()); }

  double* out(Side side) override { return buffers_.out(side); }
  const double* in(Side side) const override { return buffer(0, side); }
  void begin() override {
    MPI_Win_fence(0, window());
    for (const Side side : all_sides) {
      if (has(side)) put(buffers_.out(side), side, 0);
    }
  }
  void end() override { MPI_Win_fence(0, window()); }

 private:
  OwnBuffers buffers_;
};

/// Passive target (PASV): data, and then counters that say that they are there.
class PassiveHalo final : public WindowHalo {
 public:
  explicit PassiveHalo(const HaloPlan& plan) : WindowHalo(plan), buffers_(plan) { MPI_Win_lock_all(0, window()); }
  ~PassiveHalo() override { MPI_Win_unlock_all(window()); }

  double* out(Side side) override { return buffers_.out(side); }
  const double* in(Side side) const override { return buffer(set(), side); }

  void begin() override {
    ++step_;
    for (const Side side : all_sides) {
      if (has(side)) put(buffers_.out(side), side, set());
    }
  }

  /// The flush orders data and counter; MPI_Win_sync makes visible to us what others have written.
  void end() override {
    MPI_Win_flush_all(window());
    for (const Side side : all_sides) {
      if (has(side)) tell(&step_, side, arrived);
    }
    MPI_Win_flush_all(window());
    for (const Side side : all_sides) {
      if (has(side)) wait_for(step_, side, arrived);
    }
    MPI_Win_sync(window());
  }

 private:
  static constexpr unsigned arrived = 0;
  [[nodiscard]] unsigned set() const { return static_cast<unsigned>(step_ % 2); }

  OwnBuffers buffers_;
  std::int64_t step_ = 0;
};

/// MPI_Get: who has packed says so, and the neighbours fetch.
class GetHalo final : public WindowHalo {
 public:
  explicit GetHalo(const HaloPlan& plan) : WindowHalo(plan), buffers_(plan) { MPI_Win_lock_all(0, window()); }
  ~GetHalo() override { MPI_Win_unlock_all(window()); }

  double* out(Side side) override { return buffer(static_cast<unsigned>((step_ + 1) % 2), side); }
  const double* in(Side side) const override { return buffers_.in(side); }

  void begin() override {
    ++step_;
    MPI_Win_sync(window());
    for (const Side side : all_sides) {
      if (has(side)) tell(&step_, side, packed);
    }
    MPI_Win_flush_all(window());
    for (const Side side : all_sides) {
      if (!has(side)) continue;
      wait_for(step_, side, packed);
      const auto place = static_cast<MPI_Aint>(layout().buffer(static_cast<unsigned>(step_ % 2), opposite(side)));
      MPI_Get(buffers_.in(side), count(side), MPI_DOUBLE, neighbour(side), place, count(side), MPI_DOUBLE, window());
    }
  }
  void end() override { MPI_Win_flush_all(window()); }

 private:
  static constexpr unsigned packed = 0;
  OwnBuffers buffers_;
  std::int64_t step_ = 0;
};

/// Passive target as the paper's figure 2 prints it, but for one number. It orders nothing between data and counter,
/// reads its counters without asking the MPI, and packs before it has flushed: MPI guarantees neither that it ends nor
/// that its result is right. The number: printed is that a process tells its neighbours the step that it has unpacked,
/// where they wait for the step that they are about to send, so that all wait in their second step for ever; here it
/// tells the next one.
class PrintedPassiveHalo final : public WindowHalo {
 public:
  explicit PrintedPassiveHalo(const HaloPlan& plan) : WindowHalo(plan), buffers_(plan) {
    for (const Side side : all_sides) *counter(ready, side) = 1;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window());
  }
  ~PrintedPassiveHalo() override { MPI_Win_unlock_all(window()); }

  double* out(Side side) override { return buffers_.out(side); }
  const double* in(Side side) const override { return buffer(0, side); }

  void begin() override {
    if (step_ > 0) unpacked();
    ++step_;
    MPI_Win_flush_all(window());
    for (const Side side : all_sides) {
      if (!has(side) || !look_at(side, ready, step_)) continue;
      put(buffers_.out(side), side, 0);
      put_counter(&step_, side, arrived);
    }
  }

  void end() override {
    for (const Side side : all_sides) {
      if (has(side) && trouble_.empty()) look_at(side, arrived, step_);
    }
  }

  [[nodiscard]] std::string trouble() const override { return trouble_; }

 private:
  static constexpr unsigned ready = 0;
  static constexpr unsigned arrived = 1;
  static constexpr double patience_seconds = 5;

  void unpacked() {
    next_ = step_ + 1;
    for (const Side side : all_sides) {
      if (has(side)) put_counter(&next_, side, ready);
    }
  }

  void put_counter(const std::int64_t* value, Side side, unsigned kind) {
    MPI_Put(value, 1, MPI_INT64_T, neighbour(side), static_cast<MPI_Aint>(layout().counter(kind, opposite(side))), 1,
            MPI_INT64_T, window());
  }

  bool look_at(Side side, unsigned kind, std::int64_t value) {
    const double begin = MPI_Wtime();
    while (std::atomic_ref(*counter(kind, side)).load(std::memory_order_acquire) < value) {
      if (MPI_Wtime() < begin + patience_seconds) continue;
      trouble_ = "a counter does not arrive, since nobody makes the MPI move it";
      return false;
    }
    return true;
  }

  OwnBuffers buffers_;
  std::int64_t step_ = 0;
  std::int64_t next_ = 0;
  std::string trouble_;
};

}  // namespace ayatori::bench
