#pragma once
/// \file
/// Halo exchanges in which sender and receiver both take part.

#include <mpi.h>

#include <array>
#include <vector>

#include "halo.hpp"

namespace ayatori::bench {

/// MPI_Isend and MPI_Irecv (ISND), also waited for at once (no overlap), or tested by the program now and then.
class NonBlockingHalo final : public Halo {
 public:
  NonBlockingHalo(const HaloPlan& plan, bool waits_at_once)
      : Halo(plan), buffers_(plan), waits_at_once_(waits_at_once) {}

  double* out(Side side) override { return buffers_.out(side); }
  const double* in(Side side) const override { return buffers_.in(side); }

  void begin() override {
    for (const Side side : all_sides) {
      MPI_Irecv(buffers_.in(side), has(side) ? count(side) : 0, MPI_DOUBLE, neighbour(side),
                static_cast<int>(index_of(opposite(side))), MPI_COMM_WORLD, &requests_[index_of(side)]);
    }
    for (const Side side : all_sides) {
      MPI_Isend(buffers_.out(side), has(side) ? count(side) : 0, MPI_DOUBLE, neighbour(side),
                static_cast<int>(index_of(side)), MPI_COMM_WORLD, &requests_[4 + index_of(side)]);
    }
    if (waits_at_once_) end();
  }

  void poll() override {
    if (plan().polls_every == 0 || ++rows_ % plan().polls_every != 0) return;
    int are_over = 0;
    MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &are_over, MPI_STATUSES_IGNORE);
  }

  void end() override { MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE); }

 private:
  OwnBuffers buffers_;
  bool waits_at_once_;
  int rows_ = 0;
  std::array<MPI_Request, 8> requests_{};
};

/// Persistent requests: made once, started in each step.
class PersistentHalo final : public Halo {
 public:
  explicit PersistentHalo(const HaloPlan& plan) : Halo(plan), buffers_(plan) {
    for (const Side side : all_sides) {
      const std::size_t i = index_of(side);
      const int elements = has(side) ? count(side) : 0;
      MPI_Recv_init(buffers_.in(side), elements, MPI_DOUBLE, neighbour(side),
                    static_cast<int>(index_of(opposite(side))), MPI_COMM_WORLD, &requests_[i]);
      MPI_Send_init(buffers_.out(side), elements, MPI_DOUBLE, neighbour(side), static_cast<int>(i), MPI_COMM_WORLD,
                    &requests_[4 + i]);
    }
  }
  ~PersistentHalo() override {
    for (MPI_Request& request : requests_) MPI_Request_free(&request);
  }

  double* out(Side side) override { return buffers_.out(side); }
  const double* in(Side side) const override { return buffers_.in(side); }
  void begin() override { MPI_Startall(static_cast<int>(requests_.size()), requests_.data()); }
  void end() override { MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE); }

 private:
  OwnBuffers buffers_;
  std::array<MPI_Request, 8> requests_{};
};

/// MPI_Ineighbor_alltoallv on the graph of the neighbours.
class NeighbourhoodHalo final : public Halo {
 public:
  explicit NeighbourhoodHalo(const HaloPlan& plan) : Halo(plan), buffers_(plan) {
    std::vector<int> ranks;
    for (const Side side : all_sides) {
      if (!has(side)) continue;
      ranks.push_back(neighbour(side));
      counts_.push_back(count(side));
      places_.push_back(static_cast<int>(index_of(side) * plan.longest));
    }
    const int degree = static_cast<int>(ranks.size());
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, degree, ranks.data(), MPI_UNWEIGHTED, degree, ranks.data(),
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph_);
  }
  ~NeighbourhoodHalo() override { MPI_Comm_free(&graph_); }

  double* out(Side side) override { return buffers_.out(side); }
  const double* in(Side side) const override { return buffers_.in(side); }
  void begin() override {
    MPI_Ineighbor_alltoallv(buffers_.out(Side::left), counts_.data(), places_.data(), MPI_DOUBLE,
                            buffers_.in(Side::left), counts_.data(), places_.data(), MPI_DOUBLE, graph_, &request_);
  }
  void end() override { MPI_Wait(&request_, MPI_STATUS_IGNORE); }

 private:
  OwnBuffers buffers_;
  std::vector<int> counts_;
  std::vector<int> places_;
  MPI_Comm graph_ = MPI_COMM_NULL;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace ayatori::bench
