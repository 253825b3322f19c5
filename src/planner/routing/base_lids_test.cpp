#include <fmt/core.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "ayatori/routing/generate.hpp"
#include "fabric_fixtures.hpp"

namespace ayatori {
namespace {

using test::Blueprint;

/// Base LIDs go to the same destinations by the same ports of all routers as at LMC 0, at every LMC that fits; so do
/// those of routers and aggregation ports. The numbers of the endpoints may be others than their places.
void expect_base_lids_of_lmc_0(const Network& network, const std::vector<std::uint32_t>& numbers = {}) {
  const Routes plain = generate_routes(network, 0, numbers).value().routes;
  for (int lmc = 1; lmc <= max_lmc; ++lmc) {
    SCOPED_TRACE(fmt::format("LMC {}", lmc));
    const auto generated = generate_routes(network, lmc, numbers);
    if (!generated) break;  // LIDs don't suffice
    const Routes& routes = generated->routes;
    ASSERT_EQ(routes.lids.ranges().size(), plain.lids.ranges().size());
    for (const LidRange& range : plain.lids.ranges()) {
      const Lid base = routes.lids.of(range.port).base;
      ASSERT_NE(base, 0);
      for (DeviceId router = 0; router < network.router_count(); ++router) {
        ASSERT_EQ(routes.tables.out(router, base), plain.tables.out(router, range.base))
            << network.name(router) << " to " << network.name(network.port(range.port).device);
      }
    }
    EXPECT_EQ(count_base_differences(network, plain, routes).value(), 0U);
  }
}

/// Numbers as jobs of random sizes give them.
std::vector<std::uint32_t> random_numbers(const Network& network, Random& random) {
  std::vector<std::uint32_t> numbers(network.endpoints().size());
  for (std::uint32_t& number : numbers) number = static_cast<std::uint32_t>(random.below(numbers.size()));
  return numbers;
}

TEST(BaseLids, OfWholeNetworksHaveTheEntriesOfLmc0) {
  for (const char* source :
       {"fattree:K=6,levels=2,nodes=30", "fattree:K=3,levels=3", "fattree:K=2,levels=4", "xgft:m=6,8;w=1,3;p=1,2",
        "xgft:m=4,3;w=1,2;p=1,4", "xgft:m=4,4,4;w=1,2,2;p=1,2,2", "torus:4x5", "mesh:3x4", "full:7,hosts=2"}) {
    SCOPED_TRACE(source);
    expect_base_lids_of_lmc_0(test::open(source));
  }
}

TEST(BaseLidsProperty, OfBrokenTreesHaveTheEntriesOfLmc0) {
  const std::array sources = {"fattree:K=4,levels=2", "fattree:K=6,levels=2,nodes=30", "fattree:K=3,levels=3",
                              "xgft:m=4,6;w=1,3;p=1,2", "xgft:m=3,3,3;w=1,2,2;p=1,2,1"};
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    Blueprint blueprint = test::blueprint_of(test::open(sources[seed % sources.size()]));
    for (DeviceId router = 0; router < blueprint.routers; ++router) {
      if (random.below(3) == 0) blueprint.aggregation_nodes.push_back(router);
    }
    test::pull_cables(blueprint, seed % 2 == 0 ? 0.05 : 0.2, random);
    const Network network = blueprint.build();
    expect_base_lids_of_lmc_0(network);
    expect_base_lids_of_lmc_0(network, random_numbers(network, random));
    if (HasFailure()) return;
  }
}

TEST(BaseLidsProperty, OfRandomTreesAndOtherNetworksHaveTheEntriesOfLmc0) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    expect_base_lids_of_lmc_0(
        (seed % 2 == 0 ? test::random_graph(random) : test::random_tree(2 + seed % 3, random)).build());
    if (HasFailure()) return;
  }
}

TEST(BaseLids, OfNetworksInPartsHaveTheEntriesOfLmc0) {
  const Network network =
      Blueprint{7, {{0, 2}, {0, 3}, {1, 2}, {1, 3}, {1, 3}, {4, 6}, {4, 6}, {5, 6}}, {0, 0, 1, 1, 4, 4, 4, 5}, {1, 6}}
          .build();
  expect_base_lids_of_lmc_0(network);
}

TEST(BaseLids, OfThePapersNumberingDiffer) {
  const Network network = test::open("fattree:K=6,levels=2,nodes=30");
  const Routes plain = generate_routes(network, 0).value().routes;
  const Routes by_root = generate_routes(network, 3, {}, PathNumbering::by_root).value().routes;
  // At each of 5 leaves the entries for the 20 hosts on others that do not go by root 0.
  EXPECT_EQ(count_base_differences(network, plain, by_root).value(), 100U);
}

}  // namespace
}  // namespace ayatori
