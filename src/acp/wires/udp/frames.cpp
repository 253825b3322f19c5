#include "ayatori/udp/frames.hpp"

#include <algorithm>
#include <utility>

namespace ayatori::wires {

std::byte* put_frame_header(std::size_t length, std::byte* to) {
  to[0] = static_cast<std::byte>(length & 0xFF);
  to[1] = static_cast<std::byte>(length >> 8);
  return to + frame_header_bytes;
}

std::optional<std::span<const std::byte>> FrameReader::next() {
  while (rest_.size() >= frame_header_bytes) {
    const std::size_t length = std::to_integer<std::size_t>(rest_[0]) | std::to_integer<std::size_t>(rest_[1]) << 8;
    const auto behind = rest_.subspan(frame_header_bytes);
    if (length > behind.size()) break;
    rest_ = rest_.subspan(std::min(framed_bytes(length), rest_.size()));
    if (length > 0) return behind.first(length);
  }
  malformed_ = malformed_ || !rest_.empty();
  rest_ = {};
  return std::nullopt;
}

}  // namespace ayatori::wires
