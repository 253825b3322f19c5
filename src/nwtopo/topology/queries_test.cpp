#include "ayatori/topology/queries.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <set>

#include "ayatori/base/random.hpp"
#include "ayatori/sources/topology.hpp"
#include "ayatori/topology/faults.hpp"
#include "ayatori/topology/grid.hpp"
#include "ayatori/topology/subset.hpp"
#include "forwarding.hpp"
#include "topology_fixtures.hpp"

namespace ayatori {
namespace queries_test {

TopologyPtr opened(std::string_view source) {
  auto topology = open_topology(source);
  if (!topology) throw std::runtime_error(topology.error().message);
  return *topology;
}

/// The same topology, but its grid no longer answers by itself: everything goes by search.
class Searched final : public ForwardingTopology {
 public:
  explicit Searched(TopologyPtr topology) : ForwardingTopology(std::move(topology)) {
    if (const GridShape* shape = base().grid(base().object_at(base().max_height(), 0))) {
      shape_ = *shape;
      shape_.regular = false;
    }
  }
  const GridShape* grid(ObjectId id) const override { return base().grid(id) == nullptr ? nullptr : &shape_; }

 private:
  GridShape shape_;
};

/// Every route of exactly `length` links, by trying all links; in the order of their link indices.
void all_routes(const Topology& topology, ObjectId here, ObjectId to, std::uint32_t length,
                std::vector<RouteStep>& route, std::vector<std::vector<RouteStep>>& routes) {
  if (length == 0) {
    if (here == to) routes.push_back(route);
    return;
  }
  if (!route.empty() && topology.kind(here) == ObjectKind::machine && !topology.direct()) return;
  for (std::uint32_t i = 0; i < topology.link_count(here); ++i) {
    route.push_back({here, i});
    all_routes(topology, topology.link(here, i).to, to, length - 1, route, routes);
    route.pop_back();
  }
}

std::vector<std::vector<RouteStep>> all_shortest_routes(const Topology& topology, ObjectId from, ObjectId to) {
  for (std::uint32_t length = 0; length < 16; ++length) {
    std::vector<RouteStep> route;
    std::vector<std::vector<RouteStep>> routes;
    all_routes(topology, from, to, length, route, routes);
    if (!routes.empty()) return routes;
  }
  return {};
}

std::vector<std::pair<ObjectId, std::uint32_t>> as_pairs(const std::vector<RouteStep>& route) {
  std::vector<std::pair<ObjectId, std::uint32_t>> pairs;
  for (const RouteStep& step : route) pairs.emplace_back(step.from, step.index);
  return pairs;
}

class ShortestRoute : public testing::TestWithParam<const char*> {};

TEST_P(ShortestRoute, FindsTheRoutesThatTryingEveryLinkFinds) {
  const auto topology = opened(GetParam());
  Random random(7);
  for (int trial = 0; trial < 12; ++trial) {
    const ObjectId from = random.below(topology->machine_count());
    const ObjectId to = random.below(topology->machine_count());
    const auto expected = all_shortest_routes(*topology, from, to);
    ASSERT_FALSE(expected.empty());
    EXPECT_EQ(hops(*topology, from, to), expected.front().size()) << from << " " << to;
    ASSERT_EQ(count_routes(*topology, from, to), expected.size()) << from << " " << to;
    for (std::size_t which = 0; which < expected.size(); ++which) {
      const auto route = shortest_route(*topology, from, to, which);
      ASSERT_TRUE(route);
      EXPECT_EQ(as_pairs(*route), as_pairs(expected[which])) << from << " " << to << " " << which;
    }
    EXPECT_FALSE(shortest_route(*topology, from, to, expected.size()));
  }
}

INSTANTIATE_TEST_SUITE_P(On, ShortestRoute,
                         testing::Values("torus:4x4", "torus:5x2x3", "torus:2x2", "torus:1x4", "mesh:3x4", "torus:7",
                                         "torus:4x4x2"));
INSTANTIATE_TEST_SUITE_P(OnImages, ShortestRoute,
                         testing::Values("fattree:K=2,levels=2", "fattree:K=2,levels=3", "full:5,hosts=2",
                                         "xgft:h=2;m=2,3;w=1,2;p=1,2", "xgft:h=2;m=2,3;w=2,2", "torus:3x3,hosts=2"));

TEST(Queries, InGridsByFormulaAgreeWithSearch) {
  Random random(11);
  for (const char* source : {"torus:4x6x5", "mesh:4x6x5", "torus:2x3x2x2", "torus:9", "mesh:1x1x8"}) {
    const auto formula = opened(source);
    const Searched search(formula);
    std::vector<ObjectId> some;
    for (int i = 0; i < 10; ++i) some.push_back(random.below(formula->machine_count()));
    EXPECT_EQ(distances(*formula, some), distances(search, some)) << source;
    for (const ObjectId from : some) {
      EXPECT_EQ(nearest_machines(*formula, from, 9), nearest_machines(search, from, 9)) << source;
      for (const ObjectId to : some) {
        EXPECT_EQ(hops(*formula, from, to), hops(search, from, to)) << source << " " << from << " " << to;
        EXPECT_EQ(count_routes(*formula, from, to), count_routes(search, from, to)) << source;
        EXPECT_EQ(as_pairs(*shortest_route(*formula, from, to, 0)), as_pairs(*shortest_route(search, from, to, 0)));
      }
    }
  }
}

TEST(Queries, InBoxesByFormulaAgreeWithSearch) {
  Random random(13);
  for (int trial = 0; trial < 20; ++trial) {
    const auto torus = opened("torus:5x4x6");
    std::vector<ObjectId> inside;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> intervals;  // start and length
    for (const std::uint32_t length : {5U, 4U, 6U}) {
      intervals.emplace_back(random.below(length), 1 + random.below(length));
    }
    for (ObjectId id = 0; id < torus->machine_count(); ++id) {
      const std::uint64_t at[] = {id / 24, id / 6 % 4, id % 6};
      const std::uint64_t lengths[] = {5, 4, 6};
      bool in = true;
      for (int i = 0; i < 3; ++i) {
        in = in && (at[i] + lengths[i] - intervals[i].first) % lengths[i] < intervals[i].second;
      }
      if (in) inside.push_back(id);
    }
    const auto box = make_subset(torus, inside);
    ASSERT_TRUE(box);
    const Searched search(*box);
    EXPECT_EQ(distances(**box, inside), distances(search, inside)) << "trial " << trial;
  }
}

TEST(ShortestRoute, ZeroOfATorusGoesDimensionByDimension) {
  const auto torus = opened("torus:8x8x8");
  const auto route = shortest_route(*torus, 0, 2 * 64 + 7 * 8 + 3, 0);
  ASSERT_TRUE(route);
  std::vector<ObjectId> passed;
  for (const RouteStep& step : *route) passed.push_back(torus->link(step.from, step.index).to);
  EXPECT_EQ(passed, (std::vector<ObjectId>{64, 128, 184, 185, 186, 187}));
}

TEST(Hops, AcrossAMillionMachinesOfATorusNeedNoSearch) {
  const auto torus = opened("torus:100x100x100");
  EXPECT_EQ(hops(*torus, 0, 505050), 150U);
  EXPECT_EQ(hops(*torus, 0, 999999), 3U);
  EXPECT_EQ(count_routes(*torus, 0, 10101), 6U);
  EXPECT_EQ(count_routes(*torus, 0, 505050), ~std::uint64_t{0});
  EXPECT_EQ(shortest_route(*torus, 0, 505050, 0)->size(), 150U);
  EXPECT_EQ(nearest_machines(*torus, 0, 6), (std::vector<ObjectId>{1, 99, 100, 9900, 10000, 990000}));
}

TEST(Queries, AvoidLinksThatAreTakenOut) {
  const auto torus = take_out(opened("torus:4x4"), "N0-1,N1-0:2");
  ASSERT_TRUE(torus);
  const Searched search(*torus);
  EXPECT_EQ(hops(**torus, 0, 1), unreachable);
  EXPECT_EQ(hops(**torus, 0, 2), 2U);
  EXPECT_EQ(hops(**torus, 4, 8), 3U);
  EXPECT_EQ(count_routes(**torus, 0, 1), 0U);
  EXPECT_EQ(shortest_route(**torus, 0, 1, 0).error().message, "no path from N0-0 to N0-1");
  std::vector<ObjectId> all(16);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(distances(**torus, all), distances(search, all));

  const auto tree = take_out(opened("fattree:K=2,levels=2"), "LS1");
  ASSERT_TRUE(tree);
  EXPECT_EQ(hops(**tree, 0, 2), unreachable);
  EXPECT_EQ(hops(**tree, 0, 4), 4U);
  EXPECT_EQ(nearest_machines(**tree, 0, 8).size(), 5U);
}

TEST(Queries, CommonAncestorsAndMachinesUnderFollowTheTree) {
  const auto tree = opened("fattree:K=3,levels=2,nodes=12");
  const ObjectId leaf = tree->parent(0, 0);
  EXPECT_EQ(common_ancestors(*tree, 0, 1), std::vector<ObjectId>{leaf});
  EXPECT_EQ(common_ancestors(*tree, 0, 0), std::vector<ObjectId>{0});
  EXPECT_EQ(common_ancestors(*tree, 0, leaf), std::vector<ObjectId>{leaf});
  const auto roots = common_ancestors(*tree, 0, 3);
  ASSERT_EQ(roots.size(), 3U);
  for (const ObjectId root : roots) {
    EXPECT_EQ(tree->height(root), 2U);
    EXPECT_EQ(machines_under(*tree, root).size(), 12U);
  }
  EXPECT_EQ(machines_under(*tree, leaf), (std::vector<ObjectId>{0, 1, 2}));
  EXPECT_EQ(nearest_machines(*tree, 4, 3), (std::vector<ObjectId>{3, 5, 0}));
  EXPECT_EQ(nearest_machines(*tree, 0, 100).size(), 11U);
}

TEST(MachineCoordinates, AreThoseOfThePointThatTheMachineLiesBelow) {
  for (const char* source : {"torus:3x4x2", "mesh:5", "torus:2x3,hosts=2", "hyperx:3x2,hosts=2"}) {
    const auto topology = opened(source);
    ObjectId grid = no_object;
    for (ObjectId id = 0; id < topology->id_end(); ++id) {
      if (topology->grid(id) != nullptr) grid = id;
    }
    ASSERT_NE(grid, no_object) << source;
    const GridShape& shape = *topology->grid(grid);
    const auto table = machine_coordinates(*topology, grid);
    ASSERT_EQ(table.size(), topology->machine_count() * shape.dimensions.size()) << source;
    std::vector<std::uint32_t> here(shape.dimensions.size());
    std::size_t seen = 0;
    for (std::uint64_t point = 0; point < shape.points(); ++point) {
      EXPECT_EQ(coordinates_of_point(shape, point), here) << source;
      for (const ObjectId machine : machines_under(*topology, topology->grid_child(grid, point))) {
        EXPECT_EQ(point_in_grid(*topology, grid, machine), point) << source;
        const auto* const row = &table[topology->machine_index(machine) * here.size()];
        EXPECT_TRUE(std::equal(here.begin(), here.end(), row)) << source << " machine " << machine;
        ++seen;
      }
      for (std::size_t d = here.size(); d-- > 0;) {  // the next point, as an odometer counts
        if (++here[d] < shape.dimensions[d]) break;
        here[d] = 0;
      }
    }
    EXPECT_EQ(seen, topology->machine_count()) << source;
  }
}

TEST(PointInGrid, IsNothingForTheGridItselfAndForWhatLiesOutside) {
  const auto torus = opened("torus:3x4");
  const ObjectId grid = torus->parent(0, 0);
  EXPECT_EQ(point_in_grid(*torus, grid, grid), std::nullopt);
  EXPECT_EQ(child_of_grid(*torus, grid, grid), no_object);
  EXPECT_EQ(child_of_grid(*torus, grid, 5), 5U);
  const auto tree = opened("fattree:K=2,levels=2");
  EXPECT_EQ(child_of_grid(*tree, tree->id_end(), 0), no_object);
}

/// The narrowest cut by trying every set of objects on a's side.
double narrowest_cut(const Topology& topology, std::span<const ObjectId> a, std::span<const ObjectId> b) {
  std::vector<ObjectId> between;
  for (ObjectId id = 0; id < topology.id_end(); ++id) {
    const bool end = std::ranges::count(a, id) + std::ranges::count(b, id) > 0;
    if (!end && (topology.kind(id) == ObjectKind::router || (topology.direct() && topology.height(id) == 0))) {
      between.push_back(id);
    }
  }
  double narrowest = std::numeric_limits<double>::infinity();
  for (std::uint32_t choice = 0; choice < 1U << between.size(); ++choice) {
    std::set<ObjectId> side(a.begin(), a.end());
    for (std::size_t i = 0; i < between.size(); ++i) {
      if ((choice >> i & 1) != 0) side.insert(between[i]);
    }
    double width = 0;
    for (const ObjectId id : side) {
      for (std::uint32_t i = 0; i < topology.link_count(id); ++i) {
        const TopologyLink link = topology.link(id, i);
        const bool counts =
            topology.kind(link.to) != ObjectKind::machine || topology.direct() || std::ranges::count(b, link.to) > 0;
        if (counts && !side.contains(link.to)) width += link.rate.bytes_per_second();
      }
    }
    narrowest = std::min(narrowest, width);
  }
  return narrowest;
}

TEST(CutBetween, IsTheNarrowestOfAllCuts) {
  Random random(5);
  for (const char* source : {"torus:3x4", "mesh:2x5", "fattree:K=2,levels=2", "xgft:h=2;m=3,3;w=1,2;p=1,2",
                             "full:4,hosts=3", "torus:2x3,hosts=2,rate=4xNDR"}) {
    const auto topology = opened(source);
    for (int trial = 0; trial < 5; ++trial) {
      std::vector<ObjectId> machines(topology->machine_count());
      std::iota(machines.begin(), machines.end(), 0);
      random.shuffle(std::span(machines));
      const std::size_t count_a = 1 + random.below(machines.size() / 2);
      const std::span<const ObjectId> all(machines);
      const auto a = all.first(count_a);
      const auto b = all.subspan(count_a, 1 + random.below(machines.size() / 2));
      const auto cut = cut_between(*topology, a, b);
      ASSERT_TRUE(cut);
      EXPECT_DOUBLE_EQ(cut->bandwidth, narrowest_cut(*topology, a, b)) << source << " trial " << trial;
      EXPECT_GT(cut->num_links, 0U);
    }
  }
}

TEST(CutBetween, GivesTheOversubscriptionOfATree) {
  const auto tapered = opened("xgft:h=2;m=6,4;w=1,2;p=1,1");  // leaves with 6 hosts and 2 cables up
  std::vector<ObjectId> left(12);
  std::vector<ObjectId> right(12);
  std::iota(left.begin(), left.end(), 0);
  std::iota(right.begin(), right.end(), 12);
  const auto cut = cut_between(*tapered, left, right);
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->num_links, 4U);
  EXPECT_DOUBLE_EQ(cut->oversubscription(), 3.0);
}

/// A spine over three leaves with a host each; the rate of the spine's cable to leaf i is rates[i].
TopologyPtr leaves_with_rates(const std::array<LinkRate, 3>& rates) {
  NetworkBuilder builder;
  const auto spine = builder.add_router("spine", 0x1000, 8);
  for (std::size_t i = 0; i < rates.size(); ++i) {
    const auto leaf = builder.add_router(fmt::format("leaf{}", i), 0x2000 + i, 8);
    plug(builder, spine, static_cast<int>(i) + 1, leaf, 8, rates[i]);
    add_host(builder, fmt::format("h{}", i), leaf, 1);
  }
  return got(make_image_topology(built(builder)));
}

TEST(CutBetween, IsNotKnownWhereUnknownRatesDecideIt) {
  const LinkRate hdr{4, LaneSpeed::hdr};
  const LinkRate sdr{1, LaneSpeed::sdr};
  const auto topology = leaves_with_rates({hdr, sdr, {}});
  const std::vector<ObjectId> a = {0};
  const std::vector<ObjectId> b = {1};
  const std::vector<ObjectId> c = {2};
  const auto known = cut_between(*topology, a, b);
  EXPECT_EQ(known->bandwidth, sdr.bytes_per_second());
  const auto unknown = cut_between(*topology, a, c);
  EXPECT_EQ(unknown->bandwidth, 0);
  EXPECT_EQ(unknown->oversubscription(), 0);
  EXPECT_EQ(unknown->num_links, 1U) << "the fewest links";
  EXPECT_GT(unknown->injection, 0);
  // Whatever the third leaf's cable carries, the second one's lets no more through.
  const std::vector<ObjectId> a_and_c = {0, 2};
  EXPECT_EQ(cut_between(*topology, a_and_c, b)->bandwidth, sdr.bytes_per_second());
  const auto no_route = cut_between(*got(take_out(topology, "spine:1")), a, c);
  EXPECT_EQ(no_route->bandwidth, 0);
  EXPECT_EQ(no_route->num_links, 0U);
}

TEST(CutBetween, OfASubsetOfAFullNetworkGoesByItsOwnLinks) {
  const auto full = opened("full:8");
  const std::vector<ObjectId> chosen = {0, 1, 2, 3};
  const auto part = got(make_subset(full, chosen));
  EXPECT_EQ(part->transit(), nullptr);
  const auto all = std::span(chosen);
  const auto cut = cut_between(*part, all.first(1), all.subspan(1, 1));
  EXPECT_EQ(cut->num_links, 3U);
  EXPECT_DOUBLE_EQ(cut->bandwidth, 3 * LinkRate({4, LaneSpeed::hdr}).bytes_per_second());
}

TEST(CutBetween, RefusesSetsThatAreEmptyOrOverlap) {
  const auto torus = opened("torus:4");
  const std::vector<ObjectId> one = {0};
  const std::vector<ObjectId> same = {1, 0};
  EXPECT_EQ(cut_between(*torus, one, {}).error().message, "a cut needs machines on both sides");
  EXPECT_EQ(cut_between(*torus, one, same).error().message, "N0 comes twice in the cut");
}

}  // namespace queries_test
}  // namespace ayatori
