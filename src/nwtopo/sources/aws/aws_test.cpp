#include "ayatori/aws/aws.hpp"

#include <gtest/gtest.h>

#include <set>

#include "../read_fixtures.hpp"

namespace ayatori {
namespace {

TEST(ParseAws,
     BuildsTheTreeOfTheUserGuide) {  // "How instance topology works": four instances under seven network nodes
  const auto network = open_aws(AYATORI_SOURCE_DIR "/tests/golden/aws/instance-topology.json");
  ASSERT_TRUE(network) << error_of(network);
  EXPECT_EQ(network->planes()[0].name, "efa");
  EXPECT_EQ(network->router_count(), 6U);
  std::set<std::string> cables;
  for (PortId id = 0; id < network->port_count(); ++id) {
    const Port& port = network->port(id);
    if (!port.connected() || id > port.peer) continue;
    cables.insert(std::string(network->name(port.device)) + " " +
                  std::string(network->name(network->port(port.peer).device)));
  }
  const auto node = [](char digit) { return "nn-" + std::string(10, digit) + "example"; };
  const auto instance = [](char digit) { return "i-" + std::string(10, digit) + "example"; };
  EXPECT_EQ(cables,
            (std::set<std::string>{
                node('1') + " " + node('2'), node('1') + " " + node('3'), node('2') + " " + node('4'),
                node('2') + " " + node('5'), node('3') + " " + node('6'), node('4') + " " + instance('1'),
                node('4') + " " + instance('2'), node('5') + " " + instance('3'), node('6') + " " + instance('4')}));
  const auto without_topology = network->find_machine(instance('5'));
  ASSERT_TRUE(without_topology);
  EXPECT_TRUE(network->machine(*without_topology).endpoints.empty());
}

TEST(ParseAws, AnIncompleteListingIsRefused) {
  const auto page = parse_aws(R"({"Instances": [{"InstanceId": "i-1"}], "NextToken": "abc"})", "f");
  EXPECT_EQ(error_of(page), "f: /NextToken: the listing is not complete: it continues on another page");
  EXPECT_EQ(page.error().hint,
            "aws ec2 describe-instance-topology joins all pages unless --max-items or --no-paginate is given");
  EXPECT_TRUE(parse_aws(R"({"Instances": [{"InstanceId": "i-1"}], "NextToken": null})", "f"));
}

TEST(ParseAws, ErrorsNameFileAndPlace) {
  EXPECT_EQ(error_of(parse_aws("", "f")).substr(0, 19), "f:1: not valid JSON");
  EXPECT_EQ(error_of(parse_aws("{}", "f")), "f: /: expected a member 'Instances'");
  EXPECT_EQ(error_of(parse_aws(R"({"Instances": []})", "f")), "f: no hosts");
  EXPECT_EQ(error_of(parse_aws(R"({"Instances": [{"InstanceId": ""}]})", "f")), "f: /Instances/0: an empty InstanceId");
  EXPECT_EQ(error_of(parse_aws(R"({"Instances": [{"InstanceId": "i", "NetworkNodes": [""]}]})", "f")),
            "f: /Instances/0/NetworkNodes/0: an empty name");
  EXPECT_EQ(error_of(parse_aws(R"({"Instances": [{"InstanceId": "i", "NetworkNodes": 7}]})", "f")),
            "f: /Instances/0/NetworkNodes: expected an array");
  EXPECT_EQ(error_of(open_aws("")), "aws: no file is given");
  EXPECT_NE(error_of(open_aws("/no/such/file")).find("/no/such/file"), std::string::npos);
}

}  // namespace
}  // namespace ayatori
