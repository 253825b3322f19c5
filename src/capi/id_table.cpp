#include "id_table.hpp"

#include <algorithm>

namespace ayatori::capi {

namespace {

constexpr std::uint32_t first_capacity = 1024;  // a page of slots

/// Slots for so many objects at the lowest load.
std::uint64_t slots_for(std::uint64_t objects) { return objects * 25 / 16 + 8; }

}  // namespace

IdTable::IdTable(const nwtopo_obj* slab, std::uint64_t most)
    : slab_(slab),
      most_(static_cast<std::uint32_t>(std::min<std::uint64_t>(slots_for(most), ~std::uint32_t{0}))),
      memory_(std::size_t{most_} * sizeof(Slot)),
      slots_(static_cast<Slot*>(memory_.data())),
      capacity_(std::min(first_capacity, most_)) {}

const nwtopo_obj* IdTable::find(unsigned long id) const {
  const std::uint32_t capacity = capacity_.load(std::memory_order_acquire);
  std::uint32_t slot = home(id, capacity);
  for (std::uint32_t probes = 0; probes < capacity; ++probes) {
    const std::uint32_t entry = slots_[slot].load(std::memory_order_acquire);
    if (entry == 0) return nullptr;
    const nwtopo_obj& object = slab_[entry - 1];
    if (object.id == id) return &object;
    if (++slot == capacity) slot = 0;
  }
  return nullptr;
}

/// Fibonacci hashing (Knuth, The Art of Computer Programming 3, section 6.4) spreads runs of ids evenly; the second
/// product takes the place of a division (Lemire 2019).
std::uint32_t IdTable::home(unsigned long id, std::uint32_t capacity) {
  const std::uint64_t hash = (id * 0x9E3779B97F4A7C15U) >> 32;
  return static_cast<std::uint32_t>((hash * capacity) >> 32);
}

bool IdTable::is_full() const { return (taken_ + std::uint64_t{1}) * 5 > capacity_.load() * std::uint64_t{4}; }

std::uint32_t IdTable::grown() const {
  const std::uint64_t capacity = capacity_.load();
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(capacity + capacity / 4 + 2, most_));
}

std::uint32_t IdTable::capacity_for(std::uint32_t objects) const {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(std::max<std::uint64_t>(slots_for(objects), first_capacity), most_));
}

void IdTable::place(std::uint32_t position) {
  const std::uint32_t capacity = capacity_.load(std::memory_order_relaxed);
  std::uint32_t slot = home(slab_[position].id, capacity);
  while (slots_[slot].load(std::memory_order_relaxed) != 0) {
    if (++slot == capacity) slot = 0;
  }
  slots_[slot].store(position + 1, std::memory_order_release);
  ++taken_;
}

void IdTable::clear() {
  if (memory_.on_heap()) {
    std::for_each_n(slots_, capacity_.load(), [](Slot& slot) { slot.store(0, std::memory_order_relaxed); });
  } else {
    memory_.give_back();
  }
  taken_ = 0;
}

}  // namespace ayatori::capi
