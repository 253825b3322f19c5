#include "departures.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ayatori::wires {

namespace {

/// GSO segments of one train: the limit of Linux before 6.9 (UDP_MAX_SEGMENTS).
constexpr std::size_t max_segments = 64;

/// A GSO segment may end with padding of 1/8 of its size; more padding costs more than another system call.
constexpr std::size_t padding_part = 8;

}  // namespace

Departures::Departures(std::size_t segment_bytes)
    : segment_bytes_(segment_bytes),
      train_bytes_(segment_bytes * std::min(max_segments, max_udp_payload / segment_bytes)),
      trains_(max_trains) {
  for (Train& train : trains_) train.memory = std::make_unique_for_overwrite<std::byte[]>(train_bytes_);
}

bool Departures::add(const transport::Datagram& datagram) {
  const std::size_t size = datagram.header.size() + datagram.payload.size();
  const std::size_t framed = framed_bytes(size);
  Train* train = train_to(datagram.to);
  if (train && !make_room(*train, framed)) train = nullptr;
  if (!train) {
    if (used_ == trains_.size()) return false;
    train = &trains_[used_++];
    train->to = datagram.to;
    train->bytes = train->gone = train->segment = 0;
    train->full = false;
    train->since = {};
  }
  std::byte* to = put_frame_header(size, train->memory.get() + train->bytes);
  to = std::ranges::copy(datagram.header, to).out;
  to = std::ranges::copy(datagram.payload, to).out;
  if (size % 2 != 0) *to = std::byte{0};
  train->bytes += static_cast<std::uint32_t>(framed);
  return true;
}

/// The train to a destination that takes further datagrams. Only the latest one does: a datagram that overtakes others
/// looks like a loss to the receiver.
Train* Departures::train_to(transport::PeerId to) {
  for (std::size_t i = used_; i-- > 0;) {
    if (trains_[i].to == to) return trains_[i].full ? nullptr : &trains_[i];
  }
  return nullptr;
}

/// Goes on in the last GSO segment or, if that can be padded at little cost, in a new one.
bool Departures::make_room(Train& train, std::size_t framed) const {
  const std::size_t used = train.bytes - train.segment;
  if (used + framed <= segment_bytes_) return true;
  const std::size_t padding = segment_bytes_ - used;
  train.full = padding > segment_bytes_ / padding_part || train.bytes + padding + framed > train_bytes_;
  if (train.full) return false;
  std::memset(train.memory.get() + train.bytes, 0, padding);
  train.bytes += static_cast<std::uint32_t>(padding);
  train.segment = train.bytes;
  return true;
}

void Departures::clear_departed() {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < used_; ++i) {
    if (trains_[i].waiting() > 0) std::swap(trains_[kept++], trains_[i]);
  }
  used_ = kept;
}

}  // namespace ayatori::wires
