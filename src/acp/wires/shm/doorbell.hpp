#pragma once
/// \file
/// Wakes a process of this machine that sleeps in poll(2). It is a datagram socket with an abstract name (unix(7)),
/// which follows from the job key and the rank; the kernel removes it with its process.

#include "ayatori/base/descriptor.hpp"
#include "ayatori/base/ids.hpp"

namespace ayatori::wires {

class Doorbell {
 public:
  /// Error: a living process has the same key and rank.
  [[nodiscard]] static Result<Doorbell> make(std::uint64_t key, Rank self);

  void wake(Rank peer);  ///< nothing happens if the peer is not there
  void drain();          ///< takes back all signals so far
  [[nodiscard]] int descriptor() const { return socket_.number(); }
  void disown() { socket_ = Descriptor(); }  ///< see PollableWire

 private:
  Doorbell(std::uint64_t key, Descriptor socket) : key_(key), socket_(std::move(socket)) {}

  std::uint64_t key_;
  Descriptor socket_;
};

}  // namespace ayatori::wires
