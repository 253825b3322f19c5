#include "ayatori/network/shape.hpp"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ayatori/base/random.hpp"
#include "ayatori/network/router_graph.hpp"
#include "network_fixtures.hpp"
#include "shape_fixtures.hpp"

namespace ayatori {
namespace {

using Lines = std::vector<std::string>;
using Lengths = std::vector<std::uint32_t>;

std::string summary_of(std::string_view source) { return recognise(opened(source)).summary; }

TEST(Recognise, FindsTrees) {
  EXPECT_EQ(summary_of("fattree:K=6,levels=2,nodes=30"),
            "fat tree, 2 levels, 5 leaves x 6 spines, 1 cable a pair, oversubscription 1:1, 30 hosts with 1 rail");
  EXPECT_EQ(summary_of("fattree:K=3,levels=3"),
            "fat tree, 3 levels, 18 leaves x 18 middle routers x 9 spines, 1 cable a pair, oversubscription 1:1, "
            "54 hosts with 1 rail");
  EXPECT_EQ(summary_of("xgft:m=18,31;w=1,9;p=1,2"),
            "fat tree, 2 levels, 31 leaves x 9 spines, 2 cables a pair, oversubscription 1:1, 558 hosts with 1 rail");
  EXPECT_EQ(summary_of("xgft:m=18,4;w=1,7;p=1,2"),
            "fat tree, 2 levels, 4 leaves x 7 spines, 2 cables a pair, oversubscription 1.29:1, 72 hosts with 1 rail");
  EXPECT_EQ(summary_of("xgft:m=8,2,2;w=1,2,2;p=1,2,4"),
            "fat tree, 3 levels, 4 leaves x 4 middle routers x 4 spines, 2 and 4 cables a pair, oversubscription 2:1, "
            "32 hosts with 1 rail");
}

TEST(Recognise, GivesTheMeasuresOfATree) {
  const Shape shape = recognise(opened("xgft:m=8,2,2;w=1,2,2;p=1,2,4"));
  EXPECT_EQ(shape.kind, ShapeKind::fat_tree);
  EXPECT_EQ(shape.routers, (Lengths{4, 4, 4}));
  EXPECT_EQ(shape.cables, (Lengths{2, 4}));
  EXPECT_EQ(shape.oversubscription, (std::vector{2.0, 0.5}));
  EXPECT_EQ(shape.machines, 32U);
  EXPECT_EQ(shape.rails, 1U);
  EXPECT_EQ(lines_of(shape), Lines{});
}

TEST(Recognise, FindsNoIrregularityInRegularTrees) {
  for (const char* source : {"fattree:K=6,levels=2", "fattree:K=4,levels=3", "fattree:K=2,levels=4",
                             "xgft:m=3,4,5;w=1,2,3;p=2,1,2", "xgft:m=18,36;w=1,18"}) {
    const Shape shape = recognise(opened(source));
    EXPECT_EQ(shape.kind, ShapeKind::fat_tree) << source;
    EXPECT_EQ(lines_of(shape), Lines{}) << source;
  }
}

TEST(Recognise, CountsOversubscriptionByLinkRate) {
  NetworkBuilder builder;
  for (int leaf = 0; leaf < 2; ++leaf) builder.add_router(fmt::format("L{}", leaf), 0x20U + leaf, 16);
  builder.add_router("S", 0x30, 16);
  for (int leaf = 0; leaf < 2; ++leaf) {
    plug(builder, leaf, 10, 2, 1 + leaf, {4, LaneSpeed::edr});
    for (int host = 0; host < 4; ++host) add_host(builder, fmt::format("n{}", 4 * leaf + host), leaf, 1 + host);
  }
  // 4 hosts of 200 Gbit/s over one cable of 100 Gbit/s
  EXPECT_EQ(recognise(built(builder)).oversubscription, std::vector{8.0});
}

TEST(Recognise, FindsTheTreeOfARealisticCluster) {
  auto builder = dgx_like();
  const Shape shape = recognise(built(builder));
  EXPECT_EQ(shape.summary,
            "fat tree, 2 levels, 31 leaves x 9 spines, 2 cables a pair, oversubscription 1:1, 144 hosts with 4 rails");
  ASSERT_EQ(lines_of(shape).size(), 18U);
  EXPECT_EQ(lines_of(shape).front(), "the host dgx-07-c00 has 3 rails, most have 4");
}

TEST(Recognise, NamesEachIrregularity) {
  auto builder = dgx_like();
  Network network = built(builder);
  network = without_cables(network, "LEAF-03", "SPINE-05", 1);
  network = without_cables(network, "LEAF-04", "SPINE-05", 2);
  auto changed = copy_of(network);
  add_host(changed, "ufm", device_named(network, "SPINE-08").value(), 64);
  add_host(changed, "login", device_named(network, "LEAF-09").value(), 30);
  changed.add_nic("dark HCA-1", 0xdada00, 1, "dark", 0);
  changed.add_unnamed_nic("MT4129 ConnectX7   Mellanox Technologies", 0xdadb00, 1);
  plug(changed, device_named(network, "SPINE-00").value(), 63, device_named(network, "SPINE-00").value(), 64);
  const Shape shape = recognise(built(changed));
  EXPECT_EQ(shape.summary,
            "fat tree, 2 levels, 31 leaves x 9 spines, 2 cables a pair, oversubscription 1:1, "
            "147 hosts with 4 rails and 1 HCA without a host name");
  for (const char* line :
       {"LEAF-03 <-> SPINE-05: 1 of 2 cables", "LEAF-04 <-> SPINE-05: 0 of 2 cables",
        "SPINE-08 stands above the leaves and has 1 host", "LEAF-09 has 19 cables to hosts, most have 18",
        "the host dark has no cable", "the host ufm has 1 rail, most have 4",
        "SPINE-00 port 63 and port 64 are cabled to each other", "LEAF-04 is oversubscribed 1.12:1, most are 1:1"}) {
    EXPECT_EQ(std::ranges::count(lines_of(shape), line), 1) << line;
  }
}

TEST(Recognise, NamesEveryRemovedCableOfATreeOnce) {
  const Network whole = opened("xgft:m=6,6,4;w=1,6,6;p=1,2,1");
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    std::size_t removed = 0;
    auto damaged = copy_of(whole, [&](PortId id) {
      const bool between_routers = whole.is_router(whole.port(whole.port(id).peer).device);
      const bool keep = !between_routers || random.below(20) != 0;
      removed += keep ? 0 : 1;
      return keep;
    });
    const Shape shape = recognise(built(damaged));
    EXPECT_EQ(shape.kind, ShapeKind::fat_tree) << "seed " << seed;
    std::size_t named = 0;
    for (const std::string& line : lines_of(shape)) {
      if (line.find("<->") == std::string::npos) continue;
      named += line.ends_with("0 of 2 cables") ? 2 : 1;
    }
    EXPECT_EQ(named, removed) << "seed " << seed;
  }
}

TEST(Recognise, DescribesATreeAsWithoutItsSwitchesWithoutHosts) {
  const Network whole = opened("xgft:m=4,4,4;w=1,4,4");
  const auto is_in_last_pod = [&](DeviceId leaf) {
    const auto name = whole.name(leaf);
    return name == "LS12" || name == "LS13" || name == "LS14" || name == "LS15";
  };
  auto switched_off = copy_of(
      whole,
      [&](PortId id) {
        const DeviceId a = whole.port(id).device;
        const DeviceId b = whole.port(whole.port(id).peer).device;
        return whole.is_router(a) == whole.is_router(b) || !is_in_last_pod(std::min(a, b));
      },
      4);
  const auto root = device_named(whole, "RS0").value();
  const auto spine = switched_off.add_router("spineE", 0xe0, 8);
  const auto leaf = switched_off.add_router("leafE", 0xe1, 8);
  plug(switched_off, spine, 1, leaf, 1);
  plug(switched_off, spine, 2, leaf, 2);
  plug(switched_off, spine, 3, root, 5);
  plug(switched_off, spine, 4, root, 6);
  plug(switched_off, switched_off.add_router("tail", 0xe2, 8), 1, device_named(whole, "LS2").value(), 9);
  const Shape shape = recognise(built(switched_off));
  EXPECT_EQ(shape.routers, (Lengths{12, 12, 16}));
  EXPECT_EQ(shape.oversubscription, (std::vector{1.0, 1.0}));
  EXPECT_TRUE(
      shape.summary.starts_with("fat tree, 3 levels, 12 leaves x 12 middle routers x 16 spines, 1 cable a pair, "
                                "oversubscription 1:1, "))
      << shape.summary;
  Lines idle;
  for (const Irregularity& irregular : shape.irregularities) {
    if (irregular.kind == IrregularityKind::idle_routers) idle.push_back(irregular.text);
    EXPECT_TRUE(irregular.kind == IrregularityKind::idle_routers ||
                irregular.kind == IrregularityKind::hosts_without_cables)
        << irregular.text;
  }
  EXPECT_EQ(idle,
            (Lines{"a pod of 4 leaves and 4 spines has no hosts: LS12, LS13, LS14, …",
                   "a pod of 1 leaf and 1 spine has no hosts: spineE, leafE", "tail hangs on LS2 and has no hosts"}));
}

TEST(Recognise, OneRouterHasAllHostsWhateverStandsAboveIt) {
  NetworkBuilder chain;
  for (int i = 0; i < 3; ++i) chain.add_router(fmt::format("nn-{}", i), 0x100U + i, 8);
  plug(chain, 0, 1, 1, 1);
  plug(chain, 1, 2, 2, 2);
  add_host(chain, "a", 2, 3);
  add_host(chain, "b", 2, 4);
  const Shape shape = recognise(built(chain));
  EXPECT_EQ(shape.summary, "one router, 2 hosts with 1 rail");
  EXPECT_EQ(lines_of(shape), (Lines{"2 routers that hang on nn-2 have no hosts: nn-0, nn-1"}));
  EXPECT_TRUE(recognise(opened("fattree:K=3,levels=3,nodes=3")).summary.starts_with("one router, 3 hosts"));
}

TEST(Recognise, SaysFirstWhatIsMissing) {
  Network network = opened("fattree:K=4,levels=2");
  network = without_cables(network, "LS5", "RS1", 1);
  auto builder = copy_of(network, [](PortId) { return true; }, 4);
  plug(builder, device_named(network, "LS0").value(), 9, device_named(network, "RS2").value(), 9);
  add_host(builder, "more", device_named(network, "LS3").value(), 9);
  const Shape shape = recognise(built(builder));
  ASSERT_EQ(shape.irregularities.size(), 4U);
  EXPECT_EQ(lines_of(shape).front(), "LS5 <-> RS1: 0 of 1 cable");
  EXPECT_EQ(shape.irregularities.front().kind, IrregularityKind::missing_cables);
  EXPECT_EQ(lines_of(shape).back(), "LS0 <-> RS2: 2 cables, most have 1");
  EXPECT_EQ(shape.irregularities.back().kind, IrregularityKind::more_cables);
}

TEST(Recognise, NamesUnequalPods) {
  const Shape shape = recognise(opened("fattree:K=3,levels=3,nodes=28"));
  EXPECT_EQ(lines_of(shape), (Lines{"LS9 has 1 cable to hosts, most have 3",
                                    "LS9 is in a group of 1 router below 3; most groups are of 3 below 3"}));
}

TEST(Recognise, OversubscriptionIsThatOfMostLeavesAndNamesTheWorst) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    const auto hosts = static_cast<int>(2 + random.below(5));
    const auto spines = static_cast<int>(1 + random.below(4));
    NetworkBuilder builder;
    for (int leaf = 0; leaf < 5; ++leaf) builder.add_router(fmt::format("L{}", leaf), 0x2000U + leaf, 16);
    for (int spine = 0; spine < spines; ++spine) builder.add_router(fmt::format("S{}", spine), 0x3000U + spine, 8);
    const auto worst = static_cast<int>(random.below(5));
    for (int leaf = 0; leaf < 5; ++leaf) {
      for (int host = 0; host < hosts + (leaf == worst ? 2 : 0); ++host) {
        add_host(builder, fmt::format("n{}-{}", leaf, host), leaf, 1 + host);
      }
      for (int spine = 0; spine < spines; ++spine) plug(builder, leaf, 10 + spine, 5 + spine, 1 + leaf);
    }
    const Shape shape = recognise(built(builder));
    EXPECT_EQ(shape.oversubscription, std::vector{double(hosts) / spines}) << "seed " << seed;
    const auto line = fmt::format("L{} is oversubscribed {:.3g}:1, most are {:.3g}:1", worst,
                                  double(hosts + 2) / spines, double(hosts) / spines);
    EXPECT_EQ(std::ranges::count(lines_of(shape), line), 1) << "seed " << seed;
  }
}

TEST(Recognise, GivesNoOversubscriptionIfNoRateIsKnown) {
  NetworkBuilder builder;
  for (int leaf = 0; leaf < 2; ++leaf) builder.add_router(fmt::format("L{}", leaf), 0x20U + leaf, 16);
  builder.add_router("S", 0x30, 16);
  for (int leaf = 0; leaf < 2; ++leaf) {
    plug(builder, leaf, 10, 2, 1 + leaf, LinkRate{});
    for (int host = 0; host < 4; ++host) {
      const std::string name = fmt::format("n{}-{}", leaf, host);
      plug(builder, builder.add_nic(name, 0x100U + 16 * (4 * leaf + host), 1, name, 0), 1, leaf, 1 + host, LinkRate{});
    }
  }
  const Shape shape = recognise(built(builder));
  EXPECT_EQ(shape.kind, ShapeKind::fat_tree);
  EXPECT_TRUE(shape.oversubscription.empty());
  EXPECT_EQ(shape.summary.find("oversubscription"), std::string::npos);
}

TEST(Recognise, DoesNotNameThousandsOfCablesOfASparseTree) {
  // 40 leaves, each cabled to 4 of 20 spines
  NetworkBuilder builder;
  for (int leaf = 0; leaf < 40; ++leaf) builder.add_router(fmt::format("L{}", leaf), 0x2000U + leaf, 8);
  for (int spine = 0; spine < 20; ++spine) builder.add_router(fmt::format("S{}", spine), 0x3000U + spine, 16);
  for (int leaf = 0; leaf < 40; ++leaf) {
    add_host(builder, fmt::format("n{}", leaf), leaf, 1);
    for (int i = 0; i < 4; ++i) plug(builder, leaf, 2 + i, 40 + (leaf + i) % 20, 1 + 4 * (leaf / 20) + i);
  }
  const Shape shape = recognise(built(builder));
  EXPECT_EQ(shape.kind, ShapeKind::fat_tree);
  EXPECT_EQ(lines_of(shape), Lines{"L0 and those next to it: 160 of 800 pairs of 40 routers below 20 are cabled"});
}

TEST(Recognise, DescribesOneRouterAndHostsBackToBack) {
  EXPECT_EQ(summary_of("fattree:K=9,levels=1"), "one router, 18 hosts with 1 rail");
  NetworkBuilder builder;
  plug(builder, builder.add_nic("a HCA-1", 0x100, 1, "a", 0), 1, builder.add_nic("b HCA-1", 0x200, 1, "b", 0), 1);
  const Shape shape = recognise(built(builder));
  EXPECT_EQ(shape.summary, "no router, hosts back to back, 2 hosts with 1 rail");
  EXPECT_EQ(lines_of(shape), Lines{});
}

TEST(Recognise, FindsFullyConnectedRouters) {
  EXPECT_EQ(summary_of("full:8,hosts=4"), "full, 8 routers, 1 cable a pair, 32 hosts with 1 rail");
  EXPECT_EQ(summary_of("torus:3"), "full, 3 routers, 1 cable a pair, 3 hosts with 1 rail");
  EXPECT_EQ(recognise(opened("full:8,hosts=0")).kind, ShapeKind::full);
}

TEST(Recognise, CallsOtherNetworksGraphsAndGivesReasons) {
  const Network network = without_cables(opened("torus:4x5"), "R0-0", "R0-1", 1);
  const Shape shape = recognise(network);
  EXPECT_EQ(shape.kind, ShapeKind::graph);
  EXPECT_EQ(shape.summary, "no regular shape, 20 routers, 39 pairs of them cabled, 20 hosts with 1 rail");
  ASSERT_EQ(lines_of(shape).size(), 5U);
  EXPECT_EQ(lines_of(shape)[0], "no tree: R0-0 port 2 and R1-0 port 3, both leaves, are cabled");
  EXPECT_TRUE(lines_of(shape)[1].starts_with("no grid: ")) << lines_of(shape)[1];
  EXPECT_EQ(lines_of(shape)[2], "not full: R0-0 and R0-1 are not cabled");
  EXPECT_TRUE(lines_of(shape)[3].starts_with("no HyperX: ")) << lines_of(shape)[3];
  EXPECT_TRUE(lines_of(shape)[4].starts_with("no dragonfly: ")) << lines_of(shape)[4];
}

TEST(Recognise, NamesSeparateParts) {
  const Shape shape = recognise(opened("xgft:m=4,4;w=2,1"));
  EXPECT_EQ(lines_of(shape), Lines{"no cables lead from LS0 to LS1"});
}

// --- grids ----------------------------------------------------------------------------------------------------------

/// As recognise() words it: without lengths of 1, and two lines of 2 that are not part of a mesh are a ring of 4.
Lengths canonical(Lengths lengths, bool torus) {
  std::erase(lengths, 1U);
  const bool mesh = !torus && std::any_of(lengths.begin(), lengths.end(), [](auto l) { return l > 2; });
  while (!mesh && std::count(lengths.begin(), lengths.end(), 2U) >= 2) {
    lengths.erase(std::find(lengths.begin(), lengths.end(), 2U));
    *std::find(lengths.begin(), lengths.end(), 2U) = 4;
  }
  std::sort(lengths.begin(), lengths.end());
  return lengths;
}

void expect_grid(const Shape& shape, const Lengths& lengths, bool torus, std::string_view what) {
  EXPECT_EQ(shape.kind, ShapeKind::grid) << what << ": " << shape.summary;
  Lengths found = shape.dimensions;
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, canonical(lengths, torus)) << what;
  EXPECT_EQ(shape.periodic.size(), shape.dimensions.size()) << what;
  for (std::size_t i = 0; i < shape.periodic.size(); ++i) {
    const bool all_twos = *std::max_element(lengths.begin(), lengths.end()) == 2;
    EXPECT_EQ(shape.periodic[i], torus || all_twos) << what;
  }
}

TEST(RecogniseGrid, DoesNotDependOnTheOrderOfCables) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    Random random(seed);
    const bool torus = random.below(2) == 0;
    Lengths lengths;
    std::uint64_t routers = 1;
    while (lengths.size() < 5 && (routers < 4 || random.below(3) != 0) && routers < 60) {
      lengths.push_back(static_cast<std::uint32_t>(1 + random.below(7)));
      routers *= lengths.back();
    }
    if (routers < 4) continue;
    const std::string source = fmt::format("{}:{}", torus ? "torus" : "mesh", fmt::join(lengths, "x"));
    const std::string what = fmt::format("seed {} {}", seed, source);
    expect_grid(recognise(opened(source)), lengths, torus, what);
    expect_grid(recognise(relabelled(opened(source), seed)), lengths, torus, what + " relabelled");
  }
}

TEST(RecogniseGrid, KeepsTheOrderOfDimensionsOfTheSource) {
  for (const char* source : {"torus:3x5x7", "torus:7x5x3", "torus:16x4x6", "mesh:5x2x3", "torus:5x3x4x6"}) {
    const Shape shape = recognise(opened(source));
    EXPECT_EQ(fmt::format("{}", fmt::join(shape.dimensions, "x")),
              std::string_view(source).substr(source[0] == 't' ? 6 : 5));
  }
}

TEST(RecogniseGrid, FindsGridsWithFewHosts) {
  const Network empty = opened("torus:4x6,hosts=0");
  EXPECT_EQ(recognise(empty).summary, "torus 4x6, 1 cable a pair, 0 hosts");
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    const Network whole = opened(seed % 2 == 0 ? "torus:4x6x3" : "torus:4x4x4");
    const std::uint64_t kept = 1 + random.below(20);
    auto sparse = copy_of(whole, [&](PortId id) {
      return whole.is_router(whole.port(whole.port(id).peer).device) || random.below(20) < kept;
    });
    expect_grid(recognise(built(sparse)), seed % 2 == 0 ? Lengths{4, 6, 3} : Lengths{4, 4, 4}, true,
                fmt::format("seed {}", seed));
  }
}

TEST(RecogniseGrid, FindsProductsOfRingsAndLines) {
  // A torus without the cables around one edge is a cylinder.
  const Network whole = opened("torus:5x7x3");
  auto cut = copy_of(whole, [&](PortId id) {
    const std::string_view a = whole.name(whole.port(id).device);
    const std::string_view b = whole.name(whole.port(whole.port(id).peer).device);
    return !(a.starts_with("R0-") && b.starts_with("R4-"));
  });
  const Shape shape = recognise(built(cut));
  EXPECT_EQ(shape.summary, "grid 5x7x3 with edges in dimension 1, 1 cable a pair, 105 hosts with 1 rail");
}

TEST(RecogniseGrid, NamesMissingParallelCablesAndUnequalHosts) {
  NetworkBuilder builder;
  for (int i = 0; i < 6; ++i) builder.add_router(fmt::format("R{}", i), 0x2000U + i, 8);
  for (int i = 0; i < 6; ++i) {
    add_host(builder, fmt::format("n{}", i), i, 8);
    plug(builder, i, 1, (i + 1) % 6, 2);
    if (i != 3) plug(builder, i, 3, (i + 1) % 6, 4);
  }
  add_host(builder, "login", 5, 7);
  const Shape shape = recognise(built(builder));
  EXPECT_EQ(shape.summary, "torus 6, 2 cables a pair, 7 hosts with 1 rail");
  EXPECT_EQ(lines_of(shape), (Lines{"R3 <-> R4: 1 of 2 cables", "R5 has 2 cables to hosts, most have 1"}));
}

TEST(RecogniseGrid, FindsNoGridInRandomGraphs) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    NetworkBuilder builder;
    constexpr int routers = 12;
    std::vector<int> used(routers);
    for (int i = 0; i < routers; ++i) builder.add_router(fmt::format("R{}", i), 0x2000U + i, 8);
    for (int i = 0; i < routers; ++i) add_host(builder, fmt::format("n{}", i), i, ++used[i]);
    for (int cable = 0; cable < 20; ++cable) {
      const auto a = static_cast<int>(random.below(routers));
      const auto b = static_cast<int>(random.below(routers));
      if (a != b && used[a] < 8 && used[b] < 8) plug(builder, a, ++used[a], b, ++used[b]);
    }
    EXPECT_EQ(recognise(built(builder)).kind, ShapeKind::graph) << "seed " << seed;
  }
}

TEST(RecogniseGrid, GivesThePlaceOfEachRouter) {
  for (const char* source : {"torus:4x5", "torus:4x4x4", "mesh:3x4,hosts=2", "torus:2x3x2", "torus:2x5x2x2",
                             "torus:3x2", "mesh:2x3x4", "mesh:7,hosts=3", "torus:1x5x1x6"}) {
    SCOPED_TRACE(source);
    auto from_cables_alone = copy_of(opened(source));
    const Network network = built(from_cables_alone);
    expect_places_fit(network, recognise(network));
  }
}

TEST(DeclaredShape, IsTheDeclaredGridIfCablesAgree) {
  for (const char* source : {"torus:2x2", "mesh:2x2", "torus:3", "mesh:1x2x1", "torus:1x1", "torus:2x3x2,hosts=2"}) {
    SCOPED_TRACE(source);
    const Network network = opened(source);
    const auto shape = declared_shape(network);
    ASSERT_TRUE(shape);
    EXPECT_EQ(shape->dimensions, network.declared_grid()->dimensions);
    EXPECT_EQ(shape->periodic, network.declared_grid()->periodic);
    expect_places_fit(network, *shape);
  }
  const auto with_a_lie = [](std::uint32_t length, bool periodic) {
    auto builder = copy_of(opened("torus:3x4"));
    builder.set_grid({{length, 4}, {periodic, true}});
    return declared_shape(built(builder));
  };
  EXPECT_TRUE(with_a_lie(3, true));
  EXPECT_FALSE(with_a_lie(3, false));
  EXPECT_FALSE(with_a_lie(0, true));
  EXPECT_FALSE(with_a_lie(4, true));
  EXPECT_FALSE(declared_shape(without_cables(opened("torus:3x4"), "R0-0", "R0-1", 1)));
  EXPECT_FALSE(declared_shape(opened("full:4")));
}

TEST(Recognise, FindsTheDimensionsOfATorusOf4096Routers) {
  EXPECT_EQ(recognise(opened("torus:16x16x16")).dimensions, (Lengths{16, 16, 16}));
}

}  // namespace
}  // namespace ayatori
