#include "ayatori/sealed/sealed_wire.hpp"

#include <algorithm>

#include "ayatori/base/heap.hpp"

namespace ayatori::wires {

Bytes SealedWire::memory_bytes() {
  return heap_taken_by([] { return std::make_unique<SealedWire>(nullptr, SealOptions{}); });
}

/// The payload is not copied: the tag stands before the transport's header. A wire that has no room takes nothing, and
/// the number is used up.
bool SealedWire::send(const transport::Datagram& datagram) {
  const SealHeader header = seal_.close(datagram.header, datagram.payload);
  const auto end = std::ranges::copy(datagram.header, std::ranges::copy(header, header_.begin()).out).out;
  transport::Datagram sealed = datagram;
  sealed.header = std::span<const std::byte>(header_.begin(), end);
  return inner_->send(sealed);
}

std::size_t SealedWire::poll(std::size_t max_datagrams, const std::function<void(std::span<const std::byte>)>& take) {
  return inner_->poll(max_datagrams, [&](std::span<const std::byte> datagram) {
    if (const auto opened = unsealer_.open(seal_, datagram)) take(opened->contents);
  });
}

}  // namespace ayatori::wires
