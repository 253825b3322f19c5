#pragma once
/// \file
/// How messages of plays on one communicator travel: to processes of this node through memory, to others by the MPI.

#include <mpi.h>

#include <memory>
#include <span>

#include "ayatori/carriers/combined_carrier.hpp"
#include "ayatori/player/rank_program.hpp"
#include "mpi_carrier.hpp"

namespace ayatori::plugin {

class Messages {
 public:
  /// `near` are the ranks of this node, this one included.
  Messages(MPI_Comm own, std::span<const NodeParticipant> near, Rank ranks, std::uint32_t number);

  /// The next play on the communicator begins: all ranks count alike.
  void begin_play();

 private:
  friend class CallCarrier;
  MPI_Comm own_;
  std::uint64_t number_;
  std::uint32_t plays_ = 0;
  bool all_near_;
  std::unique_ptr<MemoryCarrier> near_;  ///< nullptr: all by the MPI
};

/// What carries the messages of one compiled call.
class CallCarrier {
 public:
  CallCarrier(Messages& messages, const RankProgram& program);
  [[nodiscard]] Carrier& get() const { return *carrier_; }

 private:
  std::unique_ptr<MpiCarrier> far_;
  std::unique_ptr<CombinedCarrier> both_;
  Carrier* carrier_;
};

}  // namespace ayatori::plugin
