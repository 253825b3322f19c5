#include "deadlines.hpp"

#include <utility>

namespace ayatori::transport {

Deadlines::Deadlines(std::uint32_t capacity) : places_(capacity, no_id), times_(capacity, never) {
  heap_.reserve(capacity);
}

void Deadlines::set(std::uint32_t id, Time when) {
  if (when == never) return clear(id);
  const bool later = places_[id] != no_id && when >= times_[id];
  times_[id] = when;
  if (later) return sift_down(places_[id]);
  if (places_[id] == no_id) {
    heap_.push_back(id);
    places_[id] = static_cast<std::uint32_t>(heap_.size() - 1);
  }
  sift_up(places_[id]);
}

void Deadlines::clear(std::uint32_t id) {
  const std::uint32_t place = std::exchange(places_[id], no_id);
  if (place == no_id) return;
  const std::uint32_t last = heap_.back();
  heap_.pop_back();
  if (last == id) return;
  put(place, last);
  sift_up(place);
  sift_down(places_[last]);
}

std::optional<std::uint32_t> Deadlines::pop_due(Time now) {
  if (earliest() > now || heap_.empty()) return std::nullopt;
  const std::uint32_t id = heap_.front();
  clear(id);
  return id;
}

void Deadlines::put(std::size_t place, std::uint32_t id) {
  heap_[place] = id;
  places_[id] = static_cast<std::uint32_t>(place);
}

void Deadlines::sift_up(std::size_t place) {
  const std::uint32_t id = heap_[place];
  while (place > 0 && times_[id] < times_[heap_[(place - 1) / 2]]) {
    put(place, heap_[(place - 1) / 2]);
    place = (place - 1) / 2;
  }
  put(place, id);
}

void Deadlines::sift_down(std::size_t place) {
  const std::uint32_t id = heap_[place];
  for (;;) {
    std::size_t child = 2 * place + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && times_[heap_[child + 1]] < times_[heap_[child]]) ++child;
    if (times_[id] <= times_[heap_[child]]) break;
    put(place, heap_[child]);
    place = child;
  }
  put(place, id);
}

}  // namespace ayatori::transport
