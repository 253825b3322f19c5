#include "peer_rings.hpp"

#include <cerrno>

namespace ayatori::wires {

std::filesystem::path RingNames::of(Rank rank) const { return folder / fmt::format("{}{:016x}-{}", prefix, key, rank); }

Ring* PeerRings::of(Rank peer) {
  Entry* entry = open_.use(peer);
  if (entry && !entry->ring->closed()) return &*entry->ring;
  open_.forget(peer);
  return open(peer);
}

Ring* PeerRings::open(Rank peer) {
  const auto path = names_.of(peer);
  auto segment = find_segment(path);
  auto ring = segment ? Ring::open(segment->mapping.bytes(), names_.key, peer) : Failure(segment.error());
  if (!ring) {
    const bool not_there = ring.error().code == ENOENT;
    if (!not_there && !problem_)
      problem_ = with_cause(fail("{} can't be used", path.native()), ring.error().message).error();
    return nullptr;
  }
  return &*open_.keep(peer, {std::move(*segment), std::move(*ring)}).ring;
}

void PeerRings::doubt(Rank peer) {
  const Entry* entry = open_.use(peer);
  if (entry && file_named(names_.of(peer)) != entry->segment.file) open_.forget(peer);
}

}  // namespace ayatori::wires
