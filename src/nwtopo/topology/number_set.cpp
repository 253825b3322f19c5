#include "number_set.hpp"

#include <algorithm>
#include <bit>

namespace ayatori {

NumberSet::NumberSet(std::uint64_t size, const std::vector<std::uint64_t>& members)
    : size_(size), count_(members.size()) {
  if (count_ == size_) return;
  words_.resize(size / 64 + 1);
  for (const std::uint64_t member : members) words_[member / 64] |= std::uint64_t{1} << member % 64;
  before_.reserve((words_.size() + words_a_block - 1) / words_a_block);
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if (i % words_a_block == 0) before_.push_back(seen);
    seen += static_cast<std::uint64_t>(std::popcount(words_[i]));
  }
}

std::uint64_t NumberSet::rank(std::uint64_t number) const {
  if (words_.empty()) return number;
  const std::uint64_t word = number / 64;
  std::uint64_t found = before_[word / words_a_block];
  for (std::uint64_t i = word / words_a_block * words_a_block; i < word; ++i) {
    found += static_cast<std::uint64_t>(std::popcount(words_[i]));
  }
  const std::uint64_t below = (std::uint64_t{1} << number % 64) - 1;
  return found + static_cast<std::uint64_t>(std::popcount(words_[word] & below));
}

std::uint64_t NumberSet::select(std::uint64_t i) const {
  if (words_.empty()) return i;
  const auto block = static_cast<std::size_t>(std::ranges::upper_bound(before_, i) - before_.begin() - 1);
  std::uint64_t rest = i - before_[block];
  std::size_t word = block * words_a_block;
  for (; rest >= static_cast<std::uint64_t>(std::popcount(words_[word])); ++word) {
    rest -= static_cast<std::uint64_t>(std::popcount(words_[word]));
  }
  std::uint64_t bits = words_[word];
  for (; rest > 0; --rest) bits &= bits - 1;
  return word * 64 + static_cast<std::uint64_t>(std::countr_zero(bits));
}

void ListParts::add(const std::vector<bool>& kept) {
  const std::uint32_t first = ends_.empty() ? 0 : ends_.back();
  for (std::uint32_t i = 0; i < kept.size(); ++i) {
    if (kept[i]) kept_.push_back(first + i);
  }
  ends_.push_back(first + static_cast<std::uint32_t>(kept.size()));
}

void ListParts::finish() {
  set_ = NumberSet(ends_.empty() ? 0 : ends_.back(), kept_);
  kept_ = std::vector<std::uint64_t>();  // "= {}" would keep the memory
  ends_.shrink_to_fit();
}

}  // namespace ayatori
