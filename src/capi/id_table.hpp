#pragma once
/// \file
/// Which slot of the slab holds the object with an id: open addressing with linear probing over 4-byte slots.

#include <atomic>
#include <cstdint>

#include "memory.hpp"
#include "nwtopo.h"

namespace ayatori::capi {

/// Between 0.64 and 0.8 full from its first growth on, so 5 to 6.25 bytes an object: it grows in place, by a quarter,
/// by walking over the slab again. Home slots come from the upper bits of a product, which fit any capacity.
///
/// find() takes no lock. What it finds is right, whatever happens meanwhile: objects carry their ids and never change.
/// That it finds nothing is certain only while nobody inserts; the caller asks again under the lock that insert(),
/// keep_only() and bytes() need.
class IdTable {
 public:
  /// For objects in `slab`, at most `most` of them.
  IdTable(const nwtopo_obj* slab, std::uint64_t most);

  [[nodiscard]] const nwtopo_obj* find(unsigned long id) const;

  /// Object number `position` of the slab; those before it that keeps() says are in the table too.
  template <typename Keeps>
  void insert(std::uint32_t position, Keeps keeps) {
    if (is_full()) rebuild(grown(), position, keeps);
    place(position);
  }

  /// Forgets all objects among the first `used` but those that keeps() names, and gives the memory back.
  template <typename Keeps>
  void keep_only(std::uint32_t used, Keeps keeps) {
    std::uint32_t kept = 0;
    for (std::uint32_t position = 0; position < used; ++position) kept += keeps(slab_[position]);
    rebuild(capacity_for(kept), used, keeps);
  }

  [[nodiscard]] std::size_t bytes() const { return memory_.bytes(capacity_.load() * sizeof(std::uint32_t)); }

 private:
  using Slot = std::atomic<std::uint32_t>;  // 0: free; otherwise 1 + position in the slab
  static_assert(sizeof(Slot) == sizeof(std::uint32_t) && Slot::is_always_lock_free);

  template <typename Keeps>
  void rebuild(std::uint32_t capacity, std::uint32_t used, Keeps keeps) {
    clear();
    capacity_.store(capacity, std::memory_order_release);
    for (std::uint32_t position = 0; position < used; ++position) {
      if (keeps(slab_[position])) place(position);
    }
  }

  [[nodiscard]] static std::uint32_t home(unsigned long id, std::uint32_t capacity);
  [[nodiscard]] bool is_full() const;
  [[nodiscard]] std::uint32_t grown() const;
  [[nodiscard]] std::uint32_t capacity_for(std::uint32_t objects) const;
  void place(std::uint32_t position);
  void clear();

  const nwtopo_obj* slab_;
  std::uint32_t most_;  // slots
  Reservation memory_;
  Slot* slots_;
  std::atomic<std::uint32_t> capacity_;
  std::uint32_t taken_ = 0;
};

}  // namespace ayatori::capi
