#pragma once
/// \file
/// A process of a test: sends messages that name themselves, and checks every
/// message that it gets against what its sender must have sent.

#include <fmt/core.h>

#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "ayatori/base/random.hpp"
#include "ayatori/simulated/network.hpp"
#include "ayatori/transport/endpoint.hpp"

namespace ayatori::simulated {

using namespace transport;

class TestPeer final : public Application {
 public:
  TestPeer(Network& network, PeerId self, const Options& options, JobKey key = 42)
      : network_(network), self_(self), endpoint_(made(Endpoint::make({self, key, self + 1, 0}, options, *this))) {
    network_.attach(self_, endpoint_);
  }

  /// Queues the next message to a peer; it goes out as soon as there is room for it.
  void send(PeerId to, std::size_t size, Order order = Order::ordered) {
    const std::uint32_t index = order == Order::ordered ? sent_ordered_[to]++ : sent_unordered_[to]++;
    waiting_.push_back({to, order, message_bytes(self_, to, order, index, size)});
    pump();
  }

  void call_add(PeerId to) {
    waiting_calls_.push_back(to);
    pump();
  }

  [[nodiscard]] bool done() const {
    return waiting_.empty() && waiting_calls_.empty() && pending_.empty() && calls_ == 0;
  }

  Endpoint& endpoint() { return endpoint_; }

  std::uint64_t delivered = 0;
  std::uint64_t bytes = 0;
  std::uint64_t counter = 0;        ///< what peers' calls add to
  std::set<std::uint64_t> results;  ///< of our calls: the counter before, with the peer in the upper half
  std::uint64_t duplicate_results = 0;
  std::uint64_t failures = 0;
  std::map<PeerId, Time> lost_peers;
  std::string problem;  ///< the first thing that went wrong; empty if nothing
  std::size_t memory_limit = 16'384;
  std::map<std::byte*, std::unique_ptr<std::byte[]>> reserved;
  std::size_t reserved_bytes = 0;
  std::map<PeerId, std::uint32_t> next_ordered;

 private:
  struct Waiting {
    PeerId to;
    Order order;
    std::vector<std::byte> bytes;
  };
  struct Stamp {
    PeerId from, to;
    std::uint32_t index, order;
    std::uint64_t size;
  };

  static Endpoint made(Result<Endpoint> result) {
    if (!result) throw std::runtime_error(result.error().message);
    return std::move(*result);
  }

  static std::vector<std::byte> message_bytes(PeerId from, PeerId to, Order order, std::uint32_t index,
                                              std::size_t size) {
    const Stamp stamp{from, to, index, static_cast<std::uint32_t>(order), std::max(size, sizeof(Stamp))};
    std::vector<std::byte> bytes(stamp.size);
    std::memcpy(bytes.data(), &stamp, sizeof stamp);
    Random random(std::uint64_t{from} << 40 ^ std::uint64_t{to} << 20 ^ index << 1 ^ stamp.order);
    for (std::size_t i = sizeof stamp; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(random());
    return bytes;
  }

  void pump() {
    while (!waiting_.empty()) {
      Waiting& first = waiting_.front();
      if (!endpoint_.send(network_.now(), first.to, first.bytes, token_, first.order)) break;
      pending_[token_++] = std::move(first.bytes);
      waiting_.pop_front();
    }
    while (!waiting_calls_.empty()) {
      const std::byte request[] = {std::byte{1}};
      if (!endpoint_.call(network_.now(), waiting_calls_.front(), request, waiting_calls_.front())) break;
      ++calls_;
      waiting_calls_.pop_front();
    }
    network_.wake(self_);
  }

  void wrong(std::string what) {
    if (problem.empty()) problem = fmt::format("at {}: {}", self_, what);
  }

  std::byte* reserve(PeerId, Bytes size, Urgency urgency) override {
    if (reserved_bytes + size > (urgency == Urgency::early ? memory_limit / 2 : memory_limit)) return nullptr;
    reserved_bytes += size;
    auto memory = std::make_unique<std::byte[]>(size + sizeof(Bytes));
    std::memcpy(memory.get(), &size, sizeof size);
    std::byte* start = memory.get() + sizeof(Bytes);
    reserved[start] = std::move(memory);
    return start;
  }

  void release(std::byte* memory) override {
    Bytes size = 0;
    const auto found = reserved.find(memory);
    if (found == reserved.end()) return wrong("released memory that was never reserved");
    std::memcpy(&size, found->second.get(), sizeof size);
    reserved_bytes -= size;
    reserved.erase(found);
  }

  void deliver(PeerId from, std::span<const std::byte> message, std::byte* memory) override {
    ++delivered;
    bytes += message.size();
    check(from, message);
    if (memory) release(memory);
  }

  void check(PeerId from, std::span<const std::byte> message) {
    Stamp stamp{};
    if (message.size() < sizeof stamp) return wrong("a message is too short");
    std::memcpy(&stamp, message.data(), sizeof stamp);
    if (stamp.from != from || stamp.to != self_) return wrong("a message is not for here");
    const auto expected = message_bytes(from, self_, static_cast<Order>(stamp.order), stamp.index, stamp.size);
    if (!std::ranges::equal(expected, message))
      return wrong(fmt::format("message {} of {} is damaged", stamp.index, from));
    if (static_cast<Order>(stamp.order) == Order::unordered) {
      if (!seen_unordered_[from].insert(stamp.index).second)
        wrong(fmt::format("message {} of {} came twice", stamp.index, from));
    } else if (stamp.index != next_ordered[from]++) {
      wrong(fmt::format("message {} of {} came, {} was next", stamp.index, from, next_ordered[from] - 1));
    }
  }

  void room() override { pump(); }

  void acknowledged(Token token) override {
    if (pending_.erase(token) != 1) wrong("a message was acknowledged twice");
  }

  void failed(Token token) override {
    ++failures;
    if (pending_.erase(token) != 1) --calls_;
  }

  void lost(PeerId peer, Time since) override { lost_peers[peer] = since; }

  OperationResult operate(PeerId, std::span<const std::byte> request) override {
    OperationResult result;
    std::memcpy(result.bytes.data(), &counter, sizeof counter);
    result.size = sizeof counter;
    counter += std::to_integer<std::uint64_t>(request[0]);
    return result;
  }

  void returned(Token token, std::span<const std::byte> result) override {
    std::uint64_t before = 0;
    std::memcpy(&before, result.data(), sizeof before);
    if (!results.insert(token << 32 | before).second) ++duplicate_results;
    --calls_;
  }

  Network& network_;
  PeerId self_;
  Token token_ = std::uint64_t{1} << 40;
  std::deque<Waiting> waiting_;
  std::deque<PeerId> waiting_calls_;
  std::map<Token, std::vector<std::byte>> pending_;
  std::uint64_t calls_ = 0;
  std::map<PeerId, std::uint32_t> sent_ordered_;
  std::map<PeerId, std::uint32_t> sent_unordered_;
  std::map<PeerId, std::set<std::uint32_t>> seen_unordered_;
  Endpoint endpoint_;
};

}  // namespace ayatori::simulated
