#pragma once
/// \file
/// Carries a player's messages by MPI: any MPI, or SimGrid's SMPI.

#include <mpi.h>

#include <vector>

#include "ayatori/player/carrier.hpp"
#include "ayatori/player/rank_program.hpp"

namespace ayatori {

/// Message tags are stream numbers, so `communicator` should be used for nothing else while a play is under way. Errors
/// are MPI's own words, if the communicator's error handler lets them return.
class MpiCarrier final : public Carrier {
 public:
  /// Carries for programs like this one: with as many messages under way and pieces a message at most.
  MpiCarrier(MPI_Comm communicator, const RankProgram& program);

  [[nodiscard]] Result<> post_send(RequestId request, const CarriedMessage& message) override;
  [[nodiscard]] Result<> post_receive(RequestId request, const CarriedMessage& message) override;
  [[nodiscard]] Result<std::size_t> test_some(std::span<RequestId> completed) override;
  /// Waits for one message and reports no others: under SMPI each look at another one would take simulated time.
  [[nodiscard]] Result<std::size_t> wait_some(std::span<RequestId> completed) override;

 private:
  /// MPI_Isend or MPI_Irecv, which differ in the const of the buffer only.
  template <typename Post>
  [[nodiscard]] Result<> post(const CarriedMessage& message, Post post_message);
  [[nodiscard]] Result<MPI_Datatype> type_of(const CarriedMessage& message);

  MPI_Comm communicator_;
  std::vector<MPI_Request> requests_;  ///< by RequestId; MPI_REQUEST_NULL if it is not under way
  std::vector<int> lengths_;           ///< of a derived datatype that is being made
  std::vector<MPI_Aint> addresses_;
};

}  // namespace ayatori
