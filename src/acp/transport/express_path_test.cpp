#include "express_path.hpp"

#include <gtest/gtest.h>

namespace ayatori::transport {
namespace express_path_test {

using namespace std::chrono_literals;

constexpr Time start{1ms};

ExpressPath allowed() {
  ExpressPath path;
  path.allow();
  return path;
}

TEST(ExpressPath, IsOffWhereTheWireMayLose) {
  ExpressPath path;
  EXPECT_FALSE(path.usable());
  path.acknowledged();
  EXPECT_EQ(path.state(), ExpressState::off);
  EXPECT_EQ(path.deadline_passed(true), ExpressPath::Due::nothing);
}

TEST(ExpressPath, WantsOneConfirmationForAllPacketsUntilThen) {
  ExpressPath path = allowed();
  EXPECT_TRUE(path.taken());
  EXPECT_FALSE(path.taken());
  EXPECT_EQ(path.state(), ExpressState::unconfirmed);
  EXPECT_TRUE(path.usable());
  EXPECT_EQ(path.deadline_passed(true), ExpressPath::Due::confirm);
  EXPECT_EQ(path.state(), ExpressState::suspended);
  EXPECT_FALSE(path.usable());
  path.acknowledged();
  EXPECT_EQ(path.state(), ExpressState::allowed);
  EXPECT_TRUE(path.taken());
}

TEST(ExpressPath, AnAcknowledgementWithoutAQuestionConfirmsNothing) {
  ExpressPath path = allowed();
  (void)path.taken();
  path.acknowledged();
  EXPECT_EQ(path.state(), ExpressState::unconfirmed);
}

TEST(ExpressPath, PausesBetweenAttemptsDouble) {
  ExpressPath path = allowed();
  Time now = start;
  Duration expected = ExpressPath::first_pause;
  for (int attempt = 0; attempt < 8; ++attempt) {
    const auto pause = path.refused(now);
    ASSERT_TRUE(pause);
    EXPECT_EQ(*pause, expected);
    EXPECT_EQ(path.deadline_passed(true), ExpressPath::Due::retry);
    now += *pause;
    expected = now - start;
  }
}

TEST(ExpressPath, IsSuspendedAfterTooLongARefusalUntilAnAcknowledgement) {
  ExpressPath path = allowed();
  ASSERT_TRUE(path.refused(start));
  EXPECT_TRUE(path.refused(start + ExpressPath::max_refusal - 1ns));
  EXPECT_FALSE(path.refused(start + ExpressPath::max_refusal));
  EXPECT_EQ(path.state(), ExpressState::suspended);
  EXPECT_EQ(path.deadline_passed(true), ExpressPath::Due::nothing);
  path.acknowledged();
  EXPECT_TRUE(path.usable());
}

TEST(ExpressPath, APacketThatIsTakenEndsTheRefusal) {
  ExpressPath path = allowed();
  ASSERT_TRUE(path.refused(start));
  (void)path.taken();
  EXPECT_EQ(path.refused(start + 10ms), ExpressPath::first_pause);
}

TEST(ExpressPath, ADeadlineOfAMessageThatIsGoneIsNotARetry) {
  ExpressPath path = allowed();
  ASSERT_TRUE(path.refused(start));
  EXPECT_EQ(path.deadline_passed(false), ExpressPath::Due::nothing);
  EXPECT_EQ(path.refused(start + 10ms), ExpressPath::first_pause) << "the old refusal is forgotten";
}

}  // namespace express_path_test
}  // namespace ayatori::transport
