#pragma once
/// \file
/// A queue that allocates nothing once it has been as long as it gets.

#include <cstddef>
#include <utility>
#include <vector>

namespace ayatori {

template <typename T>
class Fifo {
 public:
  [[nodiscard]] bool empty() const { return first_ == items_.size(); }
  [[nodiscard]] T& front() { return items_[first_]; }
  [[nodiscard]] T& back() { return items_.back(); }

  void push(T item) {
    // The memory of popped entries is reused before more is allocated.
    if (first_ > 0 && items_.size() == items_.capacity()) {
      items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(first_));
      first_ = 0;
    }
    items_.push_back(std::move(item));
  }

  void pop() {
    ++first_;
    if (empty()) clear();
  }

  void clear() {
    items_.clear();
    first_ = 0;
  }

  template <typename Condition>
  void erase_if(Condition condition) {
    items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
    std::erase_if(items_, condition);
  }

 private:
  std::vector<T> items_;
  std::size_t first_ = 0;
};

}  // namespace ayatori
