#include "ayatori/progress/outstanding.hpp"

#include <algorithm>

namespace ayatori {

void Outstanding::add(std::unique_ptr<Operation> operation) {
  const std::lock_guard lock(mutex_);
  added_.push_back(std::move(operation));
  count_.fetch_add(1, std::memory_order_release);
}

void Outstanding::take_added() {
  const std::lock_guard lock(mutex_);
  std::ranges::move(added_, std::back_inserter(running_));
  added_.clear();
}

std::size_t Outstanding::advance() {
  if (count() == 0) return 0;
  if (advancing_.exchange(true, std::memory_order_acquire)) return 0;
  take_added();
  const std::size_t before = running_.size();
  std::erase_if(running_, [](const auto& operation) { return operation->advance(); });
  const std::size_t over = before - running_.size();
  count_.fetch_sub(over, std::memory_order_release);
  advancing_.store(false, std::memory_order_release);
  return over;
}

}  // namespace ayatori
