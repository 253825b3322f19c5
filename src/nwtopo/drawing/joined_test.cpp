#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "../network/network_fixtures.hpp"
#include "ayatori/drawing/drawing.hpp"
#include "ayatori/network/levels.hpp"
#include "drawing_fixtures.hpp"

namespace ayatori::drawing {
namespace {

constexpr DrawingLimits tight = {.routers = 8, .bundles = 1000, .sets = 5, .blocks = 12};

class DrawJoined : public testing::TestWithParam<const char*> {
 protected:
  Network network_ = opened(GetParam());
  Drawing drawing_ = drawn(network_, tight);
};

TEST_P(DrawJoined, ShowsEachRouterInOneBoxAndFewBoxes) {
  ASSERT_TRUE(drawing_.joined());
  ASSERT_EQ(drawing_.box_of.size(), network_.router_count());
  ASSERT_EQ(drawing_.names.size(), network_.router_count());
  ASSERT_EQ(drawing_.box_names.size(), drawing_.boxes.size());
  const std::set<std::uint32_t> used(drawing_.box_of.begin(), drawing_.box_of.end());
  EXPECT_EQ(used.size(), drawing_.boxes.size());
  EXPECT_LE(drawing_.boxes.size(), 4 * tight.sets);  // of at most four levels
  std::set<std::pair<double, double>> places;
  for (const Box& box : drawing_.boxes) {
    EXPECT_TRUE(places.emplace(box.x, box.y).second) << "two boxes at " << box.x << " " << box.y;
    EXPECT_GE(box.x - box.width / 2, 0);
    EXPECT_LE(box.x + box.width / 2, drawing_.width);
  }
  EXPECT_FALSE(drawing_.remark.empty());
}

TEST_P(DrawJoined, HasEveryCableOnceInABundleBetweenTheBoxesOfItsEnds) {
  std::set<PortId> cables = cables_between_routers(network_);
  for (const DrawnBundle& drawn : drawing_.bundles) {
    const auto ends_of = [&](PortId id) {
      const Port& port = network_.port(id);
      return std::pair(drawing_.box_of[port.device], drawing_.box_of[network_.port(port.peer).device]);
    };
    const auto ends = ends_of(drawn.ports.front());
    for (const PortId id : drawn.ports) {
      EXPECT_EQ(cables.erase(std::min(id, network_.port(id).peer)), 1U) << network_.describe_link(id);
      if (drawn.form != DrawnBundle::Form::line || ends.first == ends.second) continue;
      EXPECT_EQ(ends_of(id), ends);
    }
    for (const Point& point : drawn.points) {
      EXPECT_GE(point.x, 0);
      EXPECT_GE(point.y, 0);
      EXPECT_LE(point.x, drawing_.width);
      EXPECT_LE(point.y, drawing_.height);
    }
  }
  EXPECT_TRUE(cables.empty()) << network_.describe_link(*cables.begin()) << " is not drawn";
}

INSTANTIATE_TEST_SUITE_P(Drawing, DrawJoined,
                         testing::Values("fattree:K=6,levels=2", "fattree:K=4,levels=3", "fattree:K=2,levels=4",
                                         "xgft:h=2;m=18,36;w=1,18", "xgft:h=3;m=2,8,12;w=1,4,4", "torus:4x6x16",
                                         "mesh:30", "torus:40", "torus:7x9", "hyperx:4x4x4", "full:20",
                                         "dragonfly:g=9,a=4,p=2,h=2", "dragonfly+:g=9,l=4,s=4,p=4,h=2"));

TEST(DrawTreeJoined, KeepsLevelsAboveEachOther) {
  const Network network = opened("fattree:K=4,levels=3");
  const auto levels = rank_levels(network).value();
  const Drawing drawing = drawn(network, tight);
  const auto height = [&](DeviceId router) { return drawing.boxes[drawing.box_of[router]].y; };
  for (DeviceId a = 0; a < network.router_count(); ++a) {
    for (DeviceId b = 0; b < network.router_count(); ++b) {
      EXPECT_EQ(height(a) > height(b), levels.level[a] < levels.level[b]);
      if (levels.level[a] != levels.level[b]) EXPECT_NE(drawing.box_of[a], drawing.box_of[b]);
    }
  }
}

TEST(DrawTreeJoined, KeepsMissingCablesBetweenTheBoxesOfTheirEnds) {
  const Network network = without_cables(opened("fattree:K=4,levels=2"), "LS2", "RS1", 1);
  const Drawing drawing = drawn(network, tight);
  ASSERT_EQ(drawing.missing.size(), 1U);
  const MissingCables& missing = drawing.missing.front();
  EXPECT_EQ(std::set({network.name(missing.from), network.name(missing.to)}),
            std::set<std::string_view>({"LS2", "RS1"}));
  EXPECT_EQ(missing.points.front().y, drawing.boxes[drawing.box_of[missing.from]].y);
  EXPECT_EQ(missing.points.back().y, drawing.boxes[drawing.box_of[missing.to]].y);
}

TEST(DrawGridJoined, DrawsCablesInsideABoxAsALoop) {
  const Network network = opened("torus:8x8");
  const Drawing drawing = drawn(network, tight);
  EXPECT_LE(drawing.boxes.size(), tight.blocks);
  EXPECT_NE(drawing.remark.find("a loop for those inside a box"), std::string::npos);
  std::map<std::uint32_t, std::size_t> cables;  // inside a box
  for (const PortId id : cables_between_routers(network)) {
    const Port& port = network.port(id);
    const std::uint32_t box = drawing.box_of[port.device];
    if (box == drawing.box_of[network.port(port.peer).device]) ++cables[box];
  }
  for (const auto& [box, count] : cables) {
    const auto is_loop = [&](const DrawnBundle& drawn) {
      const Port& port = network.port(drawn.ports.front());
      return drawing.box_of[port.device] == box && drawing.box_of[network.port(port.peer).device] == box;
    };
    const auto loop = std::ranges::find_if(drawing.bundles, is_loop);
    ASSERT_NE(loop, drawing.bundles.end());
    EXPECT_EQ(loop->ports.size(), count);
    EXPECT_EQ(loop->form, DrawnBundle::Form::curve);
  }
}

TEST(Draw, JoinsRoutersOnlyWhereTheyAreTooMany) {
  EXPECT_FALSE(drawn(opened("torus:4x4"), {}).joined());
  EXPECT_TRUE(drawn(opened("torus:70x70"), {}).joined());
}

}  // namespace
}  // namespace ayatori::drawing
