#include "ayatori/topograph/topograph.hpp"

#include <gtest/gtest.h>

#include "../read_fixtures.hpp"

namespace ayatori {
namespace {

TEST(ParseTopograph, LayersAreListedFromTheNearest) {
  const auto network = open_topograph(AYATORI_SOURCE_DIR "/tests/golden/topograph/graph.json");
  ASSERT_TRUE(network) << error_of(network);
  EXPECT_EQ(network->planes()[0].name, "fabric");
  EXPECT_EQ(network->machines().size(), 6U);
  ASSERT_EQ(network->router_count(), 3U);
  EXPECT_EQ(network->describe_link(network->port_id(0, 1)), "S1 port 1 -> S2 port 4");
  EXPECT_EQ(network->describe_link(network->port_id(1, 3)), "S2 port 3 -> I25 port 1");
  EXPECT_EQ(network->describe_link(network->port_id(2, 1)), "S3 port 1 -> I34 port 1");
}

TEST(ParseTopograph, InstancesWithoutTopologyAreKept) {
  for (const char* layers : {"null", "[]"}) {
    const std::string text = std::string(R"({"instances": [{"id": "a", "network_layers": )") + layers + "}]}";
    const auto network = parse_topograph(text, "f");
    ASSERT_TRUE(network) << error_of(network);
    EXPECT_EQ(network->machines().size(), 1U);
  }
}

TEST(ParseTopograph, ErrorsNameFileAndPlace) {
  EXPECT_EQ(error_of(parse_topograph("OK\n", "f")).substr(0, 19), "f:1: not valid JSON");
  EXPECT_EQ(error_of(parse_topograph("[]", "f")), "f: /: expected an object");
  EXPECT_EQ(error_of(parse_topograph(R"({"instances": {}})", "f")), "f: /instances: expected an array");
  EXPECT_EQ(error_of(parse_topograph(R"({"instances": [{"id": 7}]})", "f")), "f: /instances/0/id: expected a string");
  EXPECT_EQ(error_of(parse_topograph(R"({"instances": [{"id": ""}]})", "f")), "f: /instances/0: an empty id");
  EXPECT_EQ(error_of(parse_topograph(R"({"instances": [{"id": "a", "network_layers": ["s", ""]}]})", "f")),
            "f: /instances/0/network_layers/1: an empty name");
  EXPECT_EQ(error_of(parse_topograph(R"({"instances": [{"id": "a"}, {"id": "a"}]})", "f")), "f: 'a' is listed twice");
  EXPECT_EQ(error_of(open_topograph("")), "topograph: no file is given");
}

}  // namespace
}  // namespace ayatori
