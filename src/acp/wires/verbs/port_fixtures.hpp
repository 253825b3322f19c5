#pragma once
/// \file
/// Simulated ports: UD within one process. They check every call as strictly as the specification demands, and fail at
/// random as adapters do. Any number of threads, one a port.

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>

#include "ayatori/base/descriptor.hpp"
#include "ayatori/base/random.hpp"
#include "ayatori/verbs/ud_port.hpp"

namespace ayatori::wires {

class SimulatedPort;

/// The ports that reach each other; must outlive them.
struct SimulatedNetwork {
  std::mutex mutex;
  std::map<std::uint32_t, SimulatedPort*> queue_pairs;
  std::uint32_t next_queue_pair = 17;
};

class SimulatedPort final : public UdPort {
 public:
  static constexpr std::size_t mtu = 1'024;

  /// Of `one_in` sends one fails, and one finds no room; none if it is 0.
  SimulatedPort(SimulatedNetwork& network, std::uint64_t seed, std::uint32_t one_in)
      : network_(network), random_(seed), one_in_(one_in), event_(eventfd(0, EFD_NONBLOCK)) {
    const std::lock_guard lock(network_.mutex);
    own_ = {.lid = 3, .data_queue = network_.next_queue_pair++, .control_queue = network_.next_queue_pair++};
    network_.queue_pairs[own_.data_queue] = this;
    network_.queue_pairs[own_.control_queue] = this;
  }
  ~SimulatedPort() override {
    EXPECT_TRUE(stopped_);
    EXPECT_EQ(peers_, 0) << "address handles outlive their port";
  }

  [[nodiscard]] UdAddress address() const override { return own_; }
  [[nodiscard]] std::size_t datagram_bytes() const override { return mtu; }

  [[nodiscard]] Result<> use(std::span<std::byte> memory) override {
    memory_ = memory;
    return {};
  }

  [[nodiscard]] Result<std::unique_ptr<UdPeer>> reach(const UdAddress& address) override {
    if (address.lid == 0) return fail("no route to LID 0");
    return std::make_unique<Peer>(*this);
  }

  [[nodiscard]] int post_send(const UdSend& send) override {
    const std::lock_guard lock(network_.mutex);
    check_memory(send.bytes);
    if (fails_now()) return ENOMEM;
    const bool fails = broken_ || fails_now();
    broken_ = fails;
    under_way_.push_back({send, fails});
    const auto target = network_.queue_pairs.find(send.queue);
    if (!fails && target != network_.queue_pairs.end()) target->second->arrive(send.queue, send.bytes);
    return 0;
  }

  [[nodiscard]] int post_receive(UdQueue queue, std::span<std::byte> into, std::uint64_t id) override {
    const std::lock_guard lock(network_.mutex);
    check_memory(into);
    EXPECT_GE(into.size(), grh_bytes + mtu);
    posted_[queue == UdQueue::data ? own_.data_queue : own_.control_queue].push_back({into, id});
    return 0;
  }

  int recover() override {
    broken_ = false;
    return 0;
  }

  /// Completes some of the sends under way, in order, and reports those of them that are signalled or failed.
  [[nodiscard]] std::size_t poll_sent(std::span<UdCompletion> completions) override {
    std::size_t count = 0;
    for (std::uint64_t some = random_.below(8); some > 0 && !under_way_.empty() && count < completions.size(); --some) {
      const auto [send, failed] = under_way_.front();
      under_way_.pop_front();
      if (send.signalled || failed) completions[count++] = {send.id, 0, failed ? "it failed at random" : nullptr};
    }
    return count;
  }

  [[nodiscard]] std::size_t poll_received(std::span<UdCompletion> completions) override {
    const std::lock_guard lock(network_.mutex);
    const std::size_t count = std::min(completions.size(), received_.size());
    std::copy_n(received_.begin(), count, completions.begin());
    received_.erase(received_.begin(), received_.begin() + static_cast<std::ptrdiff_t>(count));
    return count;
  }

  [[nodiscard]] int descriptor() const override { return event_.number(); }
  void ask_for_event() override {
    const std::lock_guard lock(network_.mutex);
    asked_ = true;
  }
  void take_events() override {
    std::uint64_t rung = 0;
    (void)!read(event_.number(), &rung, sizeof rung);
  }

  void stop() override {
    const std::lock_guard lock(network_.mutex);
    network_.queue_pairs.erase(own_.data_queue);
    network_.queue_pairs.erase(own_.control_queue);
    under_way_.clear();
    stopped_ = true;
  }

  std::uint64_t dropped = 0;  ///< datagrams that found no buffer

 private:
  struct Peer final : UdPeer {
    explicit Peer(SimulatedPort& port) : of(port) { ++of.peers_; }
    Peer(const Peer&) = delete;
    Peer& operator=(const Peer&) = delete;
    ~Peer() override {
      --of.peers_;
      const bool needed = std::ranges::any_of(of.under_way_, [&](const Posted& one) { return one.send.to == this; });
      EXPECT_FALSE(needed) << "an address handle has ended while something was sent with it";
    }
    SimulatedPort& of;
  };
  struct Posted {
    UdSend send;
    bool failed = false;
  };
  struct Receive {
    std::span<std::byte> into;
    std::uint64_t id = 0;
  };

  bool fails_now() { return one_in_ > 0 && random_.below(one_in_) == 0; }

  void check_memory(std::span<const std::byte> part) const {
    EXPECT_GE(part.data(), memory_.data());
    EXPECT_LE(part.data() + part.size(), memory_.data() + memory_.size()) << "memory that was not registered";
  }

  void arrive(std::uint32_t queue, std::span<const std::byte> bytes) {
    auto& buffers = posted_[queue];
    if (buffers.empty()) {
      ++dropped;
      return;
    }
    const Receive receive = buffers.front();
    buffers.pop_front();
    std::ranges::fill(receive.into.first(grh_bytes), std::byte{0xEE});
    std::ranges::copy(bytes, receive.into.begin() + grh_bytes);
    received_.push_back({receive.id, static_cast<std::uint32_t>(grh_bytes + bytes.size()), nullptr});
    const std::uint64_t once = 1;
    if (std::exchange(asked_, false)) (void)!write(event_.number(), &once, sizeof once);
  }

  SimulatedNetwork& network_;
  Random random_;
  std::uint32_t one_in_;
  Descriptor event_;
  UdAddress own_;
  std::span<std::byte> memory_;
  std::deque<Posted> under_way_;
  std::map<std::uint32_t, std::deque<Receive>> posted_;
  std::deque<UdCompletion> received_;
  int peers_ = 0;
  bool broken_ = false;
  bool asked_ = false;
  bool stopped_ = false;
};

}  // namespace ayatori::wires
