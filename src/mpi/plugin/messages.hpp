#pragma once
/// \file
/// How messages of executions on one communicator travel: to processes of this node through memory, to others by the
/// MPI or by connections of our own.

#include <mpi.h>

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "ayatori/carriers/combined_carrier.hpp"
#include "ayatori/carriers/socket_carrier.hpp"
#include "ayatori/executor/rank_program.hpp"
#include "ayatori/progress/tag_ranges.hpp"
#include "mpi_carrier.hpp"

namespace ayatori::plugin {

class Messages {
 public:
  /// `near` are the ranks of this node, this one included; `processes` by rank its rank in MPI_COMM_WORLD; `block` of
  /// process().tags.
  Messages(std::span<const NodeParticipant> near, std::vector<Rank> processes, std::uint32_t block);

  /// Whether an execution can have so many streams. The same on all ranks.
  [[nodiscard]] bool has_tags(std::uint32_t streams) const;

 private:
  friend class CallCarrier;
  /// The next execution on the communicator begins: all ranks count alike.
  void begin_execution();
  [[nodiscard]] std::uint64_t context() const { return (block_ << 32U) | (executions_ & ~concurrent_execution); }
  /// That of the next execution that does not block. All ranks begin them in the same order.
  [[nodiscard]] std::uint64_t take_context();
  /// The first tag of an execution that does not block: all ranks get the same. Such executions are under way at the
  /// same time.
  [[nodiscard]] int take_tags(std::uint32_t streams);
  void give_back_tags(int first);

  std::uint64_t block_;
  int first_tag_;  ///< of executions that block
  std::uint32_t executions_ = 0;
  std::uint32_t outstanding_executions_ = 0;
  bool all_near_;
  std::unique_ptr<MemoryCarrier> near_;                 ///< nullptr: none through memory
  std::shared_ptr<const std::vector<Rank>> processes_;  ///< by rank
  std::mutex tags_mutex_;
  TagRanges tags_;
};

/// What carries the messages of one compiled call.
class CallCarrier {
 public:
  /// `outstanding`: for executions that do not block, all by the MPI, or all by sockets.
  CallCarrier(Messages& messages, const RankProgram& program, bool outstanding);
  [[nodiscard]] Carrier& get() const { return *carrier_; }

  void begin_execution();
  void end_execution();

 private:
  Messages& messages_;
  std::uint32_t streams_;
  bool outstanding_;
  int first_tag_ = 0;
  std::unique_ptr<MpiCarrier> by_mpi_;
  std::unique_ptr<SocketCarrier> by_sockets_;
  std::unique_ptr<CombinedCarrier> both_;
  Carrier* carrier_;
};

}  // namespace ayatori::plugin
