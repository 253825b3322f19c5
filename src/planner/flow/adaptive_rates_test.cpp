// Flows that spread by load: cases that are solved by hand, and random ones against a plain search for the least load.

#include "adaptive_rates.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "../../base/thoroughness_fixtures.hpp"
#include "ayatori/base/random.hpp"

namespace ayatori {
namespace {

using AlternativePaths = std::vector<std::vector<Constraint>>;

std::vector<FlowId> all_of(AdaptiveRates& rates, const std::vector<AlternativePaths>& flows) {
  std::vector<FlowId> ids;
  for (const AlternativePaths& paths : flows) ids.push_back(rates.add(paths));
  rates.update();
  return ids;
}

// Two links side by side carry what neither can alone.
TEST(AdaptiveRates, AFlowTakesBothOfTwoLinks) {
  AdaptiveRates rates({10, 3, 2});  // its host's link, and two to choose from
  const FlowId flow = rates.add({{0, 1}, {0, 2}});
  rates.update();
  EXPECT_NEAR(rates.rate(flow), 5, 1e-6);
  EXPECT_NEAR(rates.shares(flow)[0], 0.6, 0.01);
}

// Link 2 is taken by a flow that has no choice: the other one leaves it alone, though it passes three links instead.
TEST(AdaptiveRates, AFlowMakesWayForOneThatHasNoChoice) {
  AdaptiveRates rates({1, 1, 1, 1});
  const auto ids = all_of(rates, {{{0, 2}}, {{1, 2}, {1, 3}}});
  EXPECT_NEAR(rates.rate(ids[0]), 1, 1e-6);
  EXPECT_NEAR(rates.rate(ids[1]), 1, 1e-6);
  EXPECT_GT(rates.shares(ids[1])[1], 0.99);
}

// Three flows of rate 1 over two links of capacity 1: each gets two thirds.
TEST(AdaptiveRates, LinksThatAreTooFewAreSharedEvenly) {
  AdaptiveRates rates({1, 1, 1, 1, 1});
  const auto ids = all_of(rates, {{{0, 3}, {0, 4}}, {{1, 3}, {1, 4}}, {{2, 3}, {2, 4}}});
  for (const FlowId id : ids) EXPECT_NEAR(rates.rate(id), 2.0 / 3, 1e-9);
  EXPECT_TRUE(rates.limits(3));
  EXPECT_TRUE(rates.limits(4));
}

TEST(AdaptiveRates, WhatAFlowLeavesGoesToTheOthers) {
  AdaptiveRates rates({1, 1, 1});
  const auto ids = all_of(rates, {{{0, 2}}, {{1, 2}}});
  EXPECT_NEAR(rates.rate(ids[0]), 0.5, 1e-12);
  rates.remove(ids[1]);
  const auto changed = rates.update();
  EXPECT_EQ(std::vector<FlowId>(changed.begin(), changed.end()), std::vector<FlowId>{ids[0]});
  EXPECT_NEAR(rates.rate(ids[0]), 1, 1e-12);
}

// A leaf's flows all bring 1, spines are as many as flows: equal shares, and exactly equal rates.
TEST(AdaptiveRates, EqualSharesStayExactlyEqualWhereTheyAreBest) {
  constexpr Constraint hosts = 6;
  AdaptiveRates rates(std::vector<double>(3 * hosts, 1.0));
  std::vector<FlowId> ids;
  for (Constraint host = 0; host < hosts; ++host) {
    AlternativePaths paths;
    for (Constraint spine = 0; spine < hosts; ++spine) paths.push_back({host, hosts + spine, 2 * hosts + spine});
    ids.push_back(rates.add(paths));
  }
  rates.update();
  for (const FlowId id : ids) {
    EXPECT_EQ(rates.rate(id), rates.rate(ids[0]));
    for (const double share : rates.shares(id)) EXPECT_EQ(share, 1.0 / hosts);
  }
  EXPECT_NEAR(rates.rate(ids[0]), 1, 1e-12);
}

// Two leaves, spines with cables missing at random: flows from host links over (up, down) pairs.
struct RandomFlows {
  std::vector<double> capacity;
  std::vector<AlternativePaths> flows;
};

RandomFlows random_flows(Random& random) {
  const auto spines = static_cast<Constraint>(2 + random.below(4));
  const auto leaves = static_cast<Constraint>(2 + random.below(3));
  const auto count = static_cast<Constraint>(1 + random.below(8));
  RandomFlows made;
  for (Constraint link = 0; link < 2 * leaves * spines; ++link) {
    made.capacity.push_back(random.below(6) == 0 ? 0.5 : 1.0);
  }
  for (Constraint flow = 0; flow < count; ++flow) {
    const auto host = static_cast<Constraint>(made.capacity.size());
    made.capacity.push_back(1);
    const auto from = static_cast<Constraint>(random.below(leaves));
    const auto to = static_cast<Constraint>((from + 1 + random.below(leaves - 1)) % leaves);
    AlternativePaths paths;
    for (Constraint spine = 0; spine < spines; ++spine) {
      if (random.below(4) == 0 && (spine + 1 < spines || !paths.empty())) continue;
      paths.push_back({host, from * spines + spine, (leaves + to) * spines + spine});
    }
    made.flows.push_back(paths);
  }
  return made;
}

/// The least load of the most loaded link, by a fine-grained greedy: every flow's packets, one at a time round the
/// flows, each to the path whose links are then least loaded, and moved again for many rounds. A feasible split, so
/// never below the true minimum.
double least_worst_load_by_packets(const RandomFlows& made, Random& random) {
  constexpr int packets = 60;
  constexpr int rounds = 60;
  std::vector<double> load(made.capacity.size(), 0);
  const auto put = [&](const std::vector<Constraint>& path, double amount) {
    for (const Constraint constraint : path) load[constraint] += amount / made.capacity[constraint];
  };
  std::vector<std::vector<std::size_t>> taken(made.flows.size(), std::vector<std::size_t>(packets, no_id));
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < rounds; ++round) {
    for (int packet = 0; packet < packets; ++packet) {
      for (std::size_t flow = 0; flow < made.flows.size(); ++flow) {
        const AlternativePaths& paths = made.flows[flow];
        std::size_t& own = taken[flow][static_cast<std::size_t>(packet)];
        if (own != no_id) put(paths[own], -1.0 / packets);
        std::vector<double> worst;
        for (const auto& path : paths) {
          double most = 0;
          for (const Constraint c : path) most = std::max(most, load[c] + 1.0 / packets / made.capacity[c]);
          worst.push_back(most);
        }
        const std::size_t first = random.below(paths.size());
        own = first;
        for (std::size_t i = 0; i < paths.size(); ++i) {
          if (worst[i] < worst[own] - 1e-12) own = i;
        }
        put(paths[own], 1.0 / packets);
      }
    }
    best = std::min(best, *std::max_element(load.begin(), load.end()));
  }
  return best;
}

TEST(AdaptiveRates, LoadTheMostLoadedLinkHardlyMoreThanAnySplitOfPackets) {
  for (std::uint64_t seed = 0; seed < test::tries(75U, 300U); ++seed) {
    Random random(seed);
    const RandomFlows made = random_flows(random);
    AdaptiveRates rates(made.capacity);
    const auto ids = all_of(rates, made.flows);
    std::vector<double> load(made.capacity.size(), 0);
    for (std::size_t flow = 0; flow < ids.size(); ++flow) {
      const auto shares = rates.shares(ids[flow]);
      EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), 1, 1e-9) << "seed " << seed;
      for (std::size_t path = 0; path < shares.size(); ++path) {
        EXPECT_GE(shares[path], 0) << "seed " << seed;
        // What a flow offers is 1 here: its host's link, and alone on it, unless a link that it can't avoid has less.
        for (const Constraint c : made.flows[flow][path]) load[c] += shares[path] / made.capacity[c];
      }
    }
    bool all_offer_one = true;
    for (const AlternativePaths& paths : made.flows) all_offer_one = all_offer_one && paths.size() > 1;
    if (!all_offer_one) continue;
    const double worst = *std::max_element(load.begin(), load.end());
    EXPECT_LE(worst, 1.03 * least_worst_load_by_packets(made, random)) << "seed " << seed;
  }
}

// The definition: on some full link of each flow none that uses it is faster; no link carries more than it can.
TEST(AdaptiveRates, RatesAreMaxMinFairAtTheirShares) {
  for (std::uint64_t seed = 0; seed < test::tries(100U, 300U); ++seed) {
    Random random(seed);
    const RandomFlows made = random_flows(random);
    AdaptiveRates rates(made.capacity);
    const auto ids = all_of(rates, made.flows);
    std::vector<double> carried(made.capacity.size(), 0);
    std::vector<double> fastest(made.capacity.size(), 0);
    for (std::size_t flow = 0; flow < ids.size(); ++flow) {
      for (std::size_t path = 0; path < made.flows[flow].size(); ++path) {
        const double share = rates.shares(ids[flow])[path];
        for (const Constraint c : made.flows[flow][path]) {
          carried[c] += share * rates.rate(ids[flow]);
          if (share > 0) fastest[c] = std::max(fastest[c], rates.rate(ids[flow]));
        }
      }
    }
    for (std::size_t c = 0; c < carried.size(); ++c) EXPECT_LE(carried[c], made.capacity[c] * (1 + 1e-9)) << seed;
    for (std::size_t flow = 0; flow < ids.size(); ++flow) {
      bool limited = false;
      for (std::size_t path = 0; path < made.flows[flow].size(); ++path) {
        if (rates.shares(ids[flow])[path] == 0) continue;
        for (const Constraint c : made.flows[flow][path]) {
          limited = limited ||
                    (carried[c] > made.capacity[c] * (1 - 1e-9) && fastest[c] <= rates.rate(ids[flow]) * (1 + 1e-9));
        }
      }
      EXPECT_TRUE(limited) << "flow " << flow << ", seed " << seed;
    }
  }
}

}  // namespace
}  // namespace ayatori
