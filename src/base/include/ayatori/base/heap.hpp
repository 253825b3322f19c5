#pragma once
/// \file
/// What objects take of the heap, asked of the allocator (glibc's), so that nobody has to add up what the
/// classes inside of them have.

#include <malloc.h>

#include <cstdint>

#include "ayatori/base/ids.hpp"

namespace ayatori {

/// Bytes of the heap that are in use; 0 with an allocator that does not count (sanitizers').
[[nodiscard]] inline Bytes heap_in_use() {
#if __GLIBC_PREREQ(2, 33)
  const struct mallinfo2 found = mallinfo2();
  return found.uordblks + found.hblkhd;
#else  // its counters begin anew at 4 GiB
  const struct mallinfo found = mallinfo();
  return Bytes{static_cast<unsigned>(found.uordblks)} + static_cast<unsigned>(found.hblkhd);
#endif
}

/// Bytes that the object has which `make()` returns, before it is destroyed. Other threads should allocate nothing
/// meanwhile.
template <typename Make>
[[nodiscard]] Bytes heap_taken_by(Make make) {
  const Bytes before = heap_in_use();
  const auto made = make();
  const Bytes after = heap_in_use();
  return after > before ? after - before : 0;
}

}  // namespace ayatori
