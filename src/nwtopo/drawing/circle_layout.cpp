#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "layout.hpp"

namespace ayatori::drawing {

namespace {

constexpr double circle_margin = 24;
constexpr std::size_t max_labels = 150;              // routers whose names can still stand around
constexpr std::size_t max_bundles_of_groups = 2500;  // cables between groups: beyond it, groups are joined
constexpr std::size_t max_dots = 6;                  // hosts of a router that are not just counted

/// The angle of the `index`-th of `count` places around, from the top on, clockwise.
double angle_at(std::size_t index, std::size_t count) {
  return 2 * std::numbers::pi * static_cast<double>(index) / static_cast<double>(count) - std::numbers::pi / 2;
}

/// Radius of a circle on which `count` things of a width stand side by side.
double radius_for(std::size_t count, double width) {
  return count < 2 ? 0
                   : width / (2 * std::sin(std::numbers::pi / static_cast<double>(std::max<std::size_t>(count, 3))));
}

class CircleLayout {
 public:
  CircleLayout(const Network& network, const Scene& scene, const std::vector<RouterGroup>& groups)
      : network_(network), scene_(scene), groups_(groups) {}

  Drawing lay_out() {
    drawing_.boxes.resize(scene_.size());
    drawing_.thickness = scene_.bundles.size() <= 200 ? 1.2 : 0.6;
    drawing_.opacity = scene_.bundles.size() <= 60 ? 1 : 0.55;
    choose_sizes();
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      const double angle = angle_at(i, groups_.size());
      const Point centre = {middle_.x + ring_ * std::cos(angle), middle_.y + ring_ * std::sin(angle)};
      place_group(groups_[i], centre, angle);
      if (several()) add_frame(i, centre, angle);
    }
    place_cables();
    return std::move(drawing_);
  }

 private:
  [[nodiscard]] bool several() const { return groups_.size() > 1; }

  [[nodiscard]] bool has_hosts() const {
    return std::ranges::any_of(scene_.endpoints, [](const auto& hosts) { return !hosts.empty(); });
  }

  void choose_sizes() {
    for (const std::string& label : scene_.labels) text_room_ = std::max(text_room_, width_of(label));
    inside_ = scene_.size() <= 40 && text_room_ <= 60;
    labelled_ = scene_.size() <= max_labels;
    std::size_t largest = 0;
    bool has_spines = false;
    for (const RouterGroup& group : groups_) {
      largest = std::max({largest, group.routers.size(), 2 * group.spines.size()});
      has_spines |= !group.spines.empty();
    }
    const double spacing = inside_ ? text_room_ + 24 : labelled_ ? 17 : 11;
    radius_ = std::max(radius_for(largest, spacing), several() ? 24.0 : largest <= 4 ? 80.0 : 150.0);
    if (has_spines) radius_ = std::max(radius_, inside_ ? 1.9 * (text_room_ + 16) : 30.0);  // two rings of boxes
    beyond_ = (inside_ ? text_room_ / 2 + 4 : labelled_ ? text_room_ + 12 : 8) + (has_hosts() ? 18 : 0);
    if (!several()) beyond_ += 12;
    ring_ = several() ? radius_for(groups_.size(), 2 * (radius_ + beyond_) + 10) : 0;
    if (groups_.size() > 1) ring_ = std::max(ring_, 1.35 * (radius_ + beyond_));
    const double reach = ring_ + radius_ + beyond_ + circle_margin;
    middle_ = {reach + (several() ? width_of("group 100") : 0), reach + (several() ? 0 : -circle_margin / 2)};
    drawing_.width = 2 * middle_.x;
    drawing_.height = 2 * middle_.y;
  }

  /// Routers with hosts on a circle, turned with the group; a dragonfly+'s spines on a smaller one inside.
  void place_group(const RouterGroup& group, Point centre, double rotation) {
    place_ring(group.routers, centre, group.routers.size() == 1 && several() ? 0 : radius_, rotation);
    place_ring(group.spines, centre, radius_ * 0.45,
               rotation + std::numbers::pi / static_cast<double>(group.routers.size()));
  }

  void place_ring(const Row& routers, Point centre, double radius, double rotation) {
    if (routers.size() == 1) radius = 0;
    const double first = several() ? rotation + std::numbers::pi / 2 : 0;
    for (std::size_t i = 0; i < routers.size(); ++i) {
      const double angle = angle_at(i, routers.size()) + first;
      const Point at = {centre.x + radius * std::cos(angle), centre.y + radius * std::sin(angle)};
      const double width = inside_ ? std::max(text_room_ + 12, 22.0) : several() && !labelled_ ? 7 : 9;
      drawing_.boxes[routers[i]] = {at.x, at.y, width, inside_ ? 22.0 : width, !inside_};
      place_hosts(routers[i], angle);
      if (inside_) {
        drawing_.texts.push_back({at.x, at.y + 4, scene_.labels[routers[i]], Text::Anchor::middle, 0, true});
      } else if (labelled_) {
        write_outside(scene_.labels[routers[i]], at, angle, scene_.endpoints[routers[i]].empty() ? 9 : 24);
      }
    }
  }

  void add_frame(std::size_t index, Point centre, double angle) {
    const double size = 2 * (radius_ + beyond_);
    Frame frame = {centre.x, centre.y, size, size, true, fmt::format("group {}", index), groups_[index].routers};
    frame.routers.insert(frame.routers.end(), groups_[index].spines.begin(), groups_[index].spines.end());
    const double side = std::cos(angle);
    const auto anchor = side > 0.3 ? Text::Anchor::start : side < -0.3 ? Text::Anchor::end : Text::Anchor::middle;
    const double away = size / 2 + 7;
    drawing_.texts.push_back(
        {centre.x + away * side, centre.y + 4 + (away + 2) * std::sin(angle), frame.label, anchor});
    drawing_.frames.push_back(std::move(frame));
  }

  /// Reads outwards, and never upside down.
  void write_outside(const std::string& label, Point at, double angle, double distance) {
    const bool flipped = std::cos(angle) < -1e-9;
    const double degrees = std::remainder(angle * 180 / std::numbers::pi + (flipped ? 180 : 0), 360);
    const auto anchor = flipped ? Text::Anchor::end : Text::Anchor::start;
    const double down = 3.5;  // from the middle of the letters to their line
    const double turned = degrees * std::numbers::pi / 180;
    drawing_.texts.push_back({at.x + distance * std::cos(angle) - down * std::sin(turned),
                              at.y + distance * std::sin(angle) + down * std::cos(turned), label, anchor, degrees});
  }

  /// Few hosts as dots outside of their router, many as a number.
  void place_hosts(DeviceId router, double angle) {
    const auto& hosts = scene_.endpoints[router];
    if (hosts.empty()) return;
    const Box& box = drawing_.boxes[router];
    const double gap = several() && !labelled_ ? 6 : 11;
    const double away = gap + std::hypot(box.width / 2 * std::cos(angle), box.height / 2 * std::sin(angle));
    const double x = box.x + away * std::cos(angle);
    const double y = box.y + away * std::sin(angle);
    if (hosts.size() > max_dots) {
      drawing_.texts.push_back({x, y + 4, std::to_string(hosts.size())});
      return;
    }
    const double step = inside_ ? 9 : several() && !labelled_ ? 2.6 : 5;
    drawing_.dot = inside_ ? 3.4 : several() && !labelled_ ? 1.1 : 2;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      const double aside = (static_cast<double>(i) - (static_cast<double>(hosts.size()) - 1) / 2) * step;
      drawing_.dots.push_back({x - aside * std::sin(angle), y + aside * std::cos(angle), hosts[i]});
    }
  }

  void place_cables() {
    std::vector<std::size_t> group_of(scene_.size());
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      for (const Row* routers : {&groups_[i].routers, &groups_[i].spines}) {
        for (const DeviceId router : *routers) group_of[router] = i;
      }
    }
    const auto is_global = [&](const CableBundle& bundle) { return group_of[bundle.from] != group_of[bundle.to]; };
    const bool joined =
        std::ranges::count_if(scene_.bundles, is_global) > static_cast<std::ptrdiff_t>(max_bundles_of_groups);
    std::map<std::pair<std::size_t, std::size_t>, DrawnBundle> bands;
    for (const CableBundle& bundle : scene_.bundles) {
      const Box& a = drawing_.boxes[bundle.from];
      const Box& b = drawing_.boxes[bundle.to];
      if (!joined || !is_global(bundle) || bundle.degraded) {
        drawing_.bundles.push_back(straight(bundle, {a.x, a.y}, {b.x, b.y}));
        continue;
      }
      const auto [first, second] = std::minmax(group_of[bundle.from], group_of[bundle.to]);
      DrawnBundle& band = bands[{first, second}];
      if (band.points.empty()) band.points = between_frames(drawing_.frames[first], drawing_.frames[second]);
      const auto ports = group_of[bundle.from] == first ? bundle.ports : far_ports(network_, bundle);
      band.ports.insert(band.ports.end(), ports.begin(), ports.end());
    }
    for (auto& [ends, band] : bands) drawing_.bundles.push_back(std::move(band));
    if (joined) drawing_.remark = "a line between two groups: all cables between them";
  }

  static std::vector<Point> between_frames(const Frame& a, const Frame& b) {
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    const Point unit = {(b.x - a.x) / length, (b.y - a.y) / length};
    return {{a.x + unit.x * a.width / 2, a.y + unit.y * a.width / 2},
            {b.x - unit.x * b.width / 2, b.y - unit.y * b.width / 2}};
  }

  const Network& network_;
  const Scene& scene_;
  const std::vector<RouterGroup>& groups_;
  Drawing drawing_;
  double text_room_ = 0;
  double radius_ = 0;  // of a group
  double beyond_ = 0;  // room for names and hosts around it
  double ring_ = 0;    // radius of the circle of groups
  Point middle_;
  bool inside_ = false;    // names stand in the boxes
  bool labelled_ = false;  // names stand somewhere
};

}  // namespace

Drawing circle_layout(const Network& network, const Scene& scene, const std::vector<RouterGroup>& groups) {
  return CircleLayout(network, scene, groups).lay_out();
}

}  // namespace ayatori::drawing
