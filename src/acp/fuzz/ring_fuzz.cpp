// A ring in shared memory with any contents: the datagrams that are read must lie within its memory.

#include <cstdlib>
#include <cstring>
#include <vector>

#include "ring.hpp"

using namespace ayatori::wires;

namespace {

constexpr RingShape shape{.cells = 16, .buffers = 2, .buffer_bytes = 256};

struct alignas(cache_line) Line {
  std::byte bytes[cache_line];
};

void take(Ring& ring, std::span<const std::byte> memory) {
  for (int i = 0; i < 40; ++i) {
    const auto datagram = ring.next();
    if (!datagram) return;
    if (datagram->data() < memory.data() || datagram->data() + datagram->size() > memory.data() + memory.size())
      std::abort();
    ring.done();
  }
}

}  // namespace

/// The input is a series of writes: 2 bytes of place, 1 byte of value; between them the ring is used.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<Line> lines(Ring::bytes(shape) / sizeof(Line));
  const auto memory = std::as_writable_bytes(std::span(lines));
  Ring receiver = Ring::make(memory, shape, 1, 2);
  Ring sender = *Ring::open(memory, 1, 2);
  const std::vector<std::byte> message(256);
  for (; size >= 3; data += 3, size -= 3) {
    memory[(data[0] | data[1] << 8) % memory.size()] = std::byte{data[2]};
    (void)sender.put({0, data[2] % 2 == 0, std::span(message).first(data[2]), {}});
    (void)sender.put({0, false, message, {}});
    take(receiver, memory);
    if (receiver.unfinished()) receiver.skip_unfinished();
    if (auto other = Ring::open(memory, 1, 2)) (void)other->put({0, false, message, {}});
  }
  return 0;
}
