// Any bytes as a message of a peer: what is read must lie within them, and must be written as it was read. The same
// bytes as a request of an atomic: it must stay within the memory that it names.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "atomics.hpp"
#include "frame.hpp"

using namespace ayatori::fabric;

namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

void read_message(std::span<const std::byte> bytes) {
  const auto frame = read_frame(bytes);
  if (!frame) return;
  FrameHeader header;
  const std::size_t size = write_header(*frame, header);
  check(size + frame->payload.size() == bytes.size());
  check(std::ranges::equal(std::span(header).first(size), bytes.first(size)));
  check(frame->payload.empty() || frame->payload.data() == bytes.data() + size);
}

void carry_out_request(std::span<const std::byte> bytes) {
  const auto request = decode_atomic(bytes);
  if (!request) return;
  const std::size_t size = request->count * size_of(request->type);
  check(size > 0 && size <= max_atomic_bytes);
  alignas(8) std::array<std::byte, 16> memory{};
  check(carry_out(*request, std::span(memory).first(size)).has_value());
  check(std::ranges::all_of(std::span(memory).subspan(size), [](std::byte byte) { return byte == std::byte{0}; }));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::byte> bytes(reinterpret_cast<const std::byte*>(data),
                                     reinterpret_cast<const std::byte*>(data) + size);
  read_message(bytes);
  carry_out_request(bytes);
  return 0;
}
