#include "send_ring.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <deque>

#include "ayatori/base/random.hpp"
#include "ayatori/bounded/peer_cache.hpp"

namespace ayatori::wires {
namespace {

TEST(SendRing, ReportCompletesAllSendsBefore) {
  SendRing ring(4, 2);
  for (std::uint64_t number = 1; number <= 4; ++number) {
    const SendRing::Send send = ring.next();
    EXPECT_EQ(send.number, number);
    EXPECT_EQ(send.slot, number - 1);
    EXPECT_EQ(send.signalled, number % 2 == 0);
    EXPECT_FALSE(ring.full());
    ring.post();
  }
  EXPECT_TRUE(ring.full());
  EXPECT_TRUE(ring.done(0));
  EXPECT_FALSE(ring.done(1));
  ring.complete(2);
  EXPECT_TRUE(ring.done(1));
  EXPECT_TRUE(ring.done(2));
  EXPECT_FALSE(ring.done(3));
  EXPECT_EQ(ring.next().slot, 0U);
}

TEST(SendRing, LateOrRepeatedReportsChangeNothing) {
  SendRing ring(4, 1);
  ring.post();
  ring.post();
  ring.complete(2);
  ring.complete(1);
  EXPECT_TRUE(ring.done(2)) << "late";
  ring.complete(99);
  EXPECT_FALSE(ring.done(3)) << "of none that was posted";
}

/// To any peers, in any order.
TEST(SignalEvery, EverySlotAndAddressHandleIsFreedAtSomeTime) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const auto slots = static_cast<std::uint32_t>(1 + random.below(20));
    const auto handles = static_cast<std::uint32_t>(1 + random.below(20));
    SendRing ring(slots, signal_interval(slots, handles));
    PeerCache<std::uint64_t> last_send(handles);
    std::deque<std::uint64_t> reports;
    const auto room_for = [&](Rank peer) {
      return !ring.full() && (!last_send.full() || last_send.knows(peer) || ring.done(last_send.oldest()));
    };
    for (int i = 0; i < 500; ++i) {
      const auto peer = static_cast<Rank>(random.below(1 + random.below(40)));
      while (!room_for(peer)) {
        ASSERT_FALSE(reports.empty()) << slots << " slots, " << handles << " handles";
        ring.complete(reports.front());
        reports.pop_front();
      }
      const SendRing::Send send = ring.next();
      if (send.signalled) reports.push_back(send.number);
      if (std::uint64_t* known = last_send.use(peer)) {
        *known = send.number;
      } else {
        last_send.keep(peer, send.number);
      }
      ring.post();
    }
  }
}

}  // namespace
}  // namespace ayatori::wires
