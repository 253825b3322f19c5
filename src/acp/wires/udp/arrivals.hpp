#pragma once
/// \file
/// Trains that have arrived (frames.hpp), and the datagrams in them. Each train is received by one recvfrom(2): with
/// datagrams of 166 bytes to 60 kB from 1 to 31 senders waiting on a loopback, recvmmsg(2) took 3 to 34% more CPU time
/// for each.

#include <memory>
#include <optional>
#include <span>

#include "ayatori/udp/datagram_calls.hpp"
#include "ayatori/udp/frames.hpp"

namespace ayatori::wires {

class Arrivals {
 public:
  /// Receives a train; false if none has arrived. What was not read of the train before is lost.
  [[nodiscard]] bool receive(int socket, DatagramCalls& calls);

  /// The next datagram of the train, valid until receive(); nothing at the end of the train.
  [[nodiscard]] std::optional<std::span<const std::byte>> next();

  [[nodiscard]] std::size_t bytes() const { return bytes_; }  ///< of the latest train
  [[nodiscard]] const SocketAddress& source() const { return source_; }

  [[nodiscard]] std::uint64_t malformed() const { return malformed_; }

 private:
  static constexpr std::size_t train_bytes = 65'536;

  std::unique_ptr<std::byte[]> memory_ = std::make_unique_for_overwrite<std::byte[]>(train_bytes);
  FrameReader reader_;
  std::size_t bytes_ = 0;
  SocketAddress source_;
  std::uint64_t malformed_ = 0;
};

}  // namespace ayatori::wires
