#pragma once
/// \file
/// What messages and local operations cost on a machine: the numbers of a LogGP model (Alexandrov, Ionescu, Schauser
/// and Scheiman, Journal of Parallel and Distributed Computing 44, 1997) with overheads that grow with the size, as in
/// PLogP (Kielmann, Bal and Verstoep, 2000) and LogGOPS (Hoefler, Schneider and Lumsdaine, 2010).

#include <cstdint>
#include <vector>

#include "ayatori/base/ids.hpp"

namespace ayatori {

/// seconds + bytes · seconds_per_byte, for sizes from `from` bytes up to the next line's.
struct CostLine {
  Bytes from = 0;
  double seconds = 0;
  double seconds_per_byte = 0;

  friend bool operator==(const CostLine&, const CostLine&) = default;
};

/// A time by the number of bytes: lines with rising `from`. 0 below the first line, so without lines everywhere.
using SizeCost = std::vector<CostLine>;

/// In time proportional to the number of lines, of which there are few.
[[nodiscard]] inline double seconds_of(const SizeCost& cost, Bytes bytes) {
  const CostLine* found = nullptr;
  for (const CostLine& line : cost) {
    if (line.from > bytes) break;
    found = &line;
  }
  return found == nullptr ? 0 : found->seconds + static_cast<double>(bytes) * found->seconds_per_byte;
}

/// Of messages within a machine, or of those between machines. All times in seconds; 0 is no time.
struct MessageCosts {
  double latency = 0;     ///< from when the sender's processor is done until a first byte arrives; not that of links
  SizeCost send;          ///< time of the sender's processor
  SizeCost receive;       ///< time of the receiver's processor
  double gap = 0;         ///< least time between two messages out of one NIC (within a machine: out of one rank)
  Bytes eager_limit = 0;  ///< larger messages wait for their receive
  double rendezvous = 0;  ///< more latency of messages above the eager limit, once the receive is posted
  double bandwidth = 0;   ///< bytes a second: out of, and into, one NIC; inside a machine: of all messages together.
                          ///< 0: no limit but that of the links
  Bytes burst = 0;        ///< of messages between machines: bytes that pass at once through a NIC that had nothing to
                          ///< carry, where a token bucket of so many bytes limits it to `bandwidth`
  Bytes packet = 0;       ///< of messages between machines: bytes of one in a packet. A packet passes the token bucket
                          ///< whole as soon as that owes nothing, and then it owes these bytes; 0: byte by byte
  Bytes header = 0;  ///< of messages between machines: bytes that flow with each message (if it has any), in addition
                     ///< to those that grow with its size, which make `bandwidth` less

  friend bool operator==(const MessageCosts&, const MessageCosts&) = default;
};

/// All costs of communication on the hosts.
struct CommunicationCosts {
  MessageCosts inside;      ///< of messages within a machine
  MessageCosts between;     ///< of messages between machines
  SizeCost copy;            ///< of a local copy
  SizeCost reduce;          ///< of combining two vectors of so many bytes each
  SizeCost cache_refill;    ///< in addition, where the result replaces data sent in the same step: the receiver's cache
                            ///< holds them, and they must be invalidated there
  double start = 0;         ///< seconds from the call of a collective until its first step begins, on each rank
  std::uint32_t cores = 0;  ///< of each machine; 0: as many as it has ranks
  /// The delay of a message where two ranks share a core: the other rank polls and yields before the receiver polls.
  /// Proportional to the number of ranks of a core.
  SizeCost scheduling_delay;
  /// Seconds by which a rank begins later for each further rank on its core: the time for which a rank polls before it
  /// first yields.
  double start_skew = 0;
  /// Additional time of the receiver's processor for a message within a machine where two ranks share a core and its
  /// caches. Proportional to the number of ranks of a core.
  SizeCost oversubscription;

  friend bool operator==(const CommunicationCosts&, const CommunicationCosts&) = default;
};

}  // namespace ayatori
