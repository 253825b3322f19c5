#include "ayatori/udp/frames.hpp"

#include <algorithm>

namespace ayatori::wires {

void put_frame_header(std::size_t length, std::byte* to) {
  to[0] = static_cast<std::byte>(length & 0xFF);
  to[1] = static_cast<std::byte>(length >> 8);
}

FrameReader::FrameReader(std::span<const std::byte> train, std::size_t segment_bytes)
    : rest_(train), segment_bytes_(segment_bytes == 0 ? train.size() : segment_bytes) {
  left_ = std::min(segment_bytes_, rest_.size());
}

std::optional<std::span<const std::byte>> FrameReader::next() {
  while (!rest_.empty()) {
    std::size_t length = 0;
    if (left_ >= frame_header_bytes) {
      length = std::to_integer<std::size_t>(rest_[0]) | std::to_integer<std::size_t>(rest_[1]) << 8;
    }
    if (length == 0 || length > left_ - frame_header_bytes) {
      if (length != 0) ++malformed_;
      skip_segment();
      continue;
    }
    const auto datagram = rest_.subspan(frame_header_bytes, length);
    rest_ = rest_.subspan(frame_header_bytes + length);
    left_ -= frame_header_bytes + length;
    if (left_ == 0) skip_segment();
    return datagram;
  }
  return std::nullopt;
}

void FrameReader::skip_segment() {
  rest_ = rest_.subspan(left_);
  left_ = std::min(segment_bytes_, rest_.size());
}

}  // namespace ayatori::wires
