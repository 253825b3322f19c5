// Loads of all pairs against paths that are followed one by one.
#include "ayatori/contention/all_pairs.hpp"

#include <gtest/gtest.h>

#include <map>

#include "tree_fixtures.hpp"

namespace ayatori::all_pairs_test {
namespace {

/// The same, path by path.
AllPairs one_by_one(const Network& network, const Routes& routes, LidsOfPairs which) {
  AllPairs found;
  std::map<PortId, std::uint64_t> load;
  for (const PortId to : network.endpoints()) {
    const LidRange range = routes.lids.of(to);
    for (std::uint32_t j = 0; j < (which == LidsOfPairs::all ? range.count() : 1); ++j) {
      for (const PortId from : network.endpoints()) {
        if (from == to) continue;
        std::vector<PortId> path;
        const bool arrives =
            trace(network, routes, from, static_cast<Lid>(range.base + j), [&](PortId link) { path.push_back(link); });
        ++found.paths;
        found.unreachable += arrives ? 0 : 1;
        if (!arrives) continue;
        found.longest = std::max(found.longest, static_cast<std::uint32_t>(path.size()));
        for (std::size_t i = 1; i + 1 < path.size(); ++i) found.busiest = std::max(found.busiest, ++load[path[i]]);
      }
    }
  }
  found.idle = load.size();  // used ones, here
  return found;
}

void expect_same(const Network& network, const Routes& routes) {
  for (const LidsOfPairs which : {LidsOfPairs::base, LidsOfPairs::all}) {
    const AllPairs found = measure_all_pairs(network, routes, which);
    const AllPairs expected = one_by_one(network, routes, which);
    EXPECT_EQ(found.paths, expected.paths);
    EXPECT_EQ(found.unreachable, expected.unreachable);
    EXPECT_EQ(found.longest, expected.longest);
    EXPECT_EQ(found.links - found.idle, expected.idle);
    EXPECT_EQ(found.busiest, expected.busiest);
  }
}

TEST(MeasureAllPairs, CountsWhatPathsTake) {
  const test::Tree trees[] = {{.down = {3, 4}, .up = {3}},
                              {.down = {2, 3, 3}, .up = {2, 2}, .scramble = 7},
                              {.down = {4, 3}, .up = {2}, .hosts = 10, .missing = {1}}};
  for (const test::Tree& tree : trees) {
    for (const int lmc : {0, 2}) {
      const test::Fabric fabric = test::make(tree, lmc);
      expect_same(fabric.network, fabric.routes);
      EXPECT_EQ(measure_all_pairs(fabric.network, fabric.routes, LidsOfPairs::base).unreachable, 0U);
    }
  }
}

TEST(MeasureAllPairs, PathsThatDoNotArriveAreUnreachable) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    test::Fabric fabric = test::make({.down = {3, 4}, .up = {3}}, 1);
    for (int i = 0; i < 8; ++i) {
      const auto router = static_cast<DeviceId>(random.below(fabric.network.router_count()));
      const auto lid = static_cast<Lid>(random.below(std::uint64_t{fabric.routes.tables.last_lid()} + 1));
      fabric.routes.tables.set_out(router, lid, static_cast<PortNumber>(random.below(8)));
    }
    const AllPairs found = measure_all_pairs(fabric.network, fabric.routes, LidsOfPairs::all);
    const AllPairs expected = one_by_one(fabric.network, fabric.routes, LidsOfPairs::all);
    EXPECT_EQ(found.paths, expected.paths);
    EXPECT_EQ(found.unreachable, expected.unreachable);
    EXPECT_EQ(found.longest, expected.longest);
  }
}

}  // namespace
}  // namespace ayatori::all_pairs_test
