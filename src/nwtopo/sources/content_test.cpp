#include "content.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "ayatori/base/files.hpp"
#include "ayatori/base/random.hpp"
#include "ayatori/sources/source.hpp"
#include "ayatori/sources/topology.hpp"
#include "ayatori/topology/topology.hpp"

namespace ayatori {
namespace content_test {

namespace fs = std::filesystem;

const fs::path golden = fs::path(AYATORI_SOURCE_DIR) / "tests/golden";
const fs::path clusters = fs::path(AYATORI_SOURCE_DIR) / "examples/cluster";

std::string taken_for(const fs::path& path) {
  const auto found = with_kind(path.string());
  return found ? *found : "error: " + found.error().message;
}

class ContentTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / fmt::format("ayatori-content-{}", getpid());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path file(std::string_view name, std::string_view text) {
    fs::path path = folder_ / name;
    fs::create_directories(path.parent_path());
    EXPECT_TRUE(write_file(path, text));
    return path;
  }

  fs::path folder_;
};

TEST_F(ContentTest, FilesOfEachKindAreKnown) {
  const std::array<std::pair<std::string_view, fs::path>, 20> files = {{
      {"ib", golden / "infiniband/2008-with-lids.txt"},
      {"ib", golden / "infiniband/early-without-lids.txt"},
      {"ib", golden / "infiniband/full-fields.txt"},
      {"ib", golden / "infiniband/grouped.txt"},
      {"ib", golden / "infiniband/ibsim.net"},
      {"ib", golden / "infiniband/ndr.txt"},
      {"ib", golden / "infiniband/ports-report.txt"},
      {"ib", golden / "infiniband/putty-log.txt"},
      {"slurm", golden / "slurm/blocks.conf"},
      {"slurm", golden / "slurm/two-spines.conf"},
      {"slurm", golden / "slurm/topologies.yaml"},
      {"slurm", golden / "slurm/scontrol-tree.txt"},
      {"slurm", golden / "slurm/scontrol-blocks.txt"},
      {"lldp", golden / "lldp"},
      {"lldp", golden / "lldp/n1.json"},
      {"aws", golden / "aws/instance-topology.json"},
      {"topograph", golden / "topograph/graph.json"},
      {"slingshot", golden / "slingshot/hosts.txt"},
      {"aries", golden / "aries/two-groups.txt"},
      {"cluster", clusters / "three-chassis.toml"},
  }};
  for (const auto& [kind, path] : files) EXPECT_EQ(taken_for(path), fmt::format("{}:{}", kind, path.string()));
}

TEST_F(ContentTest, WhatIsTakenForAKindOpensAsThatKind) {
  for (const fs::path& path : {golden / "infiniband/ndr.txt", golden / "slurm/blocks.conf", golden / "lldp"}) {
    const auto bare = open_source(path.string());
    ASSERT_TRUE(bare) << bare.error().message;
    EXPECT_EQ(bare->device_count(), open_source(taken_for(path))->device_count());
    const auto topology = open_topology(path.string());
    ASSERT_TRUE(topology) << topology.error().message;
    EXPECT_EQ((*topology)->machine_count(), bare->machines().size());
  }
}

TEST_F(ContentTest, SourcesWithAKindStayAsTheyAre) {
  const fs::path path = file("torus", "SwitchName=a Nodes=n1\n");
  for (const std::string source : {"torus:4x4", "ib:live", "ib:/no/such", "", "nonsense", "what:4", "torus"}) {
    EXPECT_EQ(with_kind(source).value(), source);
  }
  EXPECT_EQ(taken_for(path), "slurm:" + path.string());
}

TEST_F(ContentTest, AFileMayHaveAColonInItsName) {
  const fs::path path = file("2024-01-02 03:04:05.txt", "SwitchName=a Nodes=n1\n");
  EXPECT_EQ(taken_for(path), "slurm:" + path.string());
  EXPECT_TRUE(open_source(path.string()));
}

TEST_F(ContentTest, ByteOrderMarksLineEndsAndTerminalsDoNotMatter) {
  EXPECT_EQ(kinds_of_text("\xef\xbb\xbf# a comment\r\nswitchname = a Nodes=n1\r\n"),
            std::vector{std::string_view("slurm")});
  EXPECT_EQ(kinds_of_text("\x1b[1mroot@h:~#\x1b[0m scontrol show topo\n\rSwitchName=a Level=0 Nodes=n1\n"),
            std::vector{std::string_view("slurm")});
  EXPECT_EQ(kinds_of_text("10.0.0.1 nid1 x1000c0s0b0n0\n"), std::vector{std::string_view("slingshot")});
  EXPECT_EQ(kinds_of_text("- topology: a\n  flat: True\n"), std::vector{std::string_view("slurm")});
  EXPECT_EQ(kinds_of_text("  {\"lldp\": {}}"), std::vector{std::string_view("lldp")});
  EXPECT_EQ(kinds_of_text("{\n    \"Instances\": []\n}\n"), std::vector{std::string_view("aws")}) << "none is running";
}

TEST_F(ContentTest, OtherContentIsAnErrorThatListsTheKinds) {
  for (const std::string_view text :
       {"", "{\"format\": \"plan\"}", "0x0001 : Destination port\n", "# SwitchName=a\n", "\x7f\x45LF"}) {
    const auto found = with_kind(file("other", text).string());
    ASSERT_FALSE(found) << text;
    EXPECT_EQ(found.error().message,
              (folder_ / "other").string() + ": its content is that of no known kind of network");
    EXPECT_TRUE(found.error().hint.contains("ib:FILE (the output of ibnetdiscover)")) << found.error().hint;
    EXPECT_FALSE(found.error().hint.contains("torus")) << found.error().hint;
    EXPECT_EQ(open_source((folder_ / "other").string()).error().message, found.error().message);
    EXPECT_EQ(open_topology((folder_ / "other").string()).error().message, found.error().message);
  }
}

TEST_F(ContentTest, WhatIsNoNetworkIsCalledByItsNameWithARemedy) {
  const std::array<std::array<std::string_view, 3>, 12> others = {{
      {"n1 slots=4\nn2 slots=4\n", "a list of hosts", "--job FILE"},
      {"rank 0=n1 slot=0\n", "a list of hosts", "--job FILE"},
      {"CA: n1 mlx5_0:\n 0x1 1 1[  ] ==( 4X 25.78125 Gbps Active/  LinkUp)==>  2 1[  ] \"leaf\" ( )\n",
       "the output of iblinkinfo", "ibnetdiscover"},
      {"Unicast lids [0x0-0x2] of switch Lid 1 guid 0x1 (leaf):\n0x0001 000 : (Switch portguid 0x1: 'leaf')\n",
       "a forwarding table", "ibnetdiscover"},
      {"Switch\t: 0x0000000000000001 ports 4 \"leaf\" base port 0 lid 1 lmc 0\n", "a list of devices without cables",
       "ibnetdiscover"},
      {"root@n1:~# ibhosts\nCa\t: 0x0000000000000001 ports 1 \"n1 HCA-1\"\n", "a list of devices without cables",
       "ibnetdiscover"},
      {"{ CA Ports:01 SystemGUID:0000000000000001 NodeGUID:0000000000000001 } { SW Ports:04 } PHY=4x\n",
       "a file of ibdiagnet or OpenSM", "ibnetdiscover"},
      {"dump file\nSTART_NODES\nNodeDesc,NumPorts\n", "a file of ibdiagnet or OpenSM", "ibnetdiscover"},
      {"1\nfe80:0000:0000:0000\n../hwloc\n2\n0000:0000:0000:0001,1,0,0,'n1 HCA-1',n1\n", "a file of netloc", "ib-raw"},
      {"{\"node_info\":{\"0000:0000:0000:0001\":{\"phy_id\":\"0000:0000:0000:0001\"}}}", "a file of netloc", "ib-raw"},
      {"[\n {\"links\": [\n  {\n  \"compounded_links\": [\n", "a graph of NetQ", "engine graph"},
      {"node[01-04],login1\n", "a list of hosts", "--job FILE"},
  }};
  for (const auto& [text, what, remedy] : others) {
    const auto found = with_kind(file("other", text).string());
    ASSERT_FALSE(found) << text;
    EXPECT_EQ(found.error().message, fmt::format("{}: {} is not a network", (folder_ / "other").string(), what));
    EXPECT_TRUE(found.error().hint.contains(remedy)) << found.error().hint;
  }
}

TEST_F(ContentTest, OtherFormatsOfLldpctlAreKnownAndRefusedWithTheRightCommand) {
  for (const std::string_view text : {"lldp.eth0.via=LLDP\nlldp.eth0.chassis.name=leaf\n",
                                      "<?xml version=\"1.0\"?>\n<lldp label=\"LLDP neighbors\"/>\n",
                                      "--------\nLLDP neighbors:\n--------\nInterface:    eth0, via: LLDP\n",
                                      "--------\nLLDP interfaces:\n--------\n"}) {
    EXPECT_EQ(kinds_of_text(text), std::vector{std::string_view("lldp")}) << text;
    const auto network = open_source(file("n1", text).string());
    ASSERT_FALSE(network) << text;
    EXPECT_EQ(network.error().hint, "lldpctl -f json prints what this source reads");
  }
}

TEST_F(ContentTest, NoFileIsRefusedWithoutWhatWouldBeRead) {
  for (const SourceKind& kind : source_kinds()) {
    if (!kind.synopsis.contains("FILE")) continue;
    for (const std::string_view text : {"", "nonsense\n", "{}", "{\"Instances\": []}", "[1]"}) {
      const auto network = open_source(fmt::format("{}:{}", kind.kind, file("any", text).string()));
      if (!network) EXPECT_FALSE(network.error().hint.empty()) << kind.kind << ": " << network.error().message;
    }
    const auto missing = open_source(fmt::format("{}:{}", kind.kind, (folder_ / "missing").string()));
    ASSERT_FALSE(missing);
    EXPECT_TRUE(missing.error().hint.empty()) << missing.error().hint;
  }
}

TEST_F(ContentTest, AmbiguousContentIsAnErrorThatNamesBothKinds) {
  const fs::path path = file("both", "SwitchName=a Nodes=n1\nswitchguid=0x1(1)\n");
  EXPECT_EQ(taken_for(path), "error: " + path.string() + ": this could be ib or slurm");
  EXPECT_EQ(with_kind(path.string()).error().hint, "name its kind: ib:" + path.string());
}

TEST_F(ContentTest, FoldersAreThoseOfLldp) {
  file("split/hosts/n1.json", "{\"lldp\": {}}");
  file("split/.hidden", "SwitchName=a Nodes=n1\n");
  EXPECT_EQ(taken_for(folder_ / "split"), "lldp:" + (folder_ / "split").string());
  file("slurm/topology.conf", "SwitchName=a Nodes=n1\n");
  fs::create_directories(folder_ / "empty");
  for (const char* name : {"slurm", "empty"}) {
    EXPECT_EQ(taken_for(folder_ / name),
              "error: " + (folder_ / name).string() + ": no file in this folder is one of lldpctl");
  }
}

TEST_F(ContentTest, PipesAndUnreadableTextAreErrors) {
  EXPECT_EQ(taken_for("/dev/null"), "error: /dev/null: the kind can be detected only of a regular file or a folder");
  const fs::path wide = file("wide", std::string_view("\xff\xfeS\0w\0", 6));
  EXPECT_TRUE(taken_for(wide).contains("UTF-16")) << taken_for(wide);
}

TEST_F(ContentTest, AnyTextHasKindsOrNone) {
  constexpr std::array<std::string_view, 14> pieces = {"SwitchName=", "switchguid=0x1", "\"lldp\"", "{",  "\n", "\r",
                                                       "[[hosts]]",   "x1000c0s0b0n0",  "Ca 1 \"",  "\"", "\0", "\x1b[",
                                                       "nwtopo\r\n",  "- topology:"};
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    Random random(seed);
    std::string text;
    for (std::uint64_t i = random.below(12); i > 0; --i) text += pieces[random.below(pieces.size())];
    for (const std::string_view kind : kinds_of_text(text)) {
      const auto known = [&](const SourceKind& each) { return each.kind == kind; };
      EXPECT_TRUE(std::ranges::any_of(source_kinds(), known)) << "seed " << seed << ": " << kind;
    }
    if (const auto other = other_content(text)) EXPECT_FALSE(other->remedy.empty()) << "seed " << seed;
  }
}

}  // namespace content_test
}  // namespace ayatori
