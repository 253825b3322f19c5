#include "fair_rates.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "ayatori/base/random.hpp"
#include "rates_fixtures.hpp"

namespace ayatori::test {
namespace {

using Path = std::vector<std::uint32_t>;

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Instance {
  std::vector<double> capacity;
  std::vector<Path> paths;
};

/// Some capacities are equal, so that constraints fill up at the same level.
Instance random_instance(Random& random, std::size_t max_flows = 40) {
  Instance instance;
  for (std::size_t links = 1 + random.below(12); links > 0; --links) {
    instance.capacity.push_back(random.below(2) == 0 ? 1 + static_cast<double>(random.below(4)) : random.fraction());
  }
  for (std::size_t flows = 1 + random.below(max_flows); flows > 0; --flows) {
    Path links(instance.capacity.size());
    std::iota(links.begin(), links.end(), 0U);
    random.shuffle(std::span(links));
    links.resize(1 + random.below(std::min<std::size_t>(5, links.size())));
    instance.paths.push_back(links);
  }
  return instance;
}

double used(const Instance& instance, const std::vector<double>& rates, std::uint32_t link) {
  double sum = 0;
  for (std::size_t f = 0; f < rates.size(); ++f) {
    if (std::find(instance.paths[f].begin(), instance.paths[f].end(), link) != instance.paths[f].end()) sum += rates[f];
  }
  return sum;
}

double fastest(const Instance& instance, const std::vector<double>& rates, std::uint32_t link) {
  double most = 0;
  for (std::size_t f = 0; f < rates.size(); ++f) {
    const auto& path = instance.paths[f];
    if (std::find(path.begin(), path.end(), link) != path.end()) most = std::max(most, rates[f]);
  }
  return most;
}

/// The definition: no link carries too much, and each flow has a full link on which none is faster.
void expect_fair(const Instance& instance, const std::vector<double>& rates) {
  for (std::uint32_t link = 0; link < instance.capacity.size(); ++link) {
    EXPECT_LE(used(instance, rates, link), instance.capacity[link] * (1 + 1e-9)) << "link " << link;
  }
  for (std::size_t f = 0; f < rates.size(); ++f) {
    const bool has_bottleneck = std::any_of(instance.paths[f].begin(), instance.paths[f].end(), [&](auto link) {
      return used(instance, rates, link) >= instance.capacity[link] * (1 - 1e-9) &&
             rates[f] >= fastest(instance, rates, link) * (1 - 1e-9);
    });
    EXPECT_TRUE(has_bottleneck) << "flow " << f << " could be faster than " << rates[f];
  }
}

/// The equations of fair_rates.hpp without any shortcut: flow f waits at use `waits[f]` of its path.
std::vector<double> slow_head_of_line(const Instance& instance) {
  const std::size_t flows = instance.paths.size();
  std::vector<double> rates(flows, infinity);
  std::vector<std::size_t> waits(flows, 0);
  const auto level_of = [&](std::uint32_t link) {
    double left = instance.capacity[link];
    double open = 0;
    for (std::size_t f = 0; f < flows; ++f) {
      if (std::find(instance.paths[f].begin(), instance.paths[f].end(), link) == instance.paths[f].end()) continue;
      if (rates[f] == infinity)
        ++open;
      else
        left -= rates[f];
    }
    return open == 0 ? infinity : left / open;
  };
  while (std::find(rates.begin(), rates.end(), infinity) != rates.end()) {
    std::vector<double> levels;
    for (std::uint32_t link = 0; link < instance.capacity.size(); ++link) levels.push_back(level_of(link));
    const double level = *std::min_element(levels.begin(), levels.end());
    const auto is_at_level = [&](double rate) { return std::abs(rate - level) <= level * 1e-11; };
    for (std::size_t f = 0; f < flows; ++f) {
      for (std::size_t i = 0; i < instance.paths[f].size(); ++i) {
        if (!is_at_level(levels[instance.paths[f][i]])) continue;
        if (rates[f] == infinity) rates[f] = level;
        if (is_at_level(rates[f])) waits[f] = i;
      }
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t f = 0; f < flows; ++f) {
        if (!is_at_level(rates[f])) continue;
        for (std::size_t i = 0; i < waits[f]; ++i) {
          for (std::size_t g = 0; g < flows; ++g) {
            const auto& path = instance.paths[g];
            const auto shared = std::find(path.begin(), path.end(), instance.paths[f][i]);
            if (shared == path.end() || (rates[g] != infinity && !is_at_level(rates[g]))) continue;
            const auto behind = static_cast<std::size_t>(shared - path.begin()) + 1;
            if (rates[g] != infinity && waits[g] >= behind) continue;
            if (rates[g] == infinity) rates[g] = level;
            waits[g] = std::max(waits[g], behind);
            changed = true;
          }
        }
      }
    }
  }
  return rates;
}

void expect_near(const std::vector<double>& rates, const std::vector<double>& expected) {
  ASSERT_EQ(rates.size(), expected.size());
  for (std::size_t f = 0; f < rates.size(); ++f) {
    if (expected[f] == infinity)
      EXPECT_EQ(rates[f], infinity) << "flow " << f;
    else
      EXPECT_NEAR(rates[f], expected[f], 1e-9 * expected[f]) << "flow " << f;
  }
}

TEST(MaxMinFairRates, NoFlowsHaveNoRates) { EXPECT_TRUE(max_min_fair_rates({}, {}).empty()); }

TEST(MaxMinFairRates, EqualHandSolvedCases) {
  const auto solve = [](Instance instance) { return max_min_fair_rates(instance.capacity, instance.paths); };
  expect_near(solve({{3}, {{0}}}), {3});
  expect_near(solve({{3}, {{0}, {0}, {}}}), {1.5, 1.5, infinity});
  // A parking lot: one flow over all links, one over each.
  expect_near(solve({{1, 1, 1}, {{0, 1, 2}, {0}, {1}, {2}}}), {0.5, 0.5, 0.5, 0.5});
  expect_near(solve({{1, 2, 3}, {{0, 1, 2}, {0}, {1}, {2}}}), {0.5, 0.5, 1.5, 2.5});
  // Bertsekas and Gallager, figure 6.12: capacities 1, flow 4 is left with more.
  expect_near(solve({{1, 1, 1}, {{0, 1}, {1}, {1}, {0, 2}}}), {1.0 / 3, 1.0 / 3, 1.0 / 3, 2.0 / 3});
}

TEST(MaxMinFairRates, EveryFlowHasAFullLinkOnWhichNoneIsFaster) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Instance instance = random_instance(random);
    expect_fair(instance, max_min_fair_rates(instance.capacity, instance.paths));
    if (HasFailure()) return;
  }
}

TEST(MaxMinFairRates, EqualFlowsGetEqualRates) {
  const std::vector<double> capacity = {0.1, 0.1, 0.3};
  std::vector<Path> paths(7, Path{0, 2});
  paths.insert(paths.end(), 7, Path{2, 1});
  const auto rates = max_min_fair_rates(capacity, paths);
  for (const double rate : rates) EXPECT_EQ(rate, rates.front());
}

/// Flows come and go: the rates are those of all flows computed at once, whatever happened before.
TEST(FairRates, UpdatesGiveTheRatesOfAllFlowsComputedAtOnce) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Instance all = random_instance(random, 80);
    FairRates allocation(all.capacity);
    std::vector<FlowId> ids;
    Instance now{all.capacity, {}};
    std::vector<double> reported;
    for (std::size_t change = 0; change < 60; ++change) {
      for (std::uint64_t n = random.below(4); n > 0; --n) {
        now.paths.push_back(all.paths[random.below(all.paths.size())]);
        ids.push_back(allocation.add(now.paths.back()));
      }
      for (std::uint64_t n = random.below(4); n > 0 && !ids.empty(); --n) {
        const auto gone = static_cast<std::ptrdiff_t>(random.below(ids.size()));
        allocation.remove(ids[static_cast<std::size_t>(gone)]);
        ids.erase(ids.begin() + gone);
        now.paths.erase(now.paths.begin() + gone);
      }
      for (const FlowId id : allocation.update()) {
        if (reported.size() <= id) reported.resize(id + 1);
        reported[id] = allocation.rate(id);
      }
      std::vector<double> rates;
      for (const FlowId id : ids) {
        rates.push_back(allocation.rate(id));
        EXPECT_EQ(reported[id], rates.back()) << "update() did not report a rate that has changed";
      }
      expect_near(rates, max_min_fair_rates(now.capacity, now.paths));
      for (std::uint32_t link = 0; link < now.capacity.size(); ++link) {
        if (!allocation.limits(link)) continue;
        EXPECT_NEAR(used(now, rates, link), now.capacity[link], 1e-9 * now.capacity[link]);
      }
      if (HasFailure()) return;
    }
  }
}

TEST(FairRates, UpdateTouchesOnlyWhatAChangeCanReach) {
  // Two pairs of flows that share nothing: a third flow on the second link does not touch the first.
  FairRates allocation({1, 1});
  for (const Constraint link : {0U, 0U, 1U, 1U}) allocation.add(std::vector{link});
  EXPECT_EQ(allocation.update().size(), 4U);
  allocation.add(std::vector{1U});
  EXPECT_EQ(allocation.update().size(), 3U);
  EXPECT_EQ(allocation.touched().size(), 1U);
}

TEST(HeadOfLineRates, EqualHandSolvedCases) {
  const auto solve = [](Instance instance) { return head_of_line_rates(instance.capacity, instance.paths); };
  // Two flows share a link before the bottleneck of one: the other waits after it in the queue; max-min would give
  // it 8.
  expect_near(solve({{10, 2}, {{0, 1}, {0}}}), {2, 2});
  // The bottleneck comes first: nothing waits in the queue that they share.
  expect_near(solve({{10, 2}, {{1, 0}, {0}}}), {2, 8});
  // A flow that waits holds up the flows that share its links before that.
  expect_near(solve({{10, 2, 10}, {{0, 1}, {2, 0}, {2}}}), {2, 2, 2});
  // Links after the bottleneck have no queue.
  expect_near(solve({{10, 2, 10}, {{0, 1}, {0, 2}, {2}}}), {2, 2, 8});
  // Without a bottleneck downstream it is max-min.
  expect_near(solve({{1, 2, 3}, {{0, 1, 2}, {0}, {1}, {2}}}), {0.5, 0.5, 1.5, 2.5});
}

TEST(HeadOfLineRates, EqualThoseOfASlowReferenceForRandomPaths) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Instance instance = random_instance(random, 12);
    expect_near(head_of_line_rates(instance.capacity, instance.paths), slow_head_of_line(instance));
    if (HasFailure()) return;
  }
}

TEST(HeadOfLineRates, KeepTheSlowestRateOfMaxMinAndNeverUseMoreCapacity) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Instance instance = random_instance(random, 12);
    const auto fair = max_min_fair_rates(instance.capacity, instance.paths);
    const auto held = head_of_line_rates(instance.capacity, instance.paths);
    EXPECT_NEAR(*std::min_element(held.begin(), held.end()), *std::min_element(fair.begin(), fair.end()), 1e-9);
    EXPECT_LE(std::accumulate(held.begin(), held.end(), 0.0),
              std::accumulate(fair.begin(), fair.end(), 0.0) * (1 + 1e-9));
  }
}

}  // namespace
}  // namespace ayatori::test
