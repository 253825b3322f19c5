#pragma once
/// \file
/// The sending side of one process: messages to its peers, into their lanes.

#include <optional>
#include <vector>

#include "completions.hpp"
#include "outbox_allocator.hpp"
#include "segment_layout.hpp"

namespace ayatori {

/// Messages to one peer leave in the order in which they were posted. One that finds no room waits, and those after it.
class LaneSender {
 public:
  /// Messages of up to `eager_limit` bytes are copied into the outbox if it has room, larger ones go by rendezvous.
  LaneSender(const SegmentView& view, Rank self, Bytes eager_limit);

  void post(Rank peer, const Posted& posted);

  /// Sends a message that fits into a slot, if nothing waits for the peer and a slot is free; false: nothing was sent.
  [[nodiscard]] bool send_at_once(Rank peer, std::uint64_t context, const CarriedMessage& message);

  /// Nothing waits to be sent.
  [[nodiscard]] bool idle() const { return waiting_lanes_.empty() && open_tickets_.empty(); }

  /// Goes on with what waits for its peers.
  void progress();

  /// From now on the contents of memory that was posted may have changed.
  void forget_contents();

  /// Drops what a carrier has posted; no completion is reported any more.
  void forget(const Completions* owner);

  /// Calls visit(peer) for each peer that something waits for.
  template <typename Visit>
  void visit_awaited(Visit visit) const {
    for (const std::uint32_t number : open_tickets_) visit(tickets_[number].peer);
    for (const Rank peer : waiting_lanes_) visit(peer);
  }

 private:
  struct Lane {
    std::uint32_t next = 0;   ///< number of the message that is sent next
    std::uint32_t taken = 0;  ///< what the peer had taken when it was last read
    Fifo<Posted> waiting;
  };
  struct Ticket {
    Posted posted;
    Rank peer = 0;
    std::uint32_t group = 0;  ///< of rendezvous messages with the same contents
    bool streaming = false;   ///< the receiver wants fragments
    Bytes streamed = 0;
    std::uint32_t waits = 0;  ///< how often it has waited for others of its group
  };
  /// Payload in the outbox that the next message may have in common.
  struct Publication {
    const OutboxAllocator* outbox = nullptr;  ///< nullptr: there is none
    CarriedMessage message;
    std::uint32_t offset = 0;
  };

  [[nodiscard]] bool try_send(Rank peer, const Posted& posted);
  [[nodiscard]] bool send_rendezvous(Rank peer, const Posted& posted);
  [[nodiscard]] bool has_free_slot(Rank peer);
  void fill_slot(Rank peer, std::uint64_t context, const CarriedMessage& message);
  [[nodiscard]] LaneSlot& begin_slot(Rank peer, std::uint64_t context, const CarriedMessage& message, SlotKind kind);
  void finish_slot(Rank peer);
  [[nodiscard]] OutboxAllocator& outbox_for(Bytes bytes) { return bytes <= max_small_bytes ? small_ : large_; }
  [[nodiscard]] std::optional<std::uint32_t> allocate(Bytes bytes);
  [[nodiscard]] std::optional<std::uint32_t> copy_to_outbox(const CarriedMessage& message);
  [[nodiscard]] bool is_in_outbox(const CarriedMessage& message) const;
  /// True when the ticket is done.
  [[nodiscard]] bool serve(std::uint32_t number);
  [[nodiscard]] bool stream(std::uint32_t number);
  void send_fragment(std::uint32_t number, Bytes bytes, std::uint32_t offset);
  [[nodiscard]] bool waits_for_answers(Ticket& ticket);
  [[nodiscard]] bool collect_members(Ticket& ticket);

  static constexpr Bytes max_small_bytes = 4096;

  SegmentView view_;
  Rank self_;
  Bytes eager_limit_;
  std::byte* memory_;  ///< of the outbox
  OutboxAllocator small_;
  OutboxAllocator large_;
  Publication latest_;
  CarriedMessage latest_rendezvous_;  ///< latest; without bytes if its memory may have changed
  std::uint32_t group_ = 0;           ///< of that
  std::vector<Lane> lanes_;           ///< by peer
  std::vector<Rank> waiting_lanes_;   ///< those in which something waits
  std::vector<Ticket> tickets_;       ///< by number
  std::vector<std::uint32_t> free_tickets_;
  std::vector<std::uint32_t> open_tickets_;
  std::vector<std::uint32_t> members_;  ///< tickets that get the same fragment
};

}  // namespace ayatori
