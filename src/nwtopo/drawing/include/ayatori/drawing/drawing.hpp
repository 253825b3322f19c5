#pragma once
/// \file
/// Where everything stands in the drawing of a network, whoever writes it: `ayatori show --svg`, the export and the
/// report take their positions from here. Units are CSS pixels; x grows to the right, y downwards. The same network has
/// the same drawing. Each shape has its layout:
///
///   fat tree             levels in rows, hosts below their leaf, pods framed
///   torus, mesh, grid    points on planes, planes in a stack
///   HyperX               the same, where each row is cabled to itself
///   full                 routers on a circle
///   dragonfly, dragonfly+  groups, each framed, on a circle
///   anything else        levels if it has some, else by distances between routers
///
/// Where there are too many cables to tell apart, one bundle stands for all cables between two sets of routers. Where
/// there are too many routers, one box stands for a set of them (a pod's leaves, a block of a grid, a group), and a
/// bundle may be a loop: the cables inside the set.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/network/network.hpp"
#include "ayatori/network/shape.hpp"

namespace ayatori::drawing {

struct Point {
  double x = 0;
  double y = 0;
};

/// A router, or a set of routers.
struct Box {
  double x = 0;  ///< of the centre
  double y = 0;
  double width = 0;
  double height = 0;
  bool round = false;
};

/// Routers that belong together: a pod, the group of a dragonfly, a run of leaves that one bundle leads to.
struct Frame {
  double x = 0;  ///< of the centre
  double y = 0;
  double width = 0;
  double height = 0;
  bool round = false;
  std::string label;
  std::vector<DeviceId> routers;
};

/// A host's NIC: the port that is plugged into the router next to it.
struct Dot {
  double x = 0;
  double y = 0;
  PortId endpoint = no_id;
};

/// Cables between two routers, or between two sets of them. Parallel cables of one rate are in one.
struct DrawnBundle {
  enum class Form : std::uint8_t {
    line,   ///< two points
    curve,  ///< a cubic Bézier curve: its four points
    ends,   ///< two lines, of two points each: the first begins at one end, the second at the other
  };
  Form form = Form::line;
  bool faint = false;         ///< in the background
  bool degraded = false;      ///< a cable among them runs below the rate of its kind
  std::vector<Point> points;  ///< from one end to the other
  std::vector<PortId> ports;  ///< the cables, by their ports at the end where the points begin
};

/// Two routers with fewer cables than the shape would have there.
struct MissingCables {
  DeviceId from = no_id;
  DeviceId to = no_id;
  std::uint32_t cables = 0;   ///< that are there
  std::uint32_t usual = 0;    ///< that other such pairs have
  std::vector<Point> points;  ///< a line
};

/// A line of text; `x` and `y` are where its baseline begins, has its middle, or ends, as `anchor` says.
struct Text {
  enum class Anchor : std::uint8_t { start, middle, end };
  double x = 0;
  double y = 0;
  std::string text;  ///< in the encoding of the network's names
  Anchor anchor = Anchor::middle;
  double angle = 0;     ///< degrees, clockwise
  bool inside = false;  ///< on a box, otherwise on the paper
  double size = 11;
};

struct Drawing {
  Shape shape;  ///< what was drawn
  double width = 0;
  double height = 0;
  double dot = 3;                   ///< radius of a host
  double thickness = 1;             ///< of a single cable's line
  double opacity = 1;               ///< of cables
  std::vector<Box> boxes;           ///< by router, unless routers are joined
  std::vector<std::string> names;   ///< by router: its own, or that of the machine that it is built into
  std::vector<std::string> labels;  ///< names without what all begin and end with
  std::vector<Frame> frames;
  std::vector<Dot> dots;
  std::vector<DrawnBundle> bundles;
  std::vector<MissingCables> missing;
  std::vector<Text> texts;
  std::string remark;  ///< how to read it, where that is not plain; else empty

  // Only where routers are joined, else empty:
  std::vector<std::uint32_t> box_of;   ///< by router: its set's box
  std::vector<std::string> box_names;  ///< by box: "LS0 … LS17, 18 routers, 324 hosts"

  [[nodiscard]] bool joined() const { return !box_of.empty(); }
  [[nodiscard]] std::uint32_t box_of_router(DeviceId router) const { return joined() ? box_of[router] : router; }
};

/// What is drawn one by one, and how much of it where that is too much. A bundle is a pair of routers with cables of
/// one rate.
struct DrawingLimits {
  std::size_t routers = 4096;  ///< that have a box each
  std::size_t bundles = 40'000;
  std::size_t sets = 64;      ///< beyond these: of each level of a tree, of groups, or of all other routers
  std::size_t blocks = 1500;  ///< … of a grid of several dimensions
};

/// Error: no router.
[[nodiscard]] Result<Drawing> draw(const Network& network, const DrawingLimits& limits = {});

/// How wide a text of size 11 will be, about: what fits where is decided before any font is known.
[[nodiscard]] double width_of(std::string_view text);

/// "1 host", "18 hosts".
[[nodiscard]] std::string hosts_in_words(std::size_t count);

}  // namespace ayatori::drawing
