#include "ayatori/tuning/veto.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "ayatori/base/random.hpp"

namespace ayatori {
namespace {

/// The share of all outcomes of `all` comparisons in which at least `more` come out one way: counted one by one.
double share_with_at_least(std::size_t more, std::size_t all) {
  std::size_t found = 0;
  for (std::size_t outcome = 0; outcome < std::size_t{1} << all; ++outcome) {
    if (static_cast<std::size_t>(__builtin_popcountll(outcome)) >= more) ++found;
  }
  return static_cast<double>(found) / static_cast<double>(std::size_t{1} << all);
}

TEST(IsSignificant, IsWhatCountingAllOutcomesSays) {
  for (std::size_t all = 0; all <= 16; ++all) {
    for (std::size_t more = 0; more <= all; ++more) {
      EXPECT_EQ(is_significant(more, all - more), share_with_at_least(more, all) <= 0.01) << more << " of " << all;
    }
  }
}

TEST(IsSignificant, NeedsSevenAtLeastAndSixteenOfTwenty) {
  EXPECT_FALSE(is_significant(6, 0));
  EXPECT_TRUE(is_significant(7, 0));
  EXPECT_FALSE(is_significant(15, 5));
  EXPECT_TRUE(is_significant(16, 4));
  EXPECT_FALSE(is_significant(0, 20));
}

/// What one rank sees: (is it ours, in the how manieth call) -> seconds.
using Seconds = std::function<double(bool, std::size_t)>;

Veto noted(const Seconds& seconds, const std::function<bool(std::size_t)>& disturbed, double late = 0) {
  Veto veto;
  for (std::size_t call = 0; !veto.over(); ++call) {
    const double begin = static_cast<double>(call) + late;
    veto.note(begin, static_cast<double>(call) + late + seconds(veto.is_ours(), call), disturbed(call));
  }
  return veto;
}

bool nobody(std::size_t /*call*/) { return false; }

TEST(Veto, LetsBothExecuteEquallyOftenInEitherOrder) {
  Veto veto;
  std::size_t ours = 0;
  std::size_t ours_first = 0;
  std::size_t calls = 0;
  for (; !veto.over(); ++calls) {
    ours += veto.is_ours() ? 1 : 0;
    ours_first += veto.is_ours() && calls % 2 == 0 ? 1 : 0;
    veto.note(0, 1, false);
  }
  EXPECT_EQ(calls, 2 * (Veto::pairs + 1));
  EXPECT_EQ(ours, Veto::pairs + 1);
  EXPECT_EQ(ours_first, (Veto::pairs + 2) / 2);
}

TEST(Veto, IsOnWhatIsSlowerAndNotOnWhatIsAsFastOrFaster) {
  for (const bool one_clock : {false, true}) {
    const auto of = [&](double ours) {
      return Veto::is_slower(noted([&](bool is_ours, std::size_t) { return is_ours ? ours : 0.5; }, nobody).numbers(),
                             one_clock);
    };
    EXPECT_TRUE(of(0.75));
    EXPECT_FALSE(of(0.5));
    EXPECT_FALSE(of(0.25));
  }
}

TEST(Veto, FirstCallsThatMakeWhatLaterOnesUseDoNotCount) {
  const auto slow_at_first = [](bool ours, std::size_t call) { return ours && call < 2 ? 0.9 : ours ? 0.25 : 0.5; };
  EXPECT_FALSE(Veto::is_slower(noted(slow_at_first, nobody).numbers(), true));
}

TEST(Veto, PairsInWhichARankLostItsCoreDoNotCount) {
  const auto slower = [](bool ours, std::size_t) { return ours ? 0.75 : 0.5; };
  const auto but_for = [](std::size_t quiet) { return [quiet](std::size_t call) { return call >= 2 + 2 * quiet; }; };
  EXPECT_TRUE(Veto::is_slower(noted(slower, but_for(7)).numbers(), true));
  EXPECT_FALSE(Veto::is_slower(noted(slower, but_for(6)).numbers(), true)) << "too few are left";
}

/// The largest numbers of two ranks.
std::vector<double> largest(const Veto& a, const Veto& b) {
  std::vector<double> numbers = a.numbers();
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = std::max(numbers[i], b.numbers()[i]);
  return numbers;
}

TEST(Veto, TimesCountFromTheLastArrival) {
  // One rank waits in our calls for the other one, which comes late to them and is then quick.
  const auto waits = [](bool ours, std::size_t) { return ours ? 0.75 : 0.5; };
  Veto late;
  for (std::size_t call = 0; !late.over(); ++call) {
    const double begin = static_cast<double>(call);
    late.note(begin + (late.is_ours() ? 0.5 : 0), begin + (late.is_ours() ? 0.75 : 0.5), false);
  }
  const std::vector<double> numbers = largest(noted(waits, nobody), late);
  EXPECT_FALSE(Veto::is_slower(numbers, true)) << "0.25 s after the last arrival, and the MPI's own takes 0.5 s";
  EXPECT_TRUE(Veto::is_slower(numbers, false));
}

TEST(Veto, OfTwoThatAreAsFastIsRare) {
  Random random(1);
  std::size_t vetoes = 0;
  constexpr std::size_t times = 2000;
  for (std::size_t i = 0; i < times; ++i) {
    const auto any = [&](bool, std::size_t) { return static_cast<double>(1 + random.below(1000)) / 2000; };
    if (Veto::is_slower(noted(any, nobody).numbers(), true)) ++vetoes;
  }
  EXPECT_LE(vetoes, times / 50) << "one in a hundred, or fewer";
}

}  // namespace
}  // namespace ayatori
