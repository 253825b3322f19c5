#include "ayatori/transport/segments.hpp"

#include <algorithm>
#include <utility>

#include "bytes.hpp"

namespace ayatori::transport {

// ---- The owner

PublishedSegments::PublishedSegments(std::uint32_t capacity)
    : segments_(capacity), directory_(capacity * segment_bytes) {}

std::optional<std::uint32_t> PublishedSegments::add(std::uint64_t base, Bytes size) {
  const auto free = std::ranges::find(segments_, 0U, &Segment::key);
  if (free == segments_.end()) return std::nullopt;
  const auto index = static_cast<std::uint32_t>(free - segments_.begin());
  // The lower half says where to look, the upper tells apart what was there one after the other.
  write_entry(index, {++added_ << 32 | index, base, size});
  return index;
}

bool PublishedSegments::remove(std::uint32_t index) {
  if (!at(index)) return false;
  write_entry(index, {});
  return true;
}

void PublishedSegments::write_entry(std::uint32_t index, const Segment& segment) {
  segments_[index] = segment;
  const std::span<std::byte> directory = directory_;
  Writer writer(directory.subspan(index * segment_bytes, segment_bytes));
  writer.put(segment.key);
  writer.put(segment.base);
  writer.put(segment.size);
}

std::optional<Segment> PublishedSegments::at(std::uint32_t index) const {
  if (index >= segments_.size() || segments_[index].key == 0) return std::nullopt;
  return segments_[index];
}

std::optional<Segment> PublishedSegments::holding(const RemoteRange& range) const {
  const auto segment = at(static_cast<std::uint32_t>(range.key));
  if (!segment || segment->key != range.key) return std::nullopt;
  if (range.offset > segment->size || range.size > segment->size - range.offset) return std::nullopt;
  return segment;
}

std::optional<std::span<const std::byte>> PublishedSegments::read(const RemoteRange& range) const {
  if (range.key != directory_key || range.offset > directory_.size()) return std::nullopt;
  if (range.size > directory_.size() - range.offset) return std::nullopt;
  return std::span(directory_).subspan(range.offset, range.size);
}

// ---- Who asks

KnownSegments::KnownSegments(std::uint32_t entries, std::uint32_t fetches, Token first_token)
    : entries_(entries),
      buckets_(std::bit_ceil(std::size_t{entries} + 1), no_id),
      recency_(entries),
      fetches_(fetches),
      first_token_(first_token) {
  for (std::uint32_t entry = 0; entry < entries; ++entry) recency_.push(entry);
}

std::uint32_t& KnownSegments::bucket(Name name) {
  return buckets_[(std::size_t{name.peer} + std::size_t{name.index} * 0x9e3779b1U) & (buckets_.size() - 1)];
}

std::uint32_t KnownSegments::entry_of(Name name) {
  std::uint32_t entry = bucket(name);
  while (entry != no_id && entries_[entry].name != name) entry = entries_[entry].next;
  return entry;
}

std::optional<Segment> KnownSegments::find(Name name) {
  const std::uint32_t entry = entry_of(name);
  if (entry == no_id) return std::nullopt;
  recency_.move_to_end(entry);
  return entries_[entry].segment;
}

bool KnownSegments::fetch(Time now, Endpoint& endpoint, Name name) {
  Fetch* free = nullptr;
  for (Fetch& fetch : fetches_) {
    if (fetch.under_way && fetch.name == name) return true;
    if (!fetch.under_way) free = &fetch;
  }
  if (!free) return false;
  const Token token = first_token_ + static_cast<Token>(free - fetches_.data());
  const RemoteAddress entry{directory_key, std::uint64_t{name.index} * segment_bytes};
  if (!endpoint.get(now, name.peer, entry, free->bytes, token)) return false;
  free->name = name;
  free->under_way = true;
  return true;
}

std::optional<KnownSegments::Fetched> KnownSegments::completed(Token token) {
  const auto fetch = take(token);
  if (!fetch) return std::nullopt;
  Reader reader(fetch->bytes);
  Segment segment;
  segment.key = reader.take<std::uint64_t>();
  segment.base = reader.take<std::uint64_t>();
  segment.size = reader.take<std::uint64_t>();
  if (segment.key == 0) return Fetched{fetch->name, std::nullopt};
  keep(fetch->name, segment);
  return Fetched{fetch->name, segment};
}

std::optional<KnownSegments::Fetched> KnownSegments::failed(Token token) {
  const auto fetch = take(token);
  if (!fetch) return std::nullopt;
  return Fetched{fetch->name, std::nullopt};
}

std::optional<KnownSegments::Fetch> KnownSegments::take(Token token) {
  if (token < first_token_ || token - first_token_ >= fetches_.size()) return std::nullopt;
  Fetch& fetch = fetches_[token - first_token_];
  fetch.under_way = false;
  return fetch;
}

void KnownSegments::keep(Name name, const Segment& segment) {
  std::uint32_t entry = entry_of(name);
  if (entry == no_id) {
    entry = recency_.front();
    if (entries_[entry].used) drop(entry);
    entries_[entry] = {name, segment, std::exchange(bucket(name), entry), true};
  }
  entries_[entry].segment = segment;
  recency_.move_to_end(entry);
}

void KnownSegments::forget(Name name, std::uint64_t key) {
  const std::uint32_t entry = entry_of(name);
  if (entry != no_id && entries_[entry].segment.key == key) drop(entry);
}

void KnownSegments::forget(PeerId peer) {
  for (std::uint32_t entry = 0; entry < entries_.size(); ++entry) {
    if (entries_[entry].used && entries_[entry].name.peer == peer) drop(entry);
  }
}

void KnownSegments::drop(std::uint32_t entry) {
  std::uint32_t* link = &bucket(entries_[entry].name);
  while (*link != entry) link = &entries_[*link].next;
  *link = entries_[entry].next;
  entries_[entry].used = false;
  recency_.move_to_front(entry);
}

}  // namespace ayatori::transport
