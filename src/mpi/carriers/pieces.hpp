#pragma once
/// \file
/// Copies between memory in one piece and a message's pieces.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>

#include "ayatori/base/ids.hpp"

namespace ayatori {

using MessagePieces = std::span<const std::span<std::byte>>;

/// Calls each(memory, bytes) for the parts of bytes begin … begin + bytes − 1 of a message, in order.
template <typename Each>
void visit_parts(MessagePieces pieces, Bytes begin, Bytes bytes, Each each) {
  for (const auto& piece : pieces) {
    if (bytes == 0) return;
    if (begin >= piece.size()) {
      begin -= piece.size();
      continue;
    }
    const Bytes part = std::min<Bytes>(bytes, piece.size() - begin);
    each(piece.data() + begin, static_cast<std::size_t>(part));
    bytes -= part;
    begin = 0;
  }
}

inline void copy_out(MessagePieces pieces, Bytes begin, std::byte* to, Bytes bytes) {
  visit_parts(pieces, begin, bytes, [&](const std::byte* memory, std::size_t part) {
    std::memcpy(to, memory, part);
    to += part;
  });
}

inline void copy_in(MessagePieces pieces, Bytes begin, const std::byte* from, Bytes bytes) {
  visit_parts(pieces, begin, bytes, [&](std::byte* memory, std::size_t part) {
    std::memcpy(memory, from, part);
    from += part;
  });
}

}  // namespace ayatori
