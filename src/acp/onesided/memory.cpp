#include "ayatori/onesided/memory.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

namespace ayatori::onesided {

using transport::Region;
using transport::RemoteRange;

namespace {

std::byte* pointer(std::uint64_t address) {
  return reinterpret_cast<std::byte*>(address);  // NOLINT: what Region::base is here
}

template <typename Word>
bool is_aligned(const std::byte* at) {
  return reinterpret_cast<std::uintptr_t>(at) % sizeof(Word) == 0;
}

template <typename Word>
Word load_as(const std::byte* from) {
  Word word = 0;
  if (is_aligned<Word>(from)) {
    // atomic_ref of C++23 takes no constant objects.
    auto* const at = reinterpret_cast<Word*>(const_cast<std::byte*>(from));  // NOLINT
    word = std::atomic_ref<Word>(*at).load(std::memory_order_acquire);
  } else {
    std::memcpy(&word, from, sizeof word);
  }
  return word;
}

template <typename Word>
bool store_as(std::byte* to, const std::byte* from) {
  if (!is_aligned<Word>(to)) return false;
  std::atomic_ref<Word>(*reinterpret_cast<Word*>(to)).store(load_as<Word>(from), std::memory_order_release);
  return true;
}

bool store_at_once(std::byte* to, const std::byte* from, Bytes size) {
  switch (size) {
    case 1:
      return store_as<std::uint8_t>(to, from);
    case 2:
      return store_as<std::uint16_t>(to, from);
    case 4:
      return store_as<std::uint32_t>(to, from);
    case 8:
      return store_as<std::uint64_t>(to, from);
    default:
      return false;
  }
}

#if defined(__SANITIZE_THREAD__)
constexpr bool words_are_checked = true;
#elif defined(__has_feature)
constexpr bool words_are_checked = __has_feature(thread_sanitizer);
#else
constexpr bool words_are_checked = false;
#endif

/// What memmove does on every machine that this library runs on: each aligned word is written whole, so that processes
/// may poll any word of a longer copy. C++ does not guarantee it, and ThreadSanitizer checks what C++ guarantees; there
/// the words are stored one by one.
void store_words(std::byte* to, const std::byte* from, Bytes size) {
  constexpr Bytes word = sizeof(std::uint64_t);
  const bool overlap = to < from + size && from < to + size;
  if (!words_are_checked || overlap || reinterpret_cast<std::uintptr_t>(to) % word != 0) {
    std::memmove(to, from, size);
    return;
  }
  Bytes at = 0;
  for (; at + word <= size; at += word) store_as<std::uint64_t>(to + at, from + at);
  std::memcpy(to + at, from + at, size - at);
}

}  // namespace

Result<std::uint64_t> Memory::add(std::byte* start, Bytes size) {
  if (size == 0) return with_code(fail("there is nothing to register"), EINVAL);
  if (size > space_.max_bytes()) {
    return with_code(fail("{} bytes are more than the {} of the largest region", size, space_.max_bytes()), EINVAL);
  }
  if (reinterpret_cast<std::uintptr_t>(start) > UINTPTR_MAX - size) {
    return with_code(
        fail("{} bytes from {} on reach beyond the end of the address space", size, static_cast<void*>(start)), EINVAL);
  }
  const auto index = published_.add(reinterpret_cast<std::uintptr_t>(start), size);
  if (!index) {
    return with_code(fail("this process has {} registrations already, in addition to that of starter memory",
                          AddressSpace::regions - 1),
                     ENOSPC);
  }
  return published_.at(*index)->key;
}

bool Memory::remove(std::uint64_t key) {
  const auto index = transport::index_of(key);
  if (!has(key)) return false;
  if (index < adapter_keys_.size()) {
    const AdapterKeys ended = std::exchange(adapter_keys_[index], {});
    if (ended.keys) adapter_->remove_memory(*ended.keys);
  }
  return published_.remove(index);
}

bool Memory::has(std::uint64_t key) const {
  const auto region = published_.at(transport::index_of(key));
  return region && region->key == key;
}

std::optional<transport::RdmaKeys> Memory::keys(std::uint32_t region) {
  const auto found = published_.at(region);
  if (!adapter_ || !found) return std::nullopt;
  if (region >= adapter_keys_.size()) adapter_keys_.resize(region + 1);
  AdapterKeys& known = adapter_keys_[region];
  if (!known.asked) known = {.asked = true, .keys = adapter_->add_memory({pointer(found->base), found->size})};
  return known.keys;
}

std::optional<transport::RdmaKeys> Memory::keys_of(std::span<const std::byte> bytes) {
  const auto start = reinterpret_cast<std::uintptr_t>(bytes.data());
  for (std::uint32_t region = 0; region < AddressSpace::regions; ++region) {
    const auto found = published_.at(region);
    if (!found || start < found->base || start - found->base > found->size) continue;
    if (bytes.size() > found->size - (start - found->base)) continue;
    if (const auto known = keys(region)) return known;
  }
  return std::nullopt;
}

std::optional<GlobalAddress> Memory::address_of(std::uint64_t key, const std::byte* at) const {
  const auto index = transport::index_of(key);
  const auto region = published_.at(index);
  if (!region || region->key != key) return std::nullopt;
  const std::uint64_t offset = reinterpret_cast<std::uintptr_t>(at) - region->base;
  if (offset >= region->size) return std::nullopt;
  return space_.of({self_, index, offset});
}

std::byte* Memory::find(const Location& location, Bytes size) const {
  const auto region = published_.at(location.region);
  if (location.rank != self_ || !region) return nullptr;
  if (location.offset > region->size || size > region->size - location.offset) return nullptr;
  return pointer(region->base + location.offset);
}

std::byte* Memory::reach(const Location& location, Bytes size) const {
  if (location.rank == self_) return find(location, size);
  const Rank which = location.rank - shared_.first;
  if (location.region != 0 || location.rank < shared_.first || which >= shared_.count) return nullptr;
  if (location.offset > shared_.each || size > shared_.each - location.offset) return nullptr;
  return shared_.start + which * shared_.each + location.offset;
}

// ---- Processes of this host

namespace {

/// What a process says of itself: its number, then the directory of its regions.
constexpr std::size_t neighbour_head = 8;
static_assert(neighbour_head + transport::directory_bytes(AddressSpace::regions) <= Memory::neighbour_bytes);

std::atomic_ref<std::uint64_t> process_of(std::byte* neighbour) {
  return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(neighbour));
}

std::span<std::byte> directory_of(std::byte* neighbour) {
  return {neighbour + neighbour_head, transport::directory_bytes(AddressSpace::regions)};
}

}  // namespace

void Memory::share(const Shared& shared, std::uint64_t process) {
  shared_ = shared;
  if (!shared.neighbours) return;
  std::byte* const own = shared.neighbours + (self_ - shared.first) * neighbour_bytes;
  published_.publish_at(directory_of(own));
  process_of(own).store(process, std::memory_order_release);
}

std::optional<Region> Memory::neighbours_region(const Location& location, Bytes size) const {
  const Rank which = location.rank - shared_.first;
  if (!shared_.neighbours || location.rank < shared_.first || which >= shared_.count) return std::nullopt;
  std::byte* const neighbour = shared_.neighbours + which * neighbour_bytes;
  const auto region = transport::region_in(directory_of(neighbour), location.region);
  if (!region || location.offset > region->size || size > region->size - location.offset) return std::nullopt;
  return region;
}

bool Memory::copy_neighbour(const Location& location, std::span<std::byte> local, Neighbourly what) {
  const Bytes size = local.size() / (what == Neighbourly::read_twice ? 2 : 1);
  const auto region = neighbour_copy_ ? neighbours_region(location, size) : std::nullopt;
  if (!region) return false;
  std::byte* const neighbour = shared_.neighbours + (location.rank - shared_.first) * neighbour_bytes;
  const std::uint64_t process = process_of(neighbour).load(std::memory_order_acquire);
  if (process == 0) return false;
  // A region that ended meanwhile is that of a program that does not keep its own order.
  return neighbour_copy_(process, region->base + location.offset, local, what);
}

bool Memory::copy_to_neighbour(const Location& to, const std::byte* local, Bytes size) {
  return copy_neighbour(to, {const_cast<std::byte*>(local), size}, Neighbourly::write);  // NOLINT: it is only read
}

/// The kernel may copy a word byte by byte while its owner stores to it: a word must be read twice alike.
bool Memory::copy_from_neighbour(const Location& from, std::byte* local, Bytes size) {
  if (size > sizeof(std::uint64_t)) return copy_neighbour(from, {local, size}, Neighbourly::read);
  std::array<std::byte, 2 * sizeof(std::uint64_t)> both{};
  const std::span once = std::span(both).first(size);
  const std::span again = std::span(both).subspan(size, size);
  do {
    if (!copy_neighbour(from, std::span(both).first(2 * size), Neighbourly::read_twice)) return false;
  } while (!std::ranges::equal(once, again));
  store(local, once.data(), size);
  return true;
}

std::byte* Memory::find(const RemoteRange& range) const {
  const auto region = published_.holding(range);
  return region ? pointer(region->base + range.offset) : nullptr;
}

std::optional<std::span<const std::byte>> Memory::read(const RemoteRange& range) {
  const std::byte* start = find(range);
  if (!start) return published_.read(range);
  // The owner may be storing to a word that a peer polls: the wire would copy it byte by byte.
  auto* const word = reinterpret_cast<std::byte*>(&word_read_);
  if (store_at_once(word, start, range.size)) return std::span(word, range.size);
  return std::span(start, range.size);
}

void store(std::byte* to, const std::byte* from, Bytes size) {
  if (!store_at_once(to, from, size)) store_words(to, from, size);
}

}  // namespace ayatori::onesided
