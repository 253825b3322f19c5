#include <algorithm>
#include <cmath>
#include <numbers>

#include "layout.hpp"

namespace ayatori::drawing {

namespace {

constexpr double hop = 70;  // wanted length of a cable
constexpr double force_margin = 40;
constexpr int rounds = 150;

/// Hops between any two routers; those of separate parts are a little farther apart than the farthest.
std::vector<float> all_distances(const Scene& scene) {
  const std::size_t count = scene.size();
  std::vector<Row> neighbours(count);
  for (const CableBundle& bundle : scene.bundles) {
    neighbours[bundle.from].push_back(bundle.to);
    neighbours[bundle.to].push_back(bundle.from);
  }
  std::vector<float> hops(count * count, 0);
  float farthest = 1;
  for (DeviceId start = 0; start < count; ++start) {
    float* own = hops.data() + start * count;
    Row reached = {start};
    for (std::size_t i = 0; i < reached.size(); ++i) {
      for (const DeviceId next : neighbours[reached[i]]) {
        if (next == start || own[next] > 0) continue;
        own[next] = own[reached[i]] + 1;
        farthest = std::max(farthest, own[next]);
        reached.push_back(next);
      }
    }
  }
  for (std::size_t i = 0; i < hops.size(); ++i) {
    if (hops[i] == 0 && i / count != i % count) hops[i] = farthest + 1;
  }
  return hops;
}

/// Each router moves to the mean of where the others want it, the near ones counting more: the sum of weighted squared
/// errors never grows (Gansner, Koren, North: Graph drawing by stress majorization, 2004, equation 10).
std::vector<Point> settle(const std::vector<float>& hops, std::size_t count) {
  std::vector<Point> at(count);
  const double radius = hop * std::sqrt(static_cast<double>(count)) / 2;
  for (std::size_t i = 0; i < count; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(count);
    at[i] = {radius * std::cos(angle), radius * std::sin(angle)};
  }
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < count; ++i) {
      Point sum;
      double weights = 0;
      for (std::size_t j = 0; j < count; ++j) {
        if (i == j) continue;
        const double wanted = hops[i * count + j] * hop;
        const double weight = 1 / (wanted * wanted);
        const double now = std::max(std::hypot(at[i].x - at[j].x, at[i].y - at[j].y), 1e-3);
        sum.x += weight * (at[j].x + wanted * (at[i].x - at[j].x) / now);
        sum.y += weight * (at[j].y + wanted * (at[i].y - at[j].y) / now);
        weights += weight;
      }
      if (weights > 0) at[i] = {sum.x / weights, sum.y / weights};
    }
  }
  return at;
}

/// Pushes boxes apart that would lie on each other.
void separate(std::vector<Point>& at, Point room) {
  for (int round = 0; round < rounds; ++round) {
    bool moved = false;
    for (std::size_t i = 0; i < at.size(); ++i) {
      for (std::size_t j = i + 1; j < at.size(); ++j) {
        const double x = room.x - std::abs(at[j].x - at[i].x);
        const double y = room.y - std::abs(at[j].y - at[i].y);
        if (x <= 0 || y <= 0) continue;
        moved = true;
        const bool across = x < y;
        double& first = across ? at[i].x : at[i].y;
        double& second = across ? at[j].x : at[j].y;
        const double push = (across ? x : y) / 2 + 0.01;
        const double side = second >= first ? push : -push;
        first -= side;
        second += side;
      }
    }
    if (!moved) return;
  }
}

/// Where the hosts of a router stand: dots in rows below its box.
void place_hosts(Drawing& drawing, const Scene& scene, DeviceId router) {
  const auto& hosts = scene.endpoints[router];
  const Box& box = drawing.boxes[router];
  constexpr double step = 5.5;
  constexpr std::size_t columns = 8;
  if (hosts.size() > 3 * columns) {
    drawing.texts.push_back({box.x, box.y + box.height / 2 + 11, hosts_in_words(hosts.size())});
    return;
  }
  const auto across = static_cast<double>(std::min(columns, hosts.size()));
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const double x = box.x + (static_cast<double>(i % columns) - (across - 1) / 2) * step;
    drawing.dots.push_back({x, box.y + box.height / 2 + 5 + static_cast<double>(i / columns) * step, hosts[i]});
  }
}

}  // namespace

Drawing force_layout(const Scene& scene) {
  double longest = 0;
  std::size_t crowd = 0;
  for (const std::string& label : scene.labels) longest = std::max(longest, width_of(label));
  for (const auto& hosts : scene.endpoints) crowd = std::max(crowd, hosts.size());
  const bool inside = scene.size() <= 60 && longest <= 90;
  const double width = inside ? longest + 12 : 10;
  const double hosts_height = crowd == 0 ? 0 : crowd > 24 ? 14 : 5.5 * std::ceil(static_cast<double>(crowd) / 8) + 4;
  auto at = settle(all_distances(scene), scene.size());
  separate(at, {std::max(width, crowd > 0 ? 46.0 : 0.0) + 10, (inside ? 22 : 10) + hosts_height + 10});
  Point low = at.front();
  Point high = low;
  for (const Point& point : at) {
    low = {std::min(low.x, point.x), std::min(low.y, point.y)};
    high = {std::max(high.x, point.x), std::max(high.y, point.y)};
  }
  Drawing drawing;
  const double side = std::max(width, 46.0) / 2;
  drawing.width = high.x - low.x + 2 * (force_margin + side);
  drawing.height = high.y - low.y + 2 * force_margin + hosts_height;
  drawing.dot = 2.2;
  drawing.thickness = scene.bundles.size() <= 200 ? 1.2 : 0.7;
  drawing.opacity = scene.bundles.size() <= 200 ? 0.9 : 0.5;
  drawing.boxes.resize(scene.size());
  for (DeviceId router = 0; router < scene.size(); ++router) {
    const Point here = {at[router].x - low.x + force_margin + side, at[router].y - low.y + force_margin};
    drawing.boxes[router] = {here.x, here.y, width, inside ? 22.0 : 10.0, !inside};
    const Text::Anchor middle = Text::Anchor::middle;
    if (inside) drawing.texts.push_back({here.x, here.y + 4, scene.labels[router], middle, 0, true});
    place_hosts(drawing, scene, router);
  }
  for (const CableBundle& bundle : scene.bundles) {
    const Box& a = drawing.boxes[bundle.from];
    const Box& b = drawing.boxes[bundle.to];
    drawing.bundles.push_back(straight(bundle, {a.x, a.y}, {b.x, b.y}));
  }
  return drawing;
}

}  // namespace ayatori::drawing
