#pragma once
/// \file
/// Buffers of one size in one piece of memory, which a network adapter can register.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace ayatori::wires {

class Buffers {
 public:
  /// `count` buffers of `bytes` each. Each starts at a cache line, and the first one at a page. Nothing else
  /// shares their pages: pinned pages may be missing in a child of fork(2), and then nothing else is missing there.
  Buffers(std::uint32_t count, std::size_t bytes);

  [[nodiscard]] std::uint32_t count() const { return count_; }
  [[nodiscard]] std::span<std::byte> operator[](std::uint32_t i) const { return {memory_.get() + i * apart_, bytes_}; }
  [[nodiscard]] std::span<std::byte> memory() const { return {memory_.get(), size_}; }  ///< all of it

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };

  std::uint32_t count_;
  std::size_t bytes_;
  std::size_t apart_;
  std::size_t size_;
  std::unique_ptr<std::byte, Free> memory_;
};

}  // namespace ayatori::wires
