#include "ayatori/topology/network_of.hpp"

#include <filesystem>

#include "ayatori/base/random.hpp"
#include "ayatori/topology/faults.hpp"
#include "ayatori/topology/subset.hpp"
#include "topology_fixtures.hpp"

namespace ayatori {
namespace {

Network network_from(const Topology& topology) {
  auto network = network_of(topology);
  if (!network) throw std::runtime_error(network.error().message);
  return std::move(*network);
}

void expect_round_trip(const Topology& topology) {
  EXPECT_EQ(as_text(*got(make_image_topology(network_from(topology)))), as_text(topology));
}

TEST(NetworkOf, KeepsTheImageOfEachFormula) {
  for (const char* source :
       {"fattree:K=3,levels=3,nodes=20", "fattree:K=2,levels=4", "fattree:K=4,levels=1", "xgft:h=2;m=3,4;w=2,2;p=2,2",
        "xgft:h=3;m=2,2,3;w=1,2,2;p=1,2,1", "torus:4x3x2,hosts=2", "torus:3x3,hosts=0", "torus:2x2,hosts=3", "mesh:2x3",
        "torus:4x5x3", "torus:12", "torus:1", "mesh:2x2x2", "full:5,hosts=2", "full:4", "full:1,hosts=3", "full:1"}) {
    SCOPED_TRACE(source);
    expect_round_trip(*image_of(source));
  }
}

TEST(NetworkOf, KeepsTheImageOfAGridFormula) {
  GridFormula formula;
  formula.dimensions = {3, 1, 4, 2};
  formula.periodic = {true, true, false, true};
  formula.rate = {0, LaneSpeed::unknown, 40'000};
  formula.latency = 200;
  formula.plane = "tofu";
  expect_round_trip(*make_grid_topology(formula));
}

TEST(NetworkOf, KeepsTheImageOfRealAndDamagedNetworks) {
  auto dgx = dgx_like();
  expect_round_trip(*got(make_image_topology(built(dgx))));
  const Network torus = opened("torus:4x4,hosts=2");
  expect_round_trip(*got(make_image_topology(without_cables(torus, "R0-0", "R0-1", 1))));
  NetworkBuilder builder;
  const auto host = [&](const char* name, Guid guid) { return builder.add_nic("", guid, 2, name, 0); };
  const auto a = host("a", 0x100);
  const auto b = host("b", 0x200);
  host("alone", 0x300);
  plug(builder, a, 1, b, 1);
  plug(builder, a, 2, b, 2);
  expect_round_trip(*got(make_image_topology(built(builder))));
}

TEST(NetworkOf, KeepsTheImageOfRealSubnets) {
  std::size_t files = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(AYATORI_SOURCE_DIR "/src/nwtopo/fuzz/corpus/ibnetdiscover")) {
    SCOPED_TRACE(file.path());
    const TopologyPtr image = image_of("ib:" + file.path().string());
    expect_complete(*image);
    expect_round_trip(*image);
    ++files;
  }
  EXPECT_GE(files, 6U);
}

TEST(NetworkOf, KeepsTheImageOfATreeWithPartsMissing) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const Network whole = opened("xgft:h=3;m=2,3,3;w=2,2,2");
    auto builder = copy_of(whole, [&](PortId) { return random.below(100) >= seed; });
    expect_round_trip(*got(make_image_topology(built(builder))));
    if (HasFailure()) return;
  }
}

TEST(NetworkOf, LeavesOutLinksThatAreTakenOut) {
  const Network network = opened("fattree:K=2,levels=2");
  const TopologyPtr tree = got(make_image_topology(network));
  const Network less = network_from(*got(take_out(tree, "LS1:3,RS1")));
  EXPECT_EQ(less.link_count(), network.link_count() - 5);
  EXPECT_EQ(less.device_count(), network.device_count());
}

TEST(NetworkOf, MakesAGridOfASubsetsBox) {
  const TopologyPtr torus = image_of("torus:4x5");
  const Network box = network_from(*got(make_subset(torus, std::vector<ObjectId>{0, 1, 5, 6, 10, 11, 15, 16})));
  EXPECT_TRUE(box.direct());
  const TopologyPtr grid = got(make_image_topology(box));
  EXPECT_EQ(grid->grid(8)->dimensions, (std::vector<std::uint32_t>{4, 2}));
  EXPECT_EQ(grid->grid(8)->periodic, (std::vector<bool>{true, false}));
}

TEST(NetworkOf, RefusesMoreDevicesThanANetworkMayHave) {
  GridFormula formula;
  formula.dimensions = {4096, 4096};
  formula.periodic = {true, true};
  EXPECT_EQ(network_of(*make_grid_topology(formula)).error().message,
            "an explicit network may have 16777216 nodes, this one has 33554433");
}

}  // namespace
}  // namespace ayatori
