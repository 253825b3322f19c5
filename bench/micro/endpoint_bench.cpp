/// \file
/// What an endpoint itself costs: two of them joined in memory, so that no network and no system call is in the
/// figures. The time of each side is measured on its own, in blocks of many packets; the sender pays for the copy into
/// the "wire". Times are CPU times, so that what else the machine does matters little. The figures are the counters; an
/// iteration has as many messages as fit into the slots and windows.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

#include "ayatori/transport/endpoint.hpp"

namespace {

using namespace ayatori;
using namespace ayatori::transport;
using Steady = std::chrono::steady_clock;

Time now() { return Time(std::chrono::duration_cast<Duration>(Steady::now().time_since_epoch())); }

/// The CPU time of this process.
Duration processor_time() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + Duration(time.tv_nsec);
}

/// Counts the messages that arrive; long ones are received into one buffer.
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
  std::vector<std::byte> shared;  // memory that peers put into and get from
};

/// The datagrams under way, in memory that is reused.
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

double gigabytes_per_second(std::uint64_t bytes, const Side& from, const Side& to) {
  return each(Duration(static_cast<std::int64_t>(bytes)),
              static_cast<std::uint64_t>(std::max(from.spent, to.spent).count()));
}

/// Alternates `begin` at `from`, and of what reaches `to` and comes back, until something of what was begun is done.
template <typename Begin>
void alternate(Side& from, Side& to, const Begin& begin) {
  const std::uint64_t done = from.above.done;
  while (from.above.done == done) {
    timed(from, begin);
    timed(to, [&] {
      from.out.hand_to(to.endpoint);
      to.flush();
    });
    timed(from, [&] { to.out.hand_to(from.endpoint); });
  }
}

/// Messages one way.
void stream(benchmark::State& state) {
  Side from(0), to(1);
  const std::vector<std::byte> message(static_cast<std::size_t>(state.range(0)));
  std::uint64_t sent = 0;
  const auto send_some = [&] {
    const Time at = now();
    while (from.endpoint.send(at, 1, message, sent)) ++sent;
    from.flush();
  };
  for (auto _ : state) alternate(from, to, send_some);
  const std::uint64_t count = from.above.done;
  if (count == 0 || to.above.bytes < count * message.size()) return state.SkipWithError("messages are missing");
  state.counters["sending_ns"] = each(from.spent, count);
  state.counters["receiving_ns"] = each(to.spent, count);
  state.counters["messages_a_packet"] =
      static_cast<double>(count) / static_cast<double>(from.endpoint.statistics().data_packets);
  state.counters["GB_per_s"] = gigabytes_per_second(to.above.bytes, from, to);
  state.counters["retransmissions"] = static_cast<double>(from.endpoint.statistics().retransmissions);
}

enum class Operation { put, get };

/// Puts or gets of one initiator.
void use_memory(benchmark::State& state, Operation operation) {
  Side from(0), to(1);
  std::vector<std::byte> local(static_cast<std::size_t>(state.range(0)), std::byte{1});
  to.above.shared.resize(local.size());
  std::uint64_t started = 0;
  const auto start = [&](Time at) {
    return operation == Operation::put ? from.endpoint.put(at, 1, {}, local, started)
                                       : from.endpoint.get(at, 1, {}, local, started);
  };
  const auto start_some = [&] {
    const Time at = now();
    while (start(at)) ++started;
    from.flush();
  };
  for (auto _ : state) alternate(from, to, start_some);
  const std::uint64_t count = from.above.done;
  if (count == 0 || local != to.above.shared) return state.SkipWithError("memory differs");
  state.counters["initiator_ns"] = each(from.spent, count);
  state.counters["target_ns"] = each(to.spent, count);
  state.counters["GB_per_s"] = gigabytes_per_second(local.size() * count, from, to);
  state.counters["again"] = static_cast<double>(from.endpoint.statistics().operations_again);
}

/// One message there and one back in an iteration; both sides do the same.
void ping_pong(benchmark::State& state) {
  const bool express = state.range(1) != 0;
  Side sides[] = {Side(0, express), Side(1, express)};
  const std::vector<std::byte> message(static_cast<std::size_t>(state.range(0)));
  std::uint64_t rounds = 0;
  const Duration start = processor_time();
  for (auto _ : state) {
    for (PeerId self : {0U, 1U}) {
      Side& from = sides[self];
      while (!from.endpoint.send(now(), 1 - self, message, rounds)) {
      }
      from.flush();
      from.out.hand_to(sides[1 - self].endpoint);
    }
    ++rounds;
  }
  const Duration spent = processor_time() - start;
  if (sides[0].above.delivered != rounds) return state.SkipWithError("messages are missing");
  state.counters["ns_a_message_and_side"] = each(spent, 4 * rounds);
}

constexpr std::int64_t mebibyte = 1 << 20;

BENCHMARK(ping_pong)->ArgNames({"bytes", "express"})->ArgsProduct({{8, 64, 1024}, {0, 1}});
BENCHMARK(stream)->ArgName("bytes")->Arg(8)->Arg(64)->Arg(1024)->Arg(256 * mebibyte);
BENCHMARK_CAPTURE(use_memory, put, Operation::put)->ArgName("bytes")->Arg(8)->Arg(mebibyte);
BENCHMARK_CAPTURE(use_memory, get, Operation::get)->ArgName("bytes")->Arg(8)->Arg(mebibyte);

}  // namespace
