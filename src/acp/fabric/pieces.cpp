#include "pieces.hpp"

#include <algorithm>
#include <cstring>

namespace ayatori::fabric {

Pieces::Pieces(std::span<const iovec> parts) : parts_(parts.begin(), parts.end()) {
  for (const iovec& part : parts_) size_ += part.iov_len;
  whole_ = std::make_unique_for_overwrite<std::byte[]>(size_);  // NOLINT(modernize-avoid-c-arrays)
}

void Pieces::gather() const {
  std::byte* at = whole_.get();
  for (const iovec& part : parts_) {
    if (part.iov_len > 0) std::memcpy(at, part.iov_base, part.iov_len);
    at += part.iov_len;
  }
}

void Pieces::scatter(std::size_t bytes) const {
  const std::byte* at = whole_.get();
  for (const iovec& part : parts_) {
    const std::size_t size = std::min(part.iov_len, bytes);
    if (size > 0) std::memcpy(part.iov_base, at, size);
    at += size;
    bytes -= size;
  }
}

std::optional<Memory> memory_of(const iovec* pieces, std::size_t count) {
  if (count > max_pieces) return std::nullopt;
  if (count == 0) return Memory{};
  if (count == 1) return Memory{.bytes = {static_cast<std::byte*>(pieces->iov_base), pieces->iov_len}};
  auto made = std::make_shared<Pieces>(std::span(pieces, count));
  const std::span<std::byte> bytes = made->whole();
  return Memory{.bytes = bytes, .pieces = std::move(made)};
}

std::optional<Memory> bytes_of(const iovec* pieces, std::size_t count) {
  auto made = memory_of(pieces, count);
  if (made && made->pieces) made->pieces->gather();
  return made;
}

}  // namespace ayatori::fabric
