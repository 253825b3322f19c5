// nwtopo.hpp, compiled as C++17. What the answers are is tested on the C functions.

#include "nwtopo.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <string>

namespace {

using nwtopo::Error;
using nwtopo::Topology;

int code_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_STRNE(error.what(), "");
    return error.code();
  }
  return 0;
}

TEST(WrapperTest, RangesVisitEveryObject) {
  const Topology topology({"mesh:3x4"});
  EXPECT_EQ(topology.machines().size(), 12U);
  unsigned long expected = 0;
  for (nwtopo_obj_t machine : topology.machines()) EXPECT_EQ(machine->id, expected++);
  const auto children = topology.children(topology.root());
  EXPECT_TRUE(std::equal(children.begin(), children.end(), topology.machines().begin()));
  EXPECT_TRUE(topology.children(topology.object_by_id(0)).empty());
  long links = 0;
  for (nwtopo_obj_t machine : topology.machines()) {
    for (const nwtopo_link& link : topology.links(machine)) links += link.from == machine ? 1 : 0;
  }
  EXPECT_EQ(links, 2 * (3 * 3 + 2 * 4));
  for (auto& link : topology.links(topology.machines()[0])) EXPECT_EQ(link.from->id, 0U);
  const auto first = topology.links(topology.machines()[0]);
  EXPECT_EQ(first.begin()->from_port, first[0].from_port);
  EXPECT_EQ(topology.parents(topology.machines()[5])[0], topology.root());
  EXPECT_TRUE(topology.parents(topology.root()).empty());
  EXPECT_THROW(static_cast<void>(topology.children(nullptr)), std::invalid_argument);
  EXPECT_EQ(topology.planes()[0], nwtopo_topology_get_plane_name(topology.get(), 0));
}

/// A dump with a message of the program that made it: what was skipped is reported, also of a subset and a copy.
TEST(WrapperTest, WarningsTellWhatTheSourceSkipped) {
  const std::string path = testing::TempDir() + "nwtopo-wrapper-fabric.txt";
  std::ofstream(path) << "switchguid=0x10(10)\nSwitch 2 \"S-10\" # \"leaf\" base port 0 lid 1 lmc 0\n"
                         "[1] \"H-20\"[1](21) # \"n1 HCA-1\" lid 2 4xHDR\n"
                         "ibwarn: [7] mad_rpc: _do_madrpc failed\n"
                         "caguid=0x20\nCa 1 \"H-20\" # \"n1 HCA-1\"\n"
                         "[1](21) \"S-10\"[1] # lid 2 lmc 0 \"leaf\" lid 1 4xHDR\n";
  const Topology topology({"ib:" + path});
  const auto warnings = topology.warnings();
  ASSERT_GE(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find(":4: skipped"), std::string::npos) << warnings[0];
  EXPECT_NE(warnings[0].find("_do_madrpc failed"), std::string::npos) << warnings[0];
  EXPECT_EQ(topology.shrink({topology.machines()[0]}).warnings(), warnings);
  const auto bytes = topology.export_buffer();
  EXPECT_EQ(Topology::from_buffer(bytes.data(), bytes.size()).warnings(), warnings);
  EXPECT_TRUE(Topology({"torus:3x3"}).warnings().empty());
}

TEST(WrapperTest, GridFunctionsAreThoseOfC) {
  const Topology topology({"mesh:3x4"});
  nwtopo_obj_t const grid = topology.root();
  nwtopo_obj_t const machine = topology.at(grid, {1, 2});
  EXPECT_EQ(topology.coords(grid, machine), (std::vector{1, 2}));
  EXPECT_EQ(topology.neighbor(grid, machine, 0, 1), topology.at(grid, {2, 2}));
  EXPECT_EQ(topology.neighbor(grid, machine, 0, 2), nullptr);
  EXPECT_EQ(topology.shifted(grid, machine, {-1, -2}), topology.object_by_id(0));
  EXPECT_THROW(static_cast<void>(topology.at(grid, {1})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(topology.at(machine, {1, 2})), std::invalid_argument);
  EXPECT_EQ(code_of([&] { static_cast<void>(topology.at(grid, {1, 4})); }), EINVAL);
}

TEST(WrapperTest, ReturnsNothingForWhatIsNotThereAndThrowsForMisuse) {
  const Topology topology({"torus:4x4"});
  EXPECT_EQ(topology.object_by_name("nobody"), nullptr);
  EXPECT_EQ(topology.object_by_name("N0-3"), topology.object_by_id(3));
  EXPECT_EQ(code_of([&] { static_cast<void>(topology.object_by_id(17)); }), ENOENT);
  EXPECT_EQ(code_of([] { Topology nonsense({"nonsense"}); }), EINVAL);
  EXPECT_EQ(code_of([] { Topology missing({"ib:/nowhere/to/be found"}); }), ENOENT);
  EXPECT_EQ(code_of([] { Topology flags({"torus:4", 1UL << 30}); }), EINVAL);
  EXPECT_EQ(code_of([&] { static_cast<void>(topology.shrink({})); }), EINVAL);
}

TEST(WrapperTest, TopologiesMoveAndMakeSubsets) {
  Topology topology({"torus:4x4", NWTOPO_TOPOLOGY_FLAG_NO_HOSTNAMES, "5"});
  EXPECT_EQ(topology.this_machine()->id, 5U);
  EXPECT_EQ(topology.source(), "torus:4x4");
  const auto machines = topology.machines();
  const Topology same = topology.shrink({machines.begin(), machines.end()}, NWTOPO_TOPOLOGY_FLAG_REUSE_OBJECTS);
  EXPECT_EQ(same.this_machine(), topology.this_machine());
  const Topology moved = std::move(topology);
  EXPECT_EQ(moved.machines().size(), 16U);
  EXPECT_EQ(topology.get(), nullptr);  // NOLINT: what was moved from is looked at
  EXPECT_EQ(code_of([&] { static_cast<void>(topology.machines()); }), EINVAL);
  EXPECT_EQ(code_of([&] { static_cast<void>(topology.max_height()); }), EINVAL);
  EXPECT_EQ(code_of([&] { static_cast<void>(topology.planes()); }), EINVAL);
  EXPECT_EQ(code_of([&] { static_cast<void>(topology.warnings()); }), EINVAL);
  EXPECT_EQ(code_of([&] { static_cast<void>(topology.source()); }), EINVAL);
  EXPECT_EQ(code_of([&] { static_cast<void>(moved.diff(topology)); }), EINVAL);
  topology = Topology({"torus:4"});
  EXPECT_EQ(topology.machines().size(), 4U);
  Topology other({"torus:5"});
  topology = std::move(other);
  EXPECT_EQ(topology.machines().size(), 5U);
  EXPECT_EQ(code_of([&] { static_cast<void>(other.machines()); }), EINVAL);  // NOLINT
  EXPECT_GT(moved.memory().fixed, 0U);
}

TEST(WrapperTest, QueriesAreThoseOfC) {
  const Topology topology({"torus:4x4"});
  nwtopo_obj_t const from = topology.object_by_id(0);
  nwtopo_obj_t const to = topology.object_by_id(10);
  EXPECT_EQ(topology.hops(from, to), 4);
  EXPECT_EQ(topology.distances({from, to}), (std::vector<unsigned>{0, 4, 4, 0}));
  EXPECT_EQ(topology.num_routes(from, to), 24U);
  EXPECT_EQ(topology.route(from, to).size(), 4U);
  EXPECT_EQ(topology.routed_path(from, to)[1].to, topology.object_by_id(8));
  EXPECT_EQ(topology.common_ancestors(from, to), std::vector{topology.root()});
  EXPECT_EQ(topology.nearest_machines(from, 2).size(), 2U);
  EXPECT_EQ(topology.machines_under(topology.root()).size(), 16U);
  EXPECT_EQ(topology.cut({from}, {to}).num_links, 4U);
}

TEST(WrapperTest, OptionsNameForwardingTables) {
  nwtopo::Options options;
  options.source = "fattree:K=2,levels=2";
  options.tables = TEST_FOLDER "/fattree-K2.lfts";
  const Topology tree(options);
  const auto path = tree.routed_path(tree.object_by_name("N0"), tree.object_by_name("N7"));
  ASSERT_EQ(path.size(), 4U);
  EXPECT_EQ(path.back().to, tree.object_by_name("N7"));
}

TEST(WrapperTest, DifferencesAndLookUpsAreThoseOfC) {
  const Topology tree({"fattree:K=2,levels=2"});
  nwtopo::Options options;
  options.source = "fattree:K=2,levels=2";
  options.faults = "N3:1";
  const std::string aliases = testing::TempDir() + "nwtopo-wrapper-aliases";
  std::ofstream(aliases) << "N3 login\n";
  options.aliases = aliases;
  const Topology faulty(options);
  EXPECT_TRUE(tree.diff(tree).empty());
  const std::vector<nwtopo::Difference> found = tree.diff(faulty);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].is_link);
  EXPECT_EQ(found[0].name, "LS1 port 2 - N3 port 1");
  nwtopo_obj_t const machine = faulty.object_by_name("login");
  ASSERT_NE(machine, nullptr);
  EXPECT_STREQ(machine->attr->machine.hostname, "N3");
  EXPECT_EQ(faulty.object_by_guid(faulty.nics(machine)[0].guid), machine);
  EXPECT_EQ(faulty.object_by_guid(4711), nullptr);
  EXPECT_EQ(tree.object_by_name("login"), nullptr);
  const Topology part = faulty.shrink({machine});
  EXPECT_EQ(part.object_by_name("login"), part.machines()[0]);
}

TEST(WrapperTest, NicsAndBuffersAreThoseOfC) {
  nwtopo::Options options;
  options.source = "xgft:h=2;m=2,2;w=2,1";
  const Topology first(options);
  const std::vector<unsigned char> bytes = first.export_buffer();
  const Topology copy = Topology::from_buffer(bytes.data(), bytes.size());
  ASSERT_EQ(copy.machines().size(), first.machines().size());
  nwtopo_obj_t const here = copy.machines()[0];
  nwtopo_obj_t const there = copy.machines()[1];
  ASSERT_EQ(copy.nics(here).size(), 2U);
  for (const nwtopo_nic& nic : copy.nics(here)) {
    ASSERT_TRUE(copy.nic_by_guid(nic.guid));
    EXPECT_EQ(copy.nic_by_guid(nic.guid)->index, nic.index);
    const auto nearest = copy.nearest_nic(nic, there);
    ASSERT_TRUE(nearest);
    EXPECT_EQ(nearest->rail, nic.rail);
    EXPECT_EQ(copy.nic_hops(nic, *nearest), 2);
  }
  EXPECT_FALSE(copy.nic_by_guid(4711));
  EXPECT_THROW((void)copy.nics(copy.objects(1)[0]), std::invalid_argument);
}

}  // namespace
