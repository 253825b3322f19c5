#include "ayatori/artefacts/pair_plan_file.hpp"

#include <gtest/gtest.h>

#include <string>

#include "ayatori/base/random.hpp"

namespace ayatori {
namespace pair_plan_file_test {

std::string written(const Plan& plan) {
  std::string text;
  write_pair_plan(plan, [&](std::string_view piece) { text += piece; });
  return text;
}

std::string error_of(std::string_view contents) {
  const auto plan = parse_pair_plan(contents, "p.plan");
  return plan ? "no error" : plan.error().message;
}

Plan random_plan(Rank ranks, std::uint32_t choices, Random& random) {
  std::vector<std::uint8_t> bits(std::size_t{ranks} * ranks);
  for (auto& b : bits) b = static_cast<std::uint8_t>(random.below(choices));
  return Plan::per_pair(ranks, std::move(bits));
}

TEST(PlanFile, ReadsWhatItWrote) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const auto ranks = static_cast<Rank>(random.below(40));
    const Plan plan = random_plan(ranks, static_cast<std::uint32_t>(1 + random.below(128)), random);
    const auto read = parse_pair_plan(written(plan), "p.plan");
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, plan);
  }
}

TEST(PlanFile, TakesNoMoreBitsThanTheLargestEntryNeeds) {
  Random random(1);
  EXPECT_EQ(written(random_plan(648, 18, random)).size(), 13 + 648 * 648 * 5 / 8 + 4);
  EXPECT_EQ(written(random_plan(16, 1, random)).size(), 13 + 16 * 16 / 8 + 4);
}

TEST(PlanFile, IsTheDocumentedBytes) {
  const Plan plan = Plan::per_pair(2, {1, 5, 0, 7});
  const std::string expected = std::string("AYAPLAN1\x02\0\0\0\x03\x29\x0E", 15);
  EXPECT_EQ(written(plan).substr(0, 15), expected);
  // zlib.crc32 of those bytes.
  EXPECT_EQ(written(plan).substr(15), std::string("\xd1\xf4\xd4\xb5", 4));
}

TEST(PlanFile, WritesOtherPlansPairByPair) {
  const auto read = parse_pair_plan(written(Plan::per_destination(Method::rule, {0, 3, 1})), "p.plan");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(std::vector(read->all_path_bits().begin(), read->all_path_bits().end()),
            (std::vector<std::uint8_t>{0, 3, 1, 0, 3, 1, 0, 3, 1}));
}

TEST(PlanFile, ErrorsSayWhatIsWrong) {
  const std::string good = written(Plan::per_pair(3, {0, 1, 2, 3, 4, 5, 6, 7, 0}));
  EXPECT_EQ(error_of(""), "p.plan: no plan file: it does not start with AYAPLAN1");
  EXPECT_EQ(error_of("#!/bin/sh"), "p.plan: no plan file: it does not start with AYAPLAN1");
  EXPECT_EQ(error_of(good.substr(0, 14)), "p.plan: truncated: its header is incomplete");
  EXPECT_EQ(error_of(good.substr(0, 20)),
            "p.plan: truncated: 20 bytes, but a plan of 3 ranks with 3 bits an entry takes 21");
  EXPECT_EQ(error_of(good + "x"), "p.plan: damaged: 22 bytes, but a plan of 3 ranks with 3 bits an entry takes 21");
  std::string huge = good;
  huge[8] = huge[9] = huge[10] = huge[11] = '\xFF';
  EXPECT_NE(error_of(huge).find("truncated: 21 bytes, but a plan of 4294967295 ranks"), std::string::npos);
  std::string wide = good;
  wide[12] = 8;
  EXPECT_EQ(error_of(wide), "p.plan: damaged: 8 bits an entry, expected 1 to 7");
}

TEST(PlanFile, NoticesEveryFlippedBit) {
  const std::string good = written(Plan::per_pair(3, {0, 1, 2, 3, 4, 5, 6, 7, 0}));
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_NE(error_of(bad), "no error") << "bit " << bit;
  }
}

}  // namespace pair_plan_file_test
}  // namespace ayatori
