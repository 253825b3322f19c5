#pragma once
/// \file
/// Whose turn is it to flow? A connection carries its messages one after the other, in the order in which they begin to
/// flow: one of them does, and the others wait.

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "ayatori/base/ids.hpp"

namespace ayatori {

/// What carries a part of a message. Parts of different numbers are on paths, and so on connections, of their own.
struct Connection {
  Rank from = 0;
  Rank to = 0;
  std::uint32_t part = 0;

  friend bool operator==(const Connection&, const Connection&) = default;
};

/// Memory grows with the messages under way. Not safe for concurrent use.
class Connections {
 public:
  struct Waiting {
    std::uint32_t message = 0;
    Bytes bytes = 0;
  };

  /// True: nothing else is on the connection, so this one flows, until end(). False: it waits for its turn.
  bool begin(const Connection& connection, const Waiting& message) {
    const auto [found, is_idle] = busy_.try_emplace(connection);
    if (is_idle) return true;
    Queue& queue = found->second;
    const std::uint32_t place = free_place();
    places_[place] = {message, no_id};
    (queue.first == no_id ? queue.first : places_[queue.last].next) = place;
    queue.last = place;
    return false;
  }

  /// The one under way has flowed: the one whose turn it is, which flows now until end(); nothing if none waits.
  std::optional<Waiting> end(const Connection& connection) {
    const auto found = busy_.find(connection);
    const std::uint32_t place = found->second.first;
    if (place == no_id) {
      busy_.erase(found);
      return std::nullopt;
    }
    found->second.first = places_[place].next;
    free_.push_back(place);
    return places_[place].message;
  }

 private:
  struct Place {
    Waiting message;
    std::uint32_t next = no_id;
  };
  struct Queue {
    std::uint32_t first = no_id;
    std::uint32_t last = no_id;
  };
  struct Hash {
    std::size_t operator()(const Connection& connection) const {
      const std::uint64_t ends = (std::uint64_t{connection.from} << 32U) | connection.to;
      const std::uint64_t mixed = (ends + connection.part) * 0x9E3779B97F4A7C15ULL;
      return mixed ^ (mixed >> 32U);
    }
  };

  std::uint32_t free_place() {
    if (free_.empty()) {
      places_.emplace_back();
      return static_cast<std::uint32_t>(places_.size() - 1);
    }
    const std::uint32_t place = free_.back();
    free_.pop_back();
    return place;
  }

  std::unordered_map<Connection, Queue, Hash> busy_;
  std::vector<Place> places_;
  std::vector<std::uint32_t> free_;
};

}  // namespace ayatori
