#include "windows.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "ayatori/base/random.hpp"

namespace ayatori::transport {
namespace {

TEST(ReceiveWindow, JudgeAndMarkAgreeWithASet) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    ReceiveWindow window;
    std::set<Sequence> here;
    Sequence cumulative = 0;
    for (int i = 0; i < 2000; ++i) {
      const auto sequence = static_cast<Sequence>(cumulative + random.below(80)) - std::min<Sequence>(cumulative, 8);
      const auto verdict = window.judge(sequence);
      const bool beyond = sequence >= cumulative + max_window;
      ASSERT_EQ(verdict, here.contains(sequence) ? ReceiveWindow::Verdict::duplicate
                         : beyond                ? ReceiveWindow::Verdict::beyond
                                                 : ReceiveWindow::Verdict::fresh);
      if (verdict != ReceiveWindow::Verdict::fresh) continue;
      window.mark(sequence);
      here.insert(sequence);
      while (here.contains(cumulative)) ++cumulative;
      ASSERT_EQ(window.cumulative(), cumulative);
      for (Sequence later = 1; later < max_window; ++later) {
        ASSERT_EQ(window.selective() >> (later - 1) & 1, here.contains(cumulative + later) ? 1U : 0U);
      }
    }
  }
}

TEST(SendWindow, FirstLostIsTheLowestLostPacket) {
  SendWindow window;
  for (int i = 0; i < 6; ++i) window.send_next();
  ASSERT_TRUE(window.acknowledge(1, 0b1010));  // 0, 3 and 5 have arrived
  EXPECT_EQ(window.acknowledged(), 1U);
  EXPECT_EQ(window.in_flight(), 3U);
  window.lose_below(5);
  EXPECT_EQ(window.in_flight(), 0U);
  EXPECT_EQ(window.first_lost(), 1U);
  window.send_again(1);
  EXPECT_EQ(window.first_lost(), 2U);
  EXPECT_EQ(window.in_flight(), 1U);
  ASSERT_TRUE(window.acknowledge(6, 0));
  EXPECT_EQ(window.outstanding(), 0U);
  EXPECT_FALSE(window.first_lost());
}

TEST(SendWindow, AcknowledgeRefusesImpossibleAndOvertakenOnes) {
  SendWindow window;
  for (int i = 0; i < 64; ++i) window.send_next();
  EXPECT_FALSE(window.has_room());
  EXPECT_FALSE(window.acknowledge(65, 0));
  EXPECT_TRUE(window.acknowledge(64, 0));
  EXPECT_FALSE(window.acknowledge(63, 0));
  EXPECT_TRUE(window.has_room());
}

/// Else neither an acknowledgement nor a loss would ever come of it.
TEST(SendWindow, LowestPacketCountsAsMissingWhateverWasSaidBefore) {
  SendWindow window;
  for (int i = 0; i < 3; ++i) window.send_next();
  ASSERT_TRUE(window.acknowledge(0, 0b11));  // 1 and 2 have arrived …
  ASSERT_TRUE(window.acknowledge(1, 0));     // … or has 1?
  EXPECT_FALSE(window.settled(1));
  window.lose_below(3);
  EXPECT_EQ(window.first_lost(), 1U);
}

TEST(SendWindow, OvertakenEndCountsLaterArrivals) {
  SendWindow window;
  for (int i = 0; i < 8; ++i) window.send_next();
  window.acknowledge(0, 0b0011);  // 1 and 2
  EXPECT_EQ(window.overtaken_end(3), 0U);
  window.acknowledge(0, 0b1011);  // 1, 2 and 4
  EXPECT_EQ(window.overtaken_end(3), 1U);
  window.lose_below(window.overtaken_end(3));
  EXPECT_EQ(window.first_lost(), 0U);
}

}  // namespace
}  // namespace ayatori::transport
