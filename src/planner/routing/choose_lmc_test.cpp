#include <gtest/gtest.h>

#include "ayatori/routing/generate.hpp"
#include "fabric_fixtures.hpp"

namespace ayatori {
namespace {

TEST(ChooseLmc, TakesWhatTheLidSpaceAllows) {
  const auto choice = choose_lmc(test::open("fattree:K=18,levels=3"));
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->lmc, 2);
  EXPECT_EQ(choice->paths, 324U);
  EXPECT_FALSE(choice->all_paths);
  EXPECT_EQ(
      choice->explanation,
      "LMC 2: 4 LIDs a port for 324 paths, last LID 0xbc97; LMC 3 would need LIDs up to 0x172db, and unicast LIDs "
      "end at 0xbfff");
}

TEST(ChooseLmc, StopsAt7) {
  const auto choice = choose_lmc(test::open("xgft:m=2,2,2;w=1,12,12"));
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->lmc, 7);
  EXPECT_EQ(choice->explanation,
            "LMC 7: 128 LIDs a port for 144 paths, last LID 0x052b; LMC 8 would give each path a LID, but 7 is the "
            "largest");
}

TEST(ChooseLmc, FailsIfNotEvenLmc0Fits) {
  const auto choice = choose_lmc(test::open("xgft:m=200,250;w=1,1"));
  ASSERT_FALSE(choice);
  EXPECT_EQ(choice.error().hint, "not even one LID a port fits: split the fabric into subnets");
}

}  // namespace
}  // namespace ayatori
