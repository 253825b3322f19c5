#include <fmt/core.h>
#include <gtest/gtest.h>

#include <set>

#include "../network/network_fixtures.hpp"
#include "ayatori/network/shape.hpp"
#include "exports_fixtures.hpp"
#include "writers.hpp"
#include "writing.hpp"

namespace ayatori::exports {
namespace {

std::string drawn(const Network& network) {
  std::string text;
  const auto done = write_svg(network, [&](std::string_view piece) { text += piece; });
  if (!done) throw std::runtime_error(done.error().message);
  return text;
}

std::string drawn_with(const Network& network, const PictureMarks& marks) {
  std::string svg;
  EXPECT_TRUE(write_marked_svg(network, marks, [&](std::string_view piece) { svg += piece; }));
  return svg;
}

TEST(WriteSvg, NamesTheShapeAndItsRoutersAndHosts) {
  const Network network = opened("fattree:K=6,levels=2,nodes=30");
  const std::string svg = drawn(network);
  EXPECT_NE(svg.find(recognise(network).summary), std::string::npos);
  EXPECT_EQ(svg.find("<script"), std::string::npos);
  for (const char* name : {"RS0", "LS4", "N29"}) EXPECT_NE(svg.find(name), std::string::npos) << name;
  EXPECT_EQ(svg.find("degraded"), std::string::npos);
  EXPECT_LT(svg.size(), 20'000U);
}

TEST(WriteSvg, MarksDegradedAndMissingCables) {
  const Network whole = opened("fattree:K=4,levels=2");
  const PortId slow = whole.port_id(device_named(whole, "LS2").value(), 6);
  const Port& port = whole.port(slow);
  const Port& peer = whole.port(port.peer);
  auto builder = copy_of(whole, [&](PortId id) { return id != slow && id != port.peer; });
  plug(builder, port.device, port.number, peer.device, peer.number, {4, LaneSpeed::edr});
  const std::string svg = drawn(built(builder));
  EXPECT_NE(svg.find(">degraded: 1<"), std::string::npos);
  EXPECT_NE(svg.find("LS2 - RS1: 1 x 4xEDR, degraded"), std::string::npos);
  const std::string gap = drawn(without_cables(opened("fattree:K=4,levels=2"), "LS2", "RS1", 1));
  EXPECT_NE(gap.find("LS2 &lt;-&gt; RS1: 0 of 1 cable"), std::string::npos);
  EXPECT_NE(gap.find(">missing: 1<"), std::string::npos);
  EXPECT_NE(gap.find("LS2 - RS1: 0 of 1 cables"), std::string::npos);
}

TEST(WriteMarkedSvg, ShowsGroupsInColoursAndNamesMarkedLinks) {
  const Network network = opened("fattree:K=4,levels=2");
  const auto endpoint = [&](const char* name) {
    return network.machine(network.find_machine(name).value()).endpoints[0];
  };
  const PortId link = network.port_id(device_named(network, "LS1").value(), 5);
  const PictureMarks marks{{{"left <1>", {endpoint("N0"), endpoint("N5")}}, {"right", {endpoint("N6")}}},
                           {{link, "left <1> and right", 0.5}}};
  const std::string svg = drawn_with(network, marks);
  const auto count = [&](std::string_view text) { return occurrences(svg, text); };
  EXPECT_EQ(count("class=\"g0 k\""), 3U) << "two NICs and the legend";
  EXPECT_EQ(count("class=\"g1 k\""), 2U);
  EXPECT_EQ(count("<title>N5, left &lt;1&gt;</title>"), 1U);
  EXPECT_EQ(count(">left &lt;1&gt;</text>"), 1U) << "the legend";
  EXPECT_EQ(count(xml_text(network.describe_link(link)) + ": left &lt;1&gt; and right</text>"), 1U) << "below";
  EXPECT_EQ(count("4xHDR: left &lt;1&gt; and right</title>"), 1U) << "where it is pointed at";
  EXPECT_EQ(count("<1>"), 0U);
}

TEST(WriteMarkedSvg, ShowsThousandsOfHostsInTheColoursOfTheirGroups) {
  const Network network = opened("fattree:K=18,levels=3,nodes=4000");
  const PortId first = network.machine(0).endpoints[0];
  const std::string svg = drawn_with(network, {{{"job", {first}}}, {}});
  EXPECT_NE(svg.find("class=\"p g0\" stroke-width="), std::string::npos);
}

/// Of the box whose title ends with a job's name.
std::string classes_of(std::string_view svg, std::string_view job) {
  const std::string_view box = svg.substr(0, svg.find(fmt::format("{}</title>", job)));
  const std::string_view style = "class=\"";
  const std::size_t at = box.rfind(style);
  return at == std::string_view::npos ? "" : std::string(box.substr(at + style.size(), 4));
}

TEST(WriteMarkedSvg, ShowsJobsInTheirColoursWhereBoxesStandForHosts) {
  for (const char* source : {"torus:70x70", "torus:4x4"}) {
    const Network network = opened(source);
    const std::string svg = drawn_with(
        network, {{{"left", {network.machine(0).endpoints[0]}}, {"right", {network.machine(1).endpoints[0]}}}, {}});
    EXPECT_EQ(classes_of(svg, "left"), "g0 k") << source;
    EXPECT_EQ(classes_of(svg, "right"), "g1 k") << source;
    EXPECT_NE(svg.find(">left</text>"), std::string::npos) << "the legend";
  }
}

TEST(WriteMarkedSvg, DrawsALinkTheWiderTheLargerItsShareAndTheLargestOnTop) {
  const Network network = opened("fattree:K=4,levels=2");
  const DeviceId leaf = device_named(network, "LS1").value();
  const std::string svg =
      drawn_with(network, {{}, {{network.port_id(leaf, 5), "much", 0.8}, {network.port_id(leaf, 6), "little", 0.1}}});
  const auto stroke_of = [&](std::string_view text) {
    const std::size_t end = svg.find(fmt::format(": {}</title>", text));
    return svg.substr(svg.rfind("<path ", end), 40);
  };
  EXPECT_NE(stroke_of("much"), stroke_of("little"));
  EXPECT_LT(svg.find(": little</title>"), svg.find(": much</title>")) << "drawn last";
  EXPECT_LT(svg.find(": much</text>"), svg.find(": little</text>")) << "said first";
}

TEST(WriteMarkedSvg, GivesTwentyJobsLooksThatDiffer) {
  const Network network = opened("fattree:K=6,levels=2");
  PictureMarks marks;
  for (std::uint32_t i = 0; i < 20; ++i)
    marks.groups.push_back({fmt::format("job{}", i), {network.machine(i).endpoints[0]}});
  const std::string svg = drawn_with(network, marks);
  std::set<std::string> looks;
  for (std::uint32_t i = 0; i < 20; ++i) {
    const std::size_t end = svg.find(fmt::format(", job{}</title>", i));
    ASSERT_NE(end, std::string::npos);
    const std::size_t style = svg.find("class=", svg.rfind("<circle ", end));
    looks.insert(svg.substr(style, svg.find('>', style) - style));
    EXPECT_NE(svg.find(fmt::format(">job{}</text>", i)), std::string::npos) << "the legend";
  }
  EXPECT_EQ(looks.size(), 20U);
}

TEST(WriteSvg, WritesNothingIfTheNetworkCannotBeDrawn) {
  NetworkBuilder builder;
  const auto a = builder.add_nic("a HCA-1", 1, 1, "a", 0);
  const auto b = builder.add_nic("b HCA-1", 8, 1, "b", 0);
  plug(builder, a, 1, b, 1);
  EXPECT_EQ(write_svg(built(builder), [](std::string_view) { FAIL(); }).error().message,
            "svg: the network has no router to draw");
}

TEST(WriteSvg, NamesTheRoutersThatABoxStandsForWhereTheyAreTooMany) {
  const std::string svg = drawn(opened("torus:70x70"));
  EXPECT_NE(svg.find("4900 routers are too many to show one by one"), std::string::npos);
  EXPECT_NE(svg.find("N0-0 … N1-1, 4 routers"), std::string::npos);
}

}  // namespace
}  // namespace ayatori::exports
