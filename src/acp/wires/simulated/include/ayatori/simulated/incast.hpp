#pragma once
/// \file
/// Paper 5, section 5: many clients send messages to one server that has few
/// receive buffers.

#include <cstdint>
#include <functional>

#include "ayatori/simulated/network.hpp"
#include "ayatori/simulated/scenario.hpp"
#include "ayatori/transport/observer.hpp"
#include "ayatori/transport/options.hpp"

namespace ayatori::simulated {

struct Incast {
  std::uint32_t clients = 31;
  std::uint32_t messages = 1000;  ///< of each client; as fast as they are acknowledged
  std::uint32_t queued = 4;  ///< messages that a client has in hand; a protocol with a window may send them at once
  std::uint32_t bytes = 64;
};

/// How long messages took, from the moment the client had them in hand to their delivery.
struct Latencies {
  Duration median{};
  Duration p99{};
  Duration p999{};
  Duration longest{};
};

struct IncastResult {
  bool complete = false;
  std::uint64_t delivered = 0;
  std::uint64_t data_packets = 0;     ///< first copies
  std::uint64_t retransmissions = 0;  ///< of all clients (paper 5, table 2, 送信)
  std::uint64_t duplicates = 0;       ///< dropped by the server (table 2, 受信)
  std::uint64_t overflowed = 0;       ///< datagrams that found no buffer
  std::uint64_t asks = 0;
  std::uint32_t broken = 0;               ///< reliable connections that gave up; what they had to send is not delivered
  std::uint32_t credit = 0;               ///< of all clients together at the end (decision 102)
  double messages_per_second = 0;         ///< in virtual time, from the first to the last
  double steady_messages_per_second = 0;  ///< … from a tenth to nine tenths of them: while all clients have some
  double fairness = 0;                    ///< of the clients in that time: Jain's index, 1/clients … 1
  Latencies latency;
};

/// The observer of a rank; 0 is the server.
using ObserverOf = std::function<transport::Observer*(PeerId)>;

/// The clients have the ranks from 1 on. The same arguments give the same result, with observers and without.
[[nodiscard]] IncastResult run_incast(const Incast& incast, const Scenario& scenario, const transport::Options& options,
                                      const ObserverOf& observer_of = {});

}  // namespace ayatori::simulated
