// Messages one way between two processes, each on a core of its own: how many small ones a second, and how many bytes a
// second in large ones. The first burst is checked byte by byte. Bursts are short, so that what else the machine does
// shows in the spread and not in the median.
//
//     stream_ours udp|shm small|large      prints one JSON line

#include <map>

#include "harness/our_process.hpp"
#include "harness/statistics.hpp"

namespace {

using namespace ayatori;
using bench::give_up;

constexpr int bursts = 60;
constexpr unsigned max_seconds = 240;

struct Load {
  std::size_t bytes;
  std::uint64_t messages;  // of a burst
};

/// One of the two processes.
class Process final : public bench::OurProcess {
 public:
  Process(const std::string& kind, Rank self) : OurProcess(kind, self, 2), peer_(1 - self) {}

  /// Returns when all have been acknowledged.
  void send_all(std::span<const std::byte> message, std::uint64_t count) {
    const std::uint64_t end = sent_ + count;
    while (acknowledged_ < end) {
      while (sent_ < end && send(peer_, message, sent_)) ++sent_;
      spin();
    }
  }
  /// Returns when so many have come.
  void receive_all(std::uint64_t count) {
    delivered_ = 0;
    while (delivered_ < count) spin();
  }
  /// Messages that come must equal this; nothing is compared with an empty one.
  void expect(std::span<const std::byte> message) { expected_ = message; }

 private:
  void take(transport::PeerId, std::span<const std::byte> message) override {
    if (!expected_.empty() && !std::ranges::equal(expected_, message)) give_up("wrong contents");
    ++delivered_;
  }
  void acknowledged(transport::Token) override { ++acknowledged_; }

  // Large messages come one by one: their memory is the same each time, as a program's own would be.
  std::byte* reserve(transport::PeerId, Bytes size, transport::Urgency) override {
    std::vector<std::byte>& memory = memory_[size];
    if (memory.size() < size) memory.resize(size);
    if (!std::exchange(in_use_, true)) return memory.data();
    return new std::byte[size];
  }
  void release(std::byte* memory) override {
    for (auto& [size, kept] : memory_) {
      if (memory == kept.data()) {
        in_use_ = false;
        return;
      }
    }
    delete[] memory;
  }

  Rank peer_;
  std::uint64_t sent_ = 0;
  std::uint64_t acknowledged_ = 0;
  std::uint64_t delivered_ = 0;
  std::map<std::size_t, std::vector<std::byte>> memory_;
  bool in_use_ = false;
  std::span<const std::byte> expected_;
};

std::vector<std::byte> make_message(std::size_t bytes) {
  std::vector<std::byte> message(bytes);
  for (std::size_t i = 0; i < bytes; ++i) message[i] = static_cast<std::byte>(i * 7 + i / 251);
  return message;
}

void print(const std::string& kind, const Load& load, const std::vector<double>& rates,
           const transport::Statistics& statistics) {
  const auto gigabits = [&](double rate) { return rate * static_cast<double>(load.bytes) * 8 / 1e9; };
  const double rate = bench::median(rates), best = bench::quantile(rates, 1);
  fmt::print(
      "{{\"wire\": \"{}\", \"bytes\": {}, \"messages_per_s\": {{\"median\": {:.0f}, \"max\": {:.0f}}}, "
      "\"Gbit_per_s\": {{\"median\": {:.2f}, \"max\": {:.2f}}}, ",
      kind, load.bytes, rate, best, gigabits(rate), gigabits(best));
  fmt::print("\"data_packets\": {}, \"retransmissions\": {}, \"control_packets\": {}, \"asks\": {}}}\n",
             statistics.data_packets, statistics.retransmissions, statistics.control_packets, statistics.asks);
}

int measure(const std::string& kind, const Load& load) {
  auto& barrier = bench::shared<bench::Barrier>();
  const std::vector<std::byte> message = make_message(load.bytes);
  const auto sender = [&] {
    Process process(kind, 0);
    barrier.wait(2);
    std::vector<double> rates;
    for (int i = -1; i < bursts; ++i) {  // the one before the first is not counted
      const auto start = std::chrono::steady_clock::now();
      process.send_all(message, load.messages);
      if (i >= 0) rates.push_back(static_cast<double>(load.messages) / bench::seconds_since(start));
      barrier.wait(2);
    }
    print(kind, load, rates, process.statistics());
  };
  const auto receiver = [&] {
    Process process(kind, 1);
    barrier.wait(2);
    process.expect(message);
    for (std::uint32_t i = 0; i <= bursts; ++i) {
      process.receive_all(load.messages);
      // Answers the sender until it has heard all that it waits for.
      while (barrier.arrived() < 2 * i + 3) process.spin();
      process.expect({});
      barrier.wait(2);
    }
  };
  return bench::run_pair(sender, receiver, max_seconds);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string kind = argc == 3 ? argv[1] : "", size = argc == 3 ? argv[2] : "";
  if ((kind != "udp" && kind != "shm") || (size != "small" && size != "large")) {
    give_up("stream_ours udp|shm small|large");
  }
  return measure(kind, size == "small" ? Load{64, 20'000} : Load{std::size_t{16} << 20, 2});
}
