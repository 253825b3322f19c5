#include "windows.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "ayatori/base/random.hpp"

namespace ayatori::transport {
namespace windows_test {

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

TEST(SendWindow, PacketIsOvertakenWhenSoManyLaterOnesHaveArrived) {
  SendWindow window;
  for (int i = 0; i < 8; ++i) window.send_next();
  window.acknowledge(0, 0b0011);  // 1 and 2
  EXPECT_FALSE(window.has_overtaken(3));
  EXPECT_TRUE(window.has_overtaken(2));
  window.acknowledge(0, 0b1011);  // 1, 2 and 4
  window.lose_overtaken(3);
  EXPECT_EQ(window.first_lost(), 0U);
  EXPECT_FALSE(window.is_lost(3)) << "only 4 has overtaken it";
}

TEST(SendWindow, FurtherCopyIsNotOvertakenByWhatWasSentBeforeIt) {
  SendWindow window;
  for (int i = 0; i < 8; ++i) window.send_next();
  window.acknowledge(0, 0b111);
  window.lose_overtaken(3);
  window.send_again(0);
  window.acknowledge(0, 0b1111111);
  EXPECT_FALSE(window.has_overtaken(1));
  EXPECT_EQ(window.again_in_flight(), 1U);
  window.lose_again();
  EXPECT_EQ(window.first_lost(), 0U);
  EXPECT_EQ(window.again_in_flight(), 0U);
}

/// Against sets of packets, searched each time.
TEST(SendWindow, OvertakenPacketsAgreeWithAModelOnRandomEvents) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    SendWindow window;
    std::set<Sequence> arrived, lost, again;
    Sequence low = 0, next = 0;
    for (int step = 0; step < 300; ++step) {
      if (random.below(3) > 0 && window.has_room()) {
        window.send_next();
        ++next;
      } else if (const auto first = window.first_lost(); first && random.below(2) == 0) {
        window.send_again(*first);
        lost.erase(*first);
        again.insert(*first);
      } else if (next > low) {
        const Sequence one = low + static_cast<Sequence>(random.below(next - low));
        arrived.insert(one);
        while (arrived.erase(low) > 0) ++low;
        std::uint64_t selective = 0;
        for (const Sequence sequence : arrived) selective |= std::uint64_t{1} << (sequence - low - 1);
        ASSERT_TRUE(window.acknowledge(low, selective));
        for (std::set<Sequence>* known : {&lost, &again}) {
          std::erase_if(*known, [&](Sequence sequence) { return sequence < low; });
        }
        std::erase_if(lost, [&](Sequence sequence) { return arrived.contains(sequence); });
      }
      const auto later = static_cast<std::uint32_t>(1 + random.below(4));
      std::set<Sequence> overtaken;
      for (Sequence sequence = low; sequence < next; ++sequence) {
        if (arrived.contains(sequence) || lost.contains(sequence) || again.contains(sequence)) continue;
        if (std::ranges::distance(arrived.upper_bound(sequence), arrived.end()) >= later) overtaken.insert(sequence);
      }
      ASSERT_EQ(window.has_overtaken(later), !overtaken.empty());
      if (random.below(4) > 0) continue;
      window.lose_overtaken(later);
      lost.insert(overtaken.begin(), overtaken.end());
      for (Sequence sequence = low; sequence < next; ++sequence) {
        ASSERT_EQ(window.is_lost(sequence), lost.contains(sequence)) << sequence << " after step " << step;
      }
    }
  }
}

}  // namespace windows_test
}  // namespace ayatori::transport
