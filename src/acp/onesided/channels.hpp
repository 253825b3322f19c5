#pragma once
/// \file
/// Channels: messages from one process to another without buffers between them. The receiver announces the buffers of
/// its next receives (`ready`), at most `window` of them. The sender puts each message into its buffer and then reports
/// it
/// (`written`); short messages travel in the report (`inlined`).

#include <deque>
#include <map>
#include <vector>

#include "ayatori/onesided/global_memory.hpp"
#include "core.hpp"

namespace ayatori::onesided {

/// As many as a token has room for.
inline constexpr std::uint32_t max_channel_ends = 1U << 16;

class Channels {
 public:
  /// `capacity`: ends, at most max_channel_ends.
  Channels(Core& core, std::uint32_t capacity) : core_(core), ends_(capacity), requests_(4 * std::size_t{capacity}) {}

  [[nodiscard]] Result<ChannelId> open(Rank sender, Rank receiver);
  [[nodiscard]] Result<RequestId> start(ChannelId channel, bool sends, std::byte* bytes, Bytes size);
  [[nodiscard]] Result<RequestId> close(ChannelId channel);
  [[nodiscard]] bool done(RequestId id) const;
  [[nodiscard]] Result<Bytes> finish(RequestId id);
  void progress();

  /// Carries out the call of a peer.
  [[nodiscard]] Answer on_call(Rank from, const Call& call);

  /// The memory of a receive's buffer that a peer puts into; nullptr if no buffer has this key.
  [[nodiscard]] std::byte* find(Rank from, const transport::RemoteRange& range) const;

  void answered(std::uint64_t number, const Answer& answer);
  void transferred(std::uint64_t number);
  void lost(Rank peer);

  /// Calls `visit(rank)` for each peer that is waited for.
  template <typename Visit>
  void visit_awaited(Visit visit) const {
    if (open_ == 0) return;
    for (const End& end : ends_) {
      if (end.used && (!end.queue.empty() || end.closing != 0)) visit(end.peer);
    }
  }
  [[nodiscard]] bool idle() const { return pending_ == 0; }

 private:
  static constexpr std::uint32_t window = 8;

  struct Buffer {  // of a receive, as the receiver advertised it
    Bytes size = 0;
    std::uint64_t key = 0;
  };

  /// One of a channel's two ends. `number` distinguishes the channels of one sender and receiver.
  struct End {
    bool used = false;
    std::uint32_t generation = 0;
    bool sends = false;
    Rank peer = 0;
    std::uint32_t number = 0;
    bool asked = false;      // whether the peer has its end
    bool connected = false;  // it has
    bool peer_closed = false;
    bool signalled = false;  // that this end is closed …
    bool heard = false;      // … and the peer knows
    bool lost = false;
    std::deque<std::uint32_t> queue{};  // requests that are not done, in order
    std::uint32_t started = 0;          // of the queue: advertised, or being sent
    std::uint32_t sequence = 0;         // of the next request to be started
    std::deque<Buffer> buffers{};       // of a sender: advertised, and not used yet
    std::uint32_t closing = 0;          // the request that closes it, + 1
  };

  enum class Kind : std::uint8_t { free, send, receive, close };
  enum class Outcome : std::uint8_t { pending, done, lost, closed };
  struct Request {
    Kind kind = Kind::free;
    Outcome outcome = Outcome::pending;
    std::uint32_t end = 0;
    std::uint32_t generation = 0;
    std::uint32_t sequence = 0;
    std::byte* bytes = nullptr;
    Bytes size = 0;
    Buffer buffer{};
    bool to_signal = false;  // of a send: its bytes are there, the receiver must hear it
  };

  [[nodiscard]] Result<std::uint32_t> take_request(Kind kind, ChannelId channel);
  [[nodiscard]] RequestId id_of(std::uint32_t request) const;
  [[nodiscard]] std::uint64_t mark_of(std::uint32_t request) const;  // in tokens
  [[nodiscard]] std::uint64_t mark_of_end(std::uint32_t end) const;
  [[nodiscard]] const Request* find(RequestId id) const;
  [[nodiscard]] End* end_of(Rank peer, bool sends, std::uint64_t number);
  void connect(std::uint32_t end);
  void advertise(std::uint32_t end);
  void send_next(std::uint32_t end);
  [[nodiscard]] bool put(std::uint32_t request, Bytes size);
  bool signal_written(std::uint32_t request);
  void finish_closing(std::uint32_t end);
  void settle(std::uint32_t request, Outcome outcome);
  void fail_all(End& end, Outcome outcome);
  void take_message(End& end, const Call& call);

  Core& core_;
  std::vector<End> ends_;
  std::vector<Request> requests_;
  std::map<std::pair<Rank, bool>, std::uint32_t> opened_;  // by peer, and whether this process sends
  std::uint32_t open_ = 0;
  std::uint32_t pending_ = 0;  // requests
};

}  // namespace ayatori::onesided
