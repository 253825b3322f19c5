#include "ayatori/tofu/tofu.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "ayatori/base/text.hpp"
#include "ayatori/network/shape.hpp"
#include "ayatori/topology/grid.hpp"

namespace ayatori {
namespace {

TopologyPtr topology(std::string_view rest, bool physical = false) {
  auto formula = tofu_formula(rest, physical);
  EXPECT_TRUE(formula) << formula.error().message;
  return make_grid_topology(std::move(**formula));
}

std::vector<std::uint32_t> dimensions(std::string_view rest, bool physical = false) {
  const TopologyPtr grid = topology(rest, physical);
  return grid->grid(grid->machine_count())->dimensions;
}

std::string error(std::string_view rest) {
  const auto network = open_tofu(rest);
  return network ? "none" : network.error().message;
}

/// Which machines have a link to this one, by the rules of the six dimensions alone (A and C: 2, B: ring of 3), spelt
/// out once more without the library's grids.
bool are_neighbours(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) {
  std::size_t differences = 0;
  bool next_to = true;
  for (std::size_t i = 0; i < 6; ++i) {
    if (a[i] == b[i]) continue;
    ++differences;
    const std::uint64_t distance = a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
    next_to = next_to && (distance == 1 || (i == 4 && distance == 2));
  }
  return differences == 1 && next_to;
}

std::vector<std::uint64_t> place(const std::string& name) {
  std::vector<std::uint64_t> found;
  for (const auto text : split(std::string_view(name).substr(1), '-')) {
    found.push_back(parse_unsigned<std::uint64_t>(text).value());
  }
  EXPECT_EQ(found.size(), 6U) << name;
  return found;
}

/// The property of every logical view: each machine once, and each link of the logical torus is one physical link. X, Y
/// and Z are taken for open here: no view may need them closed.
void expect_embedded(const std::string& rest) {
  SCOPED_TRACE(rest);
  const TopologyPtr logical = topology(rest);
  std::vector<std::vector<std::uint64_t>> places;
  std::set<std::vector<std::uint64_t>> seen;
  for (ObjectId id = 0; id < logical->machine_count(); ++id) {
    places.push_back(place(logical->name(id)));
    ASSERT_TRUE(seen.insert(places.back()).second) << logical->name(id);
    ASSERT_EQ(logical->find(logical->name(id)), id);
  }
  for (ObjectId id = 0; id < logical->machine_count(); ++id) {
    for (std::uint32_t i = 0; i < logical->link_count(id); ++i) {
      const ObjectId to = logical->link(id, i).to;
      ASSERT_TRUE(are_neighbours(places[id], places[to])) << logical->name(id) << " and " << logical->name(to);
    }
  }
  for (const bool periodic : logical->grid(logical->machine_count())->periodic) ASSERT_TRUE(periodic);
}

TEST(TofuFormula, LogicalNeighboursArePhysicalNeighbours) {
  for (int x = 1; x <= 4; ++x) {
    for (int y = 1; y <= 4; ++y) {
      for (int z = 1; z <= 4; ++z) {
        for (const char* view : {"3d", "2d", "1d"}) {
          expect_embedded(fmt::format("{}x{}x{},view={}", x, y, z, view));
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST(TofuFormula, TheKComputerIsATorusOf48x54x32) {
  constexpr std::string_view k = "24x18x16x2x3x2";
  EXPECT_EQ(dimensions(k), (std::vector<std::uint32_t>{48, 54, 32}));
  EXPECT_EQ(dimensions("24x18x16,view=2d"), (std::vector<std::uint32_t>{48, 1728}));
  EXPECT_EQ(dimensions("24x18x16,view=1d"), (std::vector<std::uint32_t>{82944}));
  EXPECT_EQ(dimensions(k, true), (std::vector<std::uint32_t>{24, 18, 16, 2, 3, 2}));
  EXPECT_LT(topology(k)->private_bytes(), 1024U);
  expect_embedded("24x18x16");
}

TEST(TofuFormula, PhysicalNodesHaveTenLinks) {
  const TopologyPtr physical = topology("4x3x5", true);
  const GridShape& shape = *physical->grid(physical->machine_count());
  EXPECT_EQ(shape.periodic, (std::vector<bool>{true, true, true, false, true, false}));
  for (ObjectId id = 0; id < physical->machine_count(); ++id) {
    ASSERT_EQ(physical->link_count(id), 10U);
    ASSERT_EQ(physical->link(id, 0).rate.bytes_per_second(), 5e9);
  }
  const TopologyPtr open = topology("4x3x5,view=physical,x=mesh,y=mesh,z=mesh");
  EXPECT_EQ(open->link_count(0), 3U + 4);
  EXPECT_EQ(open->planes()[0].name, "tofu");
}

/// Ids of one machine in both views are found by its name.
TEST(TofuFormula, AllViewsUseTheSameMachineNames) {
  const TopologyPtr logical = topology("3x2x4,view=2d");
  const TopologyPtr physical = topology("3x2x4", true);
  for (ObjectId id = 0; id < logical->machine_count(); ++id) {
    const auto found = physical->find(logical->name(id));
    ASSERT_TRUE(found) << logical->name(id);
    ASSERT_EQ(physical->name(*found), logical->name(id));
  }
  for (const char* name : {"N3-0-0-0-0-0", "N0-0-0-0-3-0", "N0-0-0-0-0", "N00-0-0-0-0-0", "X", "N0-0-0-0-0-0-0"}) {
    EXPECT_FALSE(logical->find(name)) << name;
  }
}

/// The explicit network says the same as the formula, object by object.
TEST(OpenTofu, TheNetworkHasTheLinksOfTheFormula) {
  for (const char* rest : {"2x1x3", "2x2x2,view=1d", "2x1x2,view=2d,rate=6800MB/s", "3x2x1,view=physical,y=mesh",
                           "job=4x6x2", "job=5", "job=4x3,x=mesh"}) {
    SCOPED_TRACE(rest);
    const auto network = open_tofu(rest);
    ASSERT_TRUE(network) << network.error().message;
    const TopologyPtr formula = topology(rest);
    ASSERT_TRUE(network->direct());
    ASSERT_EQ(network->machines().size(), formula->machine_count());
    for (ObjectId id = 0; id < formula->machine_count(); ++id) {
      ASSERT_EQ(network->machine(network->machines_in_order()[id]).name, formula->name(id));
      const auto router = static_cast<DeviceId>(id);
      std::uint32_t cables = 0;
      for (const Port& port : network->ports(router).subspan(2)) cables += port.connected() ? 1U : 0U;
      ASSERT_EQ(cables, formula->link_count(id));
      for (std::uint32_t i = 0; i < cables; ++i) {
        const TopologyLink link = formula->link(id, i);
        const Port& port = network->ports(router)[link.from_port];
        const Port& peer = network->port(port.peer);
        ASSERT_EQ(peer.device, link.to);
        ASSERT_EQ(peer.number, link.to_port);
        ASSERT_EQ(port.rate, link.rate);
      }
    }
  }
}

TEST(OpenTofu, TheShapeIsRecognised) {
  const auto network = open_tofu("2x2x2");
  ASSERT_TRUE(network);
  const Shape shape = recognise(*network);
  EXPECT_EQ(shape.kind, ShapeKind::grid);
  EXPECT_EQ(shape.dimensions, (std::vector<std::uint32_t>{4, 6, 4}));
}

TEST(OpenTofu, AJobIsALogicalTorus) {
  EXPECT_EQ(dimensions("job=4x6x16"), (std::vector<std::uint32_t>{4, 6, 16}));
  EXPECT_EQ(topology("job=4x6x16")->name(1), "N0-0-1");
  const auto physical = tofu_formula("job=4x6x16", true);
  ASSERT_FALSE(physical);
  EXPECT_EQ(physical.error().message, "tofu: the shape of a job does not say where in the six dimensions it lies");
}

std::map<std::string, std::string> environment;
const char* variable(const char* name) {
  const auto found = environment.find(name);
  return found == environment.end() ? nullptr : found->second.c_str();
}

TEST(TofuJob, ReadsTheJobsShapeFromItsVariables) {
  environment = {};
  EXPECT_EQ(tofu_job(variable), "");
  environment = {{"PJM_NODE", "384"}, {"PJM_NODE_X", "4"}, {"PJM_NODE_Y", "6"}, {"PJM_NODE_Z", "16"}};
  EXPECT_EQ(tofu_job(variable), "job=4x6x16");
  environment = {{"PJM_NODE_X", "12"}, {"PJM_NODE_Y", ""}};
  EXPECT_EQ(tofu_job(variable), "job=12");
  environment = {{"PJM_MPI_SHAPE_X", "2"}, {"PJM_MPI_SHAPE_Y", "3"}};
  EXPECT_EQ(tofu_job(variable), "job=2x3");
  environment = {{"PJM_NODE_X", "many"}};
  EXPECT_EQ(tofu_job(variable), "");
  environment = {{"PJM_NODE", "12"}};
  EXPECT_EQ(tofu_job(variable), "");
}

TEST(OpenTofu, ErrorsNameWhatWasExpected) {
  EXPECT_EQ(error(""), "tofu: expected lengths like 24x18x16");
  EXPECT_EQ(error("4x4"), "tofu: expected XxYxZ or XxYxZx2x3x2: groups have 2x3x2 nodes");
  EXPECT_EQ(error("4x4x4x2x2x2"), "tofu: expected XxYxZ or XxYxZx2x3x2: groups have 2x3x2 nodes");
  EXPECT_EQ(error("4x0x4"), "tofu: expected lengths like 24x18x16 instead of '4x0x4'");
  EXPECT_EQ(error("4xax4"), "tofu: expected lengths like 24x18x16 instead of '4xax4'");
  EXPECT_EQ(error("1x1x1,view=4d"), "tofu: expected view=3d, 2d, 1d or physical instead of '4d'");
  EXPECT_EQ(error("1x1x1,x=ring"), "tofu: expected x=mesh or x=torus");
  EXPECT_EQ(error("1x1x1,speed=1"), "tofu: expected view, x, y, z or rate instead of 'speed'");
  EXPECT_EQ(error("1x1x1,rate=fast"), "tofu: expected a rate like 5GB/s instead of 'fast'");
  EXPECT_EQ(error("job=1x2x3x4"), "tofu: a job has 1 to 3 dimensions");
  EXPECT_EQ(error("job=4,y=mesh"), "tofu: there is no dimension y");
  EXPECT_EQ(error("job"), "tofu: only the environment of the job has its shape (PJM_NODE_X, …)");
  EXPECT_EQ(error("1000x1000x1000"), "tofu: more than 2^32 nodes");
  EXPECT_EQ(error("99999999999x99999999999x1"), "tofu: more than 2^32 nodes");
  EXPECT_EQ(error("200x200x20"), "tofu: 9600000 machines and their routers; the maximum is 16777216 nodes");
}

}  // namespace
}  // namespace ayatori
