#include "congestion_control.hpp"

#include <gtest/gtest.h>

#include "ayatori/base/random.hpp"

namespace ayatori::transport {
namespace {

using LossResponse = AimdController::LossResponse;

TEST(AimdController, GrowsByOnePacketForEachFullWindowThatArrives) {
  AimdController controller(4, 64, LossResponse::halve);
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
  AimdController controller(15, 16, LossResponse::none);
  for (int round = 0; round < 10; ++round) controller.on_acknowledged(64);
  EXPECT_EQ(controller.window(), 16U);
}

TEST(AimdController, HalvesOnALossAndOnATimeoutButNotBelowOne) {
  AimdController controller(16, 64, LossResponse::halve);
  controller.on_loss();
  EXPECT_EQ(controller.window(), 8U);
  controller.on_timeout();
  EXPECT_EQ(controller.window(), 4U);
  for (int loss = 0; loss < 5; ++loss) controller.on_loss();
  EXPECT_EQ(controller.window(), 1U);
}

TEST(AimdController, KeepsItsWindowOnLossesWhereTheReceiverRations) {
  AimdController controller(16, 64, LossResponse::none);
  controller.on_loss();
  controller.on_timeout();
  EXPECT_EQ(controller.window(), 16U);
}

/// Against the rule written down as integers without bounds.
TEST(AimdController, AgreesWithAModelOnRandomEvents) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto max = static_cast<std::uint32_t>(1 + random.below(64));
    std::uint64_t window = 1 + random.below(max);
    std::uint64_t acknowledged = 0;
    AimdController controller(static_cast<std::uint32_t>(window), max, LossResponse::halve);
    for (int event = 0; event < 1'000; ++event) {
      if (random.below(20) == 0) {
        controller.on_loss();
        window = window / 2 > 0 ? window / 2 : 1;
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

}  // namespace
}  // namespace ayatori::transport
