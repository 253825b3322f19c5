#include "memory.hpp"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include "nwtopo.h"

namespace ayatori::capi {

namespace {

/// Below this size a page would take more memory than untouched pages save.
constexpr std::size_t least_mapped = std::size_t{16} << 10;

std::size_t whole_pages(std::size_t bytes) {
  static const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

/// malloc keeps a word of its own before each block.
std::size_t heap_bytes(void* block) { return ::malloc_usable_size(block) + sizeof(std::size_t); }

void* map(std::size_t size) {
  void* const mapped =
      ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  ::madvise(mapped, size, MADV_NOHUGEPAGE);  // one object must not take a huge page of two mebibytes
  return mapped;
}

}  // namespace

Reservation::Reservation(std::size_t bytes) : size_(std::max<std::size_t>(bytes, 1)) {
  data_ = on_heap() ? std::calloc(1, size_) : map(size_);
  if (data_ == nullptr) throw std::bad_alloc();
}

Reservation::~Reservation() {
  if (on_heap()) {
    std::free(data_);
  } else {
    ::munmap(data_, size_);
  }
}

bool Reservation::on_heap() const { return size_ < least_mapped; }

std::size_t Reservation::bytes(std::size_t used) const { return on_heap() ? heap_bytes(data_) : whole_pages(used); }

void Reservation::give_back() { ::madvise(data_, size_, MADV_DONTNEED); }

void trim_heap() { ::malloc_trim(0); }

char* Arena::copy(std::string_view text) {
  char* const copied = take<char>(text.size() + 1);
  std::memcpy(copied, text.data(), text.size());
  copied[text.size()] = '\0';
  return copied;
}

void* Arena::take_bytes(std::size_t size, std::size_t align) {
  std::size_t skip = -reinterpret_cast<std::uintptr_t>(free_) & (align - 1);
  if (size + skip > left_) {
    // A quarter of what is there already: at most a fifth is unused.
    const std::size_t usual = std::clamp(bytes_ / 4, std::size_t{256}, std::size_t{64} << 10);
    if (size > usual / 2) return add_block(size);  // the rest of the current block stays in use
    free_ = add_block(usual);
    left_ = usual;
    skip = 0;
  }
  std::byte* const taken = free_ + skip;
  free_ = taken + size;
  left_ -= size + skip;
  return taken;
}

std::byte* Arena::add_block(std::size_t size) {
  constexpr std::size_t slack = sizeof(union nwtopo_obj_attr_u);
  blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(size + slack));
  bytes_ += heap_bytes(blocks_.back().get());
  return blocks_.back().get();
}

}  // namespace ayatori::capi
