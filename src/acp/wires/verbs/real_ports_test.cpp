/// \file
/// The wire over the ports of this machine that are up: in the virtual machine of `ayatori lab rdma`, and on clusters.
/// Where there are several devices the ranks use them round-robin, so that datagrams cross the network between them.

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <infiniband/verbs.h>

#include <array>
#include <atomic>
#include <iostream>
#include <thread>

#include "ayatori/fixtures/child_fixtures.hpp"
#include "ayatori/fixtures/process_fixtures.hpp"
#include "ayatori/verbs/verbs_wire.hpp"
#include "bootstrap_fixtures.hpp"
#include "verbs_library.hpp"

namespace ayatori::wires {
namespace {

constexpr JobKey key = 0x5eed;

/// A network that loses one of five datagrams, on a machine that emulates another one, takes its time.
constexpr auto patience = std::chrono::minutes(4);

std::vector<std::string> device_names() {
  if (!load_verbs_library()) return {};
  int count = 0;
  ibv_device** const list = ibv_get_device_list(&count);
  std::vector<std::string> names;
  for (int i = 0; list && i < count; ++i) names.emplace_back(ibv_get_device_name(list[i]));
  if (list) ibv_free_device_list(list);
  return names;
}

class RealPorts : public testing::Test {
 protected:
  void SetUp() override {
    devices = device_names();
    if (devices.empty()) GTEST_SKIP() << "this machine has no RDMA device";
  }

  /// Each of `procs` ranks sends `count` messages to each other one, which must come once, whole and in order.
  void exchange(Rank procs, std::uint32_t count, std::size_t largest, VerbsOptions options) {
    Bootstrap bootstrap(procs);
    std::atomic<Rank> finished = 0;
    in_threads(procs, [&](Rank rank) {
      VerbsOptions own = options;
      own.key = key;
      own.device = devices[rank % devices.size()];
      const auto wire = need(VerbsWire::make(own, bootstrap.resolver()));
      bootstrap.publish(rank, wire->address());
      transport::Options limits = with_receive_buffers(options.receive_buffers);
      limits.give_up_after = patience;
      TestProcess process(*wire, {rank, key, rank, 0}, limits);
      process.patience = patience;
      for (std::uint32_t i = 0; i < count; ++i) {
        for (Rank to = 0; to < procs; ++to) {
          if (to != rank) process.send(to, i, largest);
        }
      }
      const std::uint64_t expected = std::uint64_t{procs - 1} * count;
      process.run([&] { return process.delivered >= expected && process.idle(); });
      // A rank that left now would leave those without an end whose last acknowledgement was lost.
      ++finished;
      process.run([&] { return finished == procs; });
      EXPECT_EQ(process.delivered, expected);
      EXPECT_EQ(wire->statistics().refused + wire->statistics().failed, 0U)
          << wire->problem()->message << ": " << wire->problem()->cause;
    });
  }

  std::vector<std::string> devices;
};

TEST_F(RealPorts, ExchangeDeliversEveryMessageOnce) { exchange(4, 50, 20'000, {}); }

TEST_F(RealPorts, OneReceiveBufferForEachKindDeliversEveryMessageOnce) {
  exchange(4, 100, 5'000, {.receive_buffers = 1, .control_buffers = 1});
}

/// A handle is replaced for each datagram to another peer; it may go only when what was sent with it is completed.
TEST_F(RealPorts, OneAddressHandleReachesAllPeers) { exchange(4, 25, 5'000, {.send_buffers = 2, .peers = 1}); }

/// Inline up to 192 bytes on most adapters, from the registered buffer above.
TEST_F(RealPorts, DatagramsOfAllSizesArriveWhole) {
  Bootstrap bootstrap(2);
  const auto open = [&](Rank rank) {
    return need(VerbsWire::make({.key = key, .device = devices[rank % devices.size()]}, bootstrap.resolver()));
  };
  const auto first = open(0);
  const auto second = open(1);
  bootstrap.set(0, first->address());
  bootstrap.set(1, second->address());
  std::vector<std::byte> bytes(first->datagram_bytes());
  Random random(1);
  for (std::byte& one : bytes) one = static_cast<std::byte>(random());
  for (const std::size_t size : std::initializer_list<std::size_t>{1, 63, 64, 191, 192, 193, 1'024, bytes.size()}) {
    const auto sent = std::span(bytes).first(size);
    bool arrived = false;
    for (int tries = 0; tries < 200 && !arrived; ++tries) {  // the network may lose some
      ASSERT_TRUE(first->send({1, false, sent, {}}));
      second->wait(std::chrono::milliseconds(100));
      second->poll(64, [&](std::span<const std::byte> got) { arrived |= std::ranges::equal(got, sent); });
    }
    EXPECT_TRUE(arrived) << size << " bytes";
  }
  EXPECT_FALSE(first->problem());
}

/// Memory of one port that another one reads, writes and changes, compared with arrays that are changed by one
/// operation after the other. Operations are numbered from 0 on.
class ReachedMemory {
 public:
  static constexpr std::uint32_t operations = 200;
  static constexpr std::uint32_t at_once = 24;

  ReachedMemory(transport::Rdma& here, transport::Rdma& there) : here_(here) {
    far_keys_ = there.add_memory(std::as_writable_bytes(std::span(far_)));
    near_keys_ = here.add_memory(std::as_writable_bytes(std::span(near_)));
  }
  [[nodiscard]] bool registered() const { return far_keys_ && near_keys_; }
  [[nodiscard]] std::uint32_t started() const { return static_cast<std::uint32_t>(expected_.size()); }
  [[nodiscard]] bool as_expected() const { return far_ == model_; }

  void start() {
    const std::uint32_t number = started();
    const auto kind = static_cast<Kind>(random_.below(4));
    const bool atomic = kind == Kind::add || kind == Kind::compare_swap;
    const std::size_t count = atomic ? 1 : 1 + random_.below(stripe);
    const std::size_t at = atomic ? random_.below(counters) : place(number, kind, count);
    transport::RdmaRequest request{.kind = kind,
                                   .local_key = near_keys_->local,
                                   .remote = reinterpret_cast<std::uintptr_t>(&far_[at]),
                                   .remote_key = far_keys_->remote,
                                   .operand = random_(),
                                   .expected = random_.below(2) == 0 ? model_[at] : 0,
                                   .token = number};
    const auto seen = std::span(model_).subspan(at, count);
    expected_.push_back({atomic, {seen.begin(), seen.end()}});
    const auto local = std::span(near_).subspan(number * words, count);
    if (!atomic) request.local = std::as_writable_bytes(local);
    if (kind == Kind::write) {
      for (std::uint64_t& word : local) word = random_();
      std::ranges::copy(local, seen.begin());
      expected_.back().words.assign(local.begin(), local.end());
    }
    if (kind == Kind::add) model_[at] += request.operand;
    if (kind == Kind::compare_swap && model_[at] == request.expected) model_[at] = request.operand;
    requests_.push_back(request);
    here_.start(1, request);
  }
  void start_again(transport::Token number) { here_.start(1, requests_.at(number)); }

  void expect_done(const transport::RdmaCompletion& one) const {
    ASSERT_EQ(one.outcome, transport::RdmaCompletion::Outcome::done);
    const Expected& expected = expected_.at(one.token);
    if (expected.atomic) {
      ASSERT_EQ(one.value, expected.words[0]) << "operation " << one.token;
      return;
    }
    const auto found = std::span(near_).subspan(one.token * words, expected.words.size());
    ASSERT_TRUE(std::ranges::equal(found, expected.words)) << "operation " << one.token;
  }

 private:
  using Kind = transport::RdmaRequest::Kind;
  static constexpr std::size_t counters = 8;
  static constexpr std::size_t stripe = 1'500;
  static constexpr std::size_t words = counters + 3 * stripe;

  /// A repeated read would see what is written after it: a stripe is read after it was written, and not written again
  /// before that read is done.
  std::size_t place(std::uint32_t number, Kind kind, std::size_t count) {
    const std::size_t part = (number / at_once + (kind == Kind::read ? 2 : 0)) % 3;
    return counters + part * stripe + random_.below(stripe - count + 1);
  }

  struct Expected {
    bool atomic = false;
    std::vector<std::uint64_t> words;  // that it reads or writes, or from before
  };

  transport::Rdma& here_;
  std::vector<std::uint64_t> far_ = std::vector<std::uint64_t>(words);
  std::vector<std::uint64_t> near_ = std::vector<std::uint64_t>(words * operations);
  std::vector<std::uint64_t> model_ = std::vector<std::uint64_t>(words);
  std::vector<Expected> expected_;
  std::vector<transport::RdmaRequest> requests_;
  std::optional<transport::RdmaKeys> far_keys_;
  std::optional<transport::RdmaKeys> near_keys_;
  Random random_{7};
};

/// The adapter gives up after one repetition: on a network that loses datagrams the connection begins again and again,
/// with atomics under way.
TEST_F(RealPorts, ReliableConnectionsCarryOutEveryOperationOnce) {
  Bootstrap bootstrap(2);
  const auto open = [&](Rank rank) {
    return need(
        VerbsWire::make({.key = key, .device = devices[rank % devices.size()], .tries = 1}, bootstrap.resolver()));
  };
  const auto first = open(0);
  const auto second = open(1);
  bootstrap.set(0, first->address());
  bootstrap.set(1, second->address());
  auto& here = static_cast<RcConnections&>(*first->rdma());
  transport::Rdma& there = *second->rdma();
  ASSERT_TRUE(here.make_room(1) && there.make_room(1));
  const auto connect = [&] {
    const auto end = here.open(1);
    const auto other = end ? there.accept(0, *end) : std::nullopt;
    return other && here.connect(1, *other);
  };
  ASSERT_TRUE(connect());
  ReachedMemory memory(here, there);
  ASSERT_TRUE(memory.registered());

  const auto deadline = std::chrono::steady_clock::now() + patience;
  std::uint32_t done = 0;
  while (done < ReachedMemory::operations && std::chrono::steady_clock::now() < deadline) {
    while (memory.started() < std::min(ReachedMemory::operations, done + ReachedMemory::at_once)) memory.start();
    const auto one = here.poll();
    if (!one) {
      std::this_thread::yield();
      continue;
    }
    ASSERT_EQ(one->token, done);
    if (one->outcome == transport::RdmaCompletion::Outcome::unanswered) {
      const auto rest = here.close(1);
      ASSERT_TRUE(connect());
      memory.start_again(done);
      for (const transport::Token token : rest) memory.start_again(token);
      continue;
    }
    ++done;
    memory.expect_done(*one);
    if (HasFatalFailure()) return;
  }
  EXPECT_EQ(done, ReachedMemory::operations);
  EXPECT_TRUE(memory.as_expected());
  std::cout << "begun again " << here.resumed() << " times\n";
}

/// A key that the peer's adapter does not know (any more) is reported, and what comes after it is not carried out. If
/// that answer is lost, there is no other one, and the connection is broken after it has begun again in vain.
TEST_F(RealPorts, ReliableConnectionsReportMemoryThatIsNotRegistered) {
  Bootstrap bootstrap(2);
  const auto first = need(VerbsWire::make({.key = key, .device = devices[0]}, bootstrap.resolver()));
  const auto second = need(VerbsWire::make({.key = key, .device = devices[devices.size() - 1]}, bootstrap.resolver()));
  bootstrap.set(0, first->address());
  bootstrap.set(1, second->address());
  auto& here = static_cast<RcConnections&>(*first->rdma());
  transport::Rdma& there = *second->rdma();
  ASSERT_TRUE(here.make_room(1) && there.make_room(1));
  std::array<std::uint64_t, 16> far{};
  std::array<std::uint64_t, 16> near{1};
  const auto far_keys = there.add_memory(std::as_writable_bytes(std::span(far)));
  const auto near_keys = here.add_memory(std::as_writable_bytes(std::span(near)));
  for (int again = 0; again < 2; ++again) {  // a connection that was refused can be opened again
    const auto end = here.open(1);
    const auto other = there.accept(0, *end);
    ASSERT_TRUE(other && here.connect(1, *other));
    transport::RdmaRequest request{.kind = transport::RdmaRequest::Kind::write,
                                   .local = std::as_writable_bytes(std::span(near)),
                                   .local_key = near_keys->local,
                                   .remote = reinterpret_cast<std::uintptr_t>(far.data()),
                                   .remote_key = far_keys->remote + 0x1000,
                                   .token = 1};
    here.start(1, request);
    request.remote_key = far_keys->remote;
    request.token = 2;
    here.start(1, request);
    const std::uint64_t resumed = here.resumed();
    std::optional<transport::RdmaCompletion> one;
    while (!(one = here.poll())) std::this_thread::yield();
    EXPECT_EQ(one->token, 1U);
    if (one->outcome != transport::RdmaCompletion::Outcome::refused) {
      EXPECT_EQ(one->outcome, transport::RdmaCompletion::Outcome::broken);
      EXPECT_GT(here.resumed(), resumed);
    }
    EXPECT_EQ(here.close(1), std::vector<transport::Token>{2});
    EXPECT_EQ(far[0], 0U);
  }
  EXPECT_EQ(there.compare_swap_here(reinterpret_cast<std::byte*>(far.data()), *far_keys, 0, 5), 0U);
  EXPECT_EQ(there.compare_swap_here(reinterpret_cast<std::byte*>(far.data()), *far_keys, 0, 6), 5U);
  EXPECT_EQ(far[0], 5U);
}

}  // namespace
}  // namespace ayatori::wires
