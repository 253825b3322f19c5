#include "arrivals.hpp"

namespace ayatori::wires {

bool Arrivals::receive(int socket, DatagramCalls& calls) {
  const std::span<std::byte> memory(memory_.get(), train_bytes);
  KernelAddress source;
  const ssize_t size = calls.receive(socket, memory, source);
  // Such errors are those of earlier sends. Nobody needs to know: the transport sends lost packets again.
  if (size < 0) return false;
  source_ = socket_address(source);
  bytes_ = static_cast<std::size_t>(size);
  reader_ = FrameReader(memory.first(bytes_));
  return true;
}

std::optional<std::span<const std::byte>> Arrivals::next() {
  const auto datagram = reader_.next();
  if (!datagram && reader_.malformed()) {
    ++malformed_;
    reader_ = {};
  }
  return datagram;
}

}  // namespace ayatori::wires
