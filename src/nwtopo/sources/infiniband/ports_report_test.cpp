#include <fmt/core.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "ayatori/base/files.hpp"
#include "ayatori/infiniband/infiniband.hpp"
#include "network_text_fixtures.hpp"
#include "random_subnet_fixtures.hpp"

namespace ayatori {
namespace ports_report_test {

const std::string golden = AYATORI_SOURCE_DIR "/tests/golden/infiniband/ports-report.txt";

std::string error_of(std::string_view text) {
  const auto network = parse_ports_report(text, "ports", "");
  return network ? "no error" : network.error().message;
}

TEST(OpenInfiniband, RecognisesAPortsReportByItsFirstRecord) {
  const auto network = open_infiniband(golden, "");
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_EQ(network->router_count(), 2);
  EXPECT_EQ(network->device_count(), 4);
  EXPECT_EQ(network->link_count(), 3);
  EXPECT_EQ(network->name(1), "'core'");
  EXPECT_EQ(network->device(1).port_count, 3);
  EXPECT_EQ(network->ports(1)[0].lid, 1);
  const Machine& node1 = network->machine(*network->find_machine("node1"));
  ASSERT_EQ(node1.endpoints.size(), 2) << "two ports of one HCA";
  EXPECT_EQ(network->port(node1.endpoints[0]).device, network->port(node1.endpoints[1]).device);
  EXPECT_EQ(network->port(node1.endpoints[1]).guid, 0x0002c90300001002);
  EXPECT_EQ(network->port(node1.endpoints[1]).lid, 5);
  EXPECT_EQ(to_string(network->port(node1.endpoints[1]).rate), "4xFDR10");
}

TEST(OpenInfiniband, APortsReportMayFollowTheProgressOfItsDiscovery) {
  const std::string file = testing::TempDir() + "ayatori-progress.txt";
  const std::string progress =
      "DR path slid 0; dlid 0; 0 -> new Channel Adapter {0000000000000001} portnum 1 lid 0-0 \"\"\n"
      "DR path slid 0; dlid 0; 0,1 -> new Switch {0000000000000002} portnum 0 lid 7-7 \"leaf\"\n";
  ASSERT_TRUE(write_file(file, progress + *read_file(golden)));
  const auto network = open_infiniband(file, "");
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_EQ(network_text(*network), network_text(*open_infiniband(golden, "")));
  EXPECT_EQ(network->warnings().size(), 2) << "the lines that were skipped";
  std::filesystem::remove(file);
}

TEST(ParsePortsReport, EveryTruncationIsRefusedOrLosesNothing) {
  const std::string text = *read_file(golden);
  const std::string whole = network_text(*parse_ports_report(text, "ports", ""));
  for (std::size_t length = 0; length < text.size(); ++length) {
    const auto network = parse_ports_report(std::string_view(text).substr(0, length), "ports", "");
    if (!network) continue;
    EXPECT_EQ(network_text(*network), whole) << "cut after " << length << " bytes";
  }
}

TEST(ParsePortsReport, ErrorsNameFileLineAndWhatWasExpected) {
  EXPECT_EQ(error_of(""), "ports: expected ibnetdiscover's output, found an empty file");
  EXPECT_EQ(error_of("XX  1 1\n"), "ports:1: expected SW, CA or RT, found \"XX  1 1\"");
  EXPECT_EQ(error_of("SW     1  1 12345 4x SDR 'x'\n"), "ports:1: expected a GUID, found \"12345\"");
  EXPECT_EQ(error_of("SW     1  1 0x1 4x\n"), "ports:1: expected a width and a speed such as 4x NDR, found \"4x\"");
  EXPECT_EQ(error_of("SW     1  1 0x1 4x SDR x\n"), "ports:1: expected a description in quotes, found \"x\"");
  EXPECT_EQ(error_of("SW     1  1 0x1 4x SDR - SW 2 1 0x2 ( 'x' -\n"),
            "ports:1: expected both descriptions, ( 'one' - 'other' ), found \"( 'x' -\"");
  EXPECT_EQ(error_of("SW     1  1 0x1 4x SDR - SW 2 1 0x2 ( 'x' - 'y' )\n"),
            "ports:1: a cable to an unknown node: expected lines of 0x2");
  EXPECT_EQ(parse_ports_report("SW     1  3 0x1 4x SDR 'x'\n", "ports", "").error().hint,
            "the report covers only a part of the fabric: save all that ibnetdiscover prints");
  EXPECT_EQ(error_of("SW     1  3 0x1 4x SDR 'x'\n"), "ports:1: expected 3 ports of the router 'x' (0x1), found 1");
  EXPECT_EQ(error_of("CA     1  1 0x1 4x SDR 'x'\nCA     1  1 0x1 4x SDR 'y'\n"),
            "ports:2: duplicate port GUID 0x1: 'y' and the channel adapter 'x' (0x1)");
}

TEST(ParsePortsReport, GivesTheSameNetworkAsTheDefaultOutput) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const Network network = RandomSubnet(seed, true).build();
    const auto again = parse_ports_report(ports_report(network), "ports", "");
    ASSERT_TRUE(again) << again.error().message;
    ASSERT_EQ(network_text(*again), network_text(network));
  }
}

TEST(ParsePortsReport, ProgramMessagesAreSkippedWithWarnings) {
  const Network clean = RandomSubnet(1, true).build();
  const std::string report = ports_report(clean);
  const auto network =
      parse_ports_report("ibwarn: [1] _do_madrpc: recv failed: Connection timed out\n" + report, "ports", "");
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_EQ(network_text(*network), network_text(*parse_ports_report(report, "ports", "")));
  ASSERT_EQ(network->warnings().size(), 2U);
  EXPECT_EQ(network->warnings()[1],
            "ports: devices did not answer when this report was made: a part of the fabric may be missing");
}

}  // namespace ports_report_test
}  // namespace ayatori
