#include "arrivals.hpp"

#include <netinet/udp.h>

#include <cstring>

namespace ayatori::wires {

namespace {

std::size_t segment_bytes_of(msghdr& message) {
  for (cmsghdr* said = CMSG_FIRSTHDR(&message); said; said = CMSG_NXTHDR(&message, said)) {
    if (said->cmsg_level != SOL_UDP || said->cmsg_type != UDP_GRO) continue;
    int bytes = 0;
    std::memcpy(&bytes, CMSG_DATA(said), sizeof bytes);
    return static_cast<std::size_t>(bytes);
  }
  return 0;
}

}  // namespace

Arrivals::Arrivals() : memory_(std::make_unique_for_overwrite<std::byte[]>(most_trains * train_bytes)) {
  for (std::size_t i = 0; i < most_trains; ++i) {
    parts_[i] = {memory_.get() + i * train_bytes, train_bytes};
    messages_[i].msg_hdr.msg_iov = &parts_[i];
    messages_[i].msg_hdr.msg_iovlen = 1;
    messages_[i].msg_hdr.msg_control = controls_[i].bytes.data();
    messages_[i].msg_hdr.msg_controllen = sizeof(Control);
  }
}

std::optional<std::span<const std::byte>> Arrivals::next(int socket, DatagramCalls& calls) {
  while (true) {
    if (const auto datagram = reader_.next()) return datagram;
    if (opened_ == received_ && !receive(socket, calls)) return std::nullopt;
    open_next();
  }
}

bool Arrivals::receive(int socket, DatagramCalls& calls) {
  if (drained_) return false;
  for (std::size_t i = 0; i < received_; ++i) messages_[i].msg_hdr.msg_controllen = sizeof(Control);
  const int count = calls.receive(socket, messages_);
  // Errors are those of earlier sendings, and there is nobody to tell: whoever misses a packet sends it again.
  received_ = count > 0 ? static_cast<std::size_t>(count) : 0;
  opened_ = 0;
  drained_ = received_ < most_trains;
  return received_ > 0;
}

void Arrivals::open_next() {
  malformed_ += reader_.malformed();
  const std::size_t i = opened_++;
  const std::span<const std::byte> train(memory_.get() + i * train_bytes, messages_[i].msg_len);
  reader_ = FrameReader(train, segment_bytes_of(messages_[i].msg_hdr));
}

}  // namespace ayatori::wires
