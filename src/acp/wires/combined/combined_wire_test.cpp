#include "ayatori/combined/combined_wire.hpp"

#include <gtest/gtest.h>

#include "ayatori/fixtures/child_fixtures.hpp"
#include "ayatori/fixtures/clock_fixtures.hpp"
#include "ayatori/fixtures/folder_fixtures.hpp"
#include "ayatori/fixtures/loopback_ranks_fixtures.hpp"
#include "ayatori/fixtures/process_fixtures.hpp"
#include "ayatori/shm/shm_wire.hpp"
#include "ayatori/udp/udp_wire.hpp"

namespace ayatori::wires {
namespace {

using namespace std::chrono_literals;

/// Two ranks a host, where the hosts are addresses of the loopback.
struct Cluster {
  Folder folder;
  JobKey key = 0x5eed;
  LoopbackRanks ranks;

  [[nodiscard]] std::unique_ptr<CombinedWire> wire(Rank self, Clock& clock = steady_clock()) const {
    auto near = need(ShmWire::make({.self = self, .key = key, .folder = folder.path()}));
    const auto nearby = [self](Rank peer) { return peer / 2 == self / 2; };
    return std::make_unique<CombinedWire>(std::move(near), ranks.wire(self), nearby, clock);
  }
};

TEST(CombinedWire, ExchangeDeliversEveryMessageToNearAndFarPeers) {
  const Cluster cluster;
  in_processes(4, [&](Rank rank) {
    const auto wire = cluster.wire(rank);
    TestProcess(*wire, {rank, cluster.key, rank, 0}, {}).exchange(4, 100, 30'000);
  });
}

TEST(CombinedWire, IsLosslessToNearPeersOnly) {
  const Cluster cluster;
  const auto wire = cluster.wire(0);
  EXPECT_TRUE(wire->lossless(1));
  EXPECT_FALSE(wire->lossless(2));
}

TEST(CombinedWire, FarWireIsPolledEveryTwoMicroseconds) {
  const Cluster cluster;
  SetClock clock;
  const auto wire = cluster.wire(0, clock);
  const auto near = cluster.wire(1);
  const auto far = cluster.wire(2);
  const std::vector<std::byte> bytes(100);
  const auto poll = [&] { return wire->poll(10, [](auto) {}); };
  const auto send_from = [&](CombinedWire& peer) {
    EXPECT_TRUE(peer.send({0, false, bytes, {}}));
    peer.flush();
  };
  EXPECT_EQ(poll(), 0U);  // the far wire is polled now
  send_from(*far);
  EXPECT_EQ(poll(), 0U);
  send_from(*near);
  EXPECT_EQ(poll(), 1U) << "the near wire is polled each time";
  clock.time += 2us;
  EXPECT_EQ(poll(), 1U);
}

TEST(CombinedWire, WaitEndsWithADatagramOfEitherWire) {
  const Cluster cluster;
  const auto wire = cluster.wire(0);
  const std::vector<std::byte> bytes(100);
  for (const Rank from : {1U, 2U}) {
    const auto peer = cluster.wire(from);
    std::size_t got = 0;
    const std::jthread sender([&] {
      (void)peer->send({0, false, bytes, {}});
      peer->flush();
    });
    while (got == 0) {
      wire->wait(1h);
      got = wire->poll(10, [](auto) {});
    }
  }
}

}  // namespace
}  // namespace ayatori::wires
