#pragma once
/// \file
/// The memory that the processes of one node share. One of them creates it and sends the others its location.
///
/// How the processes of a node set it up, given only a broadcast of a few bytes among them:
///
///     NodeInvitation invitation{};                                     // all zeros: there is none
///     std::shared_ptr<NodeSegment> segment;
///     if (self == 0) {
///       if (auto made = NodeSegment::create(ranks)) { segment = *made; invitation = segment->invitation(); }
///     }
///     broadcast(&invitation, sizeof invitation, 0);                    // MPI_Bcast on the node's communicator
///     if (self != 0) {
///       if (auto joined = NodeSegment::join(invitation)) segment = *joined;
///     }
///     bool all = all_agree(segment != nullptr);                        // MPI_Allreduce(MPI_LAND)
///     // not all: everybody drops `segment`, and messages take another carrier
///     auto memory = NodeMemory::make(segment, self);                   // node_memory.hpp
///
/// No process may send before all have agreed: the agreement is the only synchronisation that is needed. It costs one
/// broadcast, one reduction and two or three system calls; pages are allocated when they are first used.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "ayatori/base/ids.hpp"
#include "ayatori/base/shared_memory.hpp"

namespace ayatori {

/// The most ranks of one node. With more, a rank would need more than 1 MiB.
inline constexpr Rank max_node_ranks = 1024;

/// Says where a segment is, to processes of the same machine. Plain bytes, without pointers.
struct NodeInvitation {
  std::uint64_t file = 0;        ///< inode
  std::int32_t process = 0;      ///< who has created it
  std::int32_t descriptor = -1;  ///< and has it open there
  std::uint32_t ranks = 0;
  std::uint32_t reserved = 0;
};

/// Immutable as an object; what it maps is read and written by all. Shared by all NodeMemory that use it.
class NodeSegment {
 public:
  /// Zeroed memory for `ranks` processes, 1 to max_node_ranks: at most 1 MiB for each. Errors: another number of ranks;
  /// no descriptor or no memory is left.
  [[nodiscard]] static Result<std::shared_ptr<NodeSegment>> create(Rank ranks);

  /// Maps the memory that a process of this machine created, which must still run. Errors: an invitation of zeros; a
  /// process that can't be reached (another machine, user or process namespace); a file that is another by now.
  [[nodiscard]] static Result<std::shared_ptr<NodeSegment>> join(const NodeInvitation& invitation);

  [[nodiscard]] NodeInvitation invitation() const { return invitation_; }
  [[nodiscard]] Rank ranks() const { return invitation_.ranks; }
  [[nodiscard]] std::byte* memory() const { return memory_.memory.get(); }

 private:
  NodeSegment(const NodeInvitation& invitation, SharedMemory memory)
      : invitation_(invitation), memory_(std::move(memory)) {}

  NodeInvitation invitation_;
  SharedMemory memory_;
};

}  // namespace ayatori
