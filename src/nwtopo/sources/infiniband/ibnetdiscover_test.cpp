#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ayatori/base/files.hpp"
#include "ayatori/base/text.hpp"
#include "ayatori/infiniband/infiniband.hpp"
#include "network_text_fixtures.hpp"

namespace ayatori {
namespace {

const std::string golden = AYATORI_SOURCE_DIR "/tests/golden/infiniband/";

std::string text_of(const std::string& name) {
  auto text = read_file(golden + name);
  EXPECT_TRUE(text) << text.error().message;
  return text.value_or("");
}

Network open(const std::string& name) {
  auto network = open_infiniband(golden + name, "");
  if (!network) {
    ADD_FAILURE() << network.error().message;
    return {};
  }
  return *std::move(network);
}

DeviceId node_called(const Network& network, std::string_view name) {
  for (DeviceId id = 0; id < network.device_count(); ++id) {
    if (network.name(id) == name) return id;
  }
  ADD_FAILURE() << "no node called " << name;
  return 0;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string error_of(const std::string& text) {
  const auto network = parse_ibnetdiscover(text, "net", "");
  return network ? "no error" : network.error().message;
}

TEST(ParseIbnetdiscover, ReadsOfed2008) {
  const Network network = open("2008-with-lids.txt");
  EXPECT_EQ(network.router_count(), 1);
  EXPECT_EQ(network.device_count(), 3);
  EXPECT_EQ(network.link_count(), 4);  // one of them from the switch to itself
  EXPECT_EQ(network.planes().size(), 1);
  EXPECT_EQ(network.ports(0)[0].lid, 2);
  EXPECT_EQ(network.device(0).system_guid, 0x2c90200004003);
  const auto node1 = network.find_machine("node1");
  ASSERT_TRUE(node1);
  ASSERT_EQ(network.machine(*node1).endpoints.size(), 2);
  const Port& second = network.port(network.machine(*node1).endpoints[1]);
  EXPECT_EQ(second.number, 2);
  EXPECT_EQ(second.guid, 0x2c90200001012);
  EXPECT_EQ(second.lid, 4);
  EXPECT_EQ(to_string(second.rate), "1xSDR");
}

TEST(ParseIbnetdiscover, ReadsOutputWithoutIdsOrLids) {
  const Network network = open("early-without-lids.txt");
  EXPECT_EQ(network.name(0), "SW-6IB4 Voltaire");
  EXPECT_EQ(network.link_count(), 2);
  EXPECT_TRUE(network.find_machine("VoltaireHca"));
  EXPECT_TRUE(network.find_machine("stor7"));
  EXPECT_FALSE(network.port(network.endpoints()[0]).rate.known());
}

TEST(ParseIbnetdiscover, ReadsFullFieldsOddNamesAndSubnetRouters) {
  const Network network = open("full-fields.txt");
  EXPECT_EQ(network.name(0), "edge \"one\"; #7");
  EXPECT_EQ(network.ports(0)[0].lmc, 1);
  EXPECT_EQ(to_string(network.ports(0)[1].rate), "4xQDR");
  EXPECT_EQ(to_string(network.ports(0)[2].rate), "4xDDR") << "given by s= and w= only";
  EXPECT_FALSE(network.ports(0)[3].rate.known()) << "a speed that ibnetdiscover did not know is not QDR";
  EXPECT_TRUE(network.find_machine("gate"));
}

/// A switch of one model with two hosts of others; the cables of n1 run at `rate`, as the switch or the host reports
/// it.
std::string one_switch(std::string_view at_switch, std::string_view at_host) {
  return fmt::format(R"(vendid=0x2c9
devid=0xd2f0
switchguid=0x1(1)
Switch	2 "S-0000000000000001"		# "sw" enhanced port 0 lid 1 lmc 0
[1]	"H-0000000000000010"[1](10) 		# "n1 HCA-1" lid 2 {}
[2]	"H-0000000000000020"[1](20) 		# "n2 HCA-1" lid 3 4xHDR

vendid=0x2c9
devid=0x1017
caguid=0x10
Ca	1 "H-0000000000000010"		# "n1 HCA-1"
[1](10) 	"S-0000000000000001"[1]		# lid 2 lmc 0 "sw" lid 1 {}

vendid=0x2c9
devid=0x101b
caguid=0x20
Ca	1 "H-0000000000000020"		# "n2 HCA-1"
[1](20) 	"S-0000000000000001"[2]		# lid 3 lmc 0 "sw" lid 1 4xHDR
)",
                     at_switch, at_host);
}

TEST(ParseIbnetdiscover, KeepsModelsSoThatAnOlderHostIsNotDegraded) {
  const auto network = parse_ibnetdiscover(one_switch("4xEDR", "4xEDR"), "net", "");
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_EQ(network->device(0).model_id, 0xd2f0U);
  EXPECT_EQ(network->device(node_called(*network, "n1 HCA-1")).model_id, 0x1017U);
  EXPECT_EQ(network->device(node_called(*network, "n2 HCA-1")).vendor_id, 0x2c9U);
  EXPECT_TRUE(network->degraded_links().empty());
  EXPECT_TRUE(network->warnings().empty());
}

TEST(ParseIbnetdiscover, WarnsOfEndsThatContradictEachOther) {
  const auto network = parse_ibnetdiscover(one_switch("4xEDR", "1xEDR"), "net", "");
  ASSERT_TRUE(network) << network.error().message;
  ASSERT_EQ(network->warnings().size(), 1U);
  EXPECT_EQ(
      network->warnings().front(),
      "net:5: port 1 of the router 'sw' (S-0000000000000001) runs at 4xEDR, but the other end of its cable, port 1 "
      "of the channel adapter 'n1 HCA-1' (H-0000000000000010), at 1xEDR in line 12");
  EXPECT_EQ(to_string(network->ports(0)[1].rate), "1xEDR");
}

TEST(ParseIbnetdiscover, ReadsGroupedOutput) {
  const Network network = open("grouped.txt");
  EXPECT_EQ(network.router_count(), 3);
  EXPECT_EQ(network.link_count(), 4);
  EXPECT_EQ(network.aggregation_ports().size(), 1);
  const DeviceId tor = node_called(network, "tor");
  EXPECT_EQ(network.ports(tor)[0].guid, 0xb8599f0300bb0001);
  EXPECT_EQ(to_string(network.ports(tor)[41].rate), "2xHDR");
}

TEST(ParseIbnetdiscover, ReadsNdrWithRailsAggregationAndADegradedLink) {
  const Network network = open("ndr.txt");
  EXPECT_EQ(network.router_count(), 2);
  EXPECT_EQ(network.machines().size(), 3);
  EXPECT_EQ(network.aggregation_ports().size(), 1);
  EXPECT_EQ(network.degraded_links().size(), 1);
  const Machine& gpu1 = network.machine(*network.find_machine("gpu-1"));
  ASSERT_EQ(gpu1.endpoints.size(), 2);
  EXPECT_EQ(network.device(network.port(gpu1.endpoints[1]).device).rail, 1);
  const auto unnamed = network.find_machine("hca-0xa088c20300000030");
  ASSERT_TRUE(unnamed);
  EXPECT_FALSE(network.machine(*unnamed).named);
}

TEST(ParseIbnetdiscover, ReadsIbsimsNetFiles) {
  const Network network = open("ibsim.net");
  EXPECT_EQ(network.link_count(), 4);
  EXPECT_EQ(network.device(node_called(network, "left")).guid, 0x200000);
  EXPECT_EQ(network.device(node_called(network, "right")).guid, 0x200001);
  EXPECT_EQ(network.device(node_called(network, "alpha")).guid, 0x100000);
  EXPECT_EQ(network.device(node_called(network, "beta mlx4_0")).guid, 0x100003);
  EXPECT_EQ(to_string(network.ports(node_called(network, "left"))[2].rate), "4xQDR");
}

TEST(ParseIbnetdiscover, CarriageReturnsMakeNoDifference) {
  for (const std::string name : {"2008-with-lids.txt", "full-fields.txt", "grouped.txt", "ibsim.net", "ndr.txt"}) {
    std::string text;
    for (const char c : text_of(name)) text += c == '\n' ? "\r\n" : std::string(1, c);
    const auto network = parse_ibnetdiscover(text, name, "");
    ASSERT_TRUE(network) << network.error().message;
    EXPECT_EQ(network_text(*network), network_text(open(name))) << name;
  }
}

TEST(ParseIbnetdiscover, EveryTruncationIsRefusedOrLosesNothing) {
  for (const std::string name :
       {"2008-with-lids.txt", "early-without-lids.txt", "full-fields.txt", "grouped.txt", "ibsim.net", "ndr.txt"}) {
    const std::string text = text_of(name);
    const std::string whole = network_text(open(name));
    for (std::size_t length = 0; length < text.size(); ++length) {
      const auto network = parse_ibnetdiscover(std::string_view(text).substr(0, length), name, "");
      if (!network) continue;
      EXPECT_EQ(network_text(*network), whole) << name << " cut after " << length << " bytes";
    }
  }
}

TEST(ParseIbnetdiscover, AMissingLineIsRefused) {
  for (const std::string name :
       {"2008-with-lids.txt", "early-without-lids.txt", "full-fields.txt", "grouped.txt", "ibsim.net", "ndr.txt"}) {
    const std::string text = text_of(name);
    for (std::size_t from = 0; from < text.size(); from = text.find('\n', from) + 1) {
      const auto line = std::string_view(text).substr(from, text.find('\n', from) + 1 - from);
      const bool is_record = line.starts_with('[') || line.starts_with("Switch") || line.starts_with("Ca") ||
                             line.starts_with("Hca") || line.starts_with("Rt");
      if (!is_record) continue;
      const auto rest = text.substr(0, from) + text.substr(from + line.size());
      EXPECT_FALSE(parse_ibnetdiscover(rest, name, "")) << name << " without " << line;
    }
  }
}

TEST(ParseIbnetdiscover, ErrorsNameFileLineAndWhatWasExpected) {
  const std::string ndr = text_of("ndr.txt");
  EXPECT_EQ(error_of(""), "net: expected ibnetdiscover's output, found an empty file");
  EXPECT_EQ(error_of("# nothing\n\n"), "net: expected ibnetdiscover's output, found no Switch, Ca or Rt record");
  EXPECT_EQ(error_of("Switch 2 \"a\"\n" + std::string("\0\0", 2)),
            "net:2: expected text, found the byte 0x00: this is a binary file");
  EXPECT_EQ(error_of("\x89PNG\r\n\x1a\n"), "net:2: expected text, found the byte 0x1a: this is a binary file");
  EXPECT_EQ(error_of("Hello\xFF\n"),
            "net:1: expected a Switch, Ca or Rt record, its ids or its ports, found \"Hello?\"");
  EXPECT_EQ(error_of("[1] \"a\"[1]\n"),
            "net:1: expected a Switch, Ca or Rt record before its ports, found \"[1] \"a\"[1]\"");
  EXPECT_EQ(error_of("Switch 8 \"a\"\n"), "net: expected cables, found none");
  EXPECT_EQ(error_of("Switch 0 \"a\"\n"), "net:1: expected a number of ports from 1 to 254, found \"0 \"a\"\"");
  EXPECT_EQ(error_of("Switch 8 \"a\"\n[9] \"a\"[1]\n[1] \"a\"[9]\n"),
            "net:2: expected a port from 1 to 8 of the router a, found 9");
  EXPECT_EQ(error_of("Switch 8 \"a\"\n[1] \"a\"[1]\n"), "net:2: port 1 of the router a is cabled to itself");
  EXPECT_EQ(error_of("Switch 8 \"a\"\n[1] \"b\"[1]\n"),
            "net:2: a cable to an unknown node: expected a record of \"b\"");
  EXPECT_EQ(error_of("Switch 8 \"a\"\n[1] \"b\"[1]\n\nSwitch 8 \"b\"\n"),
            "net:2: a cable to port 1 of the router b, whose own record does not list it");
  EXPECT_EQ(error_of("Switch 8 \"a\"\n[1] \"b\"[1]\n[2] \"b\"[1]\n\nSwitch 8 \"b\"\n[1] \"a\"[1]\n"),
            "net:3: a cable to port 1 of the router b, which line 6 connects to another port");
  EXPECT_EQ(error_of("Switch 8 \"a\"\n\nSwitch 8 \"a\"\n"), "net:3: a second record of the router a, first in line 1");
  EXPECT_EQ(error_of(replaced(ndr, "lid 1 4xNDR", "lid 1 4xN")),
            "net:11: expected a link rate such as 4xNDR, found \"4xN\"");
  EXPECT_EQ(error_of(replaced(ndr, "lid 1 4xNDR", "lid 9 4xNDR")),
            "net:11: LID 9 for port 1 of the channel adapter 'gpu-1 mlx5_0' (H-a088c20300000010), which has LID 1 in "
            "line 33");
}

TEST(ParseIbnetdiscover, DuplicateGuidsAreRefusedByName) {
  EXPECT_EQ(error_of("switchguid=0x7\nSwitch 8 \"a\" # \"one\"\n[1] \"b\"[1]\n\nswitchguid=0x7\nSwitch 8 \"b\" # "
                     "\"two\"\n[1] \"a\"[1]\n"),
            "net:6: duplicate GUID 0x0000000000000007: the router 'one' (a) of line 2 and the router 'two' (b)");
}

TEST(ParseIbnetdiscover, IbsimCommandsAndNodeListsAreRefused) {
  for (const std::string line : {"module \"x\"", "include \"other\"", "do Help", "speed=1", "@1 \"x\""}) {
    const auto network = parse_ibnetdiscover(line + "\nSwitch 2 \"a\"\n", "net", "");
    ASSERT_FALSE(network);
    EXPECT_NE(network.error().message.find("net:1: expected records only, found ibsim's command"), std::string::npos);
    EXPECT_FALSE(network.error().hint.empty());
  }
  const auto list =
      parse_ibnetdiscover("Switch\t : 0x0002c90300000000 ports 36 devid 0x1 vendid 0x1 \"x\"\n", "net", "");
  ASSERT_FALSE(list);
  EXPECT_NE(list.error().hint.find("list of nodes"), std::string::npos);
}

std::vector<std::string> warnings_of(const Network& network) {
  return {network.warnings().begin(), network.warnings().end()};
}

TEST(ParseIbnetdiscover, ProgramMessagesAreSkippedWithWarnings) {
  const std::string ndr = text_of("ndr.txt");
  const Network clean = *parse_ibnetdiscover(ndr, "net", "");
  EXPECT_TRUE(clean.warnings().empty());

  const std::string message = "src/query_smp.c:195; umad (DR path slid 0; dlid 0; 0,1 Attr 0x11:0) bad status 110";
  const auto first = parse_ibnetdiscover("[root@gpu-1 ~]# ibnetdiscover\n" + message + "\n" + ndr, "net", "");
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(network_text(*first), network_text(clean));
  EXPECT_EQ(warnings_of(*first),
            (std::vector<std::string>{
                "net:1: skipped, not a part of the report: \"[root@gpu-1 ~]# ibnetdiscover\"",
                "net:2: skipped, not a part of the report: \"" + message + "\"",
                "net: devices did not answer when this report was made: a part of the fabric may be missing"}));
}

TEST(ParseIbnetdiscover, AProgramMessageDoesNotEndTheRecordAroundIt) {
  const std::string ndr = text_of("ndr.txt");
  const Network clean = *parse_ibnetdiscover(ndr, "net", "");
  LineReader lines(ndr);
  std::size_t from = 0;
  while (const auto line = lines.next()) {
    std::string text = ndr;
    text.insert(from, "ibwarn: [4242] mad_rpc: _do_madrpc failed; dport (DR path slid 0; dlid 0; 0,1)\n");
    from += line->size() + 1;
    const auto network = parse_ibnetdiscover(text, "net", "");
    ASSERT_TRUE(network) << network.error().message;
    EXPECT_EQ(network_text(*network), network_text(clean));
    EXPECT_EQ(network->warnings().size(), 2U);
  }
}

TEST(ParseIbnetdiscover, ManySkippedLinesAreCounted) {
  std::string text;
  for (int i = 0; i < 25; ++i) {
    text += fmt::format("DR path slid 65535; dlid 65535; 0,1,{} -> new remote switch {{0002c902004052f8}}\n", i);
  }
  const auto network = parse_ibnetdiscover(text + text_of("ndr.txt"), "net", "");
  ASSERT_TRUE(network) << network.error().message;
  ASSERT_EQ(network->warnings().size(), 11U);
  EXPECT_EQ(network->warnings().back(), "net: skipped 15 more such lines");
}

TEST(ParseIbnetdiscover, ReadsTheSystemGuidsOfIbdiagnetsDirectors) {
  const auto network = parse_ibnetdiscover(
      "switchguid=0x2c90300aa0000(2c90300aa0001)\nSwitch 2 \"S-0002c90300aa0001\" # \"spine\"\n"
      "[1] \"S-0002c90300aa0002\"[1]\n\n"
      "switchguid=0x2c90300aa0000(2c90300aa0002)\nSwitch 2 \"S-0002c90300aa0002\" # \"leaf\"\n"
      "[1] \"S-0002c90300aa0001\"[1]\n",
      "net", "");
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_EQ(network->device(0).guid, 0x0002c90300aa0001U);
  EXPECT_EQ(network->device(1).guid, 0x0002c90300aa0002U);
  EXPECT_EQ(network->device(0).system_guid, 0x0002c90300aa0000U);
  EXPECT_EQ(network->ports(0)[0].guid, 0x0002c90300aa0001U);
}

TEST(ParseIbnetdiscover, MorePortsThanTheSpecificationAllowsAreRefused) {
  EXPECT_EQ(error_of("Switch 300 \"a\"\n"), "net:1: expected a number of ports from 1 to 254, found \"300 \"a\"\"");
  EXPECT_EQ(error_of("Switch 255 \"a\"\n"), "net:1: expected a number of ports from 1 to 254, found \"255 \"a\"\"");
}

TEST(ParseIbnetdiscover, ThePermissiveLidMeansNone) {
  const Network network = *parse_ibnetdiscover(
      "Switch 1 \"a\" # \"a\" base port 0 lid 65535 lmc 0\n[1] \"h\"[1] # \"h\" lid 65535 4xEDR\n\n"
      "Ca 1 \"h\"\n[1] \"a\"[1] # lid 65535 lmc 0 \"a\" lid 65535 4xEDR\n",
      "net", "");
  EXPECT_EQ(network.ports(0)[0].lid, 0);
  EXPECT_EQ(network.ports(1)[1].lid, 0);
}

TEST(OpenInfiniband, UnreadableFilesAreRefused) {
  const auto missing = open_infiniband("/nonexistent/net", "");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, "can't read /nonexistent/net: No such file or directory");
  EXPECT_FALSE(open_infiniband("/", ""));
  EXPECT_FALSE(open_infiniband("", ""));
}

}  // namespace
}  // namespace ayatori
