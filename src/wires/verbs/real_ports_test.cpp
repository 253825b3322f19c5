/// \file
/// The wire over the ports of this machine that are up: in the virtual machine of `ayatori lab rdma`, and on clusters.
/// Where there are several devices the ranks take turns on them, so that datagrams cross the network between them.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <infiniband/verbs.h>

#include <atomic>

#include "ayatori/fixtures/child_fixtures.hpp"
#include "ayatori/fixtures/process_fixtures.hpp"
#include "ayatori/verbs/verbs_wire.hpp"
#include "bootstrap_fixtures.hpp"

namespace ayatori::wires {
namespace {

constexpr JobKey key = 0x5eed;

/// A network that loses one of five datagrams, on a machine that emulates another one, takes its time.
constexpr auto patience = std::chrono::minutes(4);

std::vector<std::string> device_names() {
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

}  // namespace
}  // namespace ayatori::wires
