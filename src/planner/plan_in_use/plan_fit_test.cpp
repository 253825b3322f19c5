#include "ayatori/plan_in_use/plan_fit.hpp"

#include <gtest/gtest.h>

namespace ayatori {
namespace {

/// Ranks 0 and 1 on a, 2 on b, 3 on a again.
PlanFile cyclic() {
  PlanFile file;
  file.machines = {{"a", 2}, {"b", 1}, {"a", 1}};
  file.ranks.resize(4);
  return file;
}

TEST(WhyNotOfThisJob, EachRankMustBeOnItsHost) {
  const char* const hosts[] = {"a", "a", "b", "a"};
  for (Rank rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(why_not_of_this_job(cyclic(), "p.json", {rank, 4, hosts[rank]}), "");
    EXPECT_EQ(why_not_of_this_job(cyclic(), "p.json", {rank, {}, ""}), "");
  }
  EXPECT_EQ(why_not_of_this_job(cyclic(), "p.json", {2, 4, "B.example.org"}), "");
  EXPECT_EQ(why_not_of_this_job(cyclic(), "p.json", {1, 4, "b"}), "rank 1 is on b, and in p.json on a");
  EXPECT_EQ(why_not_of_this_job(cyclic(), "p.json", {3, 4, "b"}), "rank 3 is on b, and in p.json on a");
}

TEST(WhyNotOfThisJob, TheNumberOfRanksMustBeThatOfThePlan) {
  EXPECT_EQ(why_not_of_this_job(cyclic(), "p.json", {0, 3, "a"}), "p.json is for 4 ranks, and these are 3");
  EXPECT_EQ(why_not_of_this_job(cyclic(), "p.json", {4, 5, "a"}), "p.json is for 4 ranks, and these are 5");
  EXPECT_EQ(why_not_of_this_job(cyclic(), "p.json", {4, {}, "a"}), "p.json is for 4 ranks, and this is rank 4");
}

TEST(WhyNotOfThisJob, APlanOfNicsIsForItsHosts) {
  PlanFile nics = cyclic();
  nics.of_nics = true;
  EXPECT_EQ(why_not_of_this_job(nics, "p.json", {17, 20, "b"}), "");
  EXPECT_EQ(why_not_of_this_job(nics, "p.json", {17, 20, ""}), "");
  EXPECT_EQ(why_not_of_this_job(nics, "p.json", {17, 20, "c"}), "rank 17 is on c, which p.json does not have");
}

}  // namespace
}  // namespace ayatori
