#pragma once
/// \file
/// What an endpoint may use and how it behaves. The defaults are for a job on
/// one cluster; lower the table sizes where memory is scarce.

#include <cstdint>

#include "ayatori/base/error.hpp"
#include "ayatori/transport/packet.hpp"
#include "ayatori/transport/time.hpp"

namespace ayatori::transport {

/// How a sender finds out that a packet was lost.
struct Retransmission {
  enum class Timer : std::uint8_t {
    fixed,     ///< sends again `fixed_timeout` after each copy, without back-off (paper 5, section 5.2)
    adaptive,  ///< from round-trip times (RFC 6298)
  };

  Timer timer = Timer::adaptive;
  Duration fixed_timeout = std::chrono::microseconds(100);

  Duration initial_timeout = std::chrono::milliseconds(1);    ///< before the first round-trip sample
  Duration shortest_timeout = std::chrono::microseconds(2);   ///< the timeout's floor never falls below
  Duration longest_timeout = std::chrono::milliseconds(100);  ///< where back-off ends
  double duplicate_target = 0.001;                            ///< with more duplicates a packet, the floor rises
  std::uint32_t resends_per_call = 32;                        ///< flows that may time out in one advance()

  /// Receivers decide which senders may send once buffers have overflowed (docs/decisions/0102). A sender that misses
  /// an acknowledgement asks in a control packet before it sends again, unless others have credit for the same
  /// buffers.
  bool admission = true;
};

struct Options {
  std::uint32_t datagram_bytes = 4096;  ///< largest datagram, headers included; 192 … 65,507

  std::uint32_t outgoing_contexts = 1024;  ///< peers that can be sent to at once; about 270 bytes each
  std::uint32_t incoming_contexts = 1024;  ///< peers whose flows are open here at once; about 210 bytes each
  std::uint32_t messages = 4096;           ///< messages sent and not yet acknowledged; about 100 bytes each
  std::uint32_t replies = 64;       ///< results of calls not yet acknowledged; and contexts for them, in each direction
  std::uint32_t assemblies = 1024;  ///< messages partly here, or here out of order; about 40 bytes each
  std::uint32_t epoch_cells = 1U << 16;  ///< for the epochs of closed flows (decision 100); 8 bytes each

  std::uint32_t operations = 256;   ///< puts and gets under way, and packets of them; about 150 bytes each
  std::uint32_t targets = 64;       ///< peers whose memory is used at once, or was lately; about 210 bytes each
  std::uint32_t initiators = 1024;  ///< peers whose latest put is remembered exactly; about 50 bytes each

  std::uint32_t window = max_window;    ///< most packets of one flow in flight, 1 … 64
  std::uint32_t initial_window = 16;    ///< packets that a new flow may send before it hears anything
  std::uint32_t receive_buffers = 64;   ///< data datagrams that the wire below can hold until they are handled
  bool coalesce = true;                 ///< short messages of a flow that wait for a packet share it
  std::uint32_t acknowledge_every = 8;  ///< packets of a stream that share an acknowledgement
  Duration acknowledge_within = std::chrono::microseconds(20);  ///< the longest that a stream's acknowledgement waits

  Duration close_after = std::chrono::seconds(1);     ///< a flow with nothing to send is closed
  Duration give_up_after = std::chrono::seconds(30);  ///< silence after which a peer is lost for good …
  std::uint32_t give_up_attempts = 8;                 ///< … if it also left so many attempts unanswered

  Retransmission retransmission;
};

/// Errors name the field that is out of its range.
[[nodiscard]] Result<> check(const Options& options);

/// The client/server protocol of paper 5, section 5.2: a client sends one packet, waits for its acknowledgement, sends
/// it again whenever `timeout` has passed, and goes on to the next. Servers acknowledge each packet at once; no packet
/// has more than one message.
[[nodiscard]] Options stop_and_wait(Duration timeout);

}  // namespace ayatori::transport
