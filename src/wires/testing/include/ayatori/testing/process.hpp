#pragma once
/// \file
/// A process of a test over real wires: sends messages whose bytes follow from who sends them, and checks those that it
/// gets.

#include <fmt/format.h>

#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "ayatori/base/random.hpp"
#include "ayatori/driver/driver.hpp"

namespace ayatori::wires {

using namespace transport;

inline Options with_receive_buffers(std::uint32_t count) {
  Options options;
  options.receive_buffers = count;
  return options;
}

inline Options giving_up_after(Duration silence) {
  Options options;
  options.give_up_after = silence;
  return options;
}

class TestProcess final : public Application {
 public:
  TestProcess(Wire& wire, Identity identity, Options options) : TestProcess(wire, identity, options, SteadyClock{}) {}

  /// Sends `count` messages of random sizes up to `largest` to each of `procs` ranks but itself, receives as many from
  /// each, and stays until its peers have nothing more to ask. Throws what went wrong.
  void exchange(Rank procs, std::uint32_t count, std::size_t largest) {
    for (std::uint32_t i = 0; i < count; ++i) {
      for (Rank to = 0; to < procs; ++to) {
        if (to != self_) waiting_.push_back({to, i, largest});
      }
    }
    const std::uint64_t expected = std::uint64_t{procs - 1} * count;
    run([&] { return delivered >= expected && waiting_.empty() && pending_.empty(); });
    linger();
  }

  void send(Rank to, std::uint32_t index, std::size_t largest) { waiting_.push_back({to, index, largest}); }

  void run(const std::function<bool()>& done) {
    const Time limit = clock_.now() + std::chrono::seconds(60);
    while (!done()) {
      if (!step()) driver_.sleep(std::chrono::milliseconds(20));
      if (!problem.empty()) throw std::runtime_error(problem);
      if (clock_.now() > limit) throw std::runtime_error(fmt::format("rank {}: no end after a minute", self_));
    }
  }

  /// Hands messages to the endpoint, as far as it has room, and drives it once.
  bool step() {
    while (!waiting_.empty()) {
      const Waiting& first = waiting_.front();
      auto bytes = message(self_, first.to, first.index, first.largest);
      if (!endpoint_.send(clock_.now(), first.to, bytes, token_)) break;
      pending_[token_++] = std::move(bytes);
      waiting_.pop_front();
    }
    return driver_.progress();
  }

  /// Answers peers whose last acknowledgement was lost, until none has asked for a while.
  void linger() {
    endpoint_.close_idle(clock_.now());
    const Time end = clock_.now() + std::chrono::seconds(1);
    run([&] { return endpoint_.quiet() || clock_.now() > end; });
  }

  [[nodiscard]] bool idle() const { return waiting_.empty() && pending_.empty(); }
  Endpoint& endpoint() { return endpoint_; }

  std::uint64_t delivered = 0;
  std::map<PeerId, std::uint32_t> next;  ///< of each sender: the message that has to come next
  std::vector<PeerId> lost_peers;
  std::uint64_t failures = 0;
  std::string problem;

 private:
  struct Waiting {
    Rank to;
    std::uint32_t index;
    std::size_t largest;
  };

  TestProcess(Wire& wire, Identity identity, Options options, SteadyClock clock)
      : self_(identity.self),
        clock_(clock),
        endpoint_(made(identity, fitting(options, wire), *this)),
        driver_(endpoint_, wire, clock_) {}

  static Options fitting(Options options, const Wire& wire) {
    options.datagram_bytes = static_cast<std::uint32_t>(wire.datagram_bytes());
    return options;
  }

  static Endpoint made(const Identity& identity, const Options& options, Application& above) {
    auto result = Endpoint::make(identity, options, above);
    if (!result) throw std::runtime_error(result.error().message);
    return std::move(*result);
  }

  static std::vector<std::byte> message(Rank from, Rank to, std::uint32_t index, std::size_t largest) {
    Random random(std::uint64_t{from} << 48 ^ std::uint64_t{to} << 32 ^ index);
    // Mostly small, now and then as large as may be.
    const std::size_t most = random.below(8) == 0 ? largest : std::min<std::size_t>(largest, 512);
    std::vector<std::byte> bytes(16 + random.below(most + 1));
    for (std::size_t i = 0; i < bytes.size(); i += 8) {
      const std::uint64_t word = i == 0 ? index : i == 8 ? largest : random();
      std::memcpy(bytes.data() + i, &word, std::min<std::size_t>(8, bytes.size() - i));
    }
    return bytes;
  }

  std::byte* reserve(PeerId, Bytes size, Urgency) override { return new std::byte[size]; }
  void release(std::byte* memory) override { delete[] memory; }

  void deliver(PeerId from, std::span<const std::byte> bytes, std::byte* memory) override {
    ++delivered;
    std::uint64_t stamp[2] = {};
    if (bytes.size() >= sizeof stamp) std::memcpy(stamp, bytes.data(), sizeof stamp);
    const std::uint32_t index = next[from]++;
    const auto expected = message(from, self_, index, stamp[1]);
    if (problem.empty() && !std::ranges::equal(expected, bytes)) {
      problem = fmt::format("rank {}: message {} of {} is not what came ({} bytes)", self_, index, from, bytes.size());
    }
    delete[] memory;
  }

  void acknowledged(Token token) override { pending_.erase(token); }
  void failed(Token token) override {
    ++failures;
    pending_.erase(token);
  }
  void lost(PeerId peer, Time) override { lost_peers.push_back(peer); }

  Rank self_;
  SteadyClock clock_;
  std::deque<Waiting> waiting_;
  std::map<Token, std::vector<std::byte>> pending_;
  Token token_ = 1;
  Endpoint endpoint_;
  Driver driver_;
};

}  // namespace ayatori::wires
