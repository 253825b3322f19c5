#pragma once
/// \file
/// Some of the numbers 0 … n − 1: a bit each, and counts that find the i-th of them.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ayatori {

class MachineSet {
 public:
  /// All of them, which takes no memory.
  explicit MachineSet(std::uint64_t size) : size_(size), count_(size) {}
  /// `members` are below `size`, each once, in any order.
  MachineSet(std::uint64_t size, const std::vector<std::uint64_t>& members);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] bool contains(std::uint64_t number) const {
    return number < size_ && (words_.empty() || (words_[number / 64] >> number % 64 & 1) != 0);
  }
  /// How many members are below `number`, which is at most the size.
  [[nodiscard]] std::uint64_t rank(std::uint64_t number) const;
  /// The i-th member.
  [[nodiscard]] std::uint64_t select(std::uint64_t i) const;
  [[nodiscard]] std::size_t bytes() const {
    return words_.capacity() * sizeof(std::uint64_t) + before_.capacity() * sizeof(std::uint64_t);
  }

 private:
  static constexpr std::uint64_t words_a_block = 16;

  std::uint64_t size_;
  std::uint64_t count_;
  std::vector<std::uint64_t> words_;   // empty: all
  std::vector<std::uint64_t> before_;  // members before each block of words
};

}  // namespace ayatori
