#include "ayatori/transport/queues.hpp"

namespace ayatori::transport {

IdQueue::IdQueue(std::uint32_t capacity) : links_(capacity) {}

void IdQueue::append(std::uint32_t id) {
  links_[id] = {last_, no_id, true};
  (last_ == no_id ? first_ : links_[last_].next) = id;
  last_ = id;
  ++size_;
}

void IdQueue::unlink(std::uint32_t id) {
  const Link link = links_[id];
  (link.previous == no_id ? first_ : links_[link.previous].next) = link.next;
  (link.next == no_id ? last_ : links_[link.next].previous) = link.previous;
  links_[id] = {};
  --size_;
}

void IdQueue::move_to_front(std::uint32_t id) {
  remove(id);
  links_[id] = {no_id, first_, true};
  (first_ == no_id ? last_ : links_[first_].previous) = id;
  first_ = id;
  ++size_;
}

std::uint32_t IdQueue::pop() {
  const std::uint32_t id = first_;
  remove(id);
  return id;
}

}  // namespace ayatori::transport
