#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "ayatori/base/files.hpp"
#include "ayatori/base/random.hpp"
#include "ayatori/json/json.hpp"
#include "ayatori/network/builder.hpp"
#include "ayatori/network/shape.hpp"
#include "ayatori/sources/source.hpp"
#include "ayatori/sources/topology.hpp"
#include "network_text_fixtures.hpp"

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
  ASSERT_EQ(network_text(*again), network_text(network));
  ASSERT_EQ(written(*again), text);
}

/// Several planes, unnamed HCAs, aggregation nodes, LIDs, GUIDs that are given, guessed or missing, slow cables, names
/// that need escapes.
Network random_network(std::uint64_t seed) {
  Random random(seed);
  NetworkBuilder builder;
  Guid next_guid = 0x100;
  Lid next_lid = 1;
  const auto guid = [&] { return random.below(3) == 0 ? 0 : next_guid += 0x10; };
  const std::size_t planes = 1 + random.below(3);
  for (std::size_t plane = 0; plane < planes; ++plane) {
    const auto use = PlaneUse::from_bits(static_cast<std::uint8_t>(random.below(13)));
    builder.begin_plane(fmt::format("plane \"{}\"", plane), use.value_or(PlaneUse()));
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
      if (random.below(2) == 0) builder.set_model(node, 0x2c9, static_cast<std::uint32_t>(random.below(3)));
      if (random.below(2) == 0) builder.set_max_rate(node, ports, rate());
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

TEST(WriteJson, ReadingBackGivesTheSameNetwork) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    expect_round_trip(random_network(seed));
    if (HasFailure()) return;
  }
}

TEST(WriteJson, BackgroundTrafficReadsBackTheSame) {
  NetworkBuilder builder;
  const auto router = builder.add_router("R", 0, 2);
  const auto first = builder.add_nic("nic", 0, 1, "a", 0);
  const auto second = builder.add_nic("nic", 0, 1, "b", 0);
  EXPECT_TRUE(builder.connect(first, 1, router, 1, {}));
  EXPECT_TRUE(builder.connect(second, 1, router, 2, {}));
  builder.add_background(second, 1, first, 1, {0, LaneSpeed::unknown, 250});
  const Network network = builder.build().value();
  expect_round_trip(network);
  const Network again = parse_json(written(network), "written").value();
  ASSERT_EQ(again.background().size(), 1U);
  EXPECT_EQ(again.background()[0].from, network.background()[0].from);
  EXPECT_EQ(again.background()[0].to, network.background()[0].to);
  EXPECT_EQ(again.background()[0].rate.megabits, 250U);
}

TEST(WriteJson, NetworksOfOtherSourcesReadBackTheSame) {
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

std::string random_lengths(Random& random) {
  std::string lengths = std::to_string(1 + random.below(4));
  for (auto i = random.below(3); i > 0; --i) lengths += fmt::format("x{}", 1 + random.below(4));
  return lengths;
}

std::string random_formula(Random& random) {
  const auto number = [&](std::uint64_t max) { return 1 + random.below(max); };
  switch (random.below(10)) {
    case 0:
      return fmt::format("fattree:K={},levels={}", number(3), number(3));
    case 1:
      return fmt::format("xgft:m={},{};w={},{};p={},{}", number(4), number(4), number(3), number(3), number(2),
                         number(2));
    case 2:
      return fmt::format("torus:{}", random_lengths(random));
    case 3:
      return fmt::format("mesh:{},hosts={}", random_lengths(random), number(2));
    case 4:
      return fmt::format("full:{},hosts={}", number(6), number(3));
    case 5:
      return fmt::format("hyperx:{},hosts={}", random_lengths(random), number(2));
    case 6:
      return fmt::format("hypercube:{}", number(5));
    case 7:
      return fmt::format("dragonfly:h={},p={},a={}", number(2), number(3), number(4));
    case 8:
      return fmt::format("dragonfly+:h={},p={},l={},s={}", number(2), number(2), number(3), number(2));
    default:
      constexpr std::array views = {"3d", "2d", "1d", "physical"};
      return fmt::format("tofu:{}x{}x{},view={}", number(2), number(2), number(2), views[random.below(4)]);
  }
}

/// Kind, dimensions and numbering of the shape that is recognised, as text.
std::string shape_text(const Network& network) {
  const auto shape = recognise(network);
  return fmt::format("{} {} {}", static_cast<int>(shape.kind), fmt::join(shape.dimensions, " "),
                     fmt::join(shape.periodic, " "));
}

/// What nwtopo.h shows by ids: kinds, names, grids and neighbours.
std::string objects_text(const Topology& topology) {
  std::string text;
  for (ObjectId id = 0; id < topology.id_end(); ++id) {
    if (!topology.contains(id)) continue;
    text += fmt::format("{} kind {} '{}' height {} links", id, static_cast<int>(topology.kind(id)), topology.name(id),
                        topology.height(id));
    std::vector<ObjectId> neighbours;
    for (std::uint32_t i = 0; i < topology.link_count(id); ++i) neighbours.push_back(topology.link(id, i).to);
    std::ranges::sort(neighbours);
    text += fmt::format(" {}", fmt::join(neighbours, " "));
    if (const GridShape* grid = topology.grid(id)) {
      text += fmt::format(" grid {} periodic {}", fmt::join(grid->dimensions, "x"), fmt::join(grid->periodic, " "));
    }
    text += "\n";
  }
  return text;
}

TEST(WriteJson, RandomFormulasKeepShapeIdsAndNames) {
  const std::string file = fmt::format("{}/ayatori-json-{}.json", testing::TempDir(), getpid());
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    Random random(seed);
    const std::string formula = random_formula(random);
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, formula));
    const auto network = open_source(formula);
    ASSERT_TRUE(network) << network.error().message;
    expect_round_trip(*network);
    const auto again = parse_json(written(*network), "written");
    EXPECT_EQ(shape_text(*again), shape_text(*network));

    ASSERT_TRUE(write_file(file, written(*network)));
    const auto by_formula = open_topology(formula);
    const auto by_json = open_topology("json:" + file);
    ASSERT_TRUE(by_formula && by_json);
    EXPECT_EQ(objects_text(**by_json), objects_text(**by_formula));
    if (HasFailure()) break;
  }
  std::filesystem::remove(file);
}

TEST(WriteJson, BytesThatAreNotUtf8AreReplaced) {
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

TEST(ParseJson, ErrorsNameTheFileAndThePlace) {
  const std::string node = R"({"kind": "router", "name": "R", "ports": 4})";
  const std::string nic = R"({"kind": "nic", "name": "N", "ports": 1, "machine": "h", "rail": 0})";
  EXPECT_EQ(error_in(node + "," + nic, R"({"from": [1, 1], "to": [0, 4], "rate": "4xHDR", "latency": 5})"), "none");
  EXPECT_EQ(error_in(""), "t: a network without any node");
  EXPECT_EQ(error_in(node, "", R"("version": 1, "planes": ["p"])"), "t: expected the format 'nwtopo-json'");
  EXPECT_EQ(error_in(node, "", R"("format": "nwtopo-json", "version": 2, "planes": ["p"])"), "t: expected version 1");
  EXPECT_EQ(error_in(node, "", R"("format": "nwtopo-json", "version": 1, "planes": [3])"),
            "t: expected names or objects in 'planes'");
  EXPECT_EQ(error_in(node, "", R"("format": "nwtopo-json", "version": 1, "planes": ["p"], "direct": 1)"),
            "t: expected true or false for 'direct'");
  EXPECT_EQ(error_in(node, "", R"("format": "nwtopo-json", "version": 1, "planes": ["p"], "author": 1)"),
            "t: unknown key 'author'");
  EXPECT_EQ(error_in("7"), "t: nodes[0]: expected an object");
  EXPECT_EQ(error_in(node + R"(, {"kind": "switch", "name": "", "ports": 1})"),
            "t: nodes[1]: expected the kind router, nic or aggregation instead of 'switch'");
  EXPECT_EQ(error_in(R"({"kind": "router", "name": "R", "ports": 65536})"),
            "t: nodes[0]: expected a number up to 65535 for 'ports'");
  EXPECT_EQ(error_in(R"({"kind": "router", "name": "R", "ports": -1})"),
            "t: nodes[0]: expected a number up to 65535 for 'ports'");
  EXPECT_EQ(error_in(R"({"kind": "router", "name": "R", "ports": 4, "plane": 1})"), "t: nodes[0]: there is no plane 1");
  EXPECT_EQ(error_in(R"({"kind": "router", "name": "R", "ports": 4, "rail": 0})"),
            "t: nodes[0]: only a nic has a machine and a rail");
  EXPECT_EQ(error_in(R"({"kind": "nic", "name": "N", "ports": 4, "rail": 0})"),
            "t: nodes[0]: a rail without a machine");
  EXPECT_EQ(error_in(R"({"kind": "router", "name": "R", "ports": 4, "guid": "x"})"),
            "t: nodes[0]: expected a GUID like \"0x0002c90300000001\" for 'guid'");
  EXPECT_EQ(error_in(R"({"kind": "router", "name": "R", "ports": 4, "details": [{"port": 5}]})"),
            "t: nodes[0].details[0]: expected a number up to 4 for 'port'");
  EXPECT_EQ(error_in(node, R"({"from": [0, 1], "to": [1, 1]})"),
            "t: cables[0]: expected [node, port] for 'to', with a node from 0 to 0");
  EXPECT_EQ(error_in(node, R"({"from": [0, 1], "to": [0, 5]})"),
            "t: cables[0]: 'R' has no port 5: its ports are 1 to 4");
  EXPECT_EQ(error_in(node, R"({"from": [0, 1], "to": [0, 2], "rate": "fast"})"),
            "t: cables[0]: expected a rate like \"4xHDR\" or \"25Gbit/s\" for 'rate'");
  EXPECT_EQ(error_in(R"({"kind": "router", "name": "R", "name": "S", "ports": 4})"),
            "t: nodes[0]: the key 'name' twice in one object");
}

TEST(ParseJson, APlaneIsANameOrSaysWhatItIsFor) {
  const auto use = [](const std::string& plane) -> std::string {
    const auto network =
        parse_json(R"({"format": "nwtopo-json", "version": 1, "planes": ["o", )" + plane +
                       R"(], "nodes": [{"kind": "router", "name": "R", "ports": 1, "plane": 1}], "cables": []})",
                   "t");
    if (!network) return network.error().message;
    const Plane& found = network->planes()[1];
    return fmt::format("{} {}", found.name, found.use.bits());
  };
  EXPECT_EQ(use(R"("p")"), "p 7");
  EXPECT_EQ(use(R"({"name": "p"})"), "p 7");
  EXPECT_EQ(use(R"({"name": "p", "for": ["storage", "neighbours", "storage"]})"), "p 6");
  EXPECT_EQ(use(R"({"fibre_channel": false, "for": ["collectives"], "name": "p"})"), "p 1");
  EXPECT_EQ(use(R"({"name": "p", "fibre_channel": true})"), "p 12");
  EXPECT_EQ(use(R"({"name": "p", "fibre_channel": true, "for": ["storage"]})"), "p 12");
  EXPECT_EQ(use(R"({"for": ["storage"]})"), "t: planes[1]: expected a string for 'name'");
  EXPECT_EQ(use(R"({"name": "p", "for": []})"), "p 0");
  EXPECT_EQ(use(R"({"name": "p", "for": "storage"})"),
            "t: planes[1]: expected a list like [\"collectives\"] for 'for'");
  EXPECT_EQ(use(R"({"name": "p", "for": ["files"]})"),
            "t: planes[1]: expected some of collectives, neighbours and storage for 'for'");
  EXPECT_EQ(use(R"({"name": "p", "for": [["storage"]]})"),
            "t: planes[1]: expected some of collectives, neighbours and storage for 'for'");
  EXPECT_EQ(use(R"({"name": "p", "fibre_channel": true, "for": ["storage", "neighbours"]})"),
            "t: planes[1]: Fibre Channel carries storage alone");
  EXPECT_EQ(use(R"({"name": "p", "fibre_channel": 1})"), "t: planes[1]: expected true or false for 'fibre_channel'");
  EXPECT_EQ(use(R"({"name": "p", "purpose": 1})"), "t: planes[1]: unknown key 'purpose'");
}

TEST(ParseJson, ErrorsOfTheBackgroundNameThePlace) {
  const auto error_of_flow = [](const std::string& flow) {
    return error_in(
        R"({"kind": "router", "name": "R", "ports": 2}, {"kind": "nic", "name": "N", "ports": 1, "machine": "h"},
                       {"kind": "nic", "name": "N", "ports": 1, "machine": "i"})",
        R"({"from": [0, 1], "to": [1, 1]}, {"from": [0, 2], "to": [2, 1]})",
        R"("format": "nwtopo-json", "version": 1, "planes": ["p"], "background": [)" + flow + "]");
  };
  EXPECT_EQ(error_of_flow(R"({"from": [1, 1], "to": [2, 1], "rate": "1Gbit/s"})"), "none");
  EXPECT_EQ(error_of_flow("3"), "t: background[0]: expected an object");
  EXPECT_EQ(error_of_flow(R"({"from": [1, 1], "rate": "1Gbit/s"})"), "t: background[0]: expected a list for 'to'");
  EXPECT_EQ(error_of_flow(R"({"from": [1, 1], "to": [9, 1], "rate": "1Gbit/s"})"),
            "t: background[0]: expected [node, port] for 'to', with a node from 0 to 2");
  EXPECT_EQ(error_of_flow(R"({"from": [1, 1], "to": [2, 1], "latency": 4})"),
            "t: background[0]: unknown key 'latency'");
  EXPECT_EQ(error_of_flow(R"({"from": [1, 1], "to": [2, 1]})"), "t: background traffic has a rate");
  EXPECT_EQ(error_of_flow(R"({"from": [1, 1], "to": [2, 7], "rate": "1Gbit/s"})"),
            "t: background traffic has a connected port of a NIC at each end");
  EXPECT_EQ(error_of_flow(R"({"from": [1, 1], "to": [1, 1], "rate": "1Gbit/s"})"),
            "t: background traffic is between two machines");
}

TEST(ParseJson, AGridThatDoesNotFitIsRefused) {
  const auto error_of_grid = [](std::string_view grid) {
    return error_in(
        R"({"kind": "router", "name": "R", "ports": 4})", "",
        fmt::format("\"format\": \"nwtopo-json\", \"version\": 1, \"planes\": [\"p\"], \"grid\": {}", grid));
  };
  EXPECT_EQ(error_of_grid(R"({"dimensions": [1, 1], "periodic": [true, false]})"), "none");
  EXPECT_EQ(error_of_grid("[]"), "t: expected an object for 'grid'");
  EXPECT_EQ(error_of_grid(R"({"dimensions": [1], "periodic": []})"),
            "t: grid: expected as many values for 'periodic' as for 'dimensions'");
  EXPECT_EQ(error_of_grid(R"({"dimensions": [0], "periodic": [true]})"), "t: grid: expected lengths in 'dimensions'");
  EXPECT_EQ(error_of_grid(R"({"dimensions": [4294967294, 4294967294, 2], "periodic": [true, true, true]})"),
            "t: grid: expected as many points as routers, 1");
  EXPECT_EQ(error_of_grid(R"({"dimensions": [1], "periodic": [1]})"), "t: grid: expected true or false in 'periodic'");
  EXPECT_EQ(error_of_grid(R"({"dimensions": 1})"), "t: grid: expected a list for 'dimensions'");
}

TEST(ParseJson, ErrorsNameTheLineThatIsNotValidJson) {
  const auto refused = parse_json("{\n\"format\": \"nwtopo-json\",\n}", "t");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "t:3: not valid JSON");
  EXPECT_FALSE(refused.error().cause.empty());
  EXPECT_EQ(parse_json("{\"version\": 5e99999}", "t").error().message, "t:1: not valid JSON");
  EXPECT_EQ(open_json("").error().message, "json: no file is given");
}

TEST(ParseJson, EveryTruncationIsRefused) {
  const std::string text = written(open_source("full:3").value());
  for (std::size_t length = 0; length + 2 < text.size(); ++length) {
    ASSERT_FALSE(parse_json(std::string_view(text).substr(0, length), "cut")) << length;
  }
}

}  // namespace
}  // namespace ayatori
