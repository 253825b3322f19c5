#pragma once
/// \file
/// Who is next: a binary heap of times, one an id, that can be moved and taken out.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace ayatori {

/// Ids should be small: memory grows with the largest. Equal times: the smaller id is first.
class EventHeap {
 public:
  [[nodiscard]] bool empty() const { return events_.empty(); }
  [[nodiscard]] double first_time() const {
    return events_.empty() ? std::numeric_limits<double>::infinity() : events_.front().time;
  }
  [[nodiscard]] std::uint32_t first() const { return events_.front().id; }

  /// Puts the id in, or moves it to another time.
  void set(std::uint32_t id, double time) {
    if (place_.size() <= id) place_.resize(id + 1, absent);
    if (place_[id] == absent) {
      place_[id] = static_cast<std::uint32_t>(events_.size());
      events_.push_back({time, id});
    } else {
      events_[place_[id]].time = time;
    }
    settle(place_[id]);
  }

  void erase(std::uint32_t id) {
    const std::uint32_t at = place_[id];
    place_[id] = absent;
    const Event last = events_.back();
    events_.pop_back();
    if (last.id == id) return;
    put(at, last);
    settle(at);
  }

 private:
  static constexpr std::uint32_t absent = std::numeric_limits<std::uint32_t>::max();

  struct Event {
    double time;
    std::uint32_t id;
    friend bool operator<(const Event& a, const Event& b) { return a.time != b.time ? a.time < b.time : a.id < b.id; }
  };

  void put(std::size_t at, Event event) {
    events_[at] = event;
    place_[event.id] = static_cast<std::uint32_t>(at);
  }

  void settle(std::size_t at) {
    const Event event = events_[at];
    while (at > 0 && event < events_[(at - 1) / 2]) {
      put(at, events_[(at - 1) / 2]);
      at = (at - 1) / 2;
    }
    for (std::size_t child = 2 * at + 1; child < events_.size(); child = 2 * at + 1) {
      if (child + 1 < events_.size() && events_[child + 1] < events_[child]) ++child;
      if (!(events_[child] < event)) break;
      put(at, events_[child]);
      at = child;
    }
    put(at, event);
  }

  std::vector<Event> events_;
  std::vector<std::uint32_t> place_;  // by id
};

}  // namespace ayatori
