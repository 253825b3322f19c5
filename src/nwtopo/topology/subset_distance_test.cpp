// Subsets of any network keep the distances between their machines: against all-pairs shortest paths of the base, by a
// breadth-first search of the test's own. NWTOPO_SUBSET_CASES=100000 tries more cases than a run of all tests does;
// NWTOPO_SUBSET_SEED=N starts at another seed, or repeats a case.

#include <fmt/ranges.h>

#include <cstdlib>
#include <unordered_map>

#include "../../base/thoroughness_fixtures.hpp"
#include "ayatori/base/random.hpp"
#include "ayatori/topology/faults.hpp"
#include "ayatori/topology/queries.hpp"
#include "ayatori/topology/subset.hpp"
#include "topology_fixtures.hpp"

namespace ayatori {
namespace subset_distance_test {

using Ids = std::vector<ObjectId>;

std::uint64_t setting(const char* variable, std::uint64_t usual) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? usual : std::strtoull(text, nullptr, 10);
}

/// Numbers from `least` to `least + spread - 1`, joined by x.
std::string lengths(Random& random, std::uint64_t dimensions, std::uint64_t least, std::uint64_t spread) {
  std::string text;
  for (std::uint64_t i = 0; i < dimensions; ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : "x", least + random.below(spread));
  }
  return text;
}

std::string random_formula(Random& random) {
  const std::uint64_t dimensions = 1 + random.below(3);
  const std::uint64_t spread = dimensions == 3 ? 3 : 6;
  switch (random.below(12)) {
    case 0:
      return fmt::format("fattree:K={},levels={}", 2 + random.below(2), 2 + random.below(2));
    case 1:
      return fmt::format("xgft:h=2;m={},{};w={},{};p={},{}", 1 + random.below(4), 1 + random.below(4),
                         1 + random.below(2), 1 + random.below(3), 1 + random.below(2), 1 + random.below(2));
    case 2:
      return fmt::format("xgft:h=3;m={},2,{};w={},{},2", 1 + random.below(3), 1 + random.below(3), 1 + random.below(2),
                         1 + random.below(2));
    case 3:
      return fmt::format("torus:{}", lengths(random, dimensions, 1, spread));
    case 4:
      return fmt::format("mesh:{}", lengths(random, dimensions, 1, spread));
    case 5:
      return fmt::format("torus:{},hosts={}", lengths(random, dimensions, 2, spread), 1 + random.below(2));
    case 6:
      return fmt::format("mesh:{},hosts=1", lengths(random, dimensions, 2, spread));
    case 7:
      return fmt::format("mesh:{},hosts=2", 2 + random.below(12));  // a chain of switches
    case 8:
      return fmt::format("dragonfly:g={0},a={1},p={2},h={1}", 2 + random.below(4), 2 + random.below(2),
                         1 + random.below(2));
    case 9:
      return fmt::format("dragonfly+:g={},l=2,s=2,p=1,h=2", 2 + random.below(4));
    case 10:
      return fmt::format("hyperx:{},hosts={}", lengths(random, 1 + random.below(2), 2, 3), 1 + random.below(2));
    default:
      return fmt::format("full:{},hosts={}", 2 + random.below(6), random.below(3));
  }
}

/// The same formula with some of its cables missing, or none. Of a direct network the routers may be devices of their
/// own, as in a subnet that was discovered.
Network damaged(const Network& whole, Random& random) {
  const std::uint64_t missing = random.below(40);
  auto builder = copy_of(whole, [&](PortId id) {
    const bool of_nic =
        !whole.is_router(whole.port(id).device) || !whole.is_router(whole.port(whole.port(id).peer).device);
    return (whole.direct() && of_nic) || random.below(100) >= missing;
  });
  if (whole.direct() && random.below(2) == 0) builder.set_direct();
  return built(builder);
}

/// Routers cabled at random on one or two planes; machines with NICs on any of them.
Network random_graph(Random& random) {
  NetworkBuilder builder;
  const std::uint64_t planes = 1 + random.below(2);
  for (std::uint64_t plane = 0; plane < planes; ++plane) {
    builder.begin_plane(fmt::format("plane{}", plane));
    const std::uint64_t count = 2 + random.below(14);
    std::vector<NetworkBuilder::Handle> routers;
    std::vector<int> used(count);
    for (std::uint64_t i = 0; i < count; ++i) {
      routers.push_back(builder.add_router(fmt::format("r{}", i), 0x1000 * (plane + 1) + i, 40));
    }
    for (std::uint64_t cables = count + random.below(count); cables > 0; --cables) {
      const auto a = random.below(count);
      const auto b = random.below(count);
      if (a != b && used[a] < 30 && used[b] < 30) plug(builder, routers[a], ++used[a], routers[b], ++used[b]);
    }
    for (std::uint16_t i = 0; i < 10; ++i) {
      const auto router = random.below(count);
      if (used[router] >= 40) continue;
      add_host(builder, fmt::format("m{}", random.below(8)), routers[router], ++used[router], i);
    }
  }
  return built(builder);
}

/// Faults given as data: the base's links are there, and no packet goes over some of them.
TopologyPtr with_random_faults(TopologyPtr topology, Random& random) {
  std::string faults;
  for (std::uint64_t i = 1 + random.below(4); i > 0; --i) {
    const ObjectId id = topology->machine(random.below(topology->machine_count()));
    if (topology->link_count(id) == 0) continue;
    const TopologyLink link = topology->link(id, static_cast<std::uint32_t>(random.below(topology->link_count(id))));
    const ObjectId other = link.to;
    const auto out = topology->link(other, static_cast<std::uint32_t>(random.below(topology->link_count(other))));
    faults += fmt::format("{}:{},", topology->name(other), out.from_port);
  }
  return got(take_out(std::move(topology), faults));
}

TopologyPtr random_base(Random& random, std::string& description) {
  if (random.below(6) == 0) {
    description = "routers at random";
    return got(make_image_topology(random_graph(random)));
  }
  const std::string formula = random_formula(random);
  const Network network = opened(formula);
  description = formula;
  const std::uint64_t what = random.below(5);
  if (what == 0) {
    description += ", damaged";
    return got(make_image_topology(damaged(network, random)));
  }
  TopologyPtr topology = got(make_image_topology(network));
  if (what != 1 || network.machines().empty()) return topology;
  description += ", with faults";
  return with_random_faults(std::move(topology), random);
}

Ids random_machines(const Topology& topology, Random& random) {
  Ids all(topology.machine_count());
  for (std::uint64_t i = 0; i < all.size(); ++i) all[i] = topology.machine(i);
  random.shuffle(std::span(all));
  all.resize(1 + random.below(std::min<std::uint64_t>(8, all.size())));
  return all;
}

/// Distances over the objects that may be gone through.
std::unordered_map<ObjectId, std::uint32_t> distances_from(const Topology& topology, ObjectId start,
                                                           const std::set<ObjectId>* allowed) {
  std::unordered_map<ObjectId, std::uint32_t> found = {{start, 0}};
  Ids reached = {start};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const ObjectId here = reached[i];
    if (i > 0 && topology.kind(here) == ObjectKind::machine && !topology.direct()) continue;
    for (const TopologyLink& link : links_of(topology, here)) {
      if (link.state != LinkState::up || found.contains(link.to)) continue;
      if (allowed != nullptr && !allowed->contains(link.to)) continue;
      found[link.to] = found[here] + 1;
      reached.push_back(link.to);
    }
  }
  return found;
}

/// The machines in the box of a direct grid, all of which forward; nothing for any other network.
std::optional<std::set<ObjectId>> machines_in_box(const Topology& base, const Topology& subset) {
  if (!base.direct() || subset.max_height() != 1 || subset.count_at(1) != 1) return std::nullopt;
  const ObjectId root = subset.object_at(1, 0);
  const GridShape* whole = base.grid(root);
  if (whole == nullptr) return std::nullopt;
  const GridShape& box = *subset.grid(root);
  std::set<ObjectId> found;
  for (std::uint64_t i = 0; i < base.machine_count(); ++i) {
    std::uint64_t point = base.grid_point(root, base.machine(i));
    bool inside = true;
    for (std::size_t d = whole->dimensions.size(); d-- > 0;) {
      const std::uint64_t length = whole->dimensions[d];
      const std::uint64_t coordinate = point % length;
      point /= length;
      inside = inside && (coordinate + length - box.reference[d]) % length < box.dimensions[d];
    }
    if (inside) found.insert(base.machine(i));
  }
  return found;
}

void expect_distances_of_base(const TopologyPtr& base, const TopologyPtr& subset, const Ids& machines) {
  const auto box = machines_in_box(*base, *subset);
  const auto matrix = distances(*subset, machines);
  for (std::size_t a = 0; a < machines.size(); ++a) {
    const auto expected = distances_from(*base, machines[a], box ? &*box : nullptr);
    for (std::size_t b = 0; b < machines.size(); ++b) {
      const auto there = expected.find(machines[b]);
      const std::uint32_t distance = there == expected.end() ? unreachable : there->second;
      ASSERT_EQ(hops(*subset, machines[a], machines[b]), distance) << machines[a] << " to " << machines[b];
      ASSERT_EQ(matrix[a * machines.size() + b], distance) << machines[a] << " to " << machines[b];
      if (distance == unreachable) continue;
      const auto route = shortest_route(*subset, machines[a], machines[b], 0);
      ASSERT_TRUE(route) << route.error().message;
      ASSERT_EQ(route->size(), distance);
    }
  }
}

TEST(MakeSubset, KeepsTheDistancesOfItsMachinesInAnyNetwork) {
  const std::uint64_t first = setting("NWTOPO_SUBSET_SEED", 1);
  const std::uint64_t cases = setting("NWTOPO_SUBSET_CASES", test::tries(300U, 1500U));
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    Random random(seed);
    std::string description;
    const TopologyPtr base = random_base(random, description);
    if (base->machine_count() == 0) continue;
    const Ids machines = random_machines(*base, random);
    SCOPED_TRACE(fmt::format("seed {}: {}, machines {}", seed, description, fmt::join(machines, ",")));
    const TopologyPtr subset = got(make_subset(base, machines));
    expect_consistent(*subset);
    expect_distances_of_base(base, subset, machines);
    if (HasFailure()) return;
  }
}

TEST(MakeSubset, OfATorusWithHolesLeadsPacketsThroughThem) {
  const TopologyPtr ring = image_of("torus:8");
  const TopologyPtr two = got(make_subset(ring, Ids{0, 2}));
  EXPECT_EQ(hops(*two, 0, 2), 2U);
  EXPECT_EQ(two->link_count(0), 0U);
  EXPECT_EQ(nearest_machines(*two, 0, 9), Ids{2});
  EXPECT_EQ(shortest_route(*two, 0, 2, 0)->size(), 2U);
  // Out of order in the hole: no path is left, as the box is a chain.
  const TopologyPtr cut = got(take_out(two, "N0:2"));
  EXPECT_EQ(hops(*cut, 0, 2), unreachable);
}

TEST(MakeSubset, OfAChainOfSwitchesKeepsTheMiddle) {
  auto discovered = copy_of(opened("mesh:3,hosts=1"));
  const TopologyPtr chain = got(make_image_topology(built(discovered)));
  const Ids ends = {chain->find("N0").value(), chain->find("N2").value()};
  const TopologyPtr subset = got(make_subset(chain, ends));
  EXPECT_TRUE(subset->contains(chain->find("R1").value()));
  EXPECT_EQ(hops(*subset, ends[0], ends[1]), 4U);
}

}  // namespace subset_distance_test
}  // namespace ayatori
