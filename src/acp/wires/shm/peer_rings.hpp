#pragma once
/// \file
/// The peers' rings that this process has mapped in order to send to them: a bounded number, whatever the number of
/// peers.

#include <filesystem>
#include <optional>

#include "ayatori/bounded/peer_cache.hpp"
#include "ayatori/shm/shm_file.hpp"
#include "ring.hpp"

namespace ayatori::wires {

/// The links to the memory that has the rings.
struct RingNames {
  std::filesystem::path folder;
  std::uint64_t key = 0;

  [[nodiscard]] std::filesystem::path of(Rank rank) const;
};

class PeerRings {
 public:
  PeerRings(RingNames names, std::uint32_t max_open) : names_(std::move(names)), open_(max_open) {}

  /// A peer's ring, valid until the next call; nullptr if the peer has none now, or if it can't be used.
  [[nodiscard]] Ring* of(Rank peer);

  /// To be called when a peer's ring stays full: unmaps it if the peer ended without closing it.
  void forget_if_dead(Rank peer);

  /// Why the first memory could not be used that was there.
  [[nodiscard]] const std::optional<Error>& problem() const { return problem_; }

 private:
  struct Entry {
    SharedMemory file;
    std::optional<Ring> ring;
  };

  Ring* open(Rank peer);

  RingNames names_;
  PeerCache<Entry> open_;
  std::optional<Error> problem_;
};

}  // namespace ayatori::wires
