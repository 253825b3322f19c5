#pragma once
/// \file
/// Decides which datagrams of a network are taken: those of the job, once. The tag is checked before anything else of
/// them is read. Not thread-safe.

#include <memory>
#include <optional>
#include <span>

#include "ayatori/bounded/peer_cache.hpp"
#include "ayatori/secret/replay_window.hpp"
#include "ayatori/secret/seal.hpp"

namespace ayatori::wires {

struct SealStatistics {
  std::uint64_t forged = 0;     ///< datagrams with a wrong tag
  std::uint64_t replayed = 0;   ///< with a number that the sender has used before
  std::uint64_t strangers = 0;  ///< of ranks that the job does not have
};

class Unsealer {
 public:
  /// `procs`: of the job. `remembered`: peers whose numbers are remembered, those heard last. Datagrams of others may
  /// come twice; the transport then ignores them, as it does those that a network duplicates.
  Unsealer(Rank procs, std::uint32_t remembered) : procs_(procs), windows_(remembered) {}

  /// Nothing if it is not to be taken. `seal` has the key of its sender.
  [[nodiscard]] std::optional<Unsealed> open(Seal& seal, std::span<const std::byte> datagram);

  [[nodiscard]] const SealStatistics& statistics() const { return statistics_; }

 private:
  Rank procs_;
  PeerCache<ReplayWindow> windows_;
  SealStatistics statistics_;
};

}  // namespace ayatori::wires
