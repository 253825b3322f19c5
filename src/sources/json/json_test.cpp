#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "ayatori/base/random.hpp"
#include "ayatori/json/json.hpp"
#include "ayatori/network/builder.hpp"
#include "ayatori/sources/source.hpp"
#include "everything.hpp"

namespace ayatori {
namespace {

std::string written(const Network& network) {
  std::string text;
  EXPECT_TRUE(write_json(network, [&](std::string_view piece) { text += piece; }));
  return text;
}

void expect_round_trip(const Network& network) {
  const std::string text = written(network);
  const auto again = parse_json(text, "written");
  ASSERT_TRUE(again) << again.error().message << "\n" << again.error().cause;
  ASSERT_EQ(everything(*again), everything(network));
  ASSERT_EQ(written(*again), text);
}

/// Several planes, unnamed HCAs, aggregation nodes, LIDs, GUIDs that are told, guessed or missing, slow cables, names
/// that need escapes.
Network random_network(std::uint64_t seed) {
  Random random(seed);
  NetworkBuilder builder;
  Guid next_guid = 0x100;
  Lid next_lid = 1;
  const auto guid = [&] { return random.below(3) == 0 ? 0 : next_guid += 0x10; };
  const std::size_t planes = 1 + random.below(3);
  for (std::size_t plane = 0; plane < planes; ++plane) {
    builder.begin_plane(fmt::format("plane \"{}\"", plane));
    const auto routers = static_cast<NetworkBuilder::Handle>(1 + random.below(4));
    const auto first = static_cast<NetworkBuilder::Handle>(builder.device_count());
    for (NetworkBuilder::Handle i = 0; i < routers; ++i) builder.add_router(fmt::format("R\t{}\\é", i), guid(), 40);
    std::vector<PortNumber> next_port(routers, 1);
    const auto rate = [&] {
      return random.below(5) == 0 ? LinkRate{0, LaneSpeed::unknown, 25000} : LinkRate{4, LaneSpeed::hdr};
    };
    for (std::size_t i = 0; i < 20; ++i) {
      const auto router = static_cast<NetworkBuilder::Handle>(random.below(routers));
      const auto ports = static_cast<PortNumber>(1 + random.below(2));
      const std::string name = fmt::format("node {}", i);
      const auto kind = random.below(6);
      const auto node = kind == 0   ? builder.add_aggregation_node(name, guid(), ports)
                        : kind == 1 ? builder.add_unnamed_nic(name, guid(), ports)
                                    : builder.add_nic(name, guid(), ports, fmt::format("host{}", random.below(12)),
                                                      static_cast<std::uint16_t>(random.below(4)));
      if (random.below(4) == 0) builder.set_system_guid(node, 0xabc0 + i);
      if (random.below(2) == 0) {
        const auto lmc = static_cast<std::uint8_t>(random.below(3));
        builder.set_port(node, ports, guid(), next_lid, lmc);
        next_lid = static_cast<Lid>(next_lid + 8);
      }
      if (random.below(8) == 0) continue;
      const auto latency = static_cast<std::uint32_t>(random.below(3) * 100);
      EXPECT_TRUE(builder.connect(node, ports, first + router, next_port[router]++, rate(), latency));
    }
    for (NetworkBuilder::Handle i = 1; i < routers; ++i) {
      EXPECT_TRUE(builder.connect(first, next_port[0]++, first + i, next_port[i]++, rate()));
    }
  }
  auto network = builder.build();
  EXPECT_TRUE(network) << network.error().message;
  return std::move(*network);
}

TEST(Json, ReadingBackGivesTheSameNetwork) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    expect_round_trip(random_network(seed));
    if (HasFailure()) return;
  }
}

TEST(Json, KeepsWhatOtherSourcesMake) {
  std::vector<std::string> sources = {"fattree:K=6,levels=2,nodes=30",
                                      "fattree:K=4,levels=3",
                                      "xgft:h=2;m=4,4;w=2,2;p=1,2",
                                      "torus:3x4x5",
                                      "mesh:2x3",
                                      "full:8,hosts=4"};
  for (const char* kind : {"infiniband", "slurm"}) {
    for (const auto& entry :
         std::filesystem::directory_iterator(fmt::format("{}/tests/golden/{}", AYATORI_SOURCE_DIR, kind))) {
      sources.push_back(
          fmt::format("{}:{}", kind == std::string_view("slurm") ? "slurm" : "ib", entry.path().string()));
    }
  }
  for (const std::string& source : sources) {
    SCOPED_TRACE(source);
    const auto network = open_source(source);
    ASSERT_TRUE(network) << network.error().message;
    expect_round_trip(*network);
    // What we write ourselves is JSON to others too.
    EXPECT_EQ(nlohmann::json::parse(written(*network))["nodes"].size(), network->device_count());
  }
}

TEST(Json, ReplacesWhatIsNoUtf8) {
  NetworkBuilder builder;
  builder.add_router(
      "a\xff"
      "b",
      1, 1);
  const auto again = parse_json(written(builder.build().value()), "t");
  ASSERT_TRUE(again);
  EXPECT_EQ(again->name(0), "a\uFFFDb");
}

std::string error_in(std::string_view nodes, std::string_view cables = "", std::string_view head = "") {
  const std::string usual = "\"format\": \"nwtopo-json\", \"version\": 1, \"planes\": [\"p\"]";
  const auto network = parse_json(
      fmt::format("{{{}, \"nodes\": [{}], \"cables\": [{}]}}", head.empty() ? usual : head, nodes, cables), "t");
  return network ? "none" : network.error().message;
}

TEST(Json, NamesThePlaceOfWhatIsWrong) {
  const std::string node = R"({"kind": "router", "name": "R", "ports": 4})";
  const std::string nic = R"({"kind": "nic", "name": "N", "ports": 1, "machine": "h", "rail": 0})";
  EXPECT_EQ(error_in(node + "," + nic, R"({"from": [1, 1], "to": [0, 4], "rate": "4xHDR", "latency": 5})"), "none");
  EXPECT_EQ(error_in(""), "t: a network without any node");
  EXPECT_EQ(error_in(node, "", R"("version": 1, "planes": ["p"])"), "t: expected the format 'nwtopo-json'");
  EXPECT_EQ(error_in(node, "", R"("format": "nwtopo-json", "version": 2, "planes": ["p"])"), "t: expected version 1");
  EXPECT_EQ(error_in(node, "", R"("format": "nwtopo-json", "version": 1, "planes": [3])"),
            "t: expected names in 'planes'");
  EXPECT_EQ(error_in(node, "", R"("format": "nwtopo-json", "version": 1, "planes": ["p"], "direct": 1)"),
            "t: expected true or false behind 'direct'");
  EXPECT_EQ(error_in(node, "", R"("format": "nwtopo-json", "version": 1, "planes": ["p"], "author": 1)"),
            "t: unknown key 'author'");
  EXPECT_EQ(error_in("7"), "t: nodes[0]: expected an object");
  EXPECT_EQ(error_in(node + R"(, {"kind": "switch", "name": "", "ports": 1})"),
            "t: nodes[1]: expected the kind router, nic or aggregation instead of 'switch'");
  EXPECT_EQ(error_in(R"({"kind": "router", "name": "R", "ports": 65536})"),
            "t: nodes[0]: expected a number up to 65535 behind 'ports'");
  EXPECT_EQ(error_in(R"({"kind": "router", "name": "R", "ports": -1})"),
            "t: nodes[0]: expected a number up to 65535 behind 'ports'");
  EXPECT_EQ(error_in(R"({"kind": "router", "name": "R", "ports": 4, "plane": 1})"), "t: nodes[0]: there is no plane 1");
  EXPECT_EQ(error_in(R"({"kind": "router", "name": "R", "ports": 4, "rail": 0})"),
            "t: nodes[0]: only a nic has a machine and a rail");
  EXPECT_EQ(error_in(R"({"kind": "nic", "name": "N", "ports": 4, "rail": 0})"),
            "t: nodes[0]: a rail without a machine");
  EXPECT_EQ(error_in(R"({"kind": "router", "name": "R", "ports": 4, "guid": "x"})"),
            "t: nodes[0]: expected a GUID like \"0x0002c90300000001\" behind 'guid'");
  EXPECT_EQ(error_in(R"({"kind": "router", "name": "R", "ports": 4, "details": [{"port": 5}]})"),
            "t: nodes[0].details[0]: expected a number up to 4 behind 'port'");
  EXPECT_EQ(error_in(node, R"({"from": [0, 1], "to": [1, 1]})"),
            "t: cables[0]: expected [node, port] behind 'to', with a node from 0 to 0");
  EXPECT_EQ(error_in(node, R"({"from": [0, 1], "to": [0, 5]})"),
            "t: cables[0]: 'R' has no port 5: its ports are 1 to 4");
  EXPECT_EQ(error_in(node, R"({"from": [0, 1], "to": [0, 2], "rate": "fast"})"),
            "t: cables[0]: expected a rate like \"4xHDR\" or \"25Gbit/s\" behind 'rate'");
  EXPECT_EQ(error_in(R"({"kind": "router", "name": "R", "name": "S", "ports": 4})"),
            "t: the key 'name' twice in one object");
}

TEST(Json, NamesTheLineWhereTheTextIsNoJson) {
  const auto refused = parse_json("{\n\"format\": \"nwtopo-json\",\n}", "t");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "t:3: no JSON");
  EXPECT_FALSE(refused.error().cause.empty());
  EXPECT_EQ(parse_json("{\"version\": 5e99999}", "t").error().message, "t: no JSON");
  EXPECT_EQ(open_json("").error().message, "json: names no file");
}

TEST(Json, EveryCutIsAnError) {
  const std::string text = written(open_source("full:3").value());
  for (std::size_t length = 0; length + 2 < text.size(); ++length) {
    ASSERT_FALSE(parse_json(std::string_view(text).substr(0, length), "cut")) << length;
  }
}

}  // namespace
}  // namespace ayatori
