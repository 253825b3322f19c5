#include "ayatori/drawing/drawing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "../network/network_fixtures.hpp"
#include "ayatori/base/random.hpp"
#include "ayatori/network/levels.hpp"
#include "drawing_fixtures.hpp"

namespace ayatori::drawing {
namespace {

void expect_inside(const Drawing& drawing, Point point) {
  EXPECT_GE(point.x, 0);
  EXPECT_GE(point.y, 0);
  EXPECT_LE(point.x, drawing.width);
  EXPECT_LE(point.y, drawing.height);
}

double distance(Point point, const Box& box) { return std::hypot(point.x - box.x, point.y - box.y); }

void expect_boxes_and_dots_apart_and_inside(const Drawing& drawing) {
  std::set<std::pair<double, double>> places;
  for (const Box& box : drawing.boxes) {
    EXPECT_TRUE(places.emplace(box.x, box.y).second) << "two routers at " << box.x << " " << box.y;
    expect_inside(drawing, {box.x - box.width / 2, box.y - box.height / 2});
    expect_inside(drawing, {box.x + box.width / 2, box.y + box.height / 2});
  }
  for (const Dot& dot : drawing.dots) {
    EXPECT_TRUE(places.emplace(dot.x, dot.y).second) << "two hosts at " << dot.x << " " << dot.y;
    expect_inside(drawing, {dot.x - drawing.dot, dot.y - drawing.dot});
    expect_inside(drawing, {dot.x + drawing.dot, dot.y + drawing.dot});
  }
}

/// Bundles hold every cable once, by the port that is nearer to where the bundle begins.
void expect_bundles_hold_every_cable_once(const Network& network, const Drawing& drawing) {
  std::set<PortId> cables = cables_between_routers(network);
  for (const DrawnBundle& drawn : drawing.bundles) {
    ASSERT_EQ(drawn.points.size(), drawn.form == DrawnBundle::Form::line ? 2U : 4U);
    for (const PortId id : drawn.ports) {
      const Port& port = network.port(id);
      EXPECT_EQ(cables.erase(std::min(id, port.peer)), 1U) << network.describe_link(id);
      if (drawn.ports.size() > 2) continue;  // may join many routers, and then begins at none of them
      const Box& here = drawing.boxes[port.device];
      const Box& there = drawing.boxes[network.port(port.peer).device];
      EXPECT_LE(distance(drawn.points.front(), here), distance(drawn.points.front(), there) + 1e-6);
    }
    for (const Point& point : drawn.points) expect_inside(drawing, point);
  }
  EXPECT_TRUE(cables.empty()) << network.describe_link(*cables.begin()) << " is not drawn";
}

class DrawEveryShape : public testing::TestWithParam<const char*> {};

TEST_P(DrawEveryShape, ShowsAllRoutersAndCablesInsideAndApart) {
  const Network network = opened(GetParam());
  const Drawing drawing = drawn(network);
  ASSERT_EQ(drawing.boxes.size(), network.router_count());
  ASSERT_EQ(drawing.names.size(), network.router_count());
  EXPECT_TRUE(drawing.missing.empty());
  expect_boxes_and_dots_apart_and_inside(drawing);
  expect_bundles_hold_every_cable_once(network, drawing);
}

TEST_P(DrawEveryShape, IsTheSameEachTime) {
  const Drawing first = drawn(opened(GetParam()));
  const Drawing second = drawn(opened(GetParam()));
  for (std::size_t i = 0; i < first.boxes.size(); ++i) {
    EXPECT_EQ(first.boxes[i].x, second.boxes[i].x);
    EXPECT_EQ(first.boxes[i].y, second.boxes[i].y);
  }
  EXPECT_EQ(first.bundles.size(), second.bundles.size());
}

INSTANTIATE_TEST_SUITE_P(Drawing, DrawEveryShape,
                         testing::Values("fattree:K=6,levels=2,nodes=30", "fattree:K=4,levels=3",
                                         "fattree:K=2,levels=4", "fattree:K=8,levels=3", "xgft:h=2;m=18,36;w=1,18",
                                         "xgft:h=2;m=6,6;w=2,3", "xgft:h=2;m=30,120;w=1,4",
                                         "xgft:h=3;m=4,12,24;w=1,12,12", "torus:4x4", "mesh:3x5", "torus:4x6x16",
                                         "torus:8x8x8", "mesh:7", "torus:12", "torus:2x3x4x2", "torus:3x3x3x3x2x2",
                                         "tofu:2x2x2x2x3x2", "hyperx:4x4", "hyperx:3x4x5,hosts=2", "hyperx:8x8x8",
                                         "full:1", "full:2", "full:8", "full:90,hosts=4", "dragonfly:g=9,a=4,p=2,h=2",
                                         "dragonfly:h=3", "dragonfly:h=5", "dragonfly+:g=5,l=2,s=2,p=2,h=2",
                                         "dragonfly+:g=9,l=4,s=4,p=4,h=2"));

TEST(DrawTree, HasRootsAboveLeavesAboveHosts) {
  for (const char* source : {"fattree:K=6,levels=2,nodes=30", "fattree:K=4,levels=3", "fattree:K=2,levels=4"}) {
    const Network network = opened(source);
    const auto levels = rank_levels(network).value();
    const Drawing drawing = drawn(network);
    for (DeviceId a = 0; a < network.router_count(); ++a) {
      for (DeviceId b = 0; b < network.router_count(); ++b) {
        const bool lower = levels.level[a] < levels.level[b];
        EXPECT_EQ(drawing.boxes[a].y > drawing.boxes[b].y, lower) << source;
      }
    }
    EXPECT_EQ(drawing.dots.size(), network.endpoints().size()) << source;
    for (const Dot& dot : drawing.dots) {
      const Box& leaf = drawing.boxes[network.router_of(dot.endpoint)];
      EXPECT_GT(dot.y, leaf.y);
      EXPECT_LE(std::abs(dot.x - leaf.x), leaf.width);
    }
  }
}

TEST(DrawTree, FramesEachPodAroundItsLeavesAndMiddleRouters) {
  const Network network = opened("fattree:K=4,levels=3");
  const Drawing drawing = drawn(network);
  ASSERT_EQ(drawing.frames.size(), 8U);
  for (const Frame& frame : drawing.frames) {
    EXPECT_EQ(frame.routers.size(), 8U);
    for (DeviceId router = 0; router < network.router_count(); ++router) {
      const Box& box = drawing.boxes[router];
      const bool within = std::abs(box.x - frame.x) < frame.width / 2 && std::abs(box.y - frame.y) < frame.height / 2;
      EXPECT_EQ(within, std::ranges::count(frame.routers, router) == 1) << frame.label << " " << network.name(router);
    }
  }
}

TEST(DrawTree, JoinsCablesBetweenFramesWhereThereAreTooManyToTellApart) {
  const Network network = opened("xgft:h=3;m=18,18,36;w=1,18,18");  // 11,664 hosts
  const Drawing drawing = drawn(network);
  EXPECT_LE(drawing.width, 2100);
  EXPECT_EQ(drawing.frames.size(), 36U + 18U);
  EXPECT_EQ(drawing.dots.size(), 11'664U);
  const auto joined = [](const DrawnBundle& drawn) { return drawn.ports.size() == 18; };
  EXPECT_EQ(std::ranges::count_if(drawing.bundles, joined), 36 * 18);
  EXPECT_EQ(drawing.bundles.size(), 36U * 18 + 36U * 18 * 18);
}

TEST(DrawTree, PutsLeavesOfOnesMachinesRailsSideBySide) {
  NetworkBuilder builder = dgx_like();
  const Network network = built(builder);
  const Drawing drawing = drawn(network);
  EXPECT_EQ(drawing.dots.size(), network.endpoints().size());  // every NIC of every host
  std::vector<DeviceId> leaves(31);
  for (DeviceId i = 0; i < 31; ++i) leaves[i] = *device_named(network, fmt::format("LEAF-{:02}", i));
  std::ranges::sort(leaves, {}, [&](DeviceId leaf) { return drawing.boxes[leaf].x; });
  for (std::size_t unit = 0; unit < 31; unit += 4) {  // four leaves share their hosts
    const std::string_view first = network.name(leaves[unit]);
    const int number = std::stoi(std::string(first.substr(5)));
    for (std::size_t i = unit; i < std::min<std::size_t>(unit + 4, 31); ++i) {
      EXPECT_EQ(std::stoi(std::string(network.name(leaves[i]).substr(5))) / 4, number / 4);
    }
  }
}

TEST(DrawTree, MarksMissingAndDegradedCables) {
  const Drawing gap = drawn(without_cables(opened("fattree:K=4,levels=2"), "LS2", "RS1", 1));
  ASSERT_EQ(gap.missing.size(), 1U);
  EXPECT_EQ(gap.names[gap.missing[0].from], "LS2");
  EXPECT_EQ(gap.names[gap.missing[0].to], "RS1");
  EXPECT_EQ(gap.missing[0].cables, 0U);
  EXPECT_EQ(gap.missing[0].usual, 1U);
  auto builder = dgx_like();
  const Network whole = built(builder);
  const Drawing thin = drawn(without_cables(whole, "LEAF-03", "SPINE-05", 1));
  ASSERT_EQ(thin.missing.size(), 1U);
  EXPECT_EQ(thin.missing[0].cables, 1U);
  EXPECT_EQ(thin.missing[0].usual, 2U);
}

TEST(DrawGrid, PutsNeighboursSideBySide) {
  const Drawing plane = drawn(opened("mesh:3x5"));
  std::set<double> columns, rows;
  for (const Box& box : plane.boxes) columns.insert(box.x), rows.insert(box.y);
  EXPECT_EQ(columns.size(), 5U);
  EXPECT_EQ(rows.size(), 3U);
}

TEST(DrawGrid, KeepsTheDeclaredGridWhereCablesAreMissing) {
  const Network whole = opened("torus:4x4,hosts=2");
  auto builder = copy_of(whole, [](PortId id) { return id != 3; });
  builder.set_grid(whole.declared_grid().value());
  const Drawing drawing = drawn(built(builder));
  std::set<double> columns, rows;
  for (const Box& box : drawing.boxes) columns.insert(box.x), rows.insert(box.y);
  EXPECT_EQ(columns.size(), 4U);
  EXPECT_EQ(rows.size(), 4U);
  EXPECT_EQ(drawing.missing.size(), 1U);
}

TEST(DrawHyperX, StandsAsAGridAndJoinsLongRows) {
  const Drawing small = drawn(opened("hyperx:4x5,hosts=2"));
  std::set<double> columns, rows;
  for (const Box& box : small.boxes) columns.insert(box.x), rows.insert(box.y);
  EXPECT_EQ(columns.size() * rows.size(), 20U);
  EXPECT_EQ(small.bundles.size(), 5U * 6 + 4U * 10);
  const Drawing large = drawn(opened("hyperx:8x8x8"));
  EXPECT_EQ(large.bundles.size(), 3U * 64);
  for (const DrawnBundle& row : large.bundles) EXPECT_EQ(row.ports.size(), 28U);
}

TEST(DrawDragonfly, FramesEachGroup) {
  for (const char* source : {"dragonfly:g=9,a=4,p=2,h=2", "dragonfly:h=4", "dragonfly+:g=5,l=2,s=2,p=2,h=2"}) {
    const Network network = opened(source);
    const Drawing drawing = drawn(network);
    ASSERT_GE(drawing.frames.size(), 5U) << source;
    std::map<DeviceId, std::size_t> frame_of;
    for (std::size_t i = 0; i < drawing.frames.size(); ++i) {
      const Frame& frame = drawing.frames[i];
      EXPECT_TRUE(frame.round);
      for (const DeviceId router : frame.routers) {
        EXPECT_TRUE(frame_of.emplace(router, i).second);
        EXPECT_LT(distance({frame.x, frame.y}, drawing.boxes[router]), frame.width / 2);
      }
    }
    EXPECT_EQ(frame_of.size(), network.router_count()) << source;
    const auto group_named = [&](DeviceId id) {  // "R3-1", "LS3-1", "SS3-1": group 3
      const std::string name(network.name(id));
      const std::size_t digit = name.find_first_of("0123456789");
      return name.substr(digit, name.find('-') - digit);
    };
    for (DeviceId a = 0; a < network.router_count(); ++a) {
      for (DeviceId b = 0; b < a; ++b) {
        EXPECT_EQ(frame_of[a] == frame_of[b], group_named(a) == group_named(b)) << source;
      }
    }
  }
}

TEST(DrawDragonfly, KeepsGroupsWhereCablesAreMissing) {
  Network network = opened("dragonfly:g=9,a=4,p=2,h=2");
  for (const auto& [a, b] : {std::pair{"R0-1", "R0-2"}, {"R3-0", "R3-3"}, {"R5-0", "R5-1"}}) {
    network = without_cables(network, a, b, 1);
  }
  const Drawing drawing = drawn(network);
  ASSERT_EQ(drawing.frames.size(), 9U);
  for (const Frame& frame : drawing.frames) EXPECT_EQ(frame.routers.size(), 4U);
  EXPECT_EQ(drawing.missing.size(), 3U);
}

/// Routers in random pairs: no shape, and every router has hosts.
Network irregular_network(std::uint32_t routers) {
  NetworkBuilder builder;
  Random random(11);
  for (std::uint32_t i = 0; i < routers; ++i) builder.add_router(fmt::format("s{}", i), 0x100U + i, 40);
  std::vector<int> used(routers, 0);
  for (std::uint32_t i = 1; i < routers; ++i) {
    for (int cable = 0; cable < 2; ++cable) {
      const auto other = static_cast<std::uint32_t>(random.below(i));
      if (used[i] < 38 && used[other] < 38) plug(builder, i, ++used[i], other, ++used[other]);
    }
    add_host(builder, fmt::format("n{}", i), i, 40);
  }
  return built(builder);
}

TEST(DrawGraph, KeepsNeighboursNearAndBoxesApart) {
  const Network network = irregular_network(50);
  ASSERT_EQ(recognise(network).kind, ShapeKind::graph);
  const Drawing drawing = drawn(network);
  expect_boxes_and_dots_apart_and_inside(drawing);
  expect_bundles_hold_every_cable_once(network, drawing);
  double near = 0;
  double all = 0;
  for (const DrawnBundle& drawn : drawing.bundles) {
    near += std::hypot(drawn.points[1].x - drawn.points[0].x, drawn.points[1].y - drawn.points[0].y);
  }
  for (const Box& a : drawing.boxes) {
    for (const Box& b : drawing.boxes) all += distance({a.x, a.y}, b);
  }
  const auto routers = static_cast<double>(drawing.boxes.size());
  EXPECT_LT(near / static_cast<double>(drawing.bundles.size()), 0.7 * all / (routers * (routers - 1)));
}

TEST(DrawGraph, HasLevelsWhereHostsAreOnSomeRoutersOnly) {
  NetworkBuilder builder;  // two leaves below two spines that are cabled to each other
  for (int i = 0; i < 4; ++i)
    builder.add_router(i < 2 ? fmt::format("leaf{}", i) : fmt::format("spine{}", i), 1U + i, 8);
  for (int leaf = 0; leaf < 2; ++leaf) {
    for (int spine = 2; spine < 4; ++spine) plug(builder, leaf, spine, spine, 1 + leaf);
    for (int host = 0; host < 3; ++host) add_host(builder, fmt::format("n{}", 3 * leaf + host), leaf, 5 + host);
  }
  plug(builder, 2, 7, 3, 7);
  const Network network = built(builder);
  ASSERT_EQ(recognise(network).kind, ShapeKind::graph);
  const Drawing drawing = drawn(network);
  expect_boxes_and_dots_apart_and_inside(drawing);
  expect_bundles_hold_every_cable_once(network, drawing);
  EXPECT_EQ(drawing.boxes[0].y, drawing.boxes[1].y);
  EXPECT_EQ(drawing.boxes[2].y, drawing.boxes[3].y);
  EXPECT_LT(drawing.boxes[2].y, drawing.boxes[0].y);
}

TEST(Draw, RefusesANetworkWithoutRouters) {
  NetworkBuilder builder;
  const auto a = builder.add_nic("a HCA-1", 1, 1, "a", 0);
  const auto b = builder.add_nic("b HCA-1", 8, 1, "b", 0);
  plug(builder, a, 1, b, 1);
  EXPECT_EQ(draw(built(builder)).error().message, "the network has no router to draw");
}

}  // namespace
}  // namespace ayatori::drawing
