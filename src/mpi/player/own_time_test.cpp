#include "ayatori/player/own_time.hpp"

#include <gtest/gtest.h>

namespace ayatori {
namespace {

TEST(PlayWithoutCarrying, CountsTwoMessagesAStepUpToTheEndOfAPlay) {
  EXPECT_EQ(play_without_carrying(0).value(), 0U);
  EXPECT_EQ(play_without_carrying(1).value(), 128U);
  EXPECT_EQ(play_without_carrying(64).value(), 128U);
  EXPECT_EQ(play_without_carrying(65).value(), 256U);
}

}  // namespace
}  // namespace ayatori
