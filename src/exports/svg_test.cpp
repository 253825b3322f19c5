#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include "../network/network_fixtures.hpp"
#include "picture.hpp"
#include "writers.hpp"

namespace ayatori::exports {
namespace {

std::string drawn(const Network& network) {
  std::string text;
  const auto done = write_svg(network, [&](std::string_view piece) { text += piece; });
  if (!done) throw std::runtime_error(done.error().message);
  return text;
}

Picture grid_of(const Network& network) {
  const Scene scene = scene_of(network);
  const Shape shape = recognise(network);
  EXPECT_EQ(shape.kind, ShapeKind::grid);
  return grid_picture(scene, shape, shape.at);
}

/// Everything lies inside, nothing on top of something else.
void expect_sound(const Picture& picture, std::string_view what) {
  std::set<std::pair<double, double>> places;
  for (const Box& box : picture.boxes) {
    EXPECT_TRUE(places.emplace(box.x, box.y).second) << what << ": two routers at " << box.x << " " << box.y;
    EXPECT_GE(box.x - box.width / 2, 0) << what;
    EXPECT_GE(box.y - box.height / 2, 0) << what;
    EXPECT_LE(box.x + box.width / 2, picture.width) << what;
    EXPECT_LE(box.y + box.height / 2, picture.height) << what;
  }
  for (const Dot& dot : picture.dots) {
    EXPECT_TRUE(places.emplace(dot.x, dot.y).second) << what << ": two hosts at " << dot.x << " " << dot.y;
    EXPECT_LE(dot.y + picture.dot, picture.height) << what;
    EXPECT_LE(dot.x + picture.dot, picture.width) << what;
  }
}

TEST(TreePicture, HasRootsAboveLeavesAboveHosts) {
  for (const char* source : {"fattree:K=6,levels=2,nodes=30", "fattree:K=4,levels=3", "fattree:K=2,levels=4"}) {
    const Network network = opened(source);
    const auto levels = rank_levels(network).value();
    const Picture picture = tree_picture(scene_of(network), levels);
    expect_sound(picture, source);
    for (DeviceId a = 0; a < network.router_count(); ++a) {
      for (DeviceId b = 0; b < network.router_count(); ++b) {
        const bool lower = levels.level[a] < levels.level[b];
        EXPECT_EQ(picture.boxes[a].y > picture.boxes[b].y, lower) << source;
      }
    }
    EXPECT_EQ(picture.dots.size(), network.endpoints().size()) << source;
    for (const Dot& dot : picture.dots) {
      const Box& leaf = picture.boxes[network.router_of(dot.host)];
      EXPECT_GT(dot.y, leaf.y);
      EXPECT_LE(std::abs(dot.x - leaf.x), leaf.width);
    }
  }
}

TEST(TreePicture, SumsManyHostsUp) {
  const Network network = opened("xgft:h=2;m=30,120;w=1,4");
  const Picture picture = tree_picture(scene_of(network), rank_levels(network).value());
  EXPECT_TRUE(picture.dots.empty());
  EXPECT_EQ(std::ranges::count_if(picture.texts, [](const Text& t) { return t.text.ends_with("30 hosts"); }), 120);
}

TEST(GridPicture, PutsNeighboursSideBySide) {
  for (const char* source : {"torus:4x4", "mesh:3x5", "torus:4x6x16", "mesh:7", "torus:2x3x4x2", "torus:3x3x3x3x2x2"}) {
    const Network network = opened(source);
    const Picture picture = grid_of(network);
    expect_sound(picture, source);
    EXPECT_EQ(picture.boxes.size(), network.router_count());
  }
  const Picture plane = grid_of(opened("mesh:3x5"));
  std::set<double> columns, rows;
  for (const Box& box : plane.boxes) columns.insert(box.x), rows.insert(box.y);
  EXPECT_EQ(columns.size(), 5U);
  EXPECT_EQ(rows.size(), 3U);
}

TEST(CirclePicture, KeepsGroupsTogether) {
  for (const char* source : {"full:1", "full:2", "full:8", "full:90,hosts=4", "torus:12"}) {
    expect_sound(circle_picture(scene_of(opened(source))), source);
  }
  NetworkBuilder builder;  // 5 groups of 4 routers, one cable between any two groups
  for (std::uint32_t i = 0; i < 20; ++i) builder.add_router(fmt::format("g{}r{}", i / 4, i % 4), 0x100U + i, 8);
  for (std::uint32_t i = 0; i < 20; ++i) {
    for (std::uint32_t j = i / 4 * 4; j < i; ++j) {
      plug(builder, i, 1 + static_cast<int>(j % 4), j, 1 + static_cast<int>(i % 4));
    }
  }
  for (std::uint32_t a = 0; a < 5; ++a) {
    for (std::uint32_t b = 0; b < a; ++b) plug(builder, 4 * a + b, 8, 4 * b + a - 1, 8);
  }
  for (std::uint32_t i = 0; i < 20; ++i) add_host(builder, fmt::format("n{}", i), i, 7);
  const Picture picture = circle_picture(scene_of(built(builder)));
  expect_sound(picture, "dragonfly");
  for (std::size_t group = 0; group < 5; ++group) {
    const auto boxes = std::span(picture.boxes).subspan(4 * group, 4);
    const double x = (boxes[0].x + boxes[1].x + boxes[2].x + boxes[3].x) / 4;
    const double y = (boxes[0].y + boxes[1].y + boxes[2].y + boxes[3].y) / 4;
    const auto distance = [&](const Box& box) { return std::hypot(box.x - x, box.y - y); };
    for (std::size_t i = 0; i < 20; ++i) {
      const bool inside = i / 4 == group;
      EXPECT_EQ(distance(picture.boxes[i]) <= distance(boxes[0]) + 1e-6, inside) << "router " << i;
    }
  }
}

TEST(Svg, TellsWhatItShows) {
  const Network network = opened("fattree:K=6,levels=2,nodes=30");
  const std::string svg = drawn(network);
  EXPECT_NE(svg.find(recognise(network).summary), std::string::npos);
  EXPECT_EQ(svg.find("<script"), std::string::npos);
  for (const char* name : {"RS0", "LS4", "N29"}) EXPECT_NE(svg.find(name), std::string::npos) << name;
  EXPECT_EQ(svg.find("degraded"), std::string::npos);
  EXPECT_LT(svg.size(), 20'000U);
}

TEST(Svg, HighlightsWhatIsDegradedAndMissing) {
  auto builder = copy_of(opened("fattree:K=4,levels=2"), [](PortId) { return true; });
  Network whole = built(builder);
  const PortId slow = whole.port_id(node_named(whole, "LS2").value(), 6);
  NetworkBuilder again;
  for (DeviceId id = 0; id < whole.router_count(); ++id) again.add_router(whole.name(id), whole.device(id).guid, 8);
  for (DeviceId id = static_cast<DeviceId>(whole.router_count()); id < whole.device_count(); ++id) {
    again.add_nic(whole.name(id), whole.device(id).guid, 1, whole.machine(whole.device(id).machine).name, 0);
  }
  for (PortId id = 0; id < whole.port_count(); ++id) {
    const Port& port = whole.port(id);
    if (!port.connected() || port.peer < id) continue;
    const Port& peer = whole.port(port.peer);
    const bool is_slow = id == slow || port.peer == slow;
    plug(again, port.device, port.number, peer.device, peer.number, {4, is_slow ? LaneSpeed::edr : LaneSpeed::hdr});
  }
  const std::string svg = drawn(built(again));
  EXPECT_NE(svg.find(">degraded: 1<"), std::string::npos);
  EXPECT_NE(svg.find("LS2 - RS1: 1 x 4xEDR, degraded"), std::string::npos);
  const std::string gap = drawn(without_cables(opened("fattree:K=4,levels=2"), "LS2", "RS1", 1));
  EXPECT_NE(gap.find("LS2 &lt;-&gt; RS1: 0 of 1 cable"), std::string::npos);
}

TEST(Svg, RefusesWhatCanNotBeDrawn) {
  NetworkBuilder builder;
  const auto a = builder.add_nic("a HCA-1", 1, 1, "a", 0);
  const auto b = builder.add_nic("b HCA-1", 8, 1, "b", 0);
  plug(builder, a, 1, b, 1);
  EXPECT_EQ(write_svg(built(builder), [](std::string_view) { FAIL(); }).error().message,
            "svg: the network has no router to draw");
  EXPECT_EQ(write_svg(opened("torus:70x70"), [](std::string_view) { FAIL(); }).error().message,
            "svg: 4900 routers with 9800 pairs cabled are too many to draw");
}

}  // namespace
}  // namespace ayatori::exports
