#pragma once
/// \file
/// Carries an executor's messages by MPI: any MPI, or SimGrid's SMPI.

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "ayatori/executor/carrier.hpp"
#include "ayatori/executor/rank_program.hpp"

namespace ayatori {

/// Message tags are stream numbers, counted from set_first_tag(): nothing else that is under way on `communicator` may
/// have the same. Errors are MPI's own words, if the communicator's error handler lets them return.
///
/// Small messages of several pieces are copied together: to make a datatype of them takes longer. Larger ones are of a
/// derived datatype, so that an execution needs little memory of its own.
class MpiCarrier final : public Carrier {
 public:
  /// Carries for programs like this one: with as many messages under way and pieces a message at most. MPI counts with
  /// int: more than `max_count` bytes that follow each other are several blocks of a datatype.
  /// `ranks`: by participant its rank in `communicator`; nullptr: the same number.
  MpiCarrier(MPI_Comm communicator, const RankProgram& program, Bytes max_count = Bytes{1} << 30,
             std::shared_ptr<const std::vector<Rank>> ranks = nullptr);
  /// Memory of messages that never became complete, as after an error, is MPI's for ever.
  ~MpiCarrier() override;
  MpiCarrier(const MpiCarrier&) = delete;
  MpiCarrier& operator=(const MpiCarrier&) = delete;

  /// The tag of stream 0 from now on; 0 at first. No message is under way.
  void set_first_tag(int tag) { first_tag_ = tag; }

  [[nodiscard]] Result<> post_send(RequestId request, const CarriedMessage& message) override;
  [[nodiscard]] Result<> post_receive(RequestId request, const CarriedMessage& message) override;
  [[nodiscard]] Result<std::size_t> test_some(std::span<RequestId> completed) override;
  /// Waits for one message and reports no others: under SMPI each look at another one would take simulated time.
  [[nodiscard]] Result<std::size_t> wait_some(std::span<RequestId> completed) override;

 private:
  /// MPI_Isend or MPI_Irecv, which differ in the const of the buffer only; from or into the memory `together`, if it is
  /// not null.
  template <typename Post>
  [[nodiscard]] Result<> post(const CarriedMessage& message, std::byte* together, Post post_message);
  /// Where the pieces of a small message are copied together; null for all other messages.
  [[nodiscard]] std::byte* memory_for(RequestId request, const CarriedMessage& message);
  [[nodiscard]] Result<MPI_Datatype> type_of(const CarriedMessage& message);
  /// Hands out what became complete, and puts what was received together into its pieces.
  RequestId completed_now(int request);

  /// A message of several pieces that is carried as one.
  struct Together {
    std::unique_ptr<std::byte[]> memory;               ///< null for all other messages
    std::span<const std::span<std::byte>> to_receive;  ///< empty for a message that is sent
  };

  /// The tag of a message's stream.
  [[nodiscard]] int tag_of(const CarriedMessage& message) const {
    return first_tag_ + static_cast<int>(message.stream);
  }

  [[nodiscard]] int rank_of(const CarriedMessage& message) const {
    return static_cast<int>(ranks_ == nullptr ? message.peer : (*ranks_)[message.peer]);
  }

  MPI_Comm communicator_;
  std::shared_ptr<const std::vector<Rank>> ranks_;
  Bytes max_count_;
  int first_tag_ = 0;
  std::vector<MPI_Request> requests_;  ///< by RequestId; MPI_REQUEST_NULL if it is not under way
  std::vector<Together> together_;     ///< by RequestId
  std::vector<int> lengths_;           ///< of a derived datatype that is being made
  std::vector<MPI_Aint> addresses_;
};

}  // namespace ayatori
