#pragma once
/// \file
/// Some of the numbers 0 … n − 1: a bit each, and counts that find the i-th of them.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ayatori {

class NumberSet {
 public:
  /// All of them, which takes no memory.
  explicit NumberSet(std::uint64_t size) : size_(size), count_(size) {}
  /// `members` are below `size`, each once, in any order.
  NumberSet(std::uint64_t size, const std::vector<std::uint64_t>& members);

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

/// Some of the elements of several lists, which are numbered through from the first list to the last.
class ListParts {
 public:
  /// Adds a list of `kept.size()` elements, of which those that are true are members. Call finish() after the last
  /// list.
  void add(const std::vector<bool>& kept);
  void finish();

  [[nodiscard]] std::uint64_t count(std::size_t list) const { return set_.rank(end(list)) - set_.rank(begin(list)); }
  /// The index in the list of its i-th member.
  [[nodiscard]] std::uint64_t place(std::size_t list, std::uint64_t i) const {
    return set_.select(set_.rank(begin(list)) + i) - begin(list);
  }
  [[nodiscard]] std::size_t bytes() const { return set_.bytes() + ends_.capacity() * sizeof(std::uint32_t); }

 private:
  [[nodiscard]] std::uint64_t begin(std::size_t list) const { return list == 0 ? 0 : ends_[list - 1]; }
  [[nodiscard]] std::uint64_t end(std::size_t list) const { return ends_[list]; }

  std::vector<std::uint32_t> ends_;
  std::vector<std::uint64_t> kept_;  // while lists are added
  NumberSet set_{0};
};

}  // namespace ayatori
