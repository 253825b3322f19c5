#pragma once
/// \file
/// What a simulated network does to datagrams.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/transport/packet.hpp"
#include "ayatori/transport/time.hpp"

namespace ayatori::simulated {

using transport::Duration;
using transport::PeerId;
using transport::Time;

/// Nothing gets to or from the peer in [from, until).
struct BlackHole {
  PeerId peer = 0;
  Time from{};
  Time until = transport::never;
};

/// Verbs count retries in three bits.
inline constexpr std::uint32_t max_retries = 7;

/// The value of rnr_retry with which an interface tries for ever.
inline constexpr std::uint32_t rnr_without_limit = 7;

/// The default is a lossless network whose times resemble paper 5's (InfiniBand DDR, 2.2 GHz cores): 31 clients and one
/// server, each a single thread that handles one packet after the other.
struct Scenario {
  std::uint64_t seed = 1;

  Duration latency = std::chrono::nanoseconds(2'000);  ///< from the sender's network interface to the receiver's
  Duration jitter = std::chrono::nanoseconds(500);     ///< at most this is added to the latency, evenly distributed
  double drop = 0;                                     ///< probability that a datagram vanishes
  double duplicate = 0;                                ///< … that it arrives twice
  double reorder = 0;                                  ///< … that it arrives `reorder_delay` later than it would
  Duration reorder_delay = std::chrono::microseconds(50);
  double gigabytes_per_second = 2;  ///< of each endpoint's link, in each direction; see is_link_rate()
  std::vector<BlackHole> black_holes;

  std::uint32_t receive_buffers = 1024;  ///< data datagrams an endpoint holds until they are handled …
  std::uint32_t control_buffers = 64;    ///< … and control datagrams
  Duration receive_cost = std::chrono::nanoseconds(1'500);  ///< of a processor for each datagram received …
  Duration send_cost = std::chrono::nanoseconds(1'000);     ///< … and sent

  // What a datagram costs its receiver besides: all of this is off by default.
  // experiments/low_memory_transport/paper.toml has values that fit paper 5 (decision 35).
  double copy_gigabytes_per_second = 0;  ///< at which a receiver copies a message out of its buffer, which stays taken
  Duration adapter_cost{};               ///< of the receiver's adapter for each datagram that arrives, wanted or not
  std::uint32_t fabric_bytes = 0;  ///< of a sender that switches hold for a busy receiver, before the sender must wait
  std::uint32_t cached_buffers = 256;  ///< receive buffers that stay in the receiver's cache; of more, each …
  Duration cold_buffer_cost{};         ///< … that has left it costs the receiver so much

  // Of reliable connections: when their interfaces give up (verbs: attributes of a queue pair at RTS).
  std::uint32_t rnr_retry =
      rnr_without_limit;          ///< times that a message is sent again that found no buffer; 0 to 6, or 7
  std::uint32_t retry_count = 7;  ///< times in a row that it is sent again without any answer; 0 to 7
  Duration retry_timeout = std::chrono::microseconds(67'100);  ///< … for which an answer is waited (code 14)
};

/// 0: without limit. Otherwise so that a datagram's time on the link is a time: 1 kB/s to 1 PB/s.
[[nodiscard]] constexpr bool is_link_rate(double gigabytes_per_second) {
  return gigabytes_per_second == 0 || (gigabytes_per_second >= 1e-6 && gigabytes_per_second <= 1e6);
}

/// How long a datagram of so many bytes takes a link.
[[nodiscard]] Duration time_on_link(const Scenario& scenario, std::size_t bytes);

/// How long after the datagram before it one of so many bytes reaches a receiver, at the earliest.
[[nodiscard]] Duration arrival_spacing(const Scenario& scenario, std::size_t bytes);

/// Of a receiver's processor, for data of so many bytes: its buffer is taken so long.
[[nodiscard]] Duration receive_time(const Scenario& scenario, std::size_t bytes);

/// Errors name the field that is out of its range.
[[nodiscard]] Result<> check(const Scenario& scenario);

}  // namespace ayatori::simulated
