#pragma once
/// \file
/// Datagrams to be sent, gathered into trains by destination (frames.hpp). Makes no system calls.

#include <memory>
#include <vector>

#include "ayatori/transport/wire.hpp"
#include "ayatori/udp/frames.hpp"

namespace ayatori::wires {

struct Train {
  transport::PeerId to = 0;
  std::uint32_t bytes = 0;
  std::uint32_t gone = 0;     ///< of these, sent already: whole GSO segments
  std::uint32_t segment = 0;  ///< where the last GSO segment starts
  bool full = false;          ///< takes no further datagram
  transport::Time since{};    ///< when it was found to have no address; {}: it was not
  std::unique_ptr<std::byte[]> memory;

  [[nodiscard]] std::uint32_t waiting() const { return bytes - gone; }
};

class Departures {
 public:
  /// `segment_bytes` is the size of a GSO segment: an even number, see framed_bytes().
  explicit Departures(std::size_t segment_bytes);

  /// Appends a datagram to the train of its destination. False if all trains are in use.
  [[nodiscard]] bool add(const transport::Datagram& datagram);

  /// The trains that have something to send, oldest first.
  [[nodiscard]] std::span<Train> trains() { return std::span(trains_).first(used_); }
  [[nodiscard]] bool empty() const { return used_ == 0; }
  [[nodiscard]] std::size_t segment_bytes() const { return segment_bytes_; }

  /// Frees the trains that have been sent completely, or given up (`gone` is all of it).
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
