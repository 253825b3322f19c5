#pragma once
/// \file
/// The FIFO queues of connections. A connection carries one message at a time; the others wait in the order of arrival.

#include <cstdint>
#include <list>
#include <optional>
#include <unordered_map>

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
class MessageQueues {
 public:
  struct Waiting {
    std::uint32_t message = 0;
    Bytes bytes = 0;
  };

  /// True: nothing else is on the connection, so this one flows, until end(). False: it waits in the queue.
  bool begin(const Connection& connection, const Waiting& message) {
    const auto [found, is_idle] = busy_.try_emplace(connection);
    if (!is_idle) found->second.push_back(message);
    return is_idle;
  }

  /// The message in service has flowed. Returns the next of the queue, which flows until end(); nothing if none waits.
  std::optional<Waiting> end(const Connection& connection) {
    const auto found = busy_.find(connection);
    if (found->second.empty()) {
      busy_.erase(found);
      return std::nullopt;
    }
    const Waiting next = found->second.front();
    found->second.pop_front();
    return next;
  }

 private:
  struct Hash {
    std::size_t operator()(const Connection& connection) const {
      const std::uint64_t ends = (std::uint64_t{connection.from} << 32U) | connection.to;
      const std::uint64_t mixed = (ends + connection.part) * 0x9E3779B97F4A7C15ULL;
      return mixed ^ (mixed >> 32U);
    }
  };

  // By connection that carries something: those that wait. A list takes no memory as long as none does.
  std::unordered_map<Connection, std::list<Waiting>, Hash> busy_;
};

}  // namespace ayatori
