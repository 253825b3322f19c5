#pragma once
/// \file
/// Wakes a process of this node that sleeps in poll(2): a datagram socket whose abstract name (unix(7)) follows from
/// job key and rank, and which is gone with its process.

#include "ayatori/base/ids.hpp"
#include "ayatori/pollable/descriptor.hpp"

namespace ayatori::wires {

class Doorbell {
 public:
  /// Error: a living process has the same key and rank.
  [[nodiscard]] static Result<Doorbell> make(std::uint64_t key, Rank self);

  void ring(Rank peer);  ///< wakes a peer; nothing happens if it is not there
  void silence();        ///< takes back all rings so far
  [[nodiscard]] int descriptor() const { return socket_.number(); }
  void disown() { socket_ = Descriptor(); }  ///< see PollableWire

 private:
  Doorbell(std::uint64_t key, Descriptor socket) : key_(key), socket_(std::move(socket)) {}

  std::uint64_t key_;
  Descriptor socket_;
};

}  // namespace ayatori::wires
