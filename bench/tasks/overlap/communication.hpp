#pragma once
/// \file
/// What travels while the program computes: messages, collectives, puts of libacp. Other data in each round, checked
/// after it.

#include <acp.h>
#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/acp_with_mpi.hpp"

namespace ayatori::bench {

/// Of one round: prepare(), then either begin() and wait(), with test() between them, or blocking(); then is_right().
class Communication {
 public:
  Communication(int rank, int ranks) : rank_(rank), ranks_(ranks) {}
  Communication(const Communication&) = delete;
  Communication& operator=(const Communication&) = delete;
  virtual ~Communication() = default;

  virtual void prepare(int round) = 0;
  virtual void begin() = 0;
  virtual void test() = 0;
  virtual void wait() = 0;
  /// The same by the call that waits itself.
  virtual void blocking() = 0;
  [[nodiscard]] virtual bool is_right() const = 0;

 protected:
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int ranks() const { return ranks_; }
  /// Whole numbers: their sum is exact.
  [[nodiscard]] static double value(int round, int from, std::size_t i) {
    return static_cast<double>((static_cast<std::size_t>(round) * 31 + static_cast<std::size_t>(from) * 17 + i) % 1000);
  }

 private:
  int rank_;
  int ranks_;
};

/// By an MPI's request. `bytes` are those of a message: to each other rank in an all-to-all, of each rank in an
/// allgather, of the whole vector elsewhere.
class MpiCommunication final : public Communication {
 public:
  enum class Call { isend, iallreduce, ialltoall, ibcast, iallgather };

  MpiCommunication(Call call, std::size_t bytes, int rank, int ranks)
      : Communication(rank, ranks),
        call_(call),
        count_(static_cast<int>(bytes / sizeof(double))),
        sent_(elements(call == Call::ialltoall)),
        received_(elements(call == Call::ialltoall || call == Call::iallgather)) {}

  void prepare(int round) override {
    round_ = round;
    for (std::size_t i = 0; i < sent_.size(); ++i) sent_[i] = value(round_, rank(), i);
    std::fill(received_.begin(), received_.end(), -1);
    if (call_ == Call::ibcast && rank() == 0) received_ = sent_;
  }

  void begin() override {
    switch (call_) {
      case Call::isend:
        if (rank() == 0) MPI_Isend(sent_.data(), count_, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, &request_);
        if (rank() == 1) MPI_Irecv(received_.data(), count_, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, &request_);
        return;
      case Call::iallreduce:
        MPI_Iallreduce(sent_.data(), received_.data(), count_, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request_);
        return;
      case Call::ialltoall:
        MPI_Ialltoall(sent_.data(), count_, MPI_DOUBLE, received_.data(), count_, MPI_DOUBLE, MPI_COMM_WORLD,
                      &request_);
        return;
      case Call::ibcast:
        MPI_Ibcast(received_.data(), count_, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request_);
        return;
      case Call::iallgather:
        MPI_Iallgather(sent_.data(), count_, MPI_DOUBLE, received_.data(), count_, MPI_DOUBLE, MPI_COMM_WORLD,
                       &request_);
        return;
    }
  }

  void test() override {
    int is_over = 0;
    MPI_Test(&request_, &is_over, MPI_STATUS_IGNORE);
  }
  void wait() override { MPI_Wait(&request_, MPI_STATUS_IGNORE); }

  void blocking() override {
    switch (call_) {
      case Call::isend:
        if (rank() == 0) MPI_Send(sent_.data(), count_, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
        if (rank() == 1) MPI_Recv(received_.data(), count_, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return;
      case Call::iallreduce:
        MPI_Allreduce(sent_.data(), received_.data(), count_, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        return;
      case Call::ialltoall:
        MPI_Alltoall(sent_.data(), count_, MPI_DOUBLE, received_.data(), count_, MPI_DOUBLE, MPI_COMM_WORLD);
        return;
      case Call::ibcast:
        MPI_Bcast(received_.data(), count_, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        return;
      case Call::iallgather:
        MPI_Allgather(sent_.data(), count_, MPI_DOUBLE, received_.data(), count_, MPI_DOUBLE, MPI_COMM_WORLD);
        return;
    }
  }

  [[nodiscard]] bool is_right() const override {
    if (call_ == Call::isend && rank() != 1) return true;
    for (std::size_t i = 0; i < received_.size(); ++i) {
      if (received_[i] != expected(i)) return false;
    }
    return true;
  }

 private:
  [[nodiscard]] std::size_t elements(bool of_each_rank) const {
    return static_cast<std::size_t>(count_) * (of_each_rank ? static_cast<std::size_t>(ranks()) : 1);
  }

  [[nodiscard]] double expected(std::size_t i) const {
    const auto count = static_cast<std::size_t>(count_);
    const int from = static_cast<int>(i / count);
    double sum = 0;
    switch (call_) {
      case Call::iallreduce:
        for (int r = 0; r < ranks(); ++r) sum += value(round_, r, i);
        return sum;
      case Call::ialltoall:
        return value(round_, from, static_cast<std::size_t>(rank()) * count + i % count);
      case Call::iallgather:
        return value(round_, from, i % count);
      default:
        return value(round_, 0, i);
    }
  }

  Call call_;
  int count_;
  int round_ = 0;
  std::vector<double> sent_;
  std::vector<double> received_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

/// By libacp: rank 0 puts data into rank 1's memory, and a counter after them. Its threads move them.
class AcpCommunication final : public Communication {
 public:
  AcpCommunication(std::size_t bytes, int rank, int ranks)
      : Communication(rank, ranks), count_(bytes / sizeof(double)) {
    start_acp(data_place + count_ * sizeof(double));
    own_ = acp_query_starter_ga(rank);
    memory_ = static_cast<char*>(acp_query_address(own_));
    there_ = acp_query_starter_ga(1);
    acp_sync();
  }
  ~AcpCommunication() override { acp_finalize(); }

  void prepare(int round) override {
    round_ = round;
    for (std::size_t i = 0; i < count_; ++i) data()[i] = rank() == 0 ? value(round, 0, i) : -1;
    if (rank() == 0) *sent_counter() = round;
    acp_sync();
  }

  void begin() override {
    if (rank() != 0) return;
    const auto put = acp_copy(there_ + data_place, own_ + data_place, count_ * sizeof(double), ACP_HANDLE_NULL);
    handle_ = acp_copy(there_, own_ + sizeof(std::int64_t), sizeof(std::int64_t), put);
  }
  void test() override {}
  void wait() override {
    if (rank() == 0) acp_complete(handle_);
    if (rank() != 1) return;
    std::atomic_ref arrived(*reinterpret_cast<std::int64_t*>(memory_));
    while (arrived.load(std::memory_order_acquire) < round_) sched_yield();
  }
  void blocking() override {
    begin();
    wait();
  }

  [[nodiscard]] bool is_right() const override {
    for (std::size_t i = 0; rank() == 1 && i < count_; ++i) {
      if (data()[i] != value(round_, 0, i)) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t data_place = 64;  ///< after the counter that arrives and the one that is sent
  [[nodiscard]] double* data() const { return reinterpret_cast<double*>(memory_ + data_place); }
  [[nodiscard]] std::int64_t* sent_counter() const { return reinterpret_cast<std::int64_t*>(memory_) + 1; }

  std::size_t count_;
  acp_ga_t own_ = ACP_GA_NULL;
  acp_ga_t there_ = ACP_GA_NULL;
  char* memory_ = nullptr;
  acp_handle_t handle_ = ACP_HANDLE_NULL;
  int round_ = 0;
};

}  // namespace ayatori::bench
