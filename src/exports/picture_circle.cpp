#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>

#include "ayatori/base/text.hpp"
#include "picture.hpp"

namespace ayatori::exports {

namespace {

constexpr double margin = 24;
constexpr std::size_t max_labels = 150;  // routers whose names can still stand around

using Group = std::vector<std::uint32_t>;

/// Routers in triangles of cables belong together, if most triangles are of groups: in a dragonfly, the cables between
/// groups are in hardly any.
std::vector<Group> groups_of(const Scene& scene) {
  const std::size_t count = scene.routers.size();
  std::vector<std::vector<std::uint32_t>> neighbours(count);
  for (const CableBundle& bundle : scene.bundles) {
    neighbours[bundle.from].push_back(bundle.to);
    neighbours[bundle.to].push_back(bundle.from);
  }
  for (auto& list : neighbours) {
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  std::vector<std::size_t> common;
  for (const CableBundle& bundle : scene.bundles) {
    std::vector<std::uint32_t> shared;
    std::ranges::set_intersection(neighbours[bundle.from], neighbours[bundle.to], std::back_inserter(shared));
    common.push_back(shared.size());
  }
  const std::size_t most = common.empty() ? 0 : *std::ranges::max_element(common);
  std::vector<std::uint32_t> part(count);
  std::iota(part.begin(), part.end(), 0);
  const auto root = [&](std::uint32_t i) {
    while (part[i] != i) i = part[i] = part[part[i]];
    return i;
  };
  for (std::size_t i = 0; i < scene.bundles.size(); ++i) {
    if (most > 0 && 2 * common[i] >= most) part[root(scene.bundles[i].from)] = root(scene.bundles[i].to);
  }
  Group order(count);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order,
                           [&](auto a, auto b) { return natural_less(scene.routers[a].name, scene.routers[b].name); });
  std::map<std::uint32_t, std::size_t> index_of;
  std::vector<Group> groups;
  for (const std::uint32_t router : order) {
    const auto [at, is_new] = index_of.try_emplace(root(router), groups.size());
    if (is_new) groups.emplace_back();
    groups[at->second].push_back(router);
  }
  const bool telling = groups.size() > 2 && 2 * groups.size() <= count;
  if (!telling) groups = {order};
  return groups;
}

/// `index`-th of `count` places around, from the top on, clockwise.
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
  explicit CircleLayout(const Scene& scene) : scene_(scene) {}

  Picture lay_out() {
    const auto groups = groups_of(scene_);
    std::size_t longest = 0;
    for (const std::string& label : scene_.labels) longest = std::max(longest, label.size());
    text_room_ = static_cast<double>(longest) * letter;
    inside_ = scene_.routers.size() <= 40 && text_room_ <= 60;
    labelled_ = scene_.routers.size() <= max_labels;
    picture_.boxes.resize(scene_.routers.size());
    const bool one = groups.size() == 1;
    const std::size_t largest = std::ranges::max(groups, {}, &Group::size).size();
    const double spacing = inside_ ? text_room_ + 24 : labelled_ ? 17 : 9;
    const double inner = std::max(radius_for(largest, spacing), one ? (largest <= 4 ? 80.0 : 150.0) : 20.0);
    const double beyond = (inside_ || !labelled_ ? 14 : text_room_ + 12) + (has_hosts() ? 22 : 0);
    const double outer = one ? 0 : radius_for(groups.size(), 2 * (inner + beyond));
    const double reach = outer + inner + beyond + margin;
    picture_.width = 2 * reach;
    picture_.height = 2 * reach - margin;
    picture_.thickness = scene_.bundles.size() <= 200 ? 1.2 : 0.6;
    picture_.opacity = scene_.bundles.size() <= 60 ? 1 : 0.55;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const double angle = angle_at(i, groups.size());
      place_group(groups[i], reach + outer * std::cos(angle), reach - margin / 2 + outer * std::sin(angle), inner);
    }
    for (std::size_t i = 0; i < scene_.bundles.size(); ++i) {
      const Box& a = picture_.boxes[scene_.bundles[i].from];
      const Box& b = picture_.boxes[scene_.bundles[i].to];
      picture_.strands.push_back({i, straight(a.x, a.y, b.x, b.y)});
    }
    return std::move(picture_);
  }

 private:
  [[nodiscard]] bool has_hosts() const {
    return std::ranges::any_of(scene_.hosts, [](const auto& hosts) { return !hosts.empty(); });
  }

  void place_group(const Group& group, double cx, double cy, double radius) {
    if (group.size() == 1) radius = 0;
    for (std::size_t i = 0; i < group.size(); ++i) {
      const double angle = angle_at(i, group.size());
      const double x = cx + radius * std::cos(angle);
      const double y = cy + radius * std::sin(angle);
      const double width = inside_ ? std::max(text_room_ + 12, 22.0) : 9;
      picture_.boxes[group[i]] = {x, y, width, inside_ ? 22.0 : 9.0, !inside_};
      place_hosts(group[i], angle);
      if (inside_) {
        picture_.texts.push_back({x, y + 4, scene_.labels[group[i]], Text::Anchor::middle, 0, true});
      } else if (labelled_) {
        write_outside(scene_.labels[group[i]], x, y, angle, scene_.hosts[group[i]].empty() ? 9 : 30);
      }
    }
  }

  /// Reads outwards, and never upside down.
  void write_outside(const std::string& label, double x, double y, double angle, double distance) {
    const bool flipped = std::cos(angle) < -1e-9;
    const double degrees = angle * 180 / std::numbers::pi + (flipped ? 180 : 0);
    const auto anchor = flipped ? Text::Anchor::end : Text::Anchor::start;
    const double down = 3.5;  // from the middle of the letters to their line
    const double turned = degrees * std::numbers::pi / 180;
    picture_.texts.push_back({x + distance * std::cos(angle) - down * std::sin(turned),
                              y + distance * std::sin(angle) + down * std::cos(turned), label, anchor, degrees});
  }

  /// Few hosts as dots outside of their router, many as a number.
  void place_hosts(std::uint32_t router, double angle) {
    const auto& hosts = scene_.hosts[router];
    if (hosts.empty()) return;
    const Box& box = picture_.boxes[router];
    const double away = 11 + std::hypot(box.width / 2 * std::cos(angle), box.height / 2 * std::sin(angle));
    const double x = box.x + away * std::cos(angle);
    const double y = box.y + away * std::sin(angle);
    constexpr std::size_t most = 6;
    if (hosts.size() > most) {
      picture_.texts.push_back({x, y + 4, std::to_string(hosts.size())});
      return;
    }
    const double step = inside_ ? 9 : 5;
    picture_.dot = inside_ ? 3.4 : 2;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      const double aside = (static_cast<double>(i) - (static_cast<double>(hosts.size()) - 1) / 2) * step;
      picture_.dots.push_back({x - aside * std::sin(angle), y + aside * std::cos(angle), hosts[i]});
    }
  }

  const Scene& scene_;
  Picture picture_;
  double text_room_ = 0;
  bool inside_ = false;    // names stand in the boxes
  bool labelled_ = false;  // names stand somewhere
};

}  // namespace

Picture circle_picture(const Scene& scene) { return CircleLayout(scene).lay_out(); }

}  // namespace ayatori::exports
