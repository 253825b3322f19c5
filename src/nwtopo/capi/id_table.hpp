#pragma once
/// \file
/// Which slot of the slab holds the object with an id: open addressing over buckets of 4-byte slots.

#include <atomic>
#include <cstdint>

#include "memory.hpp"
#include "nwtopo.h"

namespace ayatori::capi {

/// Between 0.82 and 0.92 full from its first growth on, so 4.3 to 4.9 bytes an object: it grows in place, by an eighth,
/// by walking over the slab again. Home buckets come from the upper bits of a product, which fit any capacity.
///
/// A bucket is a line of cache, filled from its first slot on, and an object stands in the first bucket with room from
/// its home on. So nearly every look-up reads one bucket whole and takes no branch that the processor could not
/// predict: look-ups of a program that has many at hand wait for memory together (Ross, "Efficient hash probes on
/// modern processors", ICDE 2007).
///
/// A slot names a position in the slab. Where ids have at most max_exact_bits bits, the rest of the slot's bits are
/// what the home bucket and the distance from it leave open about the id (Cleary, "Compact hash tables using
/// bidirectional linear probing", 1984), so that a look-up does not touch the object; otherwise the object's id is
/// compared.
///
/// find() takes no lock. What it finds is right, whatever happens meanwhile: a version that changes during a rebuild
/// tells it to find nothing. That it finds nothing is certain only while nobody inserts; the caller asks again under
/// the lock that insert(), keep_only() and bytes() need.
class IdTable {
 public:
  /// For objects in `slab`, at most `max_objects` of them, with ids below `id_end`.
  IdTable(const nwtopo_obj* slab, std::uint64_t max_objects, std::uint64_t id_end);

  [[nodiscard]] const nwtopo_obj* find(unsigned long id) const;

  /// Object number `position` of the slab; those before it that keeps() says are in the table too.
  template <typename Keeps>
  void insert(std::uint32_t position, Keeps keeps) {
    if (is_full()) rebuild(grown(), position, keeps);
    while (!place(position)) rebuild(grown(), position, keeps);
  }

  /// Forgets all objects among the first `used` but those that keeps() names, and gives the memory back.
  template <typename Keeps>
  void keep_only(std::uint32_t used, Keeps keeps) {
    std::uint32_t kept = 0;
    for (std::uint32_t position = 0; position < used; ++position) kept += keeps(slab_[position]);
    may_be_exact_ = false;
    rebuild(capacity_for(kept), used, keeps);
  }

  [[nodiscard]] std::size_t bytes() const { return memory_.bytes(capacity_.load() * bucket_size * sizeof(Slot)); }

 private:
  using Slot = std::atomic<std::uint32_t>;  // 0: free; otherwise 1 + position in the slab, in the upper bits if exact
  static_assert(sizeof(Slot) == sizeof(std::uint32_t) && Slot::is_always_lock_free);

  static constexpr std::uint32_t bucket_size = 16;
  static constexpr unsigned distance_bits = 5;  // in buckets
  static constexpr unsigned max_exact_bits = 21;

  /// Where the search for an id begins, and what an exact slot says of it at that place.
  struct Home {
    std::uint32_t bucket = 0;
    std::uint32_t rest = 0;
  };

  template <typename Keeps>
  void rebuild(std::uint32_t capacity, std::uint32_t used, Keeps keeps) {  // capacity: in buckets
    for (bool fits = false; !fits; capacity = larger(capacity)) {
      begin_rebuild(capacity);
      fits = true;
      for (std::uint32_t position = 0; fits && position < used; ++position) {
        if (keeps(slab_[position])) fits = place(position);
      }
    }
    version_.fetch_add(1, std::memory_order_release);
  }

  [[nodiscard]] Slot* bucket(std::uint32_t number) const { return slots_ + std::size_t{number} * bucket_size; }
  void begin_rebuild(std::uint32_t capacity);
  [[nodiscard]] static std::uint32_t buckets_for(std::uint64_t objects);
  [[nodiscard]] Home home(unsigned long id, std::uint32_t capacity) const;
  [[nodiscard]] unsigned rest_bits(std::uint32_t capacity) const;
  [[nodiscard]] bool is_full() const;
  [[nodiscard]] std::uint32_t larger(std::uint32_t capacity) const;
  [[nodiscard]] std::uint32_t grown() const { return larger(capacity_.load()); }
  [[nodiscard]] std::uint32_t capacity_for(std::uint32_t objects) const;
  [[nodiscard]] const nwtopo_obj* find_exact(Home home, std::uint32_t capacity, std::uint32_t version) const;
  [[nodiscard]] const nwtopo_obj* find_by_object(unsigned long id, Home home, std::uint32_t capacity) const;
  /// False: the object would be too far from its home for an exact slot.
  [[nodiscard]] bool place(std::uint32_t position);
  void clear();

  const nwtopo_obj* slab_;
  std::uint32_t max_buckets_;
  unsigned id_bits_;
  Reservation memory_;
  Slot* slots_;
  std::atomic<std::uint32_t> version_ = 0;  // odd while the table is rebuilt
  std::atomic<std::uint32_t> capacity_;     // in buckets
  bool may_be_exact_;                       // all objects of the slab are in the table, none too far from its home
  std::atomic<bool> exact_;
  std::uint32_t taken_ = 0;
};

}  // namespace ayatori::capi
