#pragma once
/// \file
/// Trains that come in, taken apart datagram by datagram. One plain system call a train: with 1 to 31 senders'
/// datagrams of 166 bytes to 60 kB waiting on a loopback, recvmmsg(2) took 3 to 34% more of the processor's time for
/// each than recv(2).

#include <memory>
#include <optional>
#include <span>

#include "ayatori/udp/datagram_calls.hpp"
#include "ayatori/udp/frames.hpp"

namespace ayatori::wires {

class Arrivals {
 public:
  /// Asks the kernel for a train; false if none has come. What is left of the one before is lost.
  [[nodiscard]] bool receive(int socket, DatagramCalls& calls);

  /// The next datagram of the train, which stays until receive(); nothing at its end.
  [[nodiscard]] std::optional<std::span<const std::byte>> next();

  [[nodiscard]] std::uint64_t malformed() const { return malformed_; }

 private:
  static constexpr std::size_t train_bytes = 65'536;

  std::unique_ptr<std::byte[]> memory_ = std::make_unique_for_overwrite<std::byte[]>(train_bytes);
  FrameReader reader_;
  std::uint64_t malformed_ = 0;
};

}  // namespace ayatori::wires
