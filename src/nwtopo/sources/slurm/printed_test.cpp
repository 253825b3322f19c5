#include "printed.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "ayatori/base/files.hpp"
#include "ayatori/base/random.hpp"
#include "ayatori/base/text.hpp"
#include "ayatori/network/shape.hpp"
#include "ayatori/slurm/slurm.hpp"
#include "described.hpp"

namespace ayatori {
namespace printed_test {

std::string fixture(std::string_view name) { return fmt::format("{}/tests/golden/slurm/{}", AYATORI_SOURCE_DIR, name); }

std::string text_of(std::string_view name) { return read_file(fixture(name)).value_or(""); }

/// "core: edge1 edge2; edge1: n1 n2; …": who is below whom.
std::string described(const Result<Network>& network) {
  if (!network) return network.error().message;
  std::map<std::string, std::set<std::string>> below;
  for (DeviceId router = 0; router < network->router_count(); ++router) {
    auto& names = below[std::string(network->name(router))];
    for (const Port& port : network->ports(router)) {
      if (port.connected()) names.emplace(network->name(network->port(port.peer).device));
    }
  }
  std::vector<std::string> words;
  for (const auto& [router, names] : below) words.push_back(fmt::format("{}: {}", router, fmt::join(names, " ")));
  return fmt::format("{}", fmt::join(words, "; "));
}

std::string read(std::string_view text) { return described(parse_slurm_conf(text, "topo")); }

constexpr std::string_view tree = R"(SwitchName=core Level=1 LinkSpeed=1 Nodes=n[001-004] Switches=edge[1-2]
SwitchName=edge1 Level=0 LinkSpeed=1 Nodes=n[001-002]
SwitchName=edge2 Level=0 LinkSpeed=1 Nodes=n[003-004]
)";

TEST(ParseScontrol, ReadsATree) {
  const auto network = open_slurm(fixture("scontrol-tree.txt"));
  EXPECT_EQ(described(network), "core: edge1 edge2; edge1: core n001 n002; edge2: core n003 n004");
  EXPECT_TRUE(recognise(*network).summary.contains("2 leaves x 1 spine")) << recognise(*network).summary;
  EXPECT_TRUE(network->warnings().empty());
}

TEST(ParseScontrol, ReadsATreeOfThreeLevelsAndASwitchWithoutNodes) {
  EXPECT_EQ(read("SwitchName=top Level=2 LinkSpeed=1 Nodes=a[1-2],b1 Switches=pod:0,pod:1\n"
                 "SwitchName=pod:0 Level=1 LinkSpeed=1 Nodes=a[1-2] Switches=l[0-1]\n"
                 "SwitchName=pod:1 Level=1 LinkSpeed=1 Nodes=b1 Switches=l2\n"
                 "SwitchName=l0 Level=0 LinkSpeed=1 Nodes=a1\nSwitchName=l1 Level=0 LinkSpeed=1 Nodes=a2\n"
                 "SwitchName=l2 Level=0 LinkSpeed=1 Nodes=b1\nSwitchName=idle Level=0 LinkSpeed=1\n"),
            "idle: ; l0: a1 pod:0; l1: a2 pod:0; l2: b1 pod:1; pod:0: l0 l1 top; pod:1: l2 top; top: pod:0 pod:1");
}

TEST(ParseScontrol, ReadsBlocksWithAddressesAsNames) {
  const auto network = open_slurm(fixture("scontrol-blocks.txt"));
  EXPECT_EQ(described(network),
            "4 nodes, 0: gb300_b0 gb300_b1; gb300_b0: 10.1.71.103 10.1.88.115 4 nodes, 0; "
            "gb300_b1: 10.1.79.152 10.1.93.120 4 nodes, 0");
}

TEST(ParseScontrol, BlocksAreThoseOfTheirTopologyConf) {
  std::string printed;
  for (int block = 0; block < 5; ++block) {
    printed += fmt::format("BlockName=rack{} BlockIndex={} Nodes=nvl[{:03}-{:03}] BlockSize=16\n", block + 1, block,
                           18 * block + 1, 18 * block + 18);
  }
  const std::string groups =
      "AggregatedBlock=rack[1-2] BlockIndex=5 Nodes=nvl[001-036] BlockSize=32\n"
      "AggregatedBlock=rack[3-4] BlockIndex=6 Nodes=nvl[037-072] BlockSize=32\n"
      "AggregatedBlock=rack5 BlockIndex=7 Nodes=nvl[073-090] BlockSize=32\n";
  EXPECT_EQ(read(printed + groups), described(open_slurm(fixture("blocks.conf"))));
  EXPECT_EQ(read("BlockName=a BlockIndex=0 Nodes=a1 BlockSize=1\nBlockName=b BlockIndex=1 Nodes=b1 BlockSize=1\n"),
            "a: a1 all blocks, 0; all blocks, 0: a b; b: all blocks, 0 b1");
}

TEST(ParseScontrol, GroupsOfGroupsAreStacked) {
  EXPECT_EQ(read("BlockName=a BlockIndex=0 Nodes=a1 BlockSize=1\nBlockName=b BlockIndex=1 Nodes=b1 BlockSize=1\n"
                 "BlockName=c BlockIndex=2 Nodes=c1 BlockSize=1\n"
                 "AggregatedBlock=a,b,c BlockIndex=5 Nodes=a1,b1,c1 BlockSize=4\n"
                 "AggregatedBlock=a,b BlockIndex=3 Nodes=a1,b1 BlockSize=2\nAggregatedBlock=c BlockIndex=4 Nodes=c1 "
                 "BlockSize=2\n"),
            "2 nodes, 0: 4 nodes, 0 a b; 2 nodes, 1: 4 nodes, 0 c; 4 nodes, 0: 2 nodes, 0 2 nodes, 1; "
            "a: 2 nodes, 0 a1; b: 2 nodes, 0 b1; c: 2 nodes, 1 c1");
}

TEST(ParseScontrol, ALostLineIsAnError) {
  EXPECT_EQ(read("SwitchName=core Level=1 LinkSpeed=1 Nodes=n[1-4] Switches=edge1\n"
                 "SwitchName=edge1 Level=0 LinkSpeed=1 Nodes=n[1-2]\n"),
            "topo:1: 'core' has the node 'n3' below it, but no switch below it is listed with it");
  EXPECT_EQ(read("SwitchName=core Level=1 LinkSpeed=1 Nodes=n[1-4] Switches=edge[1-2]\n"
                 "SwitchName=edge1 Level=0 LinkSpeed=1 Nodes=n[1-2]\n"),
            "topo:1: 'core' has the child 'edge2', which is not defined");
  const std::string block = "BlockName=a BlockIndex=0 Nodes=a1 BlockSize=1\n";
  EXPECT_EQ(read(block + "AggregatedBlock=a,b BlockIndex=2 Nodes=a1,b1 BlockSize=2\n"),
            "topo:2: the group 'a,b' has the block 'b', which is not listed");
  EXPECT_EQ(read(block + "AggregatedBlock=a BlockIndex=2 Nodes=a1,a2 BlockSize=2\n"),
            "topo:2: '2 nodes, 0' has the node 'a2' below it, but no switch below it is listed with it");
  EXPECT_EQ(read("AggregatedBlock=a,b BlockIndex=2 Nodes=a1,b1 BlockSize=2\n"),
            "topo:1: a group of blocks, and no 'BlockName=…' is listed");
  EXPECT_EQ(read(block + "BlockName=b BlockIndex=1 Nodes=b1 BlockSize=1\nBlockName=c BlockIndex=2 Nodes=c1 "
                         "BlockSize=1\nAggregatedBlock=a,b BlockIndex=3 BlockSize=2\nAggregatedBlock=b,c BlockIndex=4 "
                         "BlockSize=2\n"),
            "topo:5: the group 'b,c' shares blocks with another group that is not a part of it");
}

TEST(ParseScontrol, EveryLineButThoseOfLeavesOutsideOfOthersIsNeeded) {
  const std::string text(tree);
  for (std::size_t from = text.find('\n') + 1; from < text.size(); from = text.find('\n', from) + 1) {
    EXPECT_FALSE(parse_slurm_conf(text.substr(0, from) + text.substr(text.find('\n', from) + 1), "topo")) << from;
  }
}

/// As a terminal of this width breaks lines; whoever copies them may lose the blanks at their ends.
std::string wrapped(std::string_view text, std::size_t width, bool keep_blanks) {
  std::string broken;
  LineReader lines(text);
  while (const auto line = lines.next()) {
    for (std::size_t at = 0; at < line->size(); at += width) {
      std::string piece(line->substr(at, width));
      while (!keep_blanks && piece.ends_with(' ')) piece.pop_back();
      broken += piece + "\n";
    }
  }
  return broken;
}

/// A tree as scontrol prints it, wide enough that a terminal wraps several of its lines.
std::string large_tree(std::string& all) {
  std::string leaves;
  for (int leaf = 0; leaf < 6; ++leaf) {
    const std::string nodes = fmt::format("gpu{0}-[001-004,007],login{0}.cluster,storage-{0}-[1-2]", leaf);
    leaves += fmt::format("SwitchName=leaf-{} Level=0 LinkSpeed=1 Nodes={}\n", leaf, nodes);
    all += (leaf == 0 ? "" : ",") + nodes;
  }
  return fmt::format("SwitchName=spine Level=1 LinkSpeed=1 Nodes={} Switches=leaf-[0-5]\n{}", all, leaves);
}

TEST(ParseScontrol, LinesThatATerminalWrappedAreJoined) {
  std::string all;
  const std::string text = large_tree(all);
  const std::string whole = read(text);
  ASSERT_TRUE(whole.contains("storage-5-2")) << whole;
  for (std::size_t width = 40; width <= 100; ++width) {
    for (const bool keep_blanks : {true, false}) {
      const auto found = wrapped(text, width, keep_blanks);
      EXPECT_EQ(read(found), whole) << "width " << width << "\n" << found;
      EXPECT_EQ(read("[root@head ~]# scontrol show topo\n" + found + "[root@head ~]# "), whole) << "width " << width;
    }
  }
}

TEST(ParseScontrol, PromptsAndBannersAreSkippedWithWarnings) {
  const auto network =
      parse_slurm_conf("Script started on 2024-01-02\n\x1b[01;32mroot@head\x1b[00m:~# scontrol show topo\r\n" +
                           std::string(tree) + "\rslurm-master [ha] > exit\n",
                       "topo");
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_EQ(described(network), read(tree));
  EXPECT_EQ(
      std::vector<std::string>(network->warnings().begin(), network->warnings().end()),
      (std::vector<std::string>{"topo:1: skipped, not a part of the topology: \"Script started on 2024-01-02\"",
                                "topo:2: skipped, not a part of the topology: \"root@head:~# scontrol show topo\"",
                                "topo:6: skipped, not a part of the topology: \"slurm-master [ha] > exit\""}));
}

TEST(ParseScontrol, AWordThatMayBeTheEndOfANameIsNeitherSkippedNorJoined) {
  const std::string last =
      "SwitchName=a Level=0 LinkSpeed=1 Nodes=node1\nSwitchName=b Level=0 LinkSpeed=1 Nodes=node2,n";
  const auto network = parse_slurm_conf(last + "\nexit\n", "topo");
  ASSERT_FALSE(network);
  EXPECT_EQ(network.error().message, "topo:3: expected 'Key=value' instead of 'exit'");
  EXPECT_EQ(network.error().hint, "save it without a terminal: scontrol show topology > FILE");
  EXPECT_FALSE(parse_slurm_conf(
      "SwitchName=a Level=0 LinkSpeed=1 Nodes=node1\nexit\nSwitchName=b Level=0 LinkSpeed=1 Nodes=n2\n", "t"));
}

TEST(ParseScontrol, NumbersAreNumbers) {
  EXPECT_EQ(read("SwitchName=a Level=x LinkSpeed=1 Nodes=n1\n"), "topo:1: Level is not a number: 'x'");
  EXPECT_EQ(read("BlockName=a BlockIndex=-1 Nodes=n1\n"), "topo:1: BlockIndex is not a number: '-1'");
}

TEST(ParseSlurmConf, SwitchNamesMayHaveAnyCharacterThatSlurmAllows) {
  EXPECT_EQ(described(open_slurm(fixture("colon-in-switch-name.conf"))),
            "gpu: gpu:inactive; gpu:inactive: gpu gpu-1 gpu-2 gpu-3 gpu-4; initial: not_there");
  EXPECT_EQ(read("SwitchName=az=1/rack:2@x Nodes=n1\nSwitchName=up Switches=az=1/rack:2@x\n"),
            "az=1/rack:2@x: n1 up; up: az=1/rack:2@x");
  EXPECT_EQ(read("SwitchName=r:1 Nodes=n1\nSwitchName=r:2 Nodes=n2\nSwitchName=up Switches=r:[1-2]\n"),
            "r:1: n1 up; r:2: n2 up; up: r:1 r:2");
}

}  // namespace printed_test
}  // namespace ayatori
