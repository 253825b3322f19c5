#include <fmt/core.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "ayatori/base/files.hpp"
#include "ayatori/network/levels.hpp"
#include "ayatori/network/shape.hpp"
#include "ayatori/slurm/slurm.hpp"

namespace ayatori {
namespace {

std::string fixture(std::string_view name) { return fmt::format("{}/tests/golden/slurm/{}", AYATORI_SOURCE_DIR, name); }

/// Who is under whom: names of the neighbours below and above by router.
std::map<std::string, std::set<std::string>> neighbours(const Network& network) {
  std::map<std::string, std::set<std::string>> found;
  for (DeviceId router = 0; router < network.router_count(); ++router) {
    for (const Port& port : network.ports(router)) {
      if (port.connected()) {
        found[std::string(network.name(router))].emplace(network.name(network.port(port.peer).device));
      }
    }
  }
  return found;
}

Network open(std::string_view rest) {
  auto network = open_slurm(rest);
  EXPECT_TRUE(network) << network.error().message;
  return std::move(*network);
}

std::string conf_error(std::string_view text) {
  const auto network = parse_slurm_conf(text, "topology.conf");
  return network ? "none" : network.error().message;
}

std::string yaml_error(std::string_view text, std::string_view topology = "") {
  const auto network = parse_slurm_yaml(text, "t.yaml", topology);
  return network ? "none" : network.error().message;
}

TEST(ParseSlurmConf, ReadsTreesWithSeveralSpines) {
  const Network network = open(fixture("two-spines.conf"));
  EXPECT_EQ(recognise(network).summary.substr(0, 46), "fat tree, 2 levels, 3 leaves x 2 spines, 1 cab");
  const auto found = neighbours(network);
  EXPECT_EQ(found.at("spine1"), (std::set<std::string>{"leaf1", "leaf2", "leaf3"}));
  EXPECT_EQ(found.at("spine2"), found.at("spine1"));
  EXPECT_EQ(found.at("leaf3"),
            (std::set<std::string>{"gpu1", "gpu2", "gpu3", "gpu4", "login1", "login2", "spine1", "spine2"}));
  EXPECT_EQ(found.at("leaf2").size(), 16U + 2);
  ASSERT_EQ(network.planes().size(), 1U);
  EXPECT_EQ(network.planes()[0].name, "fabric");
  for (const Machine& machine : network.machines()) EXPECT_EQ(machine.endpoints.size(), 1U);
}

TEST(ParseSlurmConf, ReadsLinesInAnyOrder) {
  const Network network = open(fixture("three-levels.conf"));
  const auto levels = rank_levels(network);
  ASSERT_TRUE(levels) << levels.error().reason;
  EXPECT_EQ(levels->count, 3);
  const auto found = neighbours(network);
  EXPECT_EQ(found.at("core"), (std::set<std::string>{"pod0", "pod1"}));
  EXPECT_EQ(found.at("leaf3"), (std::set<std::string>{"b4", "b5", "b6", "c7", "pod1"}));
  EXPECT_EQ(network.machines().size(), 16U);
}

TEST(ParseSlurmConf, NodesPrecedeUplinksInPortOrder) {
  const Network network = open(fixture("three-levels.conf"));
  for (DeviceId router = 0; router < network.router_count(); ++router) {
    EXPECT_FALSE(network.ports(router)[0].connected());
    for (const Port& port : network.ports(router).subspan(1)) EXPECT_TRUE(port.connected());
    if (network.name(router) != "leaf0") continue;
    EXPECT_EQ(network.name(network.port(network.ports(router)[1].peer).device), "a0");
    EXPECT_EQ(network.name(network.port(network.ports(router)[5].peer).device), "pod0");
  }
}

TEST(ParseSlurmConf, BlockSizesBuildATree) {
  const Network network = open(fixture("blocks.conf"));
  const auto levels = rank_levels(network);
  ASSERT_TRUE(levels) << levels.error().reason;
  EXPECT_EQ(levels->count, 3);
  const auto found = neighbours(network);
  EXPECT_EQ(found.at("rack1").size(), 18U + 1);
  EXPECT_EQ(found.at("32 nodes, 0"), (std::set<std::string>{"rack1", "rack2", "all blocks, 0"}));
  EXPECT_EQ(found.at("32 nodes, 1"), (std::set<std::string>{"rack3", "rack4", "all blocks, 0"}));
  EXPECT_EQ(found.at("32 nodes, 2"), (std::set<std::string>{"rack5", "all blocks, 0"}));
}

TEST(ParseSlurmConf, BlocksWithoutSizesShareOneRouter) {
  const auto network = parse_slurm_conf("BlockName=a Nodes=a1\nBlockName=b Nodes=b[1-2]\n", "t");
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_EQ(neighbours(*network).at("all blocks, 0"), (std::set<std::string>{"a", "b"}));
  const auto one = parse_slurm_conf("BlockName=a Nodes=a1\n", "t");
  ASSERT_TRUE(one);
  EXPECT_EQ(one->router_count(), 1U);
}

TEST(ParseSlurmConf, ANodeUnderTwoLeavesHasTwoNics) {
  const auto network =
      parse_slurm_conf("SwitchName=a Nodes=n[1-2]\nSwitchName=b Nodes=n[2-3]\nSwitchName=c Switches=a,b", "t");
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_EQ(network->machines().size(), 3U);
  const Machine& both = network->machine(*network->find_machine("n2"));
  ASSERT_EQ(both.endpoints.size(), 2U);
  EXPECT_EQ(network->device(network->port(both.endpoints[1]).device).rail, 1);
}

TEST(ParseSlurmConf, ABackslashContinuesTheLine) {
  EXPECT_EQ(conf_error("SwitchName=a \\\n  Nodes=n1\n"), "none");
  EXPECT_EQ(conf_error("SwitchName=a \\  \nNodes=n1"), "none");
  EXPECT_EQ(conf_error("SwitchName=a Nodes=n1\\"), "none");
  EXPECT_EQ(conf_error("# a comment \\\ngoes on\nSwitchName=a Nodes=n1\n"), "none");
  EXPECT_EQ(conf_error("\n# x\nSwitchName=a Nodes=n1 \\\n Nodes=n2\n"), "topology.conf:3: 'Nodes=' twice in one line");
}

TEST(ParseSlurmConf, ErrorsNameFileAndLine) {
  EXPECT_EQ(conf_error("SwitchName=a Nodes=n1\nSwitchName=a Nodes=n2\n"),
            "topology.conf:2: 'a' is defined twice, first in line 1");
  EXPECT_EQ(conf_error("SwitchName=a Switches=b\n"), "topology.conf:1: 'a' has the child 'b', which is not defined");
  EXPECT_EQ(conf_error("SwitchName=b Nodes=n1\nSwitchName=a Switches=b,b\n"),
            "topology.conf:2: 'a' has the child 'b' twice");
  EXPECT_EQ(conf_error("SwitchName=a Nodes=n[1-3],n2\n"), "topology.conf:1: 'a' has the node 'n2' twice");
  EXPECT_EQ(conf_error("SwitchName=b Nodes=n1\nSwitchName=a Switches=b Nodes=n2\n"),
            "topology.conf:2: 'a' has both nodes and child switches; Slurm allows one of them");
  EXPECT_EQ(conf_error("SwitchName=a Switches=a\n"),
            "topology.conf:1: the switches form a cycle, each below the next: a, a");
  EXPECT_EQ(conf_error("SwitchName=t Switches=x\nSwitchName=x Switches=y\nSwitchName=y Switches=z\nSwitchName=z "
                       "Switches=x,l\nSwitchName=l Nodes=n1\n"),
            "topology.conf:2: the switches form a cycle, each below the next: x, z, y, x");
  EXPECT_EQ(conf_error("SwitchName=a Nodes=n[1-\n"), "topology.conf:1: ']' is missing in '[1-'");
  EXPECT_EQ(conf_error("SwitchName=a Knots=n1\n"),
            "topology.conf:1: expected 'Switches=', 'Nodes=' or 'LinkSpeed=' instead of 'Knots='");
  EXPECT_EQ(conf_error("SwitchName=a Nodes=n1 LinkSpeed=fast\n"), "topology.conf:1: LinkSpeed is not a number: 'fast'");
  EXPECT_EQ(conf_error("Include other.conf\n"),
            "topology.conf:1: expected 'Key=value' instead of 'Include other.conf'");
  EXPECT_EQ(conf_error("NodeName=a\n"),
            "topology.conf:1: expected 'SwitchName=…', 'BlockName=…' or 'BlockSizes=…' instead of 'NodeName='");
  EXPECT_EQ(conf_error("SwitchName=\n"), "topology.conf:1: 'SwitchName=' has no value");
  EXPECT_EQ(conf_error("SwitchName=a Nodes=\"n1\n"), "topology.conf:1: the quote after 'Nodes=' is not closed");
  EXPECT_EQ(conf_error("# nothing\n"), "topology.conf: expected 'SwitchName=…' or 'BlockName=…', found neither");
  EXPECT_EQ(conf_error("RingName=r Nodes=n[1-8]\n"), "topology.conf:1: rings (topology/ring) are not supported");
  EXPECT_EQ(conf_error("SwitchName=a Nodes=n[0-200000]\nSwitchName=b Nodes=m[0-200000]\n"),
            "topology.conf:2: more than 262144 hosts and switches");
}

TEST(ParseSlurmConf, MalformedBlocksAreRefused) {
  EXPECT_EQ(conf_error("BlockName=a Nodes=n[1-3]\nBlockSizes=4\n"),
            "topology.conf:1: the block 'a' has 3 nodes; the block size is 4");
  EXPECT_EQ(conf_error("BlockName=a Nodes=n[1-4]\nBlockSizes=4,12\n"),
            "topology.conf:2: the block size 12 is not a power of two times the first, 4");
  EXPECT_EQ(conf_error("BlockName=a Nodes=n[1-4]\nBlockSizes=0\n"),
            "topology.conf:2: the block size 0 is not a power of two times the first, 0");
  EXPECT_EQ(conf_error("BlockName=a Nodes=n[1-4]\nBlockSizes=4,8,8\n"),
            "topology.conf:2: block sizes must rise; 8 does not");
  EXPECT_EQ(conf_error("BlockSizes=x\n"), "topology.conf:1: expected BlockSizes like 30,120 instead of 'x'");
  EXPECT_EQ(conf_error("BlockName=a\n"), "topology.conf:1: the block 'a' has no nodes");
  EXPECT_EQ(conf_error("SwitchName=s Nodes=n1\nBlockName=a Nodes=n1\n"),
            "topology.conf:2: the file has both blocks and switches; Slurm's plugins read one kind each");
}

TEST(ParseSlurmYaml, TakesTheClusterDefault) {
  const Network network = open(fixture("topologies.yaml"));
  const auto found = neighbours(network);
  EXPECT_EQ(found.size(), 3U);
  EXPECT_EQ(found.at("sw_root"), (std::set<std::string>{"s1", "s2"}));
  EXPECT_EQ(found.at("s2").size(), 8U + 1);
}

TEST(ParseSlurmYaml, TakesTheNamedTopology) {
  const auto found = neighbours(open(fixture("topologies.yaml,topology=racks")));
  EXPECT_EQ(found.size(), 4U + 2 + 1);
  EXPECT_EQ(found.at("8 nodes, 1"), (std::set<std::string>{"r3", "r4", "all blocks, 0"}));
}

TEST(ParseSlurmYaml, TopologiesWithoutStructureAreRefused) {
  const auto flat = open_slurm(fixture("topologies.yaml,topology=anywhere"));
  ASSERT_FALSE(flat);
  EXPECT_EQ(flat.error().message, fixture("topologies.yaml:30: the topology 'anywhere' is flat: it lists no switches"));
  const auto unknown = open_slurm(fixture("topologies.yaml,topology=none"));
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message, fixture("topologies.yaml: it has no topology 'none'"));
  EXPECT_EQ(unknown.error().hint, "slurm:FILE,topology=NAME; NAME is one of: racks, fabric, anywhere");
}

TEST(ParseSlurmYaml, ErrorsNameFileAndLine) {
  EXPECT_EQ(yaml_error("a: 1\n"), "t.yaml:1: expected a list of topologies: '- topology: NAME'");
  EXPECT_EQ(yaml_error("- topology: a\n  trea: 1\n"),
            "t.yaml:2: expected one of topology, cluster_default, tree, block, flat, ring, torus3d instead of 'trea'");
  EXPECT_EQ(yaml_error("- cluster_default: true\n"), "t.yaml:1: expected 'topology: NAME'");
  EXPECT_EQ(yaml_error("- topology: a\n"), "t.yaml:1: the topology 'a' needs either 'tree:' or 'block:'");
  EXPECT_EQ(yaml_error("- topology: a\n- topology: b\n"), "t.yaml: none of its topologies has 'cluster_default: true'");
  EXPECT_EQ(yaml_error("- topology: a\n  cluster_default: perhaps\n"),
            "t.yaml:2: expected true or false for 'cluster_default:'");
  const std::string tree = "- topology: a\n  tree:\n    switches:\n";
  EXPECT_EQ(yaml_error(tree), "t.yaml:3: expected a list for 'switches:'");
  EXPECT_EQ(yaml_error(tree + "    - switch: s\n      nodes: [n1]\n"),
            "t.yaml:5: expected a host list like n[01-09] for 'nodes:'");
  EXPECT_EQ(yaml_error(tree + "    - switch: s\n      children: t\n"),
            "t.yaml:4: 's' has the child 't', which is not defined");
  EXPECT_EQ(yaml_error(tree + "    - nodes: n1\n"), "t.yaml:4: expected 'switch: NAME'");
  EXPECT_EQ(yaml_error("- topology: a\n  block:\n    block_sizes: [x]\n    blocks:\n    - block: b\n      nodes: n1\n"),
            "t.yaml:3: expected a number of nodes in 'block_sizes:'");
  EXPECT_EQ(yaml_error("- topology: a\n  tree: [\n").substr(0, 16), "t.yaml:3: no YAM");
}

TEST(OpenSlurm, RecognisesBothFormats) {
  EXPECT_EQ(open_slurm("").error().message, "slurm: no file is given");
  EXPECT_NE(open_slurm("/no/such/file").error().message.find("/no/such/file"), std::string::npos);
  EXPECT_EQ(open_slurm(fixture("blocks.conf,topology=x")).error().message,
            fixture("blocks.conf: only topology.yaml has topologies with names"));
}

}  // namespace
}  // namespace ayatori
