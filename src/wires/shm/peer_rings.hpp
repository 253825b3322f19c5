#pragma once
/// \file
/// The rings of peers that this process has open to send to: a bounded number, whatever the number of peers.

#include <filesystem>
#include <optional>

#include "ayatori/bounded/peer_cache.hpp"
#include "ring.hpp"
#include "segment.hpp"

namespace ayatori::wires {

/// Where the ring of a rank is.
struct RingNames {
  std::filesystem::path folder;
  std::uint64_t key = 0;

  static constexpr const char* prefix = "ayatori-";
  [[nodiscard]] std::filesystem::path of(Rank rank) const;
};

class PeerRings {
 public:
  PeerRings(RingNames names, std::uint32_t most) : names_(std::move(names)), open_(most) {}

  /// A peer's ring, valid until the next call; nullptr if it has none now, or one that can't be used.
  [[nodiscard]] Ring* of(Rank peer);

  /// To be called when a peer's ring stays full: gives it up if its process has ended without closing it.
  void doubt(Rank peer);

  /// The first segment that was there and could not be used.
  [[nodiscard]] const std::optional<Error>& problem() const { return problem_; }

 private:
  struct Entry {
    FoundSegment segment;
    std::optional<Ring> ring;
  };

  Ring* open(Rank peer);

  RingNames names_;
  PeerCache<Entry> open_;
  std::optional<Error> problem_;
};

}  // namespace ayatori::wires
