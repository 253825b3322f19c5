// The packet decoder, and an endpoint, with packets of any bytes: there must be no crash, and a packet that was decoded
// must be encoded to the same bytes.

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

#include "ayatori/transport/endpoint.hpp"

namespace {

using namespace ayatori;
using namespace ayatori::transport;

constexpr JobKey key = 0x6b6579;

struct Sink final : Application {
  std::byte* reserve(PeerId, Bytes size, Urgency) override { return size < 65'536 ? new std::byte[size]() : nullptr; }
  void deliver(PeerId, std::span<const std::byte> message, std::byte* reserved) override {
    for (const std::byte value : message) sum += std::to_integer<unsigned>(value);
    delete[] reserved;
  }
  void release(std::byte* reserved) override { delete[] reserved; }
  bool write(PeerId, const RemoteRange& range, std::span<const std::byte> bytes) override {
    if (bytes.size() != range.size) std::abort();
    return range.key % 2 == 0;
  }
  std::optional<std::span<const std::byte>> read(PeerId, const RemoteRange& range) override {
    if (range.size > memory.size()) return std::nullopt;
    return std::span<const std::byte>(memory).first(range.size);
  }
  unsigned sum = 0;
  std::array<std::byte, 100> memory{};
};

void check_round_trip(std::span<const std::byte> datagram) {
  const auto packet = decode(datagram, key, 0);
  const bool plain = packet && packet->kind == PacketKind::express && packet->message == MessageKind::plain;
  const auto express = decode_express(datagram, key, 0);
  if (express.has_value() != (plain && !packet->acknowledgement)) std::abort();
  if (express && (express->from != packet->from || express->payload.data() != packet->payload.data())) std::abort();
  if (!packet) return;
  HeaderBuffer buffer;
  const auto header = encode_header(*packet, key, buffer);
  const auto again = decode(std::vector<std::byte>(header.begin(), header.end()), key, 0);
  const bool same = packet->payload.empty() ? again && again->sequence == packet->sequence : true;
  if (!same || header.size() + packet->payload.size() != datagram.size()) std::abort();
}

Options small() {
  Options options;
  options.incoming_contexts = options.outgoing_contexts = 2;
  options.messages = options.assemblies = 4;
  options.replies = 2;
  options.operations = options.targets = options.initiators = 2;
  options.epoch_cells = 2;
  return options;
}

}  // namespace

/// The input is a series of datagrams, each after one byte of length; the key and the receiver's rank are put in.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Sink sink;
  Endpoint endpoint = *Endpoint::make({.self = 0, .key = key, .seed = 1}, small(), sink);
  endpoint.use_express([](PeerId peer) { return peer == 3; });
  const std::vector<std::byte> message(300);
  (void)endpoint.send(Time(Duration(1)), 1, message, 1);
  (void)endpoint.send(Time(Duration(1)), 3, std::span(message).first(7), 3);
  (void)endpoint.send(Time(Duration(1)), 3, std::span(message).first(9), 4);
  (void)endpoint.call(Time(Duration(1)), 2, std::span(message).first(4), 2);
  std::vector<std::byte> into(5000);
  (void)endpoint.put(Time(Duration(1)), 4, {1, 2}, message, 5);
  (void)endpoint.get(Time(Duration(1)), 5, {1, 2}, into, 6);
  Time now(Duration(1));
  while (size > 0) {
    const std::size_t length = std::min<std::size_t>(*data, size - 1);
    std::vector<std::byte> datagram(length);
    std::transform(data + 1, data + 1 + length, datagram.begin(), [](std::uint8_t value) { return std::byte{value}; });
    data += 1 + length;
    size -= 1 + length;
    if (length >= header_bytes) {
      datagram[0] = std::byte{1};
      for (std::size_t i = 0; i < 8; ++i) datagram[8 + i] = static_cast<std::byte>(key >> (8 * i));
      for (std::size_t i = 28; i < 32; ++i) datagram[i] = std::byte{0};
      check_round_trip(datagram);
    }
    now += std::chrono::milliseconds(1);
    endpoint.receive(now, datagram);
    endpoint.advance(now);
    while (endpoint.next_express()) endpoint.settle_express(now, length % 2 == 0);
    for (int i = 0; i < 100 && endpoint.next_packet(now); ++i) {
    }
  }
  return 0;
}
