#include "channel_order.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

#include "fabric_fixtures.hpp"

namespace ayatori {
namespace {

using Dependency = std::pair<ChannelId, ChannelId>;

/// Slow and simple: whether packets that hold `from` may wait for `goal`.
bool leads_to(const std::map<Dependency, int>& uses, ChannelId from, ChannelId goal, std::vector<bool>& seen) {
  if (from == goal) return true;
  if (seen[from]) return false;
  seen[from] = true;
  for (auto next = uses.lower_bound({from, 0}); next != uses.end() && next->first.first == from; ++next) {
    if (leads_to(uses, next->first.second, goal, seen)) return true;
  }
  return false;
}

/// Any channel, and any that leaves where it ends, but for the way back.
Dependency any_dependency(const Channels& channels, Random& random) {
  while (true) {
    const auto before = static_cast<ChannelId>(random.below(channels.size()));
    const DeviceId router = channels[before].to;
    const auto after = static_cast<ChannelId>(channels.first(router) + random.below(channels.count(router)));
    if (after != channels[before].back) return {before, after};
    if (channels.count(router) == 1 && channels.size() == 2) return {before, after};
  }
}

TEST(ChannelOrderProperty, RefusesExactlyWhatClosesACycle) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const Network network = test::random_graph(random).build();
    const RouterGraph graph(network);
    const Channels channels(graph);
    if (channels.size() < 6) continue;
    ChannelOrder order(channels);
    std::map<Dependency, int> uses;
    for (int i = 0; i < 400; ++i) {
      const Dependency wanted = any_dependency(channels, random);
      if (uses.contains(wanted) && random.below(2) == 0) {
        order.remove(wanted.first, wanted.second);
        if (--uses[wanted] == 0) uses.erase(wanted);
        continue;
      }
      std::vector<bool> seen(channels.size(), false);
      const bool closes_cycle = leads_to(uses, wanted.second, wanted.first, seen);
      ASSERT_EQ(order.add(wanted.first, wanted.second), !closes_cycle);
      if (!closes_cycle) ++uses[wanted];
      for (const auto& [dependency, count] : uses) ASSERT_TRUE(order.allows(dependency.first, dependency.second));
    }
  }
}

TEST(ChannelOrder, GivesUpASearchThatIsTooLong) {
  const Network network = test::open("torus:6x6");
  const RouterGraph graph(network);
  const Channels channels(graph);
  Random random(1);
  ChannelOrder patient(channels);
  ChannelOrder hasty(channels);
  int only_patient = 0;
  for (int i = 0; i < 2000; ++i) {
    const auto [before, after] = any_dependency(channels, random);
    const bool added = patient.add(before, after);
    const bool quickly = hasty.add(before, after, 1);
    only_patient += added && !quickly ? 1 : 0;
  }
  EXPECT_GT(only_patient, 0);
}

}  // namespace
}  // namespace ayatori
