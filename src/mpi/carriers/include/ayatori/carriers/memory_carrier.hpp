#pragma once
/// \file
/// Carries messages among processes of one node through the memory that they share.
///
/// Up to 232 bytes travel inline in the message's slot (40 where more than 128 ranks share the node); up to
/// 128 KiB are copied into the sender's outbox and from there, and the send is complete at once if there is room. More
/// comes in fragments through the outbox, or by one copy from the sender's memory (NodeMemoryOptions). What a step
/// sends to several receivers lies in the outbox once.

#include <memory>
#include <span>
#include <vector>

#include "ayatori/carriers/node_memory.hpp"
#include "ayatori/executor/carrier.hpp"

namespace ayatori {

/// A participant of a schedule that is on this node.
struct NodeParticipant {
  Rank participant = 0;  ///< its number in the schedule: its rank in the communicator
  Rank node_rank = 0;    ///< its number in the segment
};

class MemoryCarrier final : public Carrier {
 public:
  /// `participants` are those of the communicator that are on this node. `memory` must outlive the carrier.
  ///
  /// Messages match only within a `context`. All participants give an execution the same, and no two executions that
  /// overlap in time among the same processes have the same: a communicator's number and the number of the call on it,
  /// say.
  MemoryCarrier(NodeMemory& memory, std::span<const NodeParticipant> participants, std::uint64_t context);
  MemoryCarrier(const MemoryCarrier&) = delete;
  MemoryCarrier& operator=(const MemoryCarrier&) = delete;
  /// Messages that are under way are given up: their peers may wait for ever.
  ~MemoryCarrier() override;

  /// The context of the executions from now on. No message is under way.
  void set_context(std::uint64_t context) { context_ = context; }

  /// Whether the participant can be reached.
  [[nodiscard]] bool reaches(Rank participant) const { return node_rank_of(participant) != no_id; }

  /// Errors: a peer that is not on this node; a stream above 65535.
  [[nodiscard]] Result<> post_send(RequestId request, const CarriedMessage& message) override;
  [[nodiscard]] Result<> post_receive(RequestId request, const CarriedMessage& message) override;
  /// Error: a message whose ends differ in size.
  [[nodiscard]] Result<std::size_t> test_some(std::span<RequestId> completed) override;
  /// Spins for some microseconds, then yields, then sleeps for up to a millisecond at a time. Where there are more
  /// processes than cores it does not spin. Error: also a peer that has ended, as far as the system knows.
  [[nodiscard]] Result<std::size_t> wait_some(std::span<RequestId> completed) override;
  /// Sends go into the lanes at once, and receives are taken from them in their order. Only while nothing else is under
  /// way in this process, and for messages of up to the size of the outbox's (128 KiB). Errors: as of all of these.
  [[nodiscard]] Result<bool> exchange(std::span<const CarriedMessage> receives,
                                      std::span<const CarriedMessage> sends) override;

 private:
  friend class CombinedCarrier;
  struct State;

  [[nodiscard]] Rank node_rank_of(Rank participant) const;
  [[nodiscard]] Result<Rank> peer_of(const CarriedMessage& message) const;
  [[nodiscard]] bool can_exchange(std::span<const CarriedMessage> messages) const;
  [[nodiscard]] Result<> take(const CarriedMessage& message);
  [[nodiscard]] Result<> finish_exchange(std::size_t posted);

  NodeMemory::State& memory_;
  std::vector<NodeParticipant> participants_;  ///< in order of their numbers
  std::uint64_t context_;
  std::unique_ptr<State> state_;
};

}  // namespace ayatori
