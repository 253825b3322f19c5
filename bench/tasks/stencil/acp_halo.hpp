#pragma once
/// \file
/// The halo exchange over libacp: data are put into the neighbour's memory, and a counter after them, by the order that
/// libacp keeps. Its thread moves them while the program computes.

#include <acp.h>
#include <mpi.h>
#include <sched.h>

#include <atomic>
#include <cstdint>

#include "halo.hpp"
#include "harness/acp_with_mpi.hpp"
#include "one_sided.hpp"

namespace ayatori::bench {

class AcpHalo final : public Halo {
 public:
  explicit AcpHalo(const HaloPlan& plan) : Halo(plan), layout_{plan.longest} {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    start_acp(own_part() + own_bytes());
    own_ = acp_query_starter_ga(rank);
    memory_ = static_cast<char*>(acp_query_address(own_));
    acp_sync();
  }
  ~AcpHalo() override { acp_finalize(); }

  double* out(Side side) override { return reinterpret_cast<double*>(memory_ + out_place(set_of(step_ + 1), side)); }
  const double* in(Side side) const override {
    return reinterpret_cast<const double*>(memory_ + layout_.buffer(set_of(step_), side));
  }

  void begin() override {
    ++step_;
    *counter_to_send() = step_;
    last_ = ACP_HANDLE_NULL;
    for (const Side side : all_sides) {
      if (!has(side)) continue;
      const acp_ga_t there = acp_query_starter_ga(neighbour(side));
      const auto data = acp_copy(there + layout_.buffer(set_of(step_), opposite(side)),
                                 own_ + out_place(set_of(step_), side), bytes(side), ACP_HANDLE_NULL);
      last_ = acp_copy(there + layout_.counter(0, opposite(side)), own_ + counter_place(), sizeof step_, data);
    }
  }

  void end() override {
    for (const Side side : all_sides) {
      if (!has(side)) continue;
      std::atomic_ref counter(*reinterpret_cast<std::int64_t*>(memory_ + layout_.counter(0, side)));
      while (counter.load(std::memory_order_acquire) < step_) {
        acp_inquire(last_);  // whoever calls the library serves the network: its thread takes over only after a while
        sched_yield();
      }
    }
    acp_complete(last_);
  }

 private:
  static unsigned set_of(std::int64_t step) { return static_cast<unsigned>(step % 2); }
  [[nodiscard]] std::size_t bytes(Side side) const { return static_cast<std::size_t>(count(side)) * sizeof(double); }

  /// After what neighbours write to: our own buffers, and the counter that is sent.
  [[nodiscard]] std::size_t own_part() const { return layout_.bytes(); }
  [[nodiscard]] std::size_t out_place(unsigned set, Side side) const { return own_part() + layout_.buffer(set, side); }
  [[nodiscard]] std::size_t counter_place() const {
    return own_part() + layout_.counter(0, Side::left) + set_of(step_) * sizeof(std::int64_t);
  }
  [[nodiscard]] std::size_t own_bytes() const { return layout_.bytes(); }
  [[nodiscard]] std::int64_t* counter_to_send() const {
    return reinterpret_cast<std::int64_t*>(memory_ + counter_place());
  }

  WindowLayout layout_;
  acp_ga_t own_ = ACP_GA_NULL;
  char* memory_ = nullptr;
  acp_handle_t last_ = ACP_HANDLE_NULL;
  std::int64_t step_ = 0;
};

}  // namespace ayatori::bench
