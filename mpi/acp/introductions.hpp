#pragma once
/// \file
/// How a sender learns where a receiver has its ring for it. The receiver tells it: each process has one queue, at the
/// begin of its part of the memory, into which any other process may write. So nothing is kept for processes that have
/// nothing to say to each other.
///
/// The queue is a ring of entries. A writer draws a number by an atomic addition, waits until the entry of that number
/// is free, and writes it: 16 bytes, which libacp writes exactly once.

#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "acp_memory.hpp"
#include "flagged_words.hpp"

namespace ayatori {

/// One way between two processes: messages of one stream. The peer is the other end's rank.
using ChannelName = std::pair<Rank, std::uint32_t>;

class Introductions {
 public:
  static constexpr std::uint32_t max_streams = 4096;
  /// What an entry can tell: offsets are multiples of 64 below this.
  static constexpr Bytes max_offset = Bytes{64} << 20;

  /// The first to take memory: in all processes the queue is at the same place. Error: no memory.
  [[nodiscard]] static Result<Introductions> make(AcpMemory& memory);

  /// Will tell the peer, which sends to us on that stream, that its ring is at `offset` of our part of the memory.
  void tell(ChannelName channel, Bytes offset) { to_tell_.push_back({channel, offset}); }

  /// Where the peer has its ring for what we send, once it has told us.
  [[nodiscard]] std::optional<Bytes> told(ChannelName channel) const;

  /// Whether there is anything that progress() should go on with, but for what peers tell.
  [[nodiscard]] bool idle() const { return to_tell_.empty(); }

  /// Goes on telling, and hears what was told. Error: a peer is lost.
  [[nodiscard]] Result<> progress();

 private:
  enum class Stage : std::uint8_t { draw, wait_for_number, wait_for_count, wait_for_entry };
  struct Introduction {
    ChannelName channel;
    Bytes offset;
  };

  Introductions(const AcpMemory& memory, Bytes queue, Bytes answers)
      : memory_(&memory), queue_(queue), answers_(answers) {}

  void hear();
  /// One stage of telling the first of `to_tell_`; false: its operation has not ended.
  [[nodiscard]] Result<bool> tell_more();
  [[nodiscard]] Result<> draw_number();
  [[nodiscard]] Result<> ask_count();
  [[nodiscard]] Result<> write_entry();

  const AcpMemory* memory_;
  Bytes queue_;    ///< offset of our queue, and of those of all others
  Bytes answers_;  ///< of what operations of ours read: the number, the count, and an entry to be written
  std::uint64_t heard_ = 0;
  std::map<ChannelName, Bytes> told_;
  std::deque<Introduction> to_tell_;
  Stage stage_ = Stage::draw;
  acp_handle_t operation_ = 0;
};

}  // namespace ayatori
