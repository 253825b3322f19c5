#include "peer_rings.hpp"

#include <cerrno>

namespace ayatori::wires {

std::filesystem::path RingNames::of(Rank rank) const { return folder / fmt::format("ring-{}", rank); }

Ring* PeerRings::of(Rank peer) {
  Entry* entry = open_.use(peer);
  if (entry && !entry->ring->closed()) return &*entry->ring;
  open_.forget(peer);
  return open(peer);
}

Ring* PeerRings::open(Rank peer) {
  const auto path = names_.of(peer);
  auto file = open_shared_memory(path);
  auto ring = file ? Ring::open(file->bytes(), names_.key, peer) : Failure(file.error());
  if (!ring) {
    const bool not_there = ring.error().code == ENOENT;
    if (!not_there && !problem_)
      problem_ = with_cause(fail("{} can't be used", path.native()), ring.error().message).error();
    return nullptr;
  }
  return &*open_.keep(peer, {std::move(*file), std::move(*ring)}).ring;
}

void PeerRings::forget_if_dead(Rank peer) {
  const Entry* entry = open_.use(peer);
  if (entry && inode_of(names_.of(peer)) != entry->file.inode) open_.forget(peer);
}

}  // namespace ayatori::wires
