#pragma once
/// \file
/// The side of puts and gets whose memory is used.

#include <array>
#include <optional>
#include <vector>

#include "ayatori/transport/contexts.hpp"
#include "ayatori/transport/queues.hpp"
#include "epochs.hpp"
#include "shared.hpp"

namespace ayatori::transport {

/// Accepts the puts of each initiator by rising number only, so that a late duplicate is never carried out: see
/// docs/decisions/0101-puts-and-gets.md. The latest number is kept exactly for the `capacity` initiators heard of last.
/// For all others there is one common floor, which none of their numbers exceeds.
class PutFloors {
 public:
  PutFloors(std::uint32_t capacity, Epoch floor);

  /// What a put of this initiator must exceed.
  [[nodiscard]] Epoch of(PeerId initiator) const;

  /// A put of this number, above of(), was carried out.
  void raise(PeerId initiator, Epoch number);

  /// No put with a higher number was ever carried out.
  [[nodiscard]] Epoch highest() const { return highest_; }

 private:
  ContextTable<Epoch> latest_;
  IdQueue recency_;  // the one heard of longest ago first
  Epoch floor_;
  Epoch highest_;
};

/// Carries operations out and answers them. Answers wait in a ring of fixed size; a request that finds the ring full is
/// dropped, as if the network had lost it. Memory is read when the answer to a get is sent, so no contents wait.
///
/// Puts that are parts of something larger share an answer: an initiator that sends further ones at once says so, and
/// the answer waits for theirs, up to 100 us.
class Target {
 public:
  Target(Shared& shared, Epoch floor);

  void on_put(Time now, const Packet& packet);
  void on_get(const Packet& packet);

  [[nodiscard]] std::optional<Packet> next_packet();
  [[nodiscard]] bool owes() const { return count_ > 0; }

  /// Sends the answers that have waited for long enough.
  void advance(Time now);
  [[nodiscard]] Time next_deadline() const;  ///< `never` if none waits
  [[nodiscard]] Epoch highest_floor() const { return floors_.highest(); }

 private:
  using FinishedPuts = std::array<FinishedPut, max_finished_puts>;

  struct Answer {
    PacketKind kind = PacketKind::done;  // or stale, or refused; contents: still to be read
    PeerId to = 0;
    Epoch number = 0;
    Sequence sequence = 0;
    std::uint32_t stamp = 0;
    Epoch floor = 0;
    RemoteRange range;
    std::uint32_t earlier_count = 0;
    FinishedPuts earlier{};  // puts that share the answer
  };

  /// Puts of one initiator that were carried out, and whose answer waits for that of a further one.
  struct Waiting {
    PeerId from = 0;
    std::uint32_t stamp = 0;  // of the first
    Time until{};
    std::uint32_t count = 0;
    FinishedPuts puts{};
  };

  void answer(PacketKind kind, const Packet& packet);
  [[nodiscard]] bool let_wait(Time now, const Packet& packet);
  void answer_all(const Packet& packet);
  void answer_waiting(const Waiting& waiting);
  void end_wait(PeerId initiator);

  static constexpr std::uint32_t capacity = 64;
  static constexpr std::size_t max_waiting = 16;  // initiators; the answers of others don't wait

  Shared& shared_;
  PutFloors floors_;
  std::vector<Waiting> waiting_;
  std::array<std::byte, max_finished_puts * finished_put_bytes> reported_{};  // the payload of the latest packet
  std::vector<Answer> answers_;
  std::uint32_t first_ = 0;
  std::uint32_t count_ = 0;
};

}  // namespace ayatori::transport
