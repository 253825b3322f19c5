// What an endpoint itself costs: two of them joined in memory, so that no network and no system call is in the figures.
// Each side's time is taken apart, in turns of many packets; the copy into the "wire" is the sender's. Times are the
// processor's, so that what else the machine does matters little.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <ctime>
#include <vector>

#include "ayatori/transport/endpoint.hpp"

namespace {

using namespace ayatori;
using namespace ayatori::transport;
using Steady = std::chrono::steady_clock;

Time now() { return Time(std::chrono::duration_cast<Duration>(Steady::now().time_since_epoch())); }

/// What this process has had of a processor.
Duration processor_time() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + Duration(time.tv_nsec);
}

/// Counts what comes; long messages go into one piece of memory.
struct Counter final : Application {
  std::byte* reserve(PeerId, Bytes size, Urgency) override {
    memory.resize(std::max<std::size_t>(memory.size(), size));
    return memory.data();
  }
  void deliver(PeerId, std::span<const std::byte> message, std::byte*) override {
    ++delivered;
    bytes += message.size();
  }
  void release(std::byte*) override {}
  void acknowledged(Token) override { ++done; }
  bool write(PeerId, const RemoteRange& range, std::span<const std::byte> from) override {
    std::memcpy(shared.data() + range.offset, from.data(), from.size());
    return true;
  }
  std::optional<std::span<const std::byte>> read(PeerId, const RemoteRange& range) override {
    return std::span<const std::byte>(shared).subspan(range.offset, range.size);
  }
  void completed(Token) override { ++done; }

  std::uint64_t delivered = 0;
  std::uint64_t bytes = 0;
  std::uint64_t done = 0;
  std::vector<std::byte> memory;
  std::vector<std::byte> shared;  // what peers put into and get from
};

/// Datagrams under way: memory that is used again and again.
class InFlight {
 public:
  void put(const Datagram& datagram) {
    const std::size_t size = datagram.header.size() + datagram.payload.size();
    if (used_ + size > bytes_.size()) bytes_.resize(2 * (used_ + size));
    std::memcpy(bytes_.data() + used_, datagram.header.data(), datagram.header.size());
    if (!datagram.payload.empty()) {
      std::memcpy(bytes_.data() + used_ + datagram.header.size(), datagram.payload.data(), datagram.payload.size());
    }
    used_ += size;
    ends_.push_back(used_);
  }

  void hand_to(Endpoint& endpoint) {
    const Time at = now();
    std::size_t start = 0;
    for (const std::size_t end : ends_) {
      endpoint.receive(at, std::span(bytes_).subspan(start, end - start));
      start = end;
    }
    used_ = 0;
    ends_.clear();
  }

 private:
  std::vector<std::byte> bytes_;
  std::vector<std::size_t> ends_;
  std::size_t used_ = 0;
};

struct Side {
  explicit Side(PeerId self, bool lossless = false)
      : endpoint(*Endpoint::make({.self = self, .key = 1, .seed = self}, {}, above)) {
    endpoint.use_express([lossless](PeerId) { return lossless; });
  }

  void flush() {
    const Time at = now();
    while (const auto datagram = endpoint.next_express()) {
      out.put(*datagram);
      endpoint.settle_express(at, true);
    }
    while (const auto datagram = endpoint.next_packet(at)) out.put(*datagram);
    if (endpoint.next_deadline() <= at) endpoint.advance(at);
  }

  Counter above;
  Endpoint endpoint;
  InFlight out;
  Duration spent{};
};

template <typename Work>
void timed(Side& side, const Work& work) {
  const Duration start = processor_time();
  work();
  side.spent += processor_time() - start;
}

double each(Duration time, std::uint64_t count) {
  return static_cast<double>(time.count()) / static_cast<double>(count);
}

/// Messages one way, as many as fit into the slots and windows.
void stream(std::size_t size, std::uint64_t count) {
  Side from(0), to(1);
  const std::vector<std::byte> message(size);
  std::uint64_t sent = 0;
  while (from.above.done < count) {
    timed(from, [&] {
      const Time at = now();
      while (sent < count && from.endpoint.send(at, 1, message, sent)) ++sent;
      from.flush();
    });
    timed(to, [&] {
      from.out.hand_to(to.endpoint);
      to.flush();
    });
    timed(from, [&] { to.out.hand_to(from.endpoint); });
  }
  fmt::print(
      "{{\"what\": \"stream\", \"bytes\": {}, \"ns_a_message_sending\": {:.1f}, \"ns_a_message_receiving\": {:.1f}, ",
      size, each(from.spent, count), each(to.spent, count));
  fmt::print("\"messages_a_packet\": {:.1f}, \"gigabytes_per_second\": {:.2f}, \"retransmissions\": {}}}\n",
             static_cast<double>(count) / static_cast<double>(from.endpoint.statistics().data_packets),
             static_cast<double>(to.above.bytes) / static_cast<double>(std::max(from.spent, to.spent).count()),
             from.endpoint.statistics().retransmissions);
}

/// Puts or gets of one initiator, as many as fit into the slots and windows.
void use_memory(const char* what, std::size_t size, std::uint64_t count) {
  const bool puts = std::strcmp(what, "put") == 0;
  Side from(0), to(1);
  to.above.shared.resize(size);
  std::vector<std::byte> local(size);
  std::uint64_t started = 0;
  const auto start = [&](Time at) {
    return puts ? from.endpoint.put(at, 1, {}, local, started) : from.endpoint.get(at, 1, {}, local, started);
  };
  while (from.above.done < count) {
    timed(from, [&] {
      const Time at = now();
      while (started < count && start(at)) ++started;
      from.flush();
    });
    timed(to, [&] {
      from.out.hand_to(to.endpoint);
      to.flush();
    });
    timed(from, [&] { to.out.hand_to(from.endpoint); });
  }
  fmt::print("{{\"what\": \"{}\", \"bytes\": {}, \"ns_initiator\": {:.1f}, \"ns_target\": {:.1f}, ", what, size,
             each(from.spent, count), each(to.spent, count));
  fmt::print("\"gigabytes_per_second\": {:.2f}, \"again\": {}}}\n",
             static_cast<double>(size * count) / static_cast<double>(std::max(from.spent, to.spent).count()),
             from.endpoint.statistics().operations_again);
}

/// One message there and one back; both sides do the same.
void ping_pong(std::size_t size, std::uint64_t rounds, bool express) {
  Side sides[] = {Side(0, express), Side(1, express)};
  const std::vector<std::byte> message(size);
  const Duration start = processor_time();
  for (std::uint64_t round = 0; round < rounds; ++round) {
    for (PeerId self : {0U, 1U}) {
      Side& from = sides[self];
      while (!from.endpoint.send(now(), 1 - self, message, round)) {
      }
      from.flush();
      from.out.hand_to(sides[1 - self].endpoint);
    }
  }
  const Duration spent = processor_time() - start;
  fmt::print("{{\"what\": \"ping-pong\", \"bytes\": {}, \"express\": {}, \"ns_a_message_and_side\": {:.1f}}}\n", size,
             express, each(spent, 4 * rounds));
}

}  // namespace

int main() {
  for (const bool express : {false, true}) {
    for (const std::size_t size : {8U, 64U, 1024U}) ping_pong(size, 500'000, express);
  }
  stream(8, 10'000'000);
  stream(64, 5'000'000);
  stream(1024, 1'000'000);
  stream(std::size_t{256} << 20, 4);
  for (const char* what : {"put", "get"}) {
    use_memory(what, 8, 1'000'000);
    use_memory(what, std::size_t{1} << 20, 2000);
  }
}
