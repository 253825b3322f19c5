#include "ayatori/onesided/memory.hpp"

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
    word = std::atomic_ref<const Word>(*reinterpret_cast<const Word*>(from)).load(std::memory_order_acquire);
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
  const auto index = static_cast<std::uint32_t>(key);
  if (!has(key)) return false;
  if (index < adapter_keys_.size()) {
    const AdapterKeys ended = std::exchange(adapter_keys_[index], {});
    if (ended.keys) adapter_->remove_memory(*ended.keys);
  }
  return published_.remove(index);
}

bool Memory::has(std::uint64_t key) const {
  const auto region = published_.at(static_cast<std::uint32_t>(key));
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
  const auto index = static_cast<std::uint32_t>(key);
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
  const Rank which = location.rank - mapped_.first;
  if (location.region != 0 || location.rank < mapped_.first || which >= mapped_.count) return nullptr;
  if (location.offset > mapped_.each || size > mapped_.each - location.offset) return nullptr;
  return mapped_.start + which * mapped_.each + location.offset;
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
