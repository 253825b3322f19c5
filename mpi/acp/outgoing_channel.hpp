#pragma once
/// \file
/// Messages of one stream to one peer.
///
/// A small message goes into the peer's ring, as flagged words, and is complete for the sender at once. A large one
/// waits until the peer has announced where it belongs, in words of a ring of ours: in segments of some pieces each.
/// Then each segment is put there, and after it the number of segments so far, 8 bytes by themselves.
///
/// Which of both a message is follows from its bytes, which both ends know; so the messages of either kind match in the
/// order in which they were posted, and no header travels.

#include <deque>
#include <optional>
#include <vector>

#include "ayatori/player/carrier.hpp"
#include "channel_layout.hpp"
#include "introductions.hpp"
#include "word_writer.hpp"

namespace ayatori {

class OutgoingChannel {
 public:
  /// Error: no memory.
  [[nodiscard]] static Result<OutgoingChannel> make(AcpMemory& memory, ChannelName name);

  void post(RequestId request, const CarriedMessage& message);

  /// Goes on; appends the requests that became complete. Errors: a peer is lost, memory that was not added.
  [[nodiscard]] Result<> progress(const Introductions& introductions, std::vector<RequestId>& completed);

  /// Whether there is nothing to go on with.
  [[nodiscard]] bool idle() const { return small_.empty() && large_.empty() && ending_.empty(); }
  [[nodiscard]] Rank peer() const { return name_.first; }

 private:
  struct Send {
    RequestId request;
    CarriedMessage message;
    // What no copy was started for yet.
    std::size_t piece = 0;
    Bytes offset = 0;  ///< in that piece
  };
  struct Ending {
    acp_handle_t copy;  ///< the last of the message's
    RequestId request;
  };
  /// Where the peer wants the next part of a large message.
  struct Segment {
    std::uint32_t pieces = 0;  ///< 0: not announced
    std::vector<std::uint32_t> words;
  };

  OutgoingChannel(const AcpMemory& memory, ChannelName name, Bytes block);

  [[nodiscard]] Result<bool> connect(const Introductions& introductions);
  [[nodiscard]] Result<> send_small(std::vector<RequestId>& completed);
  [[nodiscard]] Result<> send_large();
  [[nodiscard]] bool segment_is_announced();
  [[nodiscard]] Result<acp_handle_t> put_segment(Send& send);
  [[nodiscard]] Result<acp_handle_t> put_piece(Send& send, acp_ga_t to, Bytes bytes);
  [[nodiscard]] Result<> report_segment(acp_handle_t after);

  const AcpMemory* memory_;
  ChannelName name_;
  Bytes block_;
  std::optional<Bytes> peers_block_;
  WordWriter writer_;
  WordReader announcements_;
  Segment segment_;
  std::uint64_t segments_put_ = 0;
  std::deque<acp_handle_t> reports_;  ///< of the last segments, whose numbers may not be overwritten yet
  std::deque<Send> small_;
  std::deque<Send> large_;
  std::deque<Ending> ending_;
};

}  // namespace ayatori
