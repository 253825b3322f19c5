#include "ayatori/artefacts/plan.hpp"

#include <gtest/gtest.h>

namespace ayatori {
namespace plan_test {

TEST(Plan, DModKTakesPathBits0ForAllMessages) {
  const Plan plan = Plan::base_lids(3);
  EXPECT_EQ(plan.rank_count(), 3U);
  EXPECT_FALSE(plan.is_per_pair());
  for (Rank from = 0; from < 3; ++from) {
    for (Rank to = 0; to < 3; ++to) EXPECT_EQ(plan.path_bits(from, to), 0);
  }
}

TEST(Plan, PerDestinationIgnoresTheSource) {
  const Plan plan = Plan::per_destination(Method::rule, {4, 5});
  EXPECT_EQ(plan.path_bits(0, 1), 5);
  EXPECT_EQ(plan.path_bits(1, 1), 5);
  EXPECT_EQ(plan.path_bits(1, 0), 4);
}

TEST(Plan, PerPairHasTheDestinationsOfSource0First) {
  const Plan plan = Plan::per_pair(2, {1, 2, 3, 4});
  EXPECT_EQ(plan.method(), Method::pair);
  EXPECT_EQ(plan.path_bits(0, 1), 2);
  EXPECT_EQ(plan.path_bits(1, 0), 3);
}

TEST(ParseMethod, UnderstandsWhatToWordSays) {
  for (const Method method : {Method::base_lids, Method::rule, Method::colour, Method::pair}) {
    EXPECT_EQ(parse_method(to_word(method)), method);
  }
  EXPECT_FALSE(parse_method("base"));
}

}  // namespace plan_test
}  // namespace ayatori
