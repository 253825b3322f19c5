#include "id_table.hpp"

#include <algorithm>
#include <bit>

namespace ayatori::capi {

namespace {

constexpr std::uint32_t first_capacity = 64;  // a page of slots

/// A permutation of the numbers of so many bits that spreads runs and steps of ids: odd factors and shifts (Knuth, The
/// Art of Computer Programming 3, section 6.4).
std::uint64_t scattered(std::uint64_t id, unsigned bits) {
  constexpr std::uint64_t golden = 0x9E3779B97F4A7C15U;
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  id = id * golden & mask;
  id ^= id >> (bits / 2 + 1);
  return id * golden & mask;
}

}  // namespace

/// Buckets for so many objects at seven eighths of their slots.
std::uint32_t IdTable::buckets_for(std::uint64_t objects) {
  constexpr std::uint64_t max_buckets = ~std::uint32_t{0} / bucket_size;
  return static_cast<std::uint32_t>(std::min(objects * 8 / 7 / bucket_size + 1, max_buckets));
}

IdTable::IdTable(const nwtopo_obj* slab, std::uint64_t max_objects, std::uint64_t id_end)
    : slab_(slab),
      max_buckets_(buckets_for(max_objects)),
      id_bits_(std::clamp(static_cast<unsigned>(std::bit_width(id_end)), 12U, 32U)),
      memory_(std::size_t{max_buckets_} * bucket_size * sizeof(Slot)),
      slots_(static_cast<Slot*>(memory_.data())),
      capacity_(std::min(first_capacity, max_buckets_)),
      may_be_exact_(id_bits_ <= max_exact_bits),
      exact_(may_be_exact_) {}

/// The second product takes the place of a division (Lemire 2019). Ids of one home bucket have fractions that are
/// further apart than the greatest power of two in the capacity: their upper bits tell them apart.
IdTable::Home IdTable::home(unsigned long id, std::uint32_t capacity) const {
  const std::uint64_t product = scattered(id, id_bits_) * capacity;
  const std::uint64_t fraction = product & ((std::uint64_t{1} << id_bits_) - 1);
  const auto floor = static_cast<unsigned>(std::bit_width(capacity)) - 1;
  return {static_cast<std::uint32_t>(product >> id_bits_), static_cast<std::uint32_t>(fraction >> floor)};
}

unsigned IdTable::rest_bits(std::uint32_t capacity) const {
  const auto floor = static_cast<unsigned>(std::bit_width(capacity)) - 1;
  return id_bits_ > floor ? id_bits_ - floor : 0;
}

const nwtopo_obj* IdTable::find(unsigned long id) const {
  const std::uint32_t version = version_.load(std::memory_order_acquire);
  const std::uint32_t capacity = capacity_.load(std::memory_order_acquire);
  const Home start = home(id, capacity);
  if (!exact_.load(std::memory_order_acquire)) return find_by_object(id, start, capacity);
  return version % 2 == 0 ? find_exact(start, capacity, version) : nullptr;
}

/// Free slots hold 0, which is what a slot that does not match adds to the answer.
const nwtopo_obj* IdTable::find_exact(Home home, std::uint32_t capacity, std::uint32_t version) const {
  const unsigned bits = rest_bits(capacity);
  const std::uint32_t mask = (std::uint32_t{1} << (bits + distance_bits)) - 1;
  std::uint32_t number = home.bucket;
  for (std::uint32_t distance = 0; distance >> distance_bits == 0; ++distance) {
    const Slot* const slots = bucket(number);
    const std::uint32_t wanted = home.rest | distance << bits;
    std::uint32_t found = 0;
    for (std::uint32_t i = 0; i < bucket_size; ++i) {
      const std::uint32_t entry = slots[i].load(std::memory_order_acquire);
      found |= (entry & mask) == wanted ? entry : 0;
    }
    if (found != 0) {
      // The slot may have been written for another capacity.
      if (version_.load(std::memory_order_acquire) != version) return nullptr;
      return &slab_[(found >> (bits + distance_bits)) - 1];
    }
    if (slots[bucket_size - 1].load(std::memory_order_relaxed) == 0) return nullptr;
    if (++number == capacity) number = 0;
  }
  return nullptr;
}

const nwtopo_obj* IdTable::find_by_object(unsigned long id, Home home, std::uint32_t capacity) const {
  std::uint32_t number = home.bucket;
  for (std::uint32_t probes = 0; probes < capacity; ++probes) {
    const Slot* const slots = bucket(number);
    for (std::uint32_t i = 0; i < bucket_size; ++i) {
      const std::uint32_t entry = slots[i].load(std::memory_order_acquire);
      if (entry == 0) return nullptr;
      if (slab_[entry - 1].id == id) return &slab_[entry - 1];
    }
    if (++number == capacity) number = 0;
  }
  return nullptr;
}

bool IdTable::is_full() const {
  return (taken_ + std::uint64_t{1}) * 25 > std::uint64_t{capacity_.load()} * bucket_size * 23;
}

std::uint32_t IdTable::larger(std::uint32_t capacity) const {
  return std::min(capacity + capacity / 8 + 1, max_buckets_);
}

std::uint32_t IdTable::capacity_for(std::uint32_t objects) const {
  return std::min(std::max(buckets_for(objects), first_capacity), max_buckets_);
}

bool IdTable::place(std::uint32_t position) {
  const std::uint32_t capacity = capacity_.load(std::memory_order_relaxed);
  const Home start = home(slab_[position].id, capacity);
  std::uint32_t number = start.bucket;
  std::uint32_t distance = 0;
  for (; bucket(number)[bucket_size - 1].load(std::memory_order_relaxed) != 0; ++distance) {
    if (++number == capacity) number = 0;
  }
  std::uint32_t entry = position + 1;
  if (exact_.load(std::memory_order_relaxed)) {
    if (distance >> distance_bits != 0) {
      // There is no larger table: from here on ids are compared with the objects'.
      if (capacity == max_buckets_) may_be_exact_ = false;
      return false;
    }
    const unsigned bits = rest_bits(capacity);
    entry = entry << (bits + distance_bits) | distance << bits | start.rest;
  }
  Slot* slot = bucket(number);
  while (slot->load(std::memory_order_relaxed) != 0) ++slot;
  slot->store(entry, std::memory_order_release);
  ++taken_;
  return true;
}

void IdTable::begin_rebuild(std::uint32_t capacity) {
  if (version_.load(std::memory_order_relaxed) % 2 == 0) version_.fetch_add(1, std::memory_order_acq_rel);
  clear();
  exact_.store(may_be_exact_, std::memory_order_release);
  capacity_.store(capacity, std::memory_order_release);
}

void IdTable::clear() {
  if (memory_.on_heap()) {
    std::for_each_n(slots_, capacity_.load() * bucket_size,
                    [](Slot& slot) { slot.store(0, std::memory_order_relaxed); });
  } else {
    memory_.give_back();
  }
  taken_ = 0;
}

}  // namespace ayatori::capi
