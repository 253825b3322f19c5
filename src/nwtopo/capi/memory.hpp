#pragma once
/// \file
/// Memory for objects, which never moves, takes what is used of it, and can say how much that is.

#include <cstddef>
#include <memory>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ayatori::capi {

/// Zeroed address space of a given size, whose pages take memory when they are first written. Small ones are plain heap
/// memory.
class Reservation {
 public:
  explicit Reservation(std::size_t bytes);
  ~Reservation();
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;

  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] bool on_heap() const;
  /// What it takes when its first `used` bytes have been written.
  [[nodiscard]] std::size_t bytes(std::size_t used) const;
  /// Gives all of its pages back; it reads as zeros again. Not for reservations on the heap.
  void give_back();

 private:
  std::size_t size_;
  void* data_;
};

/// Gives free pages of the heap back to the system: after work that took much more memory than its result.
void trim_heap();

/// Small things that live as long as the arena: names, arrays, attributes.
class Arena {
 public:
  /// Memory for `count` objects of T, uninitialised. After the last one of a block there is room to read a few words
  /// more: a machine's attributes are a part of the union that C programs may copy as a whole.
  template <typename T>
  [[nodiscard]] T* take(std::size_t count) {
    static_assert(alignof(T) <= alignof(std::max_align_t) && std::is_trivially_destructible_v<T>);
    return static_cast<T*>(take_bytes(sizeof(T) * count, alignof(T)));
  }
  [[nodiscard]] char* copy(std::string_view text);
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  void* take_bytes(std::size_t size, std::size_t align);
  std::byte* add_block(std::size_t size);

  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::byte* free_ = nullptr;
  std::size_t left_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace ayatori::capi
