// Switches that no host needs change no plan: as many hot spots, and as much bandwidth, as without them.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <vector>

#include "../../base/thoroughness_fixtures.hpp"
#include "../routing/idle_fixtures.hpp"
#include "ayatori/network/job.hpp"
#include "ayatori/planning/make_plan.hpp"
#include "ayatori/routing/generate.hpp"
#include "ayatori/schedule/pattern.hpp"

namespace ayatori {
namespace idle_routers_test {

/// The places among a network's endpoints of a random job.
std::vector<std::size_t> random_places(std::size_t endpoints, Random& random) {
  std::vector<std::size_t> places(endpoints);
  for (std::size_t i = 0; i < endpoints; ++i) places[i] = i;
  random.shuffle(std::span(places));
  places.resize(std::min<std::size_t>(endpoints, 4 + random.below(13)));
  return places;
}

struct Outcome {
  Planned planned;
  std::uint32_t paths = 0;
};

Outcome plan_of(const Network& network, const std::vector<std::size_t>& places, Method method) {
  const auto generated = generate_routes(network, choose_lmc(network).value().lmc).value();
  std::vector<PortId> endpoints;
  for (const std::size_t place : places) endpoints.push_back(network.endpoints()[place]);
  const auto steps = shift_all_to_all(static_cast<Rank>(places.size()));
  return {make_plan(network, generated.routes, endpoints, *steps, method).value(), generated.paths};
}

TEST(IdleRoutersProperty, ChangeNoPlan) {
  const int seeds = test::tries(40, 1000);
  for (int seed = 1; seed <= seeds; ++seed) {
    const auto trees = test::with_and_without_idle(static_cast<std::uint64_t>(seed));
    if (!trees) continue;
    SCOPED_TRACE(fmt::format("seed {}, {}", seed, trees->source));
    Random random(static_cast<std::uint64_t>(seed));
    const auto places = random_places(trees->without.endpoints().size(), random);
    for (const Method method : {Method::base_lids, Method::rule, Method::pair}) {
      const Outcome without = plan_of(trees->without, places, method);
      const Outcome with = plan_of(trees->with, places, method);
      EXPECT_EQ(with.paths, without.paths);
      EXPECT_EQ(with.planned.contention.free, without.planned.contention.free);
      EXPECT_EQ(with.planned.hot_spots, without.planned.hot_spots);
      EXPECT_EQ(with.planned.contention.relative_bandwidth, without.planned.contention.relative_bandwidth);
      EXPECT_EQ(with.planned.max_relative_bandwidth, without.planned.max_relative_bandwidth);
    }
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace idle_routers_test
}  // namespace ayatori
