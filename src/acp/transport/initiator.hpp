#pragma once
/// \file
/// The side of puts and gets that starts them: cuts them into packets, and
/// repeats each until it is answered.

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "ayatori/transport/contexts.hpp"
#include "ayatori/transport/endpoint.hpp"
#include "ayatori/transport/queues.hpp"
#include "congestion_control.hpp"
#include "deadlines.hpp"
#include "round_trip.hpp"
#include "shared.hpp"

namespace ayatori::transport {

/// A put or get of the application.
struct Operation {
  PacketKind kind = PacketKind::put;  // or get
  RemoteAddress at;
  const std::byte* source = nullptr;  // of a put
  std::byte* sink = nullptr;          // of a get
  Bytes size = 0;
  Bytes cut = 0;  // bytes that have become chunks
  Token token = 0;
  ContextId target = no_id;
  std::uint32_t chunks = 0;    // under way, or to be sent again
  std::uint32_t next = no_id;  // in its target's queue, or in the chain of free ones
  bool refused = false;
};

/// One packet's share of an operation. Each copy that is sent has a number of its own, higher than all before.
struct Chunk {
  std::uint32_t operation = no_id;
  Bytes offset = 0;
  std::uint32_t size = 0;
  Epoch first_number = 0;
  Epoch last_number = 0;       // of the copy sent last
  std::uint32_t next = no_id;  // in its target's queue of those in flight or lost, or in the chain of free ones
  bool lost = false;           // to be sent again: not under way
};

/// What is known of a peer whose memory is used. It is kept for later operations while there is room.
struct TargetPeer {
  RoundTrip round_trip;
  FlowCongestionController congestion;
  std::uint32_t in_flight = 0;      // chunks
  std::array<Epoch, 3> answered{};  // the highest numbers of copies that were answered, falling
  SlotQueue flying;                 // chunks in flight, by rising number of the copy
  SlotQueue uncut;                  // operations with bytes that are in no chunk yet
  SlotQueue again;                  // lost chunks
  std::uint32_t sharing = 0;        // chunks sent last whose answer may wait for that of the next
  std::uint32_t operations = 0;
  Time heard{};
  Time unanswered_since = never;
  std::uint32_t attempts = 0;  // unanswered
};

class Initiator {
 public:
  explicit Initiator(Shared& shared);

  [[nodiscard]] bool put(Time now, PeerId to, RemoteAddress at, std::span<const std::byte> bytes, Token token);
  [[nodiscard]] bool get(Time now, PeerId from, RemoteAddress at, std::span<std::byte> into, Token token);

  /// `contents`, `done`, `stale` or `refused`.
  void on_answer(Time now, const Packet& packet);

  void advance(Time now);
  [[nodiscard]] Time next_deadline() const { return deadlines_.earliest(); }
  [[nodiscard]] std::optional<Packet> next_packet(Time now);
  [[nodiscard]] bool ready() const { return !ready_.empty(); }

  /// The peer is lost: its operations have failed.
  void abandon(PeerId peer);

  /// Whether something was refused for want of room, and some has become free since.
  [[nodiscard]] bool buffer_became_free();
  [[nodiscard]] bool idle() const { return free_operations_ == shared_.options.operations; }

 private:
  [[nodiscard]] bool start(Time now, PeerId peer, const Operation& operation);
  [[nodiscard]] std::optional<ContextId> open(Time now, PeerId peer);

  /// The latest copy of a chunk, for the observer.
  [[nodiscard]] FlowName name(std::uint32_t chunk) const {
    return {targets_.peer(operations_[chunks_[chunk].operation].target), Lane::messages, chunks_[chunk].last_number};
  }
  [[nodiscard]] bool answers(const Packet& packet) const;
  void take_answer(Time now, const Packet& packet);
  void find_overtaken(TargetPeer& target, Epoch answered, Time now);
  void take_sample(TargetPeer& target, const Packet& packet, Time now);
  void land(std::uint32_t chunk, const Packet& packet);
  void settle(std::uint32_t chunk);
  void lose(std::uint32_t chunk, LossReason reason);
  void note_lost(std::uint32_t chunk, LossReason reason) const;
  void leave_flight(std::uint32_t chunk);
  void wake_starved();
  void end(std::uint32_t operation, Event::Kind kind);

  [[nodiscard]] std::optional<std::uint32_t> next_chunk(ContextId target);
  [[nodiscard]] bool buffer_free_for(PacketKind kind) const;
  [[nodiscard]] std::uint32_t cut(std::uint32_t operation);
  [[nodiscard]] bool may_share_answer(TargetPeer& target);
  [[nodiscard]] Packet send(std::uint32_t chunk, Time now);
  void time_out(std::uint32_t chunk, Time now);
  [[nodiscard]] Duration timeout(const TargetPeer& target);

  Shared& shared_;
  std::uint32_t chunk_bytes_;
  ContextTable<TargetPeer> targets_;
  IdQueue idle_;     // targets without operations, the one used longest ago first
  IdQueue ready_;    // targets that may have something to send
  IdQueue starved_;  // targets with something to send, but no chunk, or no buffer for the answer, is free
  std::vector<Operation> operations_;
  std::vector<Chunk> chunks_;
  SlotQueue unused_operations_;
  SlotQueue unused_chunks_;
  std::uint32_t free_operations_ = 0;
  std::uint32_t gets_in_flight_ = 0;  // chunks
  Deadlines deadlines_;               // of chunks
  bool was_refused_ = false;
  bool freed_ = false;
};

}  // namespace ayatori::transport
