#include "ayatori/transport/regions.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>

#include "ayatori/transport/bytes.hpp"

namespace ayatori::transport {

// ---- The owner

namespace {

constexpr std::uint32_t index_bits = 8;

/// Other processes may read it meanwhile. The directory is little-endian, as packets are.
std::atomic_ref<std::uint64_t> word_at(std::span<std::byte> directory, std::size_t at) {
  static_assert(std::endian::native == std::endian::little);
  return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(directory.data() + at));
}

}  // namespace

PublishedRegions::PublishedRegions(std::uint32_t capacity, std::uint64_t seed)
    : regions_(capacity), own_directory_(directory_bytes(capacity)), directory_(own_directory_), random_(seed) {}

std::optional<std::uint32_t> PublishedRegions::add(std::uint64_t base, Bytes size) {
  const auto free = std::ranges::find(regions_, 0U, &Region::key);
  if (free == regions_.end()) return std::nullopt;
  const auto index = static_cast<std::uint32_t>(free - regions_.begin());
  // The highest bit is left to the application (channels have keys of their own).
  const std::uint64_t key = (random_() | 1U) << (index_bits + 1) >> 1 | index;
  write_entry(index, {key, base, size});
  return index;
}

bool PublishedRegions::remove(std::uint32_t index) {
  if (!at(index)) return false;
  write_entry(index, {});
  return true;
}

/// The key is what makes an entry valid: it goes first and comes last.
void PublishedRegions::write_entry(std::uint32_t index, const Region& region) {
  regions_[index] = region;
  const auto word = [&](std::size_t i) { return word_at(directory_, index * region_bytes + 8 * i); };
  word(0).store(0, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  word(1).store(region.base, std::memory_order_relaxed);
  word(2).store(region.size, std::memory_order_relaxed);
  word(0).store(region.key, std::memory_order_release);
}

void PublishedRegions::publish_at(std::span<std::byte> shared) {
  directory_ = shared;
  for (std::uint32_t index = 0; index < regions_.size(); ++index) write_entry(index, regions_[index]);
  own_directory_ = {};
}

std::optional<Region> region_in(std::span<const std::byte> directory, std::uint32_t index) {
  if ((index + 1) * region_bytes > directory.size()) return std::nullopt;
  // atomic_ref of C++23 takes no constant objects.
  const std::span words(const_cast<std::byte*>(directory.data()), directory.size());  // NOLINT
  const auto word = [&](std::size_t i) { return word_at(words, index * region_bytes + 8 * i); };
  Region found;
  found.key = word(0).load(std::memory_order_acquire);
  found.base = word(1).load(std::memory_order_relaxed);
  found.size = word(2).load(std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_acquire);
  if (found.key == 0 || word(0).load(std::memory_order_relaxed) != found.key) return std::nullopt;
  return found;
}

std::optional<Region> PublishedRegions::at(std::uint32_t index) const {
  if (index >= regions_.size() || regions_[index].key == 0) return std::nullopt;
  return regions_[index];
}

std::optional<Region> PublishedRegions::holding(const RemoteRange& range) const {
  const auto region = at(index_of(range.key));
  if (!region || region->key != range.key) return std::nullopt;
  if (range.offset > region->size || range.size > region->size - range.offset) return std::nullopt;
  return region;
}

std::optional<std::span<const std::byte>> PublishedRegions::read(const RemoteRange& range) const {
  if (range.key != directory_key || range.offset > directory_.size()) return std::nullopt;
  if (range.size > directory_.size() - range.offset) return std::nullopt;
  return std::span<const std::byte>(directory_).subspan(range.offset, range.size);
}

// ---- The requester

KnownRegions::KnownRegions(std::uint32_t entries, std::uint32_t fetches, Token first_token)
    : entries_(entries),
      buckets_(std::bit_ceil(std::size_t{entries} + 1), no_id),
      recency_(entries),
      fetches_(fetches),
      first_token_(first_token) {
  for (std::uint32_t entry = 0; entry < entries; ++entry) recency_.push(entry);
}

std::uint32_t& KnownRegions::bucket(Name name) {
  return buckets_[(std::size_t{name.peer} + std::size_t{name.index} * 0x9e3779b1U) & (buckets_.size() - 1)];
}

std::uint32_t KnownRegions::entry_of(Name name) {
  std::uint32_t entry = bucket(name);
  while (entry != no_id && entries_[entry].name != name) entry = entries_[entry].next;
  return entry;
}

std::optional<Region> KnownRegions::find(Name name) {
  const std::uint32_t entry = entry_of(name);
  if (entry == no_id) return std::nullopt;
  recency_.move_to_end(entry);
  return entries_[entry].region;
}

bool KnownRegions::fetch(Time now, Endpoint& endpoint, Name name) {
  Fetch* free = nullptr;
  for (Fetch& fetch : fetches_) {
    if (fetch.under_way && fetch.name == name) return true;
    if (!fetch.under_way) free = &fetch;
  }
  if (!free) return false;
  const Token token = first_token_ + static_cast<Token>(free - fetches_.data());
  const RemoteAddress entry{directory_key, std::uint64_t{name.index} * region_bytes};
  if (!endpoint.get(now, name.peer, entry, free->bytes, token)) return false;
  free->name = name;
  free->under_way = true;
  return true;
}

std::optional<KnownRegions::Fetched> KnownRegions::completed(Token token) {
  const auto fetch = take(token);
  if (!fetch) return std::nullopt;
  Reader reader(fetch->bytes);
  Region region;
  region.key = reader.take<std::uint64_t>();
  region.base = reader.take<std::uint64_t>();
  region.size = reader.take<std::uint64_t>();
  if (region.key == 0) return Fetched{fetch->name, std::nullopt};
  keep(fetch->name, region);
  return Fetched{fetch->name, region};
}

std::optional<KnownRegions::Fetched> KnownRegions::failed(Token token) {
  const auto fetch = take(token);
  if (!fetch) return std::nullopt;
  return Fetched{fetch->name, std::nullopt};
}

std::optional<KnownRegions::Fetch> KnownRegions::take(Token token) {
  if (token < first_token_ || token - first_token_ >= fetches_.size()) return std::nullopt;
  Fetch& fetch = fetches_[token - first_token_];
  fetch.under_way = false;
  return fetch;
}

void KnownRegions::keep(Name name, const Region& region) {
  std::uint32_t entry = entry_of(name);
  if (entry == no_id) {
    entry = recency_.front();
    if (entries_[entry].used) drop(entry);
    entries_[entry] = {name, region, std::exchange(bucket(name), entry), true};
  }
  entries_[entry].region = region;
  recency_.move_to_end(entry);
}

void KnownRegions::forget(Name name, std::uint64_t key) {
  const std::uint32_t entry = entry_of(name);
  if (entry != no_id && entries_[entry].region.key == key) drop(entry);
}

void KnownRegions::forget(PeerId peer) {
  for (std::uint32_t entry = 0; entry < entries_.size(); ++entry) {
    if (entries_[entry].used && entries_[entry].name.peer == peer) drop(entry);
  }
}

void KnownRegions::drop(std::uint32_t entry) {
  std::uint32_t* link = &bucket(entries_[entry].name);
  while (*link != entry) link = &entries_[*link].next;
  *link = entries_[entry].next;
  entries_[entry].used = false;
  recency_.move_to_front(entry);
}

}  // namespace ayatori::transport
