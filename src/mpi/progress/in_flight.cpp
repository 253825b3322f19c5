#include "ayatori/progress/in_flight.hpp"

namespace ayatori {

bool InFlight::add(Key request) {
  const std::lock_guard lock(mutex_);
  const bool is_new = requests_.insert(request).second;
  count_.store(requests_.size(), std::memory_order_relaxed);
  return is_new && requests_.size() == 1;
}

void InFlight::remove(Key request) {
  if (count() == 0) return;
  const std::lock_guard lock(mutex_);
  requests_.erase(request);
  count_.store(requests_.size(), std::memory_order_relaxed);
}

}  // namespace ayatori
