#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "ayatori/base/random.hpp"
#include "ayatori/schedule/pattern.hpp"

namespace ayatori {
namespace weighted_steps_test {

std::shared_ptr<const StepSequence> pattern(const std::string& text, Rank ranks) {
  return parse_pattern(text, "here", ranks).value();
}

/// The receiver of the only message of each step.
std::vector<Rank> receivers(const StepSequence& steps) {
  std::vector<Rank> found;
  std::vector<Message> messages;
  for (std::size_t s = 0; s < steps.step_count(); ++s) {
    steps.step(s, messages);
    EXPECT_EQ(messages.size(), 1U);
    found.push_back(messages.at(0).to);
  }
  return found;
}

TEST(WeightedSteps, StepsWithEqualBytesStandOnceEach) {
  const auto steps = weighted_by_bytes(pattern("0 1 8\n\n0 2 8\n\n0 3 8\n", 4));
  EXPECT_EQ(receivers(*steps), (std::vector<Rank>{1, 2, 3}));
  EXPECT_EQ(steps->rank_count(), 4U);
  EXPECT_EQ(weighted_by_bytes(shift_all_to_all(200))->step_count(), 199U);
  EXPECT_EQ(weighted_by_bytes(shift_all_to_all(1))->step_count(), 0U);
}

/// A barrier before an all-to-all is not half of the traffic.
TEST(WeightedSteps, AStepWithoutBytesToSpeakOfIsMissing) {
  const auto steps = weighted_by_bytes(pattern("0 1 1\n\n0 2 1000000\n\n0 3 1000000\n", 4));
  const std::vector<Rank> found = receivers(*steps);
  EXPECT_EQ(found.size(), 100U);
  EXPECT_EQ(std::ranges::count(found, 1), 0);
  EXPECT_EQ(std::ranges::count(found, 2), 50);
}

/// What counts is what the busiest rank sends or receives; a message to oneself crosses no link.
TEST(WeightedSteps, BytesAreThoseOfTheBusiestRank) {
  const std::string gather = "1 0 100\n2 0 100\n3 0 100\n";
  const std::string others = "\n1 2 100\n2 3 100\n3 3 900\n";
  const auto steps = weighted_by_bytes(pattern(gather + others, 4));
  std::vector<Message> messages;
  std::size_t first = 0;
  for (std::size_t s = 0; s < steps->step_count(); ++s) {
    steps->step(s, messages);
    first += messages.at(0).to == 0 ? 1 : 0;
  }
  EXPECT_EQ(first, 75U);
}

TEST(WeightedSteps, EachStepStandsAsOftenAsItsShareToWithinOne) {
  Random random(5);
  for (int round = 0; round < 100; ++round) {
    const auto count = static_cast<Rank>(random.below(300)) + 2;
    std::string text;
    std::vector<double> sizes;
    double total = 0;
    for (Rank to = 1; to <= count; ++to) {
      sizes.push_back(static_cast<double>(random.below(1U << random.below(30))) + 1);
      total += sizes.back();
      text += "0 " + std::to_string(to) + " " + std::to_string(static_cast<Bytes>(sizes.back())) + "\n\n";
    }
    const std::vector<Rank> found = receivers(*weighted_by_bytes(pattern(text, count + 1)));
    EXPECT_TRUE(std::ranges::is_sorted(found));
    if (std::ranges::adjacent_find(sizes, std::not_equal_to<>()) == sizes.end()) continue;
    ASSERT_EQ(found.size(), std::max<std::size_t>(100, count));
    std::map<Rank, double> times;
    for (const Rank to : found) times[to] += 1;
    for (Rank to = 1; to <= count; ++to) {
      EXPECT_LE(std::abs(times[to] - sizes[to - 1] / total * static_cast<double>(found.size())), 1.0);
    }
  }
}

}  // namespace weighted_steps_test
}  // namespace ayatori
