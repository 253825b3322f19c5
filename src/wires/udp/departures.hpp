#pragma once
/// \file
/// Datagrams on their way out, gathered into trains by destination. No system calls.

#include <memory>
#include <vector>

#include "ayatori/transport/wire.hpp"
#include "ayatori/udp/frames.hpp"

namespace ayatori::wires {

struct Train {
  transport::PeerId to = 0;
  std::uint32_t bytes = 0;
  std::uint32_t gone = 0;     ///< of these, sent already: whole segments
  std::uint32_t segment = 0;  ///< where the last segment starts
  bool full = false;          ///< takes no further datagram
  std::unique_ptr<std::byte[]> memory;

  [[nodiscard]] std::uint32_t waiting() const { return bytes - gone; }
};

class Departures {
 public:
  /// An even number, see framed_bytes().
  explicit Departures(std::size_t segment_bytes);

  /// Copies a datagram into its destination's train, behind all earlier ones to it. False if all trains are taken.
  [[nodiscard]] bool add(const transport::Datagram& datagram);

  /// Trains with something to send, the longest-waiting first.
  [[nodiscard]] std::span<Train> trains() { return std::span(trains_).first(used_); }
  [[nodiscard]] bool empty() const { return used_ == 0; }
  [[nodiscard]] std::size_t segment_bytes() const { return segment_bytes_; }

  /// Frees the trains of which nothing waits any more.
  void clear_departed();

  static constexpr std::size_t max_trains = 16;

 private:
  Train* train_to(transport::PeerId to);
  bool make_room(Train& train, std::size_t framed) const;

  std::size_t segment_bytes_;
  std::size_t train_bytes_;
  std::vector<Train> trains_;
  std::size_t used_ = 0;
};

}  // namespace ayatori::wires
