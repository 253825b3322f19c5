#include "ayatori/executor/own_time.hpp"

#include <gtest/gtest.h>

namespace ayatori {
namespace {

TEST(ExecuteWithoutCarrying, CountsTwoMessagesAStepUpToTheEndOfAExecution) {
  EXPECT_EQ(execute_without_carrying(0).value(), 0U);
  EXPECT_EQ(execute_without_carrying(1).value(), 128U);
  EXPECT_EQ(execute_without_carrying(64).value(), 128U);
  EXPECT_EQ(execute_without_carrying(65).value(), 256U);
}

}  // namespace
}  // namespace ayatori
