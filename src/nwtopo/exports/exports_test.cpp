#include "ayatori/exports/exports.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "../network/network_fixtures.hpp"
#include "exports_fixtures.hpp"

namespace ayatori {
namespace {

std::string exported(const Network& network, std::string_view format) {
  std::string text;
  const auto done = export_network(network, format, [&](std::string_view piece) { text += piece; });
  if (!done) throw std::runtime_error(done.error().message);
  return text;
}

/// Two leaves with parallel cables of two rates, a machine on both, names that need escaping.
NetworkBuilder awkward(LinkRate slow = {4, LaneSpeed::edr}) {
  NetworkBuilder builder;
  const auto a = builder.add_router("leaf \"A\" <&>\n", 0x2001, 8);
  const auto b = builder.add_router("leaf \"A\" <&>\n", 0x2002, 8);
  plug(builder, a, 1, b, 1);
  plug(builder, a, 2, b, 2);
  plug(builder, a, 3, b, 3, slow);
  add_host(builder, "both", a, 5, 0);
  add_host(builder, "both", b, 5, 1);
  add_host(builder, "</host>\"", a, 6);
  return builder;
}

Network awkward_network() {
  auto builder = awkward();
  return built(builder);
}

TEST(ExportNetwork, NamesTheKnownFormatsForAnUnknownOne) {
  const auto done = export_network(opened("full:2"), "powerpoint", [](std::string_view) { FAIL(); });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "no format 'powerpoint'");
  for (const ExportFormat& format : export_formats()) {
    EXPECT_NE(done.error().hint.find(format.name), std::string::npos) << format.name;
  }
  EXPECT_TRUE(std::ranges::is_sorted(export_formats(), {}, &ExportFormat::name));
}

TEST(ExportNetwork, WritesDocumentsToTheirEnd) {
  for (const char* source : {"fattree:K=2,levels=3", "torus:3x4", "mesh:5", "full:3,hosts=2", "torus:2x2x3x3"}) {
    const Network network = opened(source);
    EXPECT_TRUE(exported(network, "dot").ends_with("}\n")) << source;
    EXPECT_TRUE(exported(network, "graphml").ends_with("</graphml>\n")) << source;
    EXPECT_TRUE(exported(network, "simgrid").ends_with("</platform>\n")) << source;
    EXPECT_TRUE(exported(network, "scotch").ends_with("\n")) << source;
    EXPECT_TRUE(exported(network, "svg").ends_with("</svg>\n")) << source;
  }
}

TEST(WriteDot, HasOneBoxPerRouterAndOneEdgePerBundle) {
  const std::string tree = exported(opened("fattree:K=6,levels=2,nodes=30"), "dot");
  EXPECT_EQ(occurrences(tree, "shape=box"), 11U);
  EXPECT_EQ(occurrences(tree, "shape=ellipse"), 30U);
  EXPECT_EQ(occurrences(tree, " -- "), 60U);
  EXPECT_EQ(occurrences(tree, "rank=same"), 2U);
  EXPECT_EQ(occurrences(tree, "[label=\"4xHDR\""), 60U);
  const std::string odd = exported(awkward_network(), "dot");
  EXPECT_EQ(occurrences(odd, "[label=\"2 x 4xHDR\""), 1U);
  EXPECT_EQ(occurrences(odd, "style=dashed"), 1U);  // the slow cable
  EXPECT_EQ(occurrences(odd, R"([label="leaf \"A\" <&>\n")"), 2U);
}

TEST(WriteDot, ShowsMachinesWithBuiltInRoutersOnce) {
  const std::string ring = exported(opened("torus:5"), "dot");
  EXPECT_EQ(occurrences(ring, "shape="), 5U);
  EXPECT_EQ(occurrences(ring, " -- "), 5U);
}

TEST(WriteGraphml, HasOneNodePerVertexAndOneEdgePerCable) {
  const std::string odd = exported(awkward_network(), "graphml");
  EXPECT_EQ(occurrences(odd, "<node "), 4U);
  EXPECT_EQ(occurrences(odd, "<edge "), 6U);
  EXPECT_EQ(occurrences(odd, "\"edge_degraded\">true<"), 1U);
  EXPECT_EQ(occurrences(odd, "\"edge_rate\">4xEDR<"), 1U);
  EXPECT_EQ(occurrences(odd, "leaf &quot;A&quot; &lt;&amp;&gt;&#10;<"), 2U);
  EXPECT_EQ(odd.find("edge_latency\">"), std::string::npos);
}

TEST(WriteSimgrid, MakesNamesUniqueAndParallelCablesOneLink) {
  const std::string odd = exported(awkward_network(), "simgrid");
  EXPECT_EQ(occurrences(odd, "<host "), 2U);
  EXPECT_EQ(occurrences(odd, "<router id=\"leaf &quot;A&quot; &lt;&amp;&gt;&#10;\"/>"), 1U);
  EXPECT_EQ(occurrences(odd, "<router id=\"leaf &quot;A&quot; &lt;&amp;&gt;&#10;.r1\"/>"), 1U);
  EXPECT_EQ(occurrences(odd, "<route "), 4U);
  const double sum =
      2 * LinkRate{4, LaneSpeed::hdr}.bytes_per_second() + LinkRate{4, LaneSpeed::edr}.bytes_per_second();
  EXPECT_EQ(occurrences(odd, fmt::format("id=\"r0-r1\" bandwidth=\"{}Bps\" latency=\"1000ns\"", sum)), 1U);
  EXPECT_EQ(occurrences(odd, "<link_ctn id=\"detour\"/>"), 2U * 16U);  // the machine on both leaves
}

TEST(WriteSimgrid, FailsIfARateIsNotKnown) {
  auto builder = awkward({});
  const auto done = export_network(built(builder), "simgrid", [](std::string_view) { FAIL(); });
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find("port 3 -> "), std::string::npos) << done.error().message;
  EXPECT_FALSE(done.error().hint.empty());
}

TEST(WriteSimgrid, LetsSimGridRouteByDijkstraInLargeNetworks) {
  EXPECT_NE(exported(opened("torus:5x5"), "simgrid").find("routing=\"Floyd\""), std::string::npos);
  EXPECT_NE(exported(opened("torus:20x20"), "simgrid").find("routing=\"Dijkstra\""), std::string::npos);
}

TEST(ExportScotch, WritesTheShapesThatScotchKnows) {
  EXPECT_EQ(exported(opened("torus:3x4x5"), "scotch"), "torusXD\n3 5 4 3\n");
  EXPECT_EQ(exported(opened("mesh:2x7"), "scotch"), "mesh2D\n7 2\n");
  EXPECT_EQ(exported(opened("mesh:7"), "scotch"), "mesh2D\n1 7\n");
  EXPECT_EQ(exported(opened("hypercube:4"), "scotch"), "torusXD\n4 2 2 2 2\n");
  EXPECT_EQ(exported(opened("full:6"), "scotch"), "cmplt\n6\n");
  EXPECT_EQ(exported(opened("fattree:K=4,levels=2"), "scotch"), "tleaf\n2 8 2 4 2\n");
  EXPECT_EQ(exported(opened("fattree:K=2,levels=3"), "scotch"), "tleaf\n3 4 2 2 2 2 2\n");
  EXPECT_EQ(exported(opened("full:3,hosts=2"), "scotch"), "tleaf\n2 3 1 2 2\n");
}

TEST(ExportScotch, WritesATableForAllOthers) {
  EXPECT_EQ(exported(opened("torus:3,hosts=1"), "scotch"), "torusXD\n1 3\n");
  EXPECT_EQ(exported(awkward_network(), "scotch"), "cmplt\n2\n");
  NetworkBuilder builder;
  const auto a = builder.add_router("a", 0x2001, 8);
  const auto b = builder.add_router("b", 0x2002, 8);
  plug(builder, a, 1, b, 1);
  for (PortNumber port = 5; port < 7; ++port) add_host(builder, "a" + std::to_string(port), a, port);
  add_host(builder, "b5", b, 5);
  EXPECT_EQ(exported(built(builder), "scotch"), "deco\n0\n3 5\n0 1 4\n1 1 5\n2 1 3\n2\n3 3\n");
}

TEST(ExportScotch, RefusesWhatIsInPartsAndTablesThatAreTooLarge) {
  NetworkBuilder builder;
  for (const char* name : {"a", "b"}) {
    const auto router = builder.add_router(name, name[0], 8);
    add_host(builder, std::string("host-") + name, router, 1);
  }
  EXPECT_THROW(static_cast<void>(exported(built(builder), "scotch")), std::runtime_error);
  EXPECT_THROW(static_cast<void>(exported(opened("torus:17x17x17,hosts=3"), "scotch")), std::runtime_error);
}

}  // namespace
}  // namespace ayatori
