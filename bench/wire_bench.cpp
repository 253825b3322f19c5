// The transport over real wires, one pair of processes: ping-pong of 64 bytes beside raw sockets, small messages a
// second, and large messages. Everything is carried once with its contents checked, then several times for the clock;
// what is compared runs alternately. Round trips are medians over a few at a time (to read the clock costs as much as
// half of a leg), and streams run in short bursts, so that what else the machine does shows in the spread and not in
// the result. One JSON line a measurement.
//
//     wire_bench [udp-ping|shm-ping|udp-rate|shm-rate|udp-large|shm-large]…      all of them, if none is named

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "ayatori/driver/driver.hpp"
#include "ayatori/shm/shm_wire.hpp"
#include "ayatori/udp/udp_wire.hpp"

namespace {

using namespace ayatori;
using namespace ayatori::wires;
using namespace ayatori::transport;

using Seconds = std::chrono::duration<double>;

constexpr std::size_t small_bytes = 64;
constexpr int repetitions = 9;
constexpr int bursts = 60;
constexpr std::uint32_t timed_together = 10;  // round trips

[[noreturn]] void give_up(const std::string& why) {
  fmt::print(stderr, "error: {}\n", why);
  _exit(2);
}

template <typename T>
T need(Result<T> result) {
  if (!result) give_up(result.error().message + ": " + result.error().cause);
  return std::move(*result);
}

void run_on(int core) {
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(core, &only);
  sched_setaffinity(0, sizeof only, &only);
}

/// What both processes see.
struct Board {
  std::atomic<std::uint32_t> at_barrier;
  std::atomic<std::uint64_t> wrong;
};

Board& board() {
  static Board* made =
      new (mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) Board();
  return *made;
}

void meet() {
  const std::uint32_t arrived = board().at_barrier++;
  while (board().at_barrier < arrived / 2 * 2 + 2) sched_yield();
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return Seconds(std::chrono::steady_clock::now() - start).count();
}

double quantile(std::vector<double> values, double part) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size() - 1));
  std::ranges::nth_element(values, at);
  return *at;
}

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

struct Setting {
  std::string wire;
  JobKey key = static_cast<JobKey>(getpid());
  std::uint32_t datagram_bytes = 0;
};

std::unique_ptr<Wire> wire_of(const Setting& setting, Rank self) {
  if (setting.wire == "shm") return need(ShmWire::make({.self = self, .key = setting.key}));
  const auto host = 127U << 24 | (static_cast<std::uint32_t>(setting.key) & 0xFFFF) << 8;
  UdpOptions options{.addresses = {.first_host = host}, .self = self};
  if (setting.datagram_bytes > 0) options.datagram_bytes = setting.datagram_bytes;
  return need(UdpWire::make(options));
}

/// One of the two processes of a measurement.
class Side final : public Application {
 public:
  Side(const Setting& setting, Rank self)
      : wire_(wire_of(setting, self)),
        endpoint_(need(Endpoint::make({.self = self, .key = setting.key, .seed = self}, options_of(*wire_), *this))),
        driver_(endpoint_, *wire_, clock_),
        peer_(1 - self) {}

  // ---- Ping-pong

  void ping() {
    const std::uint64_t before = delivered;
    send_ball();
    while (delivered == before) driver_.progress();
  }

  void pong(std::uint32_t count) {
    echoes_ = true;
    delivered = 0;
    while (delivered < count) driver_.progress();
    echoes_ = false;
  }

  // ---- Streams

  void stream(std::span<const std::byte> message, std::uint64_t count) {
    const std::uint64_t end = sent_ + count;
    while (acknowledged_ < end) {
      while (sent_ < end && endpoint_.send(driver_.now(), peer_, message, sent_)) ++sent_;
      driver_.progress();
    }
  }

  void take(std::uint64_t count) {
    delivered = 0;
    while (delivered < count) driver_.progress();
  }

  /// Answers a peer until it has heard all that it waits for.
  template <typename Condition>
  void settle_until(Condition heard) {
    while (!heard()) driver_.progress();
  }
  void settle() {
    const auto start = std::chrono::steady_clock::now();
    settle_until([&] { return seconds_since(start) > 0.02; });
  }

  void expect(std::span<const std::byte> message) { expected_ = message; }

  [[nodiscard]] const Statistics& statistics() const { return endpoint_.statistics(); }

  std::uint64_t delivered = 0;

 private:
  static Options options_of(const Wire& wire) {
    Options options;
    options.datagram_bytes = static_cast<std::uint32_t>(wire.datagram_bytes());
    return options;
  }

  void send_ball() {
    if (!endpoint_.send(driver_.now(), peer_, ball_, sent_)) give_up("no room for one message");
    ++sent_;
  }

  std::byte* reserve(PeerId, Bytes size, Urgency) override {
    std::vector<std::byte>& place = places_[size];
    // Large messages come one by one: their memory is the same each time, as a program's own would be.
    if (place.size() < size) place.resize(size);
    if (!std::exchange(taken_, true)) return place.data();
    return new std::byte[size];
  }
  void release(std::byte* memory) override {
    for (auto& [size, place] : places_) {
      if (memory == place.data()) {
        taken_ = false;
        return;
      }
    }
    delete[] memory;
  }
  void deliver(PeerId, std::span<const std::byte> message, std::byte* memory) override {
    if (!expected_.empty() && !std::ranges::equal(expected_, message)) ++board().wrong;
    ++delivered;
    if (memory) release(memory);
    if (echoes_) send_ball();
  }
  void acknowledged(Token) override { ++acknowledged_; }
  void lost(PeerId, Time) override { give_up("the peer is lost"); }

  std::unique_ptr<Wire> wire_;
  SteadyClock clock_;
  Endpoint endpoint_;
  Driver driver_;
  PeerId peer_;
  bool echoes_ = false;
  std::uint64_t sent_ = 0;
  std::uint64_t acknowledged_ = 0;
  std::map<std::size_t, std::vector<std::byte>> places_;
  bool taken_ = false;
  std::array<std::byte, small_bytes> ball_{};
  std::span<const std::byte> expected_;
};

/// Runs `first` here and `second` in a child, each on a core of its own.
template <typename First, typename Second>
void in_two_processes(First first, Second second) {
  board().at_barrier = 0;
  const pid_t child = fork();
  if (child < 0) give_up("no second process");
  run_on(child == 0 ? 1 : 0);
  if (child == 0) {
    second();
    _exit(0);
  }
  first();
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0 || board().wrong != 0) give_up("wrong answers");
}

/// Sockets as plain as they come: sendto and recvfrom, spinning.
class RawSocket {
 public:
  RawSocket(std::uint32_t host, Rank self) : socket_(::socket(AF_INET, SOCK_DGRAM, 0)), peer_(address(host, 1 - self)) {
    const sockaddr_in own = address(host, self);
    if (bind(socket_, reinterpret_cast<const sockaddr*>(&own), sizeof own) != 0) give_up("no raw socket");
  }
  ~RawSocket() { close(socket_); }

  void send() {
    sendto(socket_, ball_.data(), ball_.size(), 0, reinterpret_cast<const sockaddr*>(&peer_), sizeof peer_);
  }
  void take() {
    while (recvfrom(socket_, ball_.data(), ball_.size(), MSG_DONTWAIT, nullptr, nullptr) < 0) continue;
  }

 private:
  static sockaddr_in address(std::uint32_t host, Rank rank) {
    return UdpAddresses{.first_host = host, .first_port = 25'000}.of(rank);
  }
  int socket_;
  sockaddr_in peer_;
  std::array<std::byte, small_bytes> ball_{};
};

/// The median of `count` round trips, a multiple of those timed together, in microseconds.
template <typename RoundTrip>
double time_round_trips(std::uint32_t count, RoundTrip round_trip) {
  std::vector<double> all;
  for (std::uint32_t i = 0; i < count; i += timed_together) {
    const auto start = std::chrono::steady_clock::now();
    for (std::uint32_t n = 0; n < timed_together; ++n) round_trip();
    all.push_back(seconds_since(start) * 1e6 / timed_together);
  }
  return median(std::move(all));
}

void measure_ping(const Setting& setting) {
  const bool beside_raw = setting.wire == "udp";
  const std::uint32_t count = beside_raw ? 3'000 : 50'000;
  const std::uint32_t host = 127U << 24 | (static_cast<std::uint32_t>(getpid()) & 0xFFFF) << 8 | 128;
  const std::array<std::byte, small_bytes> ball{};
  std::vector<double> ours, raw, ratios;
  Statistics statistics;
  in_two_processes(
      [&] {
        Side side(setting, 0);
        RawSocket socket(host, 0);
        meet();
        side.expect(ball);
        for (std::uint32_t i = 0; i < count; ++i) side.ping();
        side.settle();
        side.expect({});
        for (int i = 0; i < repetitions; ++i) {
          meet();
          ours.push_back(time_round_trips(count, [&] { side.ping(); }));
          side.settle();
          meet();
          if (!beside_raw) continue;
          raw.push_back(time_round_trips(count, [&] {
            socket.send();
            socket.take();
          }));
          ratios.push_back(ours.back() / raw.back());
        }
        statistics = side.statistics();
      },
      [&] {
        Side side(setting, 1);
        RawSocket socket(host, 1);
        meet();
        side.expect(ball);
        side.pong(count);
        side.settle();
        side.expect({});
        for (int i = 0; i < repetitions; ++i) {
          meet();
          side.pong(count);
          side.settle();
          meet();
          for (std::uint32_t n = 0; beside_raw && n < count; ++n) {
            socket.take();
            socket.send();
          }
        }
      });
  fmt::print("{{\"measure\": \"ping-pong\", \"wire\": \"{}\", \"bytes\": {}, \"round_trip_us\": {:.3f}", setting.wire,
             small_bytes, median(ours));
  if (beside_raw) {
    fmt::print(", \"raw_round_trip_us\": {:.3f}, \"ratio\": {:.2f}, \"ratios\": [{:.2f}]", median(raw), median(ratios),
               fmt::join(ratios, ", "));
  }
  fmt::print(", \"retransmissions\": {}, \"control_packets\": {}}}\n", statistics.retransmissions,
             statistics.control_packets);
}

void measure_stream(const Setting& setting, std::size_t bytes, std::uint64_t count) {
  std::vector<std::byte> message(bytes);
  for (std::size_t i = 0; i < bytes; ++i) message[i] = static_cast<std::byte>(i * 7 + i / 251);
  std::vector<double> rates;
  Statistics statistics;
  in_two_processes(
      [&] {
        Side side(setting, 0);
        meet();
        for (int i = -1; i < bursts; ++i) {
          const auto start = std::chrono::steady_clock::now();
          side.stream(message, count);
          if (i >= 0) rates.push_back(static_cast<double>(count) / seconds_since(start));
          meet();
        }
        statistics = side.statistics();
      },
      [&] {
        Side side(setting, 1);
        meet();
        side.expect(message);
        for (int i = -1; i < bursts; ++i) {
          side.take(count);
          side.settle_until([&] { return board().at_barrier >= static_cast<std::uint32_t>(2 * i + 5); });
          side.expect({});
          meet();
        }
      });
  const auto gigabits = [&](double rate) { return rate * static_cast<double>(bytes) * 8 / 1e9; };
  const double rate = median(rates), best = quantile(rates, 1);
  fmt::print(
      "{{\"measure\": \"stream\", \"wire\": \"{}\", \"bytes\": {}, \"messages_per_s\": {{\"median\": {:.0f}, \"max\": "
      "{:.0f}}}, "
      "\"Gbit_per_s\": {{\"median\": {:.2f}, \"max\": {:.2f}}}, \"data_packets\": {}, \"retransmissions\": {}, "
      "\"control_packets\": {}, \"asks\": {}}}\n",
      setting.wire, bytes, rate, best, gigabits(rate), gigabits(best), statistics.data_packets,
      statistics.retransmissions, statistics.control_packets, statistics.asks);
}

void measure(const std::string& what) {
  const Setting setting{.wire = what.substr(0, 3)};
  if (setting.wire != "udp" && setting.wire != "shm") give_up("no measurement '" + what + "'");
  const std::string kind = what.substr(std::min<std::size_t>(4, what.size()));
  if (kind == "ping") return measure_ping(setting);
  if (kind == "rate") return measure_stream(setting, small_bytes, 20'000);
  if (kind == "large") return measure_stream(setting, 16 << 20, 2);
  give_up("no measurement '" + what + "'");
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> wanted(argv + 1, argv + argc);
  if (wanted.empty()) wanted = {"udp-ping", "shm-ping", "udp-rate", "shm-rate", "udp-large", "shm-large"};
  for (const std::string& what : wanted) measure(what);
}
