#include <fmt/core.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "ayatori/base/random.hpp"
#include "ayatori/network/builder.hpp"
#include "ayatori/slurm/slurm.hpp"
#include "ayatori/sources/source.hpp"
#include "described.hpp"

namespace ayatori {
namespace {

using Write = Result<> (*)(const Network&, const Sink&);
using Parse = Result<Network> (*)(std::string_view);

std::string written(Write write, const Network& network) {
  std::string text;
  const auto done = write(network, [&](std::string_view piece) { text += piece; });
  EXPECT_TRUE(done) << done.error().message;
  return text;
}

Network opened(std::string_view source) {
  auto network = open_source(source);
  EXPECT_TRUE(network) << network.error().message;
  return std::move(*network);
}

Result<Network> parse_conf(std::string_view text) { return parse_slurm_conf(text, "written"); }
Result<Network> parse_yaml(std::string_view text) { return parse_slurm_yaml(text, "written", ""); }

/// By router name: the names of machines and routers at its cables.
std::map<std::string, std::multiset<std::string>> cables(const Network& network) {
  std::map<std::string, std::multiset<std::string>> found;
  for (DeviceId router = 0; router < network.router_count(); ++router) {
    auto& names = found[std::string(network.name(router))];
    for (const Port& port : network.ports(router)) {
      if (!port.connected()) continue;
      const DeviceId there = network.port(port.peer).device;
      names.emplace(network.is_router(there) ? network.name(there)
                                             : network.machine(network.device(there).machine).name);
    }
  }
  return found;
}

/// A tree with one root: leaves of different sizes under one or two more levels. A root above one pod would be idle,
/// and not be written.
Network random_tree(Random& random) {
  NetworkBuilder builder;
  builder.begin_plane("fabric");
  const auto root = builder.add_router("top", 0, 64);
  const std::size_t pods = 2 + random.below(3);
  const bool three_levels = random.below(2) == 0;
  std::size_t host = 0;
  for (std::size_t p = 0; p < pods; ++p) {
    const auto pod = three_levels ? builder.add_router(fmt::format("pod{}", p), 0, 64) : root;
    if (three_levels) {
      EXPECT_TRUE(builder.connect(root, static_cast<PortNumber>(1 + p), pod, 64, {}));
    }
    const std::size_t leaves = 1 + random.below(4);
    for (std::size_t l = 0; l < leaves; ++l) {
      const auto leaf = builder.add_router(fmt::format("leaf{}-{}", p, l), 0, 64);
      EXPECT_TRUE(builder.connect(pod, static_cast<PortNumber>(10 + p * 5 + l), leaf, 64, {}));
      const std::size_t hosts = 1 + random.below(20);
      for (std::size_t h = 0; h < hosts; ++h) {
        const auto name = fmt::format("n{:03}", host++);
        EXPECT_TRUE(builder.connect(builder.add_nic(name, 0, 1, name, 0), 1, leaf, static_cast<PortNumber>(1 + h), {}));
      }
    }
  }
  return builder.build().value();
}

TEST(WriteSlurm, ReadingBackGivesTheSameTree) {
  for (const auto& [write, parse] :
       {std::pair<Write, Parse>{write_slurm_conf, parse_conf}, std::pair<Write, Parse>{write_slurm_yaml, parse_yaml}}) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      SCOPED_TRACE(fmt::format("seed {}", seed));
      Random random(seed);
      const Network network = random_tree(random);
      const auto again = parse(written(write, network));
      ASSERT_TRUE(again) << again.error().message;
      ASSERT_EQ(cables(*again), cables(network));
    }
  }
}

TEST(WriteSlurm, SpinesAreWrittenAsOneSwitch) {
  const std::string text = written(write_slurm_conf, opened("fattree:K=2,levels=2"));
  EXPECT_EQ(text,
            "# topology.conf for TopologyPlugin=topology/tree, written by Ayatori\n"
            "SwitchName=LS0 Nodes=N[0-1]\n"
            "SwitchName=LS1 Nodes=N[2-3]\n"
            "SwitchName=LS2 Nodes=N[4-5]\n"
            "SwitchName=LS3 Nodes=N[6-7]\n"
            "# RS0 also stands for RS1\n"
            "SwitchName=RS0 Switches=LS[0-3]\n");
  EXPECT_EQ(written(write_slurm_yaml, opened("fattree:K=2,levels=2,nodes=4")),
            "# topology.yaml of Slurm 25.05 or later, written by Ayatori\n---\n"
            "- topology: default\n  cluster_default: true\n  tree:\n    switches:\n"
            "      - switch: \"LS0\"\n        nodes: \"N[0-1]\"\n"
            "      - switch: \"LS1\"\n        nodes: \"N[2-3]\"\n"
            "# RS0 also stands for RS1\n"
            "      - switch: \"RS0\"\n        children: \"LS[0-1]\"\n");
}

TEST(WriteSlurm, EveryFatTreeBecomesATree) {
  for (const char* source : {"fattree:K=3,levels=3", "fattree:K=2,levels=4", "xgft:h=3;m=4,3,2;w=1,2,2;p=1,2,1"}) {
    const Network network = opened(source);
    const auto switches = slurm::switches_of_network(network);
    ASSERT_TRUE(switches) << switches.error().message;
    std::map<std::string, int> parents;
    std::size_t nodes = 0;
    for (const auto& entry : *switches) {
      nodes += entry.written.nodes.size();
      for (const std::string& child : entry.written.children) ++parents[child];
    }
    EXPECT_EQ(nodes, network.machines().size());
    EXPECT_EQ(parents.size() + 1, switches->size()) << source;
    for (const auto& [name, count] : parents) EXPECT_EQ(count, 1) << source << ": " << name;
  }
}

TEST(WriteSlurm, SpinesWithDifferentLeavesStaySeparate) {
  NetworkBuilder builder;
  const auto cable = [&](auto a, int port_a, auto b, int port_b) {
    ASSERT_TRUE(builder.connect(a, static_cast<PortNumber>(port_a), b, static_cast<PortNumber>(port_b), {}));
  };
  const auto s1 = builder.add_router("Spine 1", 0, 9);
  const auto s2 = builder.add_router("Spine:1", 0, 9);
  for (int l = 0; l < 3; ++l) {
    const auto leaf = builder.add_router(fmt::format("Leaf {}", l), 0, 9);
    cable(builder.add_nic("h", 0, 1, fmt::format("h{}", 2 * l), 0), 1, leaf, 1);
    cable(builder.add_nic("h", 0, 1, fmt::format("h{}", 2 * l + 1), 0), 1, leaf, 2);
    cable(leaf, 8, s1, l + 1);
    if (l > 0) cable(leaf, 9, s2, l + 1);
  }
  cable(builder.add_nic("management", 0, 1, "mgmt", 0), 1, s1, 9);
  EXPECT_EQ(written(write_slurm_conf, builder.build().value()),
            "# topology.conf for TopologyPlugin=topology/tree, written by Ayatori\n"
            "SwitchName=Leaf-0 Nodes=h[0-1]\n"
            "SwitchName=Leaf-1 Nodes=h[2-3]\n"
            "SwitchName=Leaf-2 Nodes=h[4-5]\n"
            "SwitchName=Spine-1-nodes Nodes=mgmt\n"
            "SwitchName=Spine-1 Switches=Leaf-[0-2],Spine-1-nodes\n"
            "SwitchName=Spine-1-2 Switches=Leaf-[1-2]\n");
}

/// What is written, without its first line; also read back, each host is under one switch.
std::string written_tree(const Network& network) {
  const std::string text = written(write_slurm_conf, network);
  const Network again = parse_conf(text).value();
  EXPECT_EQ(again.machines().size(), network.machines().size());
  for (const Machine& machine : again.machines()) EXPECT_EQ(machine.endpoints.size(), 1U) << machine.name;
  return text.substr(text.find('\n') + 1);
}

TEST(WriteSlurm, LeavesOfRailsAreOneSwitch) {
  NetworkBuilder builder;
  std::vector<NetworkBuilder::Handle> spines = {builder.add_router("S1", 0, 9), builder.add_router("S2", 0, 9)};
  for (int pod = 1; pod <= 2; ++pod) {
    for (int rail = 1; rail <= 2; ++rail) {
      const auto leaf = builder.add_router(fmt::format("L{}-{}", pod, rail), 0, 9);
      for (int h = 1; h <= 3; ++h) {
        if (rail == 2 && h == 3) continue;  // a host with one NIC
        const auto host = fmt::format("gpu{}", 3 * pod + h);
        const auto nic = builder.add_nic(host, 0, 1, host, static_cast<std::uint16_t>(rail - 1));
        ASSERT_TRUE(builder.connect(nic, 1, leaf, static_cast<PortNumber>(h), {}));
      }
      for (std::size_t s = 0; s < spines.size(); ++s) {
        const auto port = static_cast<PortNumber>(2 * pod + rail);
        ASSERT_TRUE(builder.connect(leaf, static_cast<PortNumber>(8 + s), spines[s], port, {}));
      }
    }
  }
  EXPECT_EQ(written_tree(builder.build().value()),
            "# L1-1 also stands for L1-2\nSwitchName=L1-1 Nodes=gpu[4-6]\n"
            "# L2-1 also stands for L2-2\nSwitchName=L2-1 Nodes=gpu[7-9]\n"
            "# S1 also stands for S2\nSwitchName=S1 Switches=L1-1,L2-1\n");
}

TEST(WriteSlurm, RailsWithSpinesOfTheirOwnAreOneTree) {
  NetworkBuilder builder;
  for (int rail = 0; rail < 4; ++rail) {
    const auto spine = builder.add_router(fmt::format("spine{}", rail), 0, 9);
    for (int l = 0; l < 2; ++l) {
      const auto leaf = builder.add_router(fmt::format("leaf{}-{}", l, rail), 0, 9);
      ASSERT_TRUE(builder.connect(leaf, 9, spine, static_cast<PortNumber>(1 + l), {}));
      for (int h = 0; h < 2; ++h) {
        const auto host = fmt::format("n{}", 2 * l + h);
        ASSERT_TRUE(builder.connect(builder.add_nic(host, 0, 1, host, static_cast<std::uint16_t>(rail)), 1, leaf,
                                    static_cast<PortNumber>(1 + h), {}));
      }
    }
  }
  EXPECT_EQ(written_tree(builder.build().value()),
            "# leaf0-0 also stands for leaf0-[1-3]\nSwitchName=leaf0-0 Nodes=n[0-1]\n"
            "# leaf1-0 also stands for leaf1-[1-3]\nSwitchName=leaf1-0 Nodes=n[2-3]\n"
            "# spine0 also stands for spine[1-3]\nSwitchName=spine0 Switches=leaf0-0,leaf1-0\n");
}

TEST(WriteSlurm, AHostOnTwoLeavesOfOthersIsUnderOne) {
  EXPECT_EQ(written_tree(parse_conf("SwitchName=a Nodes=n[1-4],store\nSwitchName=b Nodes=n[5-8],store\n"
                                    "SwitchName=top Switches=a,b\n")
                             .value()),
            "SwitchName=a Nodes=n[1-4],store\nSwitchName=b Nodes=n[5-8]\nSwitchName=top Switches=a,b\n");
}

TEST(WriteSlurm, LeavesThatAreCabledToEachOtherHaveASwitchAbove) {
  EXPECT_EQ(written_tree(opened("full:2,hosts=2")),
            "SwitchName=R0 Nodes=N[0-1]\nSwitchName=R1 Nodes=N[2-3]\nSwitchName=R0-above Switches=R[0-1]\n");
  EXPECT_EQ(written_tree(opened("full:4,hosts=1")),
            "SwitchName=R0 Nodes=N0\nSwitchName=R1 Nodes=N1\nSwitchName=R2 Nodes=N2\nSwitchName=R3 Nodes=N3\n"
            "SwitchName=R0-above Switches=R[0-3]\n");
}

/// Pairs of leaves with a cable between them, as for MLAG: hosts are on both of a pair.
TEST(WriteSlurm, PairsOfLeavesUnderSpinesAreOneSwitchEach) {
  NetworkBuilder builder;
  const auto spine = builder.add_router("spine", 0, 9);
  for (int pair = 0; pair < 2; ++pair) {
    const auto left = builder.add_router(fmt::format("leaf{}a", pair), 0, 9);
    const auto right = builder.add_router(fmt::format("leaf{}b", pair), 0, 9);
    ASSERT_TRUE(builder.connect(left, 9, right, 9, {}));
    ASSERT_TRUE(builder.connect(left, 8, spine, static_cast<PortNumber>(2 * pair + 1), {}));
    ASSERT_TRUE(builder.connect(right, 8, spine, static_cast<PortNumber>(2 * pair + 2), {}));
    for (int h = 0; h < 2; ++h) {
      const auto host = fmt::format("n{}", 2 * pair + h);
      const auto port = static_cast<PortNumber>(h + 1);
      ASSERT_TRUE(builder.connect(builder.add_nic(host + " eth0", 0, 1, host, 0), 1, left, port, {}));
      ASSERT_TRUE(builder.connect(builder.add_nic(host + " eth1", 0, 1, host, 1), 1, right, port, {}));
    }
  }
  EXPECT_EQ(written_tree(builder.build().value()),
            "# leaf0a also stands for leaf0b\nSwitchName=leaf0a Nodes=n[0-1]\n"
            "# leaf1a also stands for leaf1b\nSwitchName=leaf1a Nodes=n[2-3]\n"
            "SwitchName=spine Switches=leaf0a,leaf1a\n");
}

TEST(WriteSlurm, LongNamesAreCutAndStillDiffer) {
  const std::string half(150, 'x');
  const auto network = parse_slurm_conf(
      "BlockName=" + half + half + "1 Nodes=n[1-2]\nBlockName=" + half + half + "2 Nodes=n[3-4]\nBlockSizes=2,4\n",
      "test");
  ASSERT_TRUE(network);
  std::string text;
  ASSERT_TRUE(write_slurm_conf(*network, [&](std::string_view piece) { text += piece; }));
  const auto again = parse_slurm_conf(text, "written");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->machines().size(), 4U);
  EXPECT_EQ(again->router_count(), network->router_count());
}

TEST(WriteSlurm, NetworksOtherThanTreesAreRefused) {
  const auto refused = write_slurm_conf(opened("torus:4x4"), [](std::string_view) {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "Slurm's topology files cannot describe this network");
  EXPECT_FALSE(refused.error().cause.empty());
  EXPECT_FALSE(refused.error().hint.empty());
}

}  // namespace
}  // namespace ayatori
