#include "ayatori/topology/subset.hpp"

#include <fmt/ranges.h>

#include <filesystem>
#include <map>
#include <numeric>

#include <unistd.h>

#include "../../base/thoroughness_fixtures.hpp"
#include "ayatori/base/random.hpp"
#include "number_set.hpp"
#include "topology_fixtures.hpp"

namespace ayatori {
namespace subset_test {

using Ids = std::vector<ObjectId>;
using Lengths = std::vector<std::uint32_t>;

TopologyPtr subset_of(const TopologyPtr& base, const Ids& machines) { return got(make_subset(base, machines)); }

TopologyPtr formula(Lengths dimensions, bool periodic) {
  GridFormula formula;
  formula.periodic.assign(dimensions.size(), periodic);
  formula.dimensions = std::move(dimensions);
  return make_grid_topology(formula);
}

Ids random_machines(const Topology& topology, Random& random, std::uint64_t most) {
  Ids all(topology.machine_count());
  for (std::uint64_t i = 0; i < all.size(); ++i) all[i] = topology.machine(i);
  random.shuffle(std::span(all));
  all.resize(1 + random.below(std::min<std::uint64_t>(most, all.size())));
  return all;
}

Ids routers_in(const Topology& topology) {
  Ids found = ids_of(topology);
  std::erase_if(found, [&](ObjectId id) { return topology.kind(id) != ObjectKind::router; });
  return found;
}

Ids named(const Topology& topology, std::initializer_list<const char*> names) {
  Ids found;
  for (const char* name : names) found.push_back(topology.find(name).value());
  return found;
}

TEST(NumberSet, RankAndSelectAgreeWithASortedList) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const std::uint64_t size = 1 + random.below(5000);
    const std::uint64_t density = 1 + random.below(100);
    std::vector<std::uint64_t> members;
    for (std::uint64_t i = 0; i < size; ++i) {
      if (random.below(density) == 0) members.push_back(i);
    }
    const NumberSet set(size, members);
    EXPECT_EQ(set.count(), members.size());
    for (std::uint64_t i = 0; i < members.size(); ++i) EXPECT_EQ(set.select(i), members[i]);
    for (std::uint64_t i = 0; i <= size; ++i) {
      EXPECT_EQ(set.rank(i), std::ranges::lower_bound(members, i) - members.begin());
      EXPECT_EQ(set.contains(i), std::ranges::binary_search(members, i));
    }
  }
}

// --- grids ----------------------------------------------------------------------------------------------------------

TEST(MakeSubset, OfAGridIsABoxWithItsOwnPeriodicities) {
  const TopologyPtr torus = formula({4, 6, 5}, true);
  Ids machines;
  for (ObjectId x = 1; x < 3; ++x) {
    for (ObjectId y = 0; y < 6; ++y) {
      for (const ObjectId z : {4U, 0U, 1U}) machines.push_back((x * 6 + y) * 5 + z);
    }
  }
  const TopologyPtr box = subset_of(torus, machines);
  expect_consistent(*box);
  const ObjectId grid = torus->id_end() - 1;
  EXPECT_EQ(box->grid(grid)->dimensions, (Lengths{2, 6, 3}));
  EXPECT_EQ(box->grid(grid)->periodic, (std::vector<bool>{false, true, false}));
  EXPECT_EQ(box->grid(grid)->reference, (Lengths{1, 0, 4}));
  EXPECT_EQ(box->grid(grid)->whole, (Lengths{4, 6, 5}));
  EXPECT_TRUE(box->grid(grid)->dense);
  EXPECT_EQ(box->grid_child(grid, 0), torus->find("N1-0-4"));
  EXPECT_EQ(box->grid_child(grid, 1), torus->find("N1-0-0"));
  EXPECT_EQ(box->grid_child(grid, 35), torus->find("N2-5-1"));
  EXPECT_EQ(box->link_count(torus->find("N1-0-4").value()), 4U);
}

TEST(MakeSubset, OfAGridMayBeSparse) {
  const TopologyPtr box = subset_of(formula({4, 4}, false), {5, 6, 9});
  expect_consistent(*box);
  EXPECT_EQ(box->grid(16)->dimensions, (Lengths{2, 2}));
  EXPECT_FALSE(box->grid(16)->dense);
  EXPECT_EQ(box->grid_child(16, 3), no_object);
  EXPECT_EQ(children_of(*box, 16), (Ids{5, 6, 9}));
}

TEST(MakeSubset, OfAllMachinesOfAGridIsTheWholeGrid) {
  const TopologyPtr torus = formula({3, 4}, true);
  Ids machines(12);
  std::iota(machines.rbegin(), machines.rend(), 0);
  EXPECT_EQ(as_text(*subset_of(torus, machines)), as_text(*torus));
}

TEST(MakeSubset, OfAGridTakesABitAMachine) {
  const TopologyPtr torus = formula({48, 54, 32}, true);  // 82,944 machines
  Ids machines(82'944);
  std::iota(machines.begin(), machines.end(), 0);
  EXPECT_LE(subset_of(torus, machines)->private_bytes(), 4096U);
  machines.erase(machines.begin() + 1000);
  const TopologyPtr most = subset_of(torus, machines);
  EXPECT_LE(most->private_bytes(), 16U * 1024);
  EXPECT_FALSE(most->grid(82'944)->dense);
  EXPECT_EQ(most->machine(1000), 1001U);
}

/// Every box, tried out, around the points: none may be smaller.
std::uint64_t least_points(const GridShape& shape, const Ids& points) {
  std::uint64_t product = 1;
  std::uint64_t stride = shape.points();
  for (std::size_t i = 0; i < shape.dimensions.size(); ++i) {
    const std::uint64_t length = shape.dimensions[i];
    stride /= length;
    std::uint64_t best = length;
    for (std::uint64_t start = 0; start < length; ++start) {
      std::uint64_t end = 0;
      bool fits = true;
      for (const ObjectId point : points) {
        const std::uint64_t here = point / stride % length;
        fits = fits && (shape.periodic[i] || here >= start);
        end = std::max(end, (here + length - start) % length + 1);
      }
      if (fits) best = std::min(best, end);
    }
    product *= best;
  }
  return product;
}

TEST(MakeSubset, OfAGridIsTheSmallestBox) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    Lengths dimensions;
    for (std::uint64_t i = 1 + random.below(3); i > 0; --i) {
      dimensions.push_back(static_cast<std::uint32_t>(1 + random.below(6)));
    }
    const TopologyPtr base = formula(dimensions, random.below(2) == 0);
    const ObjectId grid = base->id_end() - 1;
    const Ids machines = random_machines(*base, random, 12);
    const TopologyPtr box = subset_of(base, machines);
    expect_consistent(*box);
    EXPECT_EQ(box->grid(grid)->points(), least_points(*base->grid(grid), machines));
    // A neighbour in the box is a neighbour in the base, by the reference coordinates.
    for (const ObjectId machine : machines) {
      std::uint64_t point = box->grid_point(grid, machine);
      std::uint64_t id = machine;
      for (std::size_t i = dimensions.size(); i-- > 0;) {
        const std::uint64_t in_box = point % box->grid(grid)->dimensions[i];
        EXPECT_EQ((in_box + box->grid(grid)->reference[i]) % dimensions[i], id % dimensions[i]);
        point /= box->grid(grid)->dimensions[i];
        id /= dimensions[i];
      }
    }
    if (HasFailure()) return;
  }
}

TEST(MakeSubset, OfAGridOfRoutersIsABoxOfTheRoutersThatStay) {
  const TopologyPtr torus = image_of("torus:4x5,hosts=2");
  const TopologyPtr box = subset_of(torus, named(*torus, {"N0-4-0", "N0-4-1", "N1-0-1", "N0-1-0"}));
  expect_consistent(*box);
  EXPECT_EQ(routers_in(*box), named(*torus, {"R0-0", "R0-1", "R0-4", "R1-0", "R1-1", "R1-4"}));
  const ObjectId grid = torus->id_end() - 1;
  EXPECT_EQ(box->grid(grid)->dimensions, (Lengths{2, 3}));
  EXPECT_EQ(box->grid(grid)->reference, (Lengths{0, 4}));
  EXPECT_TRUE(box->grid(grid)->dense);
}

// --- trees and graphs -----------------------------------------------------------------------------------------------

TEST(MakeSubset, OfTheHostsOfOneLeafIsThatLeaf) {
  const TopologyPtr tree = image_of("fattree:K=3,levels=3");
  const TopologyPtr leaf = subset_of(tree, named(*tree, {"N1", "N2"}));
  expect_consistent(*leaf);
  EXPECT_EQ(routers_in(*leaf), named(*tree, {"LS0"}));
  EXPECT_EQ(leaf->max_height(), 1U);
  EXPECT_EQ(leaf->link_count(tree->find("LS0").value()), 2U);
}

TEST(MakeSubset, OfOnePodHasNoRoots) {
  const TopologyPtr tree = image_of("fattree:K=3,levels=3");
  const TopologyPtr pod = subset_of(tree, named(*tree, {"N0", "N8"}));
  expect_consistent(*pod);
  EXPECT_EQ(routers_in(*pod), named(*tree, {"LS0", "LS2", "MS0", "MS1", "MS2"}));
  EXPECT_EQ(pod->height(tree->find("MS0").value()), 2U);
}

using Distances = std::map<ObjectId, std::uint32_t>;

/// Over routers only.
Distances distances_from(const Topology& topology, const Ids& starts) {
  Distances found;
  Ids reached = starts;
  for (const ObjectId id : starts) found[id] = 0;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const TopologyLink& link : links_of(topology, reached[i])) {
      if (topology.kind(link.to) != ObjectKind::router || found.contains(link.to)) continue;
      found[link.to] = found[reached[i]] + 1;
      reached.push_back(link.to);
    }
  }
  return found;
}

Ids routers_of(const Topology& topology, ObjectId machine) {
  Ids found;
  for (const ObjectId parent : parents_of(topology, machine)) {
    if (topology.kind(parent) == ObjectKind::router) found.push_back(parent);
  }
  return found;
}

/// By the distances between all pairs of machines (of their routers outside of trees), in each part of the network.
std::set<ObjectId> expected_routers(const Topology& topology, const Ids& machines) {
  std::set<ObjectId> expected;
  std::vector<Ids> ends;
  std::map<ObjectId, Distances> from;
  for (const ObjectId router : routers_in(topology)) from[router] = distances_from(topology, {router});
  const auto is_tree = [&](ObjectId router) {
    const auto parents = parents_of(topology, router);
    return parents.empty() || topology.kind(parents.back()) == ObjectKind::router;
  };
  for (const ObjectId machine : machines) {
    std::map<ObjectId, Ids> by_part;  // the lowest router that they reach names a part
    for (const ObjectId router : routers_of(topology, machine)) {
      expected.insert(router);
      by_part[from[router].begin()->first].push_back(router);
    }
    for (const auto& [part, routers] : by_part) {
      if (is_tree(routers.front())) {
        ends.push_back(routers);
      } else {
        for (const ObjectId router : routers) ends.push_back({router});
      }
    }
  }
  const auto apart = [&](const Ids& routers, ObjectId router) {
    std::uint32_t nearest = ~0U;
    for (const ObjectId start : routers) {
      if (from[start].contains(router)) nearest = std::min(nearest, from[start][router]);
    }
    return nearest;
  };
  for (std::size_t a = 0; a < ends.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      std::uint32_t shortest = ~0U;
      for (const ObjectId router : ends[b]) shortest = std::min(shortest, apart(ends[a], router));
      if (shortest == ~0U) continue;
      for (const auto& [router, distances] : from) {
        const std::uint32_t there = apart(ends[a], router);
        const std::uint32_t back = apart(ends[b], router);
        if (there != ~0U && back != ~0U && there + back == shortest) expected.insert(router);
      }
    }
  }
  return expected;
}

void expect_routers_between(const TopologyPtr& base, const Ids& machines) {
  const TopologyPtr subset = subset_of(base, machines);
  expect_consistent(*subset);
  EXPECT_EQ(subset->machine_count(), machines.size());
  const auto routers = routers_in(*subset);
  EXPECT_EQ(std::set(routers.begin(), routers.end()), expected_routers(*base, machines))
      << fmt::format("machines {}", fmt::join(machines, ","));
  for (const ObjectId id : ids_of(*subset)) {
    for (const TopologyLink& link : links_of(*subset, id)) EXPECT_TRUE(subset->contains(link.to));
    EXPECT_EQ(subset->height(id), base->height(id));
    EXPECT_EQ(subset->name(id), base->name(id));
  }
}

TEST(MakeSubset, OfATreeKeepsExactlyTheRoutersOnShortestPaths) {
  for (const char* source : {"fattree:K=3,levels=3,nodes=30", "fattree:K=2,levels=4", "xgft:h=2;m=3,4;w=2,2;p=2,2",
                             "xgft:h=3;m=2,2,3;w=1,2,2;p=1,2,1", "xgft:h=3;m=2,2,3;w=2,1,2", "fattree:K=3,levels=1"}) {
    const TopologyPtr tree = image_of(source);
    for (std::uint64_t seed = 1; seed <= test::tries(12U, 40U); ++seed) {
      SCOPED_TRACE(fmt::format("{} seed {}", source, seed));
      Random random(seed);
      expect_routers_between(tree, random_machines(*tree, random, 8));
      if (testing::Test::HasFailure()) return;
    }
  }
}

/// Trees with cables missing at random, and hosts on their spines: then levels alone don't tell what is shortest.
TEST(MakeSubset, OfADamagedTreeKeepsExactlyTheRoutersOnShortestPaths) {
  for (std::uint64_t seed = 1; seed <= test::tries(40U, 120U); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const Network whole = opened(seed % 2 == 0 ? "fattree:K=3,levels=3,nodes=40" : "xgft:h=3;m=2,3,3;w=2,2,2");
    const std::uint64_t out_of_100 = random.below(50);
    auto builder = copy_of(whole, [&](PortId) { return random.below(100) >= out_of_100; });
    if (seed % 4 == 0) add_host(builder, "management", device_named(whole, "RS1").value(), 6);
    const TopologyPtr tree = got(make_image_topology(built(builder)));
    expect_routers_between(tree, random_machines(*tree, random, 10));
    if (HasFailure()) return;
  }
}

TEST(MakeSubset, OfAGraphKeepsExactlyTheRoutersOnShortestPaths) {
  for (std::uint64_t seed = 1; seed <= test::tries(40U, 120U); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    NetworkBuilder builder;
    const auto planes = 1 + random.below(2);
    for (std::uint64_t plane = 0; plane < planes; ++plane) {
      builder.begin_plane(fmt::format("plane{}", plane));
      std::vector<NetworkBuilder::Handle> routers;
      std::vector<int> used(14);
      for (int i = 0; i < 14; ++i) {
        routers.push_back(builder.add_router(fmt::format("r{}", i), 0x1000 * (plane + 1) + i, 20));
      }
      for (std::uint64_t i = 10 + random.below(14); i > 0; --i) {
        const auto a = random.below(14);
        const auto b = random.below(14);
        if (a != b && used[a] < 12 && used[b] < 12) plug(builder, routers[a], ++used[a], routers[b], ++used[b]);
      }
      for (int i = 0; i < 12; ++i) {
        const auto router = random.below(14);
        if (used[router] < 20) {
          add_host(builder, fmt::format("m{}", random.below(9)), routers[router], ++used[router],
                   static_cast<std::uint16_t>(i));
        }
      }
    }
    const TopologyPtr graph = got(make_image_topology(built(builder)));
    expect_routers_between(graph, random_machines(*graph, random, 6));
    if (HasFailure()) return;
  }
}

TEST(MakeSubset, OfOneDgxUnitKeepsItsFourLeaves) {
  auto builder = dgx_like();
  const TopologyPtr dgx = got(make_image_topology(built(builder)));
  const TopologyPtr unit = subset_of(dgx, named(*dgx, {"dgx-00-c00", "dgx-00-c17"}));
  EXPECT_EQ(routers_in(*unit), named(*dgx, {"LEAF-00", "LEAF-01", "LEAF-02", "LEAF-03"}));
  const TopologyPtr two = subset_of(dgx, named(*dgx, {"dgx-00-c00", "dgx-05-c03"}));
  EXPECT_EQ(routers_in(*two).size(), 8U + 9U);
  EXPECT_EQ(two->link_count(dgx->find("LEAF-00").value()), 1U + 18U);
}

// --- all ------------------------------------------------------------------------------------------------------------

TEST(MakeSubset, OfASubsetIsTheSubsetOfTheWhole) {
  for (const char* source :
       {"fattree:K=3,levels=3,nodes=40", "torus:4x3x2,hosts=2", "torus:4x5", "full:6,hosts=2", "full:7", "mesh:3x5"}) {
    const TopologyPtr base = image_of(source);
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      SCOPED_TRACE(fmt::format("{} seed {}", source, seed));
      Random random(seed);
      const TopologyPtr first = subset_of(base, random_machines(*base, random, 20));
      const Ids machines = random_machines(*first, random, 10);
      const TopologyPtr second = subset_of(first, machines);
      expect_consistent(*second);
      EXPECT_EQ(as_text(*second), as_text(*subset_of(base, machines)));
    }
  }
}

TEST(MakeSubset, IsTheSameAfterACacheFile) {
  const auto path = std::filesystem::temp_directory_path() / fmt::format("nwtopo-subset-test-{}", ::getpid());
  for (const char* source :
       {"fattree:K=3,levels=3,nodes=40", "torus:4x3x2,hosts=2", "torus:4x5", "full:6,hosts=2", "full:7"}) {
    const TopologyPtr base = image_of(source);
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      SCOPED_TRACE(fmt::format("{} seed {}", source, seed));
      Random random(seed);
      const TopologyPtr subset = subset_of(base, random_machines(*base, random, 20));
      ASSERT_TRUE(write_cache(*subset, path));
      const TopologyPtr cache = got(open_cache(path));
      EXPECT_EQ(as_text(*cache), as_text(*subset));
      // The whole grid is not in the cache; where the part lay in it is.
      const Ids machines = random_machines(*subset, random, 5);
      const TopologyPtr part = subset_of(cache, machines);
      expect_consistent(*part);
    }
  }
  std::filesystem::remove(path);
}

TEST(MakeSubset, RefusesIdsThatAreNotMachines) {
  const TopologyPtr tree = image_of("fattree:K=2,levels=2");
  const auto error = [&](const Ids& ids) { return make_subset(tree, ids).error().message; };
  EXPECT_EQ(error({}), "a subset needs at least one machine");
  EXPECT_EQ(error({0, 8}), "object 8 is not a machine but a router");
  EXPECT_EQ(error({99}), "there is no machine with the id 99");
  EXPECT_EQ(error({3, 1, 3}), "the machine 3 ('N3') comes twice");
  EXPECT_EQ(make_subset(subset_of(tree, {1, 2}), Ids{3}).error().message, "there is no machine with the id 3");
}

}  // namespace subset_test
}  // namespace ayatori
