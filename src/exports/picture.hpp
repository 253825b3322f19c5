#pragma once
/// \file
/// Where everything stands in a picture. A layout for each kind of shape fills a Picture in; svg.cpp writes it.
/// Units are CSS pixels, y grows downwards.

#include <cstdint>
#include <string>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/network/levels.hpp"
#include "ayatori/network/network.hpp"
#include "ayatori/network/shape.hpp"
#include "devices.hpp"

namespace ayatori::exports {

/// What a picture shows: routers (or the machines that they are built into) and the cables between two of them.
struct Scene {
  std::vector<Vertex> routers;
  std::vector<std::string> labels;         ///< a short name for each
  std::vector<std::vector<PortId>> hosts;  ///< for each, the machines' ports plugged into it, by its own port number
  std::vector<CableBundle> bundles;        ///< `from` and `to` are indices of `routers`
};
[[nodiscard]] Scene scene_of(const Network& network);

/// A router.
struct Box {
  double x = 0;  ///< centre
  double y = 0;
  double width = 0;
  double height = 0;
  bool round = false;
};

/// A line of text. `angle` in degrees; `anchor` as in SVG.
struct Text {
  enum class Anchor : std::uint8_t { start, middle, end };
  double x = 0;
  double y = 0;
  std::string text;
  Anchor anchor = Anchor::middle;
  double angle = 0;
  bool inside = false;  ///< on a box, otherwise on the paper
  double size = 11;
};

/// A bundle of cables.
struct Strand {
  std::size_t bundle = 0;
  std::string path;  ///< SVG path data
  bool faint = false;
};

struct Dot {
  double x = 0;
  double y = 0;
  PortId host = no_id;
};

struct Picture {
  double width = 0;
  double height = 0;
  double dot = 3;          ///< radius of a host
  double thickness = 1;    ///< of a single cable's line
  double opacity = 1;      ///< of cables
  std::vector<Box> boxes;  ///< by router
  std::vector<Dot> dots;
  std::vector<Strand> strands;
  std::vector<Text> texts;
  std::string remark;  ///< how to read it, where that is not plain
};

inline constexpr double letter = 6.2;  ///< width of a letter of size 11

/// Roots above, leaves below, hosts under their leaf.
[[nodiscard]] Picture tree_picture(const Scene& scene, const Levels& levels);
/// Points on a plane, planes in a stack. `at` has the router of each point, the last coordinate running fastest.
[[nodiscard]] Picture grid_picture(const Scene& scene, const Shape& shape, const std::vector<std::uint32_t>& at);
/// Everything on a circle; groups whose routers are cabled among each other (dragonfly) on circles of their own.
[[nodiscard]] Picture circle_picture(const Scene& scene);

[[nodiscard]] std::string straight(double x1, double y1, double x2, double y2);

/// "1 host", "18 hosts".
[[nodiscard]] std::string hosts_in_words(std::size_t count);

}  // namespace ayatori::exports
