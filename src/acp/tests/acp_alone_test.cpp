// acp.h in C++17: a process that nobody has started.
#include <acp.h>
#include <gtest/gtest.h>

namespace {

TEST(Acp, WorksAlone) {
  ASSERT_EQ(acp_init(nullptr, nullptr), 0) << acp_error_message();
  EXPECT_EQ(acp_init(nullptr, nullptr), -1);
  EXPECT_EQ(acp_rank(), 0);
  EXPECT_EQ(acp_procs(), 1);
  const acp_ga_t ga = acp_query_starter_ga(0);
  auto* words = static_cast<std::uint64_t*>(acp_query_address(ga));
  words[0] = 42;
  const acp_handle_t copied = acp_copy(ga + 8, ga, 8, ACP_HANDLE_NULL);
  EXPECT_EQ(acp_complete(acp_add8(ga + 16, ga + 8, 1, copied)), 0);
  EXPECT_EQ(words[1], 43U);
  EXPECT_EQ(words[2], 42U);
  EXPECT_EQ(acp_sync(), 0);
  EXPECT_EQ(acp_reset(1), -1);
  EXPECT_EQ(acp_reset(0), 0);
  EXPECT_EQ(*static_cast<std::uint64_t*>(acp_query_address(acp_query_starter_ga(0))), 0U);
  EXPECT_EQ(acp_finalize(), 0);
  EXPECT_EQ(acp_finalize(), -1);
}

}  // namespace
