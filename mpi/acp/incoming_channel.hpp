#pragma once
/// \file
/// Messages of one stream from one peer: the other end of outgoing_channel.hpp.

#include <deque>
#include <optional>
#include <vector>

#include "ayatori/player/carrier.hpp"
#include "channel_layout.hpp"
#include "introductions.hpp"
#include "word_writer.hpp"

namespace ayatori {

class IncomingChannel {
 public:
  /// Tells the peer by `introductions` where to write. Error: no memory.
  [[nodiscard]] static Result<IncomingChannel> make(AcpMemory& memory, Introductions& introductions, ChannelName name);

  void post(RequestId request, const CarriedMessage& message);

  /// Goes on; appends the requests that became complete. Errors: a peer is lost, memory that was not added.
  [[nodiscard]] Result<> progress(std::vector<RequestId>& completed);

  /// Whether there is nothing to go on with.
  [[nodiscard]] bool idle() const { return small_.empty() && announced_.empty() && large_.empty() && !owes_report(); }
  [[nodiscard]] Rank peer() const { return name_.first; }

 private:
  /// A message, up to where it was received or announced.
  struct Receive {
    RequestId request;
    CarriedMessage message;
    std::size_t piece = 0;
    Bytes offset = 0;
    Bytes begun = 0;
  };
  struct Segment {
    std::uint64_t end_of_words;
    std::optional<RequestId> completes;  ///< the message whose last segment this is
  };

  IncomingChannel(const AcpMemory& memory, ChannelName name, Bytes block);

  [[nodiscard]] bool knows_sender();
  [[nodiscard]] bool owes_report() const { return reader_.position() - reported_ >= words_of_a_report; }
  [[nodiscard]] Result<> report_words_read();
  void receive_small(std::vector<RequestId>& completed);
  [[nodiscard]] bool receive_words(Receive& receive);
  [[nodiscard]] Result<> announce_large();
  [[nodiscard]] Result<bool> announce_segment(Receive& receive);
  void receive_large(std::vector<RequestId>& completed);

  const AcpMemory* memory_;
  ChannelName name_;
  Bytes block_;
  std::optional<Bytes> peers_block_;
  WordReader reader_;
  std::uint64_t reported_ = 0;
  acp_handle_t report_ = 0;
  WordWriter announcements_;
  std::uint64_t announced_words_ = 0;
  std::uint64_t freed_words_ = 0;
  std::uint64_t segments_received_ = 0;
  std::deque<Receive> small_;
  std::deque<Receive> large_;  ///< not announced to their end
  std::deque<Segment> announced_;
};

}  // namespace ayatori
