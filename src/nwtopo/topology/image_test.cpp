#include "ayatori/topology/image.hpp"

#include <numeric>

#include "../../base/thoroughness_fixtures.hpp"
#include "ayatori/base/random.hpp"
#include "ayatori/base/text.hpp"
#include "ayatori/network/shape.hpp"
#include "ayatori/topology/network_of.hpp"
#include "ayatori/topology/subset.hpp"
#include "topology_fixtures.hpp"

namespace ayatori {
namespace {

using Ids = std::vector<ObjectId>;

/// Kinds of the highest objects, each once.
std::set<ObjectKind> kinds_at(const Topology& topology, std::uint32_t height) {
  std::set<ObjectKind> found;
  for (std::uint64_t i = 0; i < topology.count_at(height); ++i) {
    found.insert(topology.kind(topology.object_at(height, i)));
  }
  return found;
}

TEST(MakeImageTopology, OfATreeHasMachinesUnderLeavesUnderSpines) {
  const TopologyPtr tree = image_of("fattree:K=2,levels=2");
  expect_complete(*tree);
  EXPECT_EQ(tree->machine_count(), 8U);
  EXPECT_EQ(tree->max_height(), 2U);
  const ObjectId leaf = tree->find("LS1").value();
  EXPECT_EQ(leaf, 9U);
  EXPECT_EQ(children_of(*tree, leaf), (Ids{2, 3}));
  EXPECT_EQ(parents_of(*tree, leaf), (Ids{12, 13}));
  EXPECT_EQ(children_of(*tree, 12), (Ids{8, 9, 10, 11}));
  EXPECT_TRUE(parents_of(*tree, 12).empty());
  EXPECT_EQ(tree->name(12), "RS0");
  const TopologyLink up = tree->link(leaf, 2);
  EXPECT_EQ(as_text(up), "3->12:2 plane 0 4xHDR 0ns");
}

TEST(MakeImageTopology, OfEachFormulaIsConsistent) {
  for (const char* source :
       {"fattree:K=3,levels=3,nodes=20", "fattree:K=2,levels=4", "fattree:K=4,levels=1", "xgft:h=2;m=3,4;w=2,2;p=2,2",
        "xgft:h=3;m=2,2,3;w=1,2,2;p=1,2,1", "torus:4x3x2,hosts=2", "torus:3x3,hosts=0", "mesh:2x3", "full:5,hosts=2",
        "full:4", "full:1,hosts=3", "full:1", "torus:1", "mesh:1x1,hosts=2"}) {
    SCOPED_TRACE(source);
    expect_complete(*image_of(source));
  }
}

/// The same grid, once as bytes and once as a formula.
TEST(MakeImageTopology, OfATorusAnswersAsTheFormulaDoes) {
  for (const char* size : {"5", "1", "2", "3", "2x2", "3x4x5", "1x2", "2x1x3", "4x4", "1x1x1", "2x2x2", "2x3x2", "6x2",
                           "3x3x3", "4x1x4", "1x5x1x3", "2x2x2x2", "11x12", "2x3x2x3"}) {
    for (const char* kind : {"torus", "mesh"}) {
      const std::string source = fmt::format("{}:{},rate=4xEDR", kind, size);
      SCOPED_TRACE(source);
      GridFormula formula;
      for (const auto part : split(size, 'x')) formula.dimensions.push_back(*parse_unsigned<std::uint32_t>(part));
      formula.periodic.assign(formula.dimensions.size(), kind == std::string_view("torus"));
      formula.rate = {4, LaneSpeed::edr};
      const TopologyPtr image = image_of(source);
      EXPECT_EQ(as_text(*image), as_text(*make_grid_topology(formula)));
      expect_complete(*image);
    }
  }
}

TEST(MakeImageTopology, OfADiscoveredGridHasItsCoordinates) {
  auto builder = copy_of(opened("torus:4x5,hosts=2"));
  const TopologyPtr grid = got(make_image_topology(built(builder)));
  expect_complete(*grid);
  ASSERT_EQ(kinds_at(*grid, 2), std::set{ObjectKind::grid});
  const ObjectId root = grid->object_at(2, 0);
  EXPECT_EQ(grid->grid(root)->dimensions, (std::vector<std::uint32_t>{4, 5}));
  EXPECT_EQ(grid->grid_child(root, 7), grid->find("R1-2"));
  EXPECT_EQ(grid->grid_point(root, grid->find("R3-4").value()), 19U);
}

TEST(MakeImageTopology, DoesNotDependOnTheOrderOfDiscovery) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const Network network = opened(seed % 2 == 0 ? "torus:4x5,hosts=2" : "mesh:3x4,hosts=1");
    std::vector<DeviceId> order(network.device_count());
    std::iota(order.begin(), order.end(), 0);
    random.shuffle(std::span(order));
    NetworkBuilder builder;
    std::vector<NetworkBuilder::Handle> handle(order.size());
    for (const DeviceId id : order) {
      const Device& node = network.device(id);
      handle[id] = network.is_router(id)
                       ? builder.add_router(network.name(id), node.guid, node.port_count)
                       : builder.add_nic("", node.guid, 1, network.machine(node.machine).name, node.rail);
    }
    for (PortId id = 0; id < network.port_count(); ++id) {
      const Port& port = network.port(id);
      if (!port.connected()) continue;
      plug(builder, handle[port.device], port.number, handle[network.port(port.peer).device],
           network.port(port.peer).number);
    }
    auto in_order = copy_of(network);
    EXPECT_EQ(as_text(*got(make_image_topology(built(builder)))), as_text(*got(make_image_topology(built(in_order)))));
  }
}

TEST(MakeImageTopology, OfRoutersThatAreAllCabledToEachOtherIsFull) {
  const TopologyPtr full = image_of("full:5,hosts=2");
  EXPECT_EQ(kinds_at(*full, 2), std::set{ObjectKind::full});
  EXPECT_EQ(full->child_count(full->object_at(2, 0)), 5U);
  const TopologyPtr direct = image_of("full:5");
  EXPECT_EQ(kinds_at(*direct, 1), std::set{ObjectKind::full});
  EXPECT_EQ(direct->link_count(0), 4U);
}

TEST(MakeImageTopology, OfAnIrregularNetworkIsAGraph) {
  const TopologyPtr graph = got(make_image_topology(without_cables(opened("torus:4x4,hosts=2"), "R0-0", "R0-1", 1)));
  expect_complete(*graph);
  EXPECT_EQ(kinds_at(*graph, 2), std::set{ObjectKind::graph});
  EXPECT_EQ(graph->child_count(graph->object_at(2, 0)), 16U);
}

/// The virtual objects: kind, height and number of children of each, and how many there are of these.
std::map<std::string, int> virtual_objects(const Topology& topology) {
  std::map<std::string, int> found;
  for (const ObjectId id : ids_of(topology)) {
    const ObjectKind kind = topology.kind(id);
    if (kind == ObjectKind::machine || kind == ObjectKind::router) continue;
    ++found[fmt::format("{} of {} at height {}", to_word(kind), topology.child_count(id), topology.height(id))];
  }
  return found;
}

using Counts = std::map<std::string, int>;

TEST(MakeImageTopology, GroupsOfADragonflyAreFullBelowAFullObject) {
  const Network whole = opened("dragonfly:g=9,a=4,p=2,h=2");
  const TopologyPtr topology = got(make_image_topology(whole));
  expect_complete(*topology);
  EXPECT_EQ(virtual_objects(*topology), (Counts{{"full of 4 at height 2", 9}, {"full of 9 at height 3", 1}}));
  const ObjectId router = topology->find("R3-1").value();
  const auto parents = parents_of(*topology, router);
  ASSERT_EQ(parents.size(), 1U);
  for (const ObjectId other : children_of(*topology, parents[0])) EXPECT_TRUE(topology->name(other).starts_with("R3-"));
  const TopologyPtr damaged = got(make_image_topology(without_cables(whole, "R3-1", "R3-2", 1)));
  expect_complete(*damaged);
  EXPECT_EQ(virtual_objects(*damaged),
            (Counts{{"full of 4 at height 2", 8}, {"graph of 4 at height 2", 1}, {"full of 9 at height 3", 1}}));
}

TEST(MakeImageTopology, GroupsOfADragonflyPlusHaveSpinesAboveLeaves) {
  const TopologyPtr topology = image_of("dragonfly+:g=5,l=3,s=2,p=2,h=2");
  expect_complete(*topology);
  EXPECT_EQ(virtual_objects(*topology), (Counts{{"graph of 5 at height 3", 5}, {"full of 5 at height 4", 1}}));
  EXPECT_EQ(parents_of(*topology, topology->find("LS2-0").value()).size(), 3U);  // two spines and the group
  EXPECT_EQ(topology->height(topology->find("SS2-0").value()), 2U);
}

TEST(MakeImageTopology, RowsOfAHyperXAreFullInEachDimension) {
  for (const char* source : {"hyperx:3x4x5,hosts=2", "hyperx:3x4x5"}) {  // the second has its routers built in
    SCOPED_TRACE(source);
    const TopologyPtr topology = image_of(source);
    expect_complete(*topology);
    const std::uint32_t row = topology->direct() ? 1 : 2;
    EXPECT_EQ(virtual_objects(*topology), (Counts{{fmt::format("full of 3 at height {}", row), 20},
                                                  {fmt::format("full of 4 at height {}", row), 15},
                                                  {fmt::format("full of 5 at height {}", row), 12},
                                                  {fmt::format("graph of 47 at height {}", row + 1), 1}}));
    const ObjectId here = topology->direct() ? topology->machine(7) : topology->find("R1-2-3").value();
    const auto rows = parents_of(*topology, here);
    ASSERT_EQ(rows.size(), 3U);
    std::set<ObjectId> neighbours;
    for (const ObjectId id : rows) {
      for (const ObjectId other : children_of(*topology, id)) neighbours.insert(other);
    }
    EXPECT_EQ(neighbours.size(), 1U + 2 + 3 + 4);
    const auto again = network_of(*topology);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(recognise(*again).dimensions, recognise(opened(source)).dimensions);
  }
}

TEST(MakeSubset, KeepsTheGroupsOfItsRouters) {
  for (const char* source :
       {"dragonfly:g=9,a=4,p=2,h=2", "dragonfly+:g=5,l=3,s=2,p=2,h=2", "hyperx:3x4x5,hosts=2", "hyperx:4x5"}) {
    const TopologyPtr whole = image_of(source);
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      SCOPED_TRACE(fmt::format("{} seed {}", source, seed));
      Random random(seed);
      std::vector<ObjectId> machines;
      for (std::uint64_t i = 0; i < whole->machine_count(); ++i) {
        if (random.below(4) == 0) machines.push_back(whole->machine(i));
      }
      if (machines.empty()) continue;
      const TopologyPtr part = got(make_subset(whole, machines));
      expect_consistent(*part);
      for (const ObjectId id : ids_of(*part)) {
        std::vector<ObjectId> kept = parents_of(*whole, id);
        std::erase_if(kept, [&](ObjectId parent) { return !part->contains(parent); });
        EXPECT_EQ(parents_of(*part, id), kept);
        // Whatever is above one of the routers is there, too.
        const ObjectKind kind = part->kind(id);
        if (kind != ObjectKind::machine || whole->direct()) {
          for (const ObjectId parent : parents_of(*whole, id)) {
            EXPECT_TRUE(part->contains(parent) || whole->kind(parent) == ObjectKind::router);
          }
        }
      }
    }
  }
}

TEST(MakeImageTopology, OfATreeAndASpareRouterIsStillATree) {
  auto builder = copy_of(opened("fattree:K=3,levels=2"));
  builder.add_router("spare", 0x999, 36);
  const TopologyPtr tree = got(make_image_topology(built(builder)));
  expect_complete(*tree);
  EXPECT_EQ(kinds_at(*tree, 2), std::set{ObjectKind::router});
  EXPECT_EQ(tree->count_at(2), 3U);
  EXPECT_EQ(tree->height(tree->find("spare").value()), 1U);
}

/// A tree of InfiniBand, and Ethernet switches in a ring of six with one chord.
Network two_planes() {
  NetworkBuilder builder = copy_of(opened("fattree:K=3,levels=2"));
  builder.begin_plane("ethernet");
  std::vector<NetworkBuilder::Handle> ring;
  for (int i = 0; i < 6; ++i) ring.push_back(builder.add_router(fmt::format("eth{}", i), 0x9000U + i, 8));
  for (int i = 0; i < 6; ++i) plug(builder, ring[i], 1, ring[(i + 1) % 6], 2);
  plug(builder, ring[0], 3, ring[2], 3);
  for (int i = 0; i < 18; ++i) add_host(builder, fmt::format("N{}", i), ring[i % 6], 4 + i / 6, 1);
  return built(builder);
}

TEST(MakeImageTopology, OfSeveralPlanesHasTheShapeOfEach) {
  const TopologyPtr both = got(make_image_topology(two_planes()));
  expect_complete(*both);
  EXPECT_EQ(both->planes().size(), 2U);
  EXPECT_EQ(both->nic_count(0), 2U);
  EXPECT_EQ(both->parent_count(0), 2U);
  EXPECT_EQ(both->link(0, 0).plane, 0U);
  EXPECT_EQ(both->link(0, 1).plane, 1U);
  EXPECT_EQ(both->height(both->find("RS0").value()), 2U);
  EXPECT_EQ(both->height(both->find("eth0").value()), 1U);
  EXPECT_EQ(kinds_at(*both, 2), (std::set{ObjectKind::router, ObjectKind::graph}));
  EXPECT_EQ(both->child_count(both->id_end() - 1), 6U);
}

TEST(MakeImageTopology, OfHostsBackToBackIsAGraphOfThem) {
  NetworkBuilder builder;
  const auto host = [&](const char* name, Guid guid) { return builder.add_nic("", guid, 2, name, 0); };
  const auto a = host("a", 0x100);
  const auto b = host("b", 0x200);
  host("alone", 0x300);
  plug(builder, a, 1, b, 1);
  plug(builder, a, 2, b, 2);
  const TopologyPtr pair = got(make_image_topology(built(builder)));
  expect_complete(*pair);
  EXPECT_EQ(kinds_at(*pair, 1), std::set{ObjectKind::graph});
  EXPECT_EQ(children_of(*pair, 3), (Ids{0, 1}));
  EXPECT_EQ(pair->link_count(0), 2U);
  EXPECT_EQ(pair->parent_count(pair->find("alone").value()), 0U);
}

TEST(MakeImageTopology, OfOneMachineHasNoOtherObject) {
  NetworkBuilder builder;
  builder.add_nic("", 0x100, 1, "a", 0);
  const TopologyPtr one = got(make_image_topology(built(builder)));
  expect_complete(*one);
  EXPECT_EQ(one->id_end(), 1U);
  EXPECT_EQ(one->max_height(), 0U);
}

TEST(MakeImageTopology, LeavesOutAggregationEnginesAndKeepsRails) {
  auto builder = dgx_like();
  const TopologyPtr dgx = got(make_image_topology(built(builder)));
  expect_complete(*dgx);
  EXPECT_EQ(dgx->id_end(), dgx->machine_count() + 31 + 9);
  EXPECT_EQ(dgx->nic_count(0), 4U);
  EXPECT_EQ(dgx->parent_count(0), 4U);
  EXPECT_EQ(dgx->child_count(dgx->find("SPINE-00").value()), 31U);
  EXPECT_EQ(dgx->link_count(dgx->find("SPINE-00").value()), 62U);
}

TEST(MakeImageTopology, KeepsDegradedLinksAndLatency) {
  NetworkBuilder builder;
  const auto a = builder.add_router("a", 1, 400);
  const auto b = builder.add_router("b", 2, 400);
  for (PortNumber port = 1; port <= 300; ++port) {
    const LinkRate rate{4, port == 300 ? LaneSpeed::edr : LaneSpeed::hdr};
    ASSERT_TRUE(builder.connect(a, port, b, port, rate, port == 299 ? 120 : 0));
  }
  const TopologyPtr pair = got(make_image_topology(built(builder)));
  expect_complete(*pair);
  EXPECT_EQ(as_text(pair->link(0, 299)), "300->1:300 plane 0 4xEDR 0ns degraded");
  EXPECT_EQ(as_text(pair->link(1, 298)), "299->0:299 plane 0 4xHDR 120ns");
}

/// Cables at random, also from a router to itself, several planes, machines with and without.
Network random_network(Random& random) {
  NetworkBuilder builder;
  struct Free {
    NetworkBuilder::Handle node;
    int port;
  };
  const auto planes = 1 + random.below(3);
  for (std::uint64_t plane = 0; plane < planes; ++plane) {
    // Half of the planes carry everything, so that some networks have no section of it.
    const auto use = PlaneUse::from_bits(static_cast<std::uint8_t>(random.below(26)));
    builder.begin_plane(fmt::format("plane{}", plane), use.value_or(PlaneUse()));
    std::vector<Free> free;
    const auto routers = random.below(8);
    for (std::uint64_t i = 0; i < routers; ++i) {
      // Names may come twice, or be missing.
      const auto router = builder.add_router(fmt::format("r{}", random.below(12)), 0x1000 * (plane + 1) + i + 1, 9);
      for (int port = 1; port <= 9; ++port) free.push_back({router, port});
    }
    const auto nics = random.below(12);
    for (std::uint64_t i = 0; i < nics; ++i) {
      const auto nic =
          builder.add_nic("", 0x100'0000 * (plane + 1) + 0x100 * (i + 1), 2, fmt::format("m{}", random.below(9)),
                          static_cast<std::uint16_t>(random.below(3)));
      for (int port = 1; port <= 2; ++port) free.push_back({nic, port});
    }
    random.shuffle(std::span(free));
    for (std::size_t i = 0; i + 1 < free.size() && i < 2 * random.below(30); i += 2) {
      plug(builder, free[i].node, free[i].port, free[i + 1].node, free[i + 1].port);
    }
  }
  if (builder.device_count() == 0) builder.add_router("only", 1, 1);
  return built(builder);
}

TEST(MakeImageTopology, OfAnyRandomNetworkIsConsistent) {
  for (std::uint64_t seed = 1; seed <= test::tries(120U, 400U); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    expect_complete(*got(make_image_topology(random_network(random))));
    if (HasFailure()) return;
  }
}

TEST(MakeImageTopology, OfATreeWithAnIdleRouterAboveNothingIsConsistent) {
  Random random(322);
  expect_complete(*got(make_image_topology(random_network(random))));
}

TEST(MakeImageTopology, OfAHundredThousandHostsTakesAtMost128BytesEach) {
  const Network network = opened("xgft:h=3;m=22,22,207;w=1,22,22");
  const TopologyPtr tree = got(make_image_topology(network));
  ASSERT_EQ(tree->machine_count(), 100'188U);
  EXPECT_LE(tree->private_bytes(), 128 * tree->machine_count());
  RecordProperty("bytes_a_host", std::to_string(tree->private_bytes() / tree->machine_count()));
}

}  // namespace
}  // namespace ayatori
