#pragma once
/// \file
/// The receiving side of one process: what arrives in the lanes from its peers, and who waits for it.

#include <vector>

#include "completions.hpp"
#include "remote_memory.hpp"
#include "segment_layout.hpp"

namespace ayatori {

/// A lane is polled only while an execution waits for a message from that peer. Unexpected messages, for other
/// executions, are copied aside, so that they do not block the lane. Any MPI takes memory for unexpected messages; here
/// they occur only where executions overlap.
class LaneReceiver {
 public:
  /// `read_peers`: whether it may read the memory of its peers.
  LaneReceiver(const SegmentView& view, Rank self, bool read_peers);

  void post(Rank peer, const Posted& posted);

  /// Takes a message that has arrived, as if it were posted now; false if it is not there yet. Precondition: idle(),
  /// but for a fetch that an earlier call began: a large message may come in fragments, and is not complete then.
  [[nodiscard]] bool take_at_once(Rank peer, const Posted& posted);

  /// Nobody waits for anything.
  [[nodiscard]] bool idle() const { return awaited_.empty(); }

  /// Takes what has arrived from peers that somebody waits for.
  void progress();

  /// Drops what a carrier has posted; no completion is reported any more.
  void forget(const Completions* owner);

  /// Calls visit(peer) for each peer that something waits for.
  template <typename Visit>
  void visit_awaited(Visit visit) const {
    for (const Rank peer : awaited_) visit(peer);
  }

 private:
  /// A message that came before its receive was posted.
  struct Early {
    SlotKind kind = SlotKind::inlined;
    std::uint32_t stream = 0;
    std::uint64_t context = 0;
    Bytes bytes = 0;
    LaneSlot::Body body{};            ///< of a rendezvous message
    std::vector<std::byte> contents;  ///< of any other
  };
  /// A message that comes in fragments.
  struct Inflow {
    Posted posted;
    std::uint32_t ticket = 0;
    Bytes arrived = 0;
  };
  struct Lane {
    std::uint32_t next = 0;      ///< number of the message that is taken next
    std::vector<Posted> posted;  ///< in the order in which they were posted
    std::vector<Early> early;    ///< in the order in which they came
    std::vector<Inflow> inflows;
    RemoteMemory remote;
    bool awaited = false;
  };

  void await(Rank peer);
  void poll(Rank peer);
  void take(Rank peer, const LaneSlot& slot);
  void accept(Rank peer, const Posted& posted, const LaneSlot& slot);
  void take_fragment(Rank peer, const LaneSlot& slot);
  void set_aside(Rank peer, const LaneSlot& slot);
  [[nodiscard]] bool take_early(Rank peer, const Posted& posted);
  /// The contents of an inline or eager message.
  [[nodiscard]] const std::byte* contents(Rank peer, const LaneSlot& slot) const;
  void deliver(const Posted& posted, const std::byte* contents, Bytes bytes);
  void fetch(Rank peer, const Posted& posted, const LaneSlot::Rendezvous& rendezvous, Bytes bytes);
  [[nodiscard]] static bool fits(const Posted& posted, Bytes bytes);

  SegmentView view_;
  Rank self_;
  bool read_peers_;
  std::vector<Lane> lanes_;    ///< by peer
  std::vector<Rank> awaited_;  ///< those that somebody waits for
};

}  // namespace ayatori
