#pragma once
/// \file
/// Trains that have come in, taken apart datagram by datagram.

#include <array>
#include <memory>
#include <optional>
#include <span>

#include "ayatori/udp/datagram_calls.hpp"
#include "ayatori/udp/frames.hpp"

namespace ayatori::wires {

class Arrivals {
 public:
  Arrivals();
  Arrivals(const Arrivals&) = delete;
  Arrivals& operator=(const Arrivals&) = delete;

  /// The next datagram, which stays until the next call; nothing if no further one has come. May ask the kernel.
  [[nodiscard]] std::optional<std::span<const std::byte>> next(int socket, DatagramCalls& calls);

  /// Whether next() has some without asking the kernel.
  [[nodiscard]] bool waiting() const { return !reader_.done() || opened_ < received_; }

  /// To be called when next() gave nothing: the kernel is asked again.
  void look_again() { drained_ = false; }

  [[nodiscard]] std::uint64_t malformed() const { return malformed_ + reader_.malformed(); }

 private:
  bool receive(int socket, DatagramCalls& calls);
  void open_next();

  static constexpr std::size_t most_trains = 8;
  static constexpr std::size_t train_bytes = 65'536;

  /// Room for what the kernel says of a train: its segments' size.
  struct alignas(cmsghdr) Control {
    std::array<std::byte, CMSG_SPACE(sizeof(int))> bytes;
  };

  std::unique_ptr<std::byte[]> memory_;
  std::array<iovec, most_trains> parts_{};
  std::array<Control, most_trains> controls_{};
  std::array<mmsghdr, most_trains> messages_{};
  std::size_t received_ = 0;
  std::size_t opened_ = 0;
  bool drained_ = false;  // the kernel had no more
  FrameReader reader_;
  std::uint64_t malformed_ = 0;
};

}  // namespace ayatori::wires
