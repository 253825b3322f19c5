#include "peer_rings.hpp"

#include <algorithm>
#include <cerrno>

namespace ayatori::wires {

std::filesystem::path RingNames::of(Rank rank) const { return folder / fmt::format("{}{:016x}-{}", prefix, key, rank); }

PeerRings::Entry* PeerRings::find(Rank peer) {
  const auto found = std::ranges::find(entries_, peer, &Entry::peer);
  return found == entries_.end() ? nullptr : &*found;
}

Ring* PeerRings::of(Rank peer) {
  Entry* entry = find(peer);
  if (entry && entry->ring->closed()) {
    *entry = {};
    entry = nullptr;
  }
  if (!entry) return open(peer);
  entry->used = ++uses_;
  return &*entry->ring;
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
  Entry& entry = place();
  entry = {peer, ++uses_, std::move(*segment), std::move(*ring)};
  return &*entry.ring;
}

/// A place for one more: a new one, or that of the ring that was not asked for the longest.
PeerRings::Entry& PeerRings::place() {
  if (Entry* empty = find(no_id)) return *empty;
  if (entries_.size() < most_) return entries_.emplace_back();
  return *std::ranges::min_element(entries_, {}, &Entry::used);
}

void PeerRings::doubt(Rank peer) {
  Entry* entry = find(peer);
  if (entry && file_named(names_.of(peer)) != entry->segment.file) *entry = {};
}

}  // namespace ayatori::wires
