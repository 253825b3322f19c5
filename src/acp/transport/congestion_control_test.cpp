#include "congestion_control.hpp"

#include <gtest/gtest.h>

#include <tuple>

#include "ayatori/base/random.hpp"

namespace ayatori::transport {
namespace congestion_control_test {

TEST(AimdController, GrowsByOnePacketForEachFullWindowThatArrives) {
  AimdController controller(4, 64);
  controller.on_acknowledged(3);
  EXPECT_EQ(controller.window(), 4U);
  controller.on_acknowledged(1);
  EXPECT_EQ(controller.window(), 5U);
  for (int packet = 0; packet < 4; ++packet) controller.on_acknowledged(1);
  EXPECT_EQ(controller.window(), 5U);
  controller.on_acknowledged(1);
  EXPECT_EQ(controller.window(), 6U);
}

TEST(AimdController, NeverExceedsItsMaximum) {
  AimdController controller(15, 16);
  for (int round = 0; round < 10; ++round) controller.on_acknowledged(64);
  EXPECT_EQ(controller.window(), 16U);
}

TEST(AimdController, LosesHalfAPacketForEachLostOneAndHalfTheWindowInSilenceButKeepsOne) {
  AimdController controller(16, 64);
  controller.on_lost(1);
  EXPECT_EQ(controller.window(), 16U);
  controller.on_lost(1);
  EXPECT_EQ(controller.window(), 15U);
  controller.on_lost(6);
  EXPECT_EQ(controller.window(), 12U);
  controller.on_silence();
  EXPECT_EQ(controller.window(), 6U);
  for (int loss = 0; loss < 5; ++loss) controller.on_lost(5);
  EXPECT_EQ(controller.window(), 1U);
  controller.on_silence();
  EXPECT_EQ(controller.window(), 1U);
}

/// What congestion_control.hpp says of random losses: about 2 (1 - p) / p packets.
TEST(AimdController, KeepsALargeWindowWhenPacketsAreLostByChance) {
  for (const auto& [percent, least, most] : {std::tuple{1U, 60.0, 64.0}, {5U, 30.0, 46.0}, {20U, 6.0, 10.0}}) {
    SCOPED_TRACE(percent);
    Random random(percent);
    AimdController controller(16, 64);
    double sum = 0;
    constexpr int packets = 200'000;
    for (int packet = 0; packet < packets; ++packet) {
      if (random.below(100) < percent) {
        controller.on_lost(1);
      } else {
        controller.on_acknowledged(1);
      }
      sum += controller.window();
    }
    EXPECT_GE(sum / packets, least);
    EXPECT_LE(sum / packets, most);
  }
}

/// Against the rule written down as integers without bounds.
TEST(AimdController, AgreesWithAModelOnRandomEvents) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto max = static_cast<std::uint32_t>(1 + random.below(64));
    std::uint64_t window = 1 + random.below(max);
    std::uint64_t acknowledged = 0;
    std::uint64_t lost = 0;
    AimdController controller(static_cast<std::uint32_t>(window), max);
    for (int event = 0; event < 1'000; ++event) {
      if (random.below(20) == 0) {
        const std::uint64_t now_lost = 1 + random.below(window);
        controller.on_lost(static_cast<std::uint32_t>(now_lost));
        for (std::uint64_t i = 0; i < now_lost; ++i) {
          if (++lost % 2 == 0 && window > 1) --window;
        }
      } else {
        const std::uint64_t arrived = random.below(window + 1);
        controller.on_acknowledged(static_cast<std::uint32_t>(arrived));
        acknowledged += arrived;
        if (acknowledged >= window) {
          acknowledged = 0;
          window = window < max ? window + 1 : max;
        }
      }
      ASSERT_EQ(controller.window(), window) << "after event " << event;
    }
  }
}

}  // namespace congestion_control_test
}  // namespace ayatori::transport
