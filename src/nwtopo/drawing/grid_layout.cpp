#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "layout.hpp"

namespace ayatori::drawing {

namespace {

using Coordinates = std::vector<std::uint32_t>;

constexpr double max_bend = 40;            // how far a cable around the edge bends aside
constexpr std::size_t max_row_arcs = 700;  // cables that rows of a HyperX show one by one

/// Where two routers differ in one coordinate only.
struct Difference {
  std::size_t dimension = 0;
  std::uint32_t distance = 0;
};

/// One vector a dimension: a router stands at the sum of its coordinates times these. The last dimension runs to the
/// right, the one before it downwards; a third one stacks slanted planes; more of them repeat what is drawn so far, in
/// turns to the right and downwards.
class GridLayout {
 public:
  GridLayout(const Scene& scene, const GridPoints& grid) : scene_(scene), grid_(grid), steps_(grid.dimensions.size()) {}

  Drawing lay_out() {
    choose_steps();
    place_routers();
    if (grid_.full_rows && scene_.bundles.size() > max_row_arcs) {
      draw_rows();
    } else {
      draw_cables();
    }
    return std::move(drawing_);
  }

 private:
  [[nodiscard]] std::size_t length(std::size_t from_last) const {
    const std::size_t count = grid_.dimensions.size();
    return from_last < count ? grid_.dimensions[count - 1 - from_last] : 1;
  }
  Point& step(std::size_t from_last) { return steps_[steps_.size() - 1 - from_last]; }

  /// Small grids have names in their boxes.
  void choose_boxes() {
    double longest = 0;
    for (const std::string& label : scene_.labels) longest = std::max(longest, width_of(label));
    labelled_ = scene_.size() <= 150 && longest + 10 <= 90 && steps_.size() <= 2;
    box_ = labelled_ ? Point{longest + 10, 22} : Point{scene_.size() <= 500 ? 11.0 : 7.0, 0};
    if (!labelled_) box_.y = box_.x;
    const bool bends = steps_.size() <= 2 || grid_.full_rows;
    margin_ = bends ? max_bend : 30;
  }

  void choose_steps() {
    choose_boxes();
    const std::size_t count = steps_.size();
    // Rows of a HyperX bend aside, and need room for that.
    const double wider = grid_.full_rows ? 1.5 : 1;
    const double across = (labelled_ ? box_.x + 26 : scene_.size() <= 500 ? 40 : 22) * (labelled_ ? 1 : wider);
    const double down = labelled_ ? 62 * wider : across;
    step(0) = {across, 0};
    if (count > 1) step(1) = {0, down};
    if (count > 2) stack_planes(across);
  }

  void stack_planes(double across) {
    // Rows of a slanted plane are moved aside, so that the cables between planes do not run through its routers.
    const double rows = static_cast<double>(length(1));
    step(1) = {across * 0.62 * (rows > 1 ? std::min(1.0, 5.5 / rows) : 1), across * 0.5};
    step(2) = {0, (rows - 1) * step(1).y + across * 1.5};
    Point size = {static_cast<double>(length(0)) * across + (rows - 1) * step(1).x,
                  static_cast<double>(length(2)) * step(2).y};
    for (std::size_t i = 3; i < steps_.size(); ++i) {
      const auto times = static_cast<double>(length(i));
      if (i % 2 == 1) {
        step(i) = {size.x + across, 0};
        size.x += (times - 1) * step(i).x;
      } else {
        step(i) = {0, size.y + across};
        size.y += (times - 1) * step(i).y;
      }
    }
  }

  void place_routers() {
    coordinates_.resize(scene_.size());
    drawing_.boxes.resize(scene_.size());
    for (std::size_t point = 0; point < grid_.at.size(); ++point) {
      const DeviceId router = grid_.at[point];
      Coordinates& here = coordinates_[router];
      here.resize(steps_.size());
      std::size_t rest = point;
      Point place = {margin_ + box_.x, margin_ + box_.y / 2};
      for (std::size_t i = steps_.size(); i-- > 0;) {
        here[i] = static_cast<std::uint32_t>(rest % grid_.dimensions[i]);
        rest /= grid_.dimensions[i];
        place.x += here[i] * steps_[i].x;
        place.y += here[i] * steps_[i].y;
      }
      drawing_.boxes[router] = {place.x, place.y, box_.x, box_.y, !labelled_};
      drawing_.width = std::max(drawing_.width, place.x + box_.x / 2 + margin_);
      drawing_.height = std::max(drawing_.height, place.y + box_.y / 2 + margin_);
      place_hosts(router, place);
    }
    drawing_.thickness = scene_.bundles.size() <= 300 ? 1.4 : 0.9;
    if (grid_.full_rows) drawing_.opacity = 0.75;
  }

  /// Few hosts as dots below the box, many as a number.
  void place_hosts(DeviceId router, Point place) {
    if (labelled_) {
      drawing_.texts.push_back({place.x, place.y + 4, scene_.labels[router], Text::Anchor::middle, 0, true});
    }
    const auto& hosts = scene_.endpoints[router];
    if (hosts.empty()) return;
    const double step_x = labelled_ ? 8 : 3.6;
    drawing_.dot = labelled_ ? 3 : 1.3;
    const auto fitting = static_cast<std::size_t>(std::max(box_.x / step_x, 2.0));
    if (hosts.size() > fitting) {
      if (!labelled_) return;
      const std::string text = hosts_in_words(hosts.size());
      drawing_.texts.push_back({place.x + box_.x / 2, place.y + 23, text, Text::Anchor::end, 0, false, 9});
      return;
    }
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      const double x = place.x + box_.x / 2 - (static_cast<double>(hosts.size() - i) - 0.5) * step_x;
      drawing_.dots.push_back({x, place.y + box_.y / 2 + (labelled_ ? 8 : 3), hosts[i]});
    }
  }

  void draw_cables() {
    const bool planes = steps_.size() > 2;
    for (const CableBundle& bundle : scene_.bundles) {
      const Box& a = drawing_.boxes[bundle.from];
      const Box& b = drawing_.boxes[bundle.to];
      const auto difference = difference_of(bundle.from, bundle.to);
      DrawnBundle drawn = straight(bundle, {a.x, a.y}, {b.x, b.y});
      drawn.faint = difference && difference->dimension + 2 < steps_.size();
      if (!difference || difference->distance == 1) {
        drawing_.bundles.push_back(std::move(drawn));
        continue;
      }
      if (planes && !grid_.full_rows) {
        drawn.form = DrawnBundle::Form::ends;
        drawn.points = {
            {a.x, a.y}, open_end(a, b, difference->dimension), {b.x, b.y}, open_end(b, a, difference->dimension)};
        drawing_.remark = "open ends: cables around the edge";
      } else {
        drawn.form = DrawnBundle::Form::curve;
        drawn.points = arc(a, b, *difference);
      }
      drawing_.bundles.push_back(std::move(drawn));
    }
  }

  /// Where the beginning of the cable around the edge from `a`, away from `b`, ends.
  [[nodiscard]] Point open_end(const Box& a, const Box& b, std::size_t dimension) const {
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    const double shown = std::min(std::hypot(steps_[dimension].x, steps_[dimension].y) * 0.5, 18.0);
    return {a.x - (b.x - a.x) / length * shown, a.y - (b.y - a.y) / length * shown};
  }

  [[nodiscard]] std::optional<Difference> difference_of(DeviceId a, DeviceId b) const {
    std::optional<Difference> found;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const auto [low, high] = std::minmax(coordinates_[a][i], coordinates_[b][i]);
      if (low == high) continue;
      if (found) return std::nullopt;
      found = {i, high - low};
    }
    return found;
  }

  /// Next to the row, the farther aside the longer: a cable around the edge, or one of a HyperX.
  [[nodiscard]] std::vector<Point> arc(const Box& a, const Box& b, const Difference& difference) const {
    const Point along = steps_[difference.dimension];
    const double step = std::hypot(along.x, along.y);
    const bool flat = std::abs(along.x) > std::abs(along.y);  // bends upwards, others to the left
    const double share = grid_.full_rows ? static_cast<double>(difference.distance) / 4 : 1;
    const double bend = std::max(std::min(step * 0.6 * share, max_bend) + (flat ? box_.y : box_.x) / 2, 10.0);
    const Point aside = flat ? Point{0, -bend} : Point{-bend, 0};
    const Box& first = std::pair(a.x, a.y) <= std::pair(b.x, b.y) ? a : b;
    const Box& last = &first == &a ? b : a;
    const Point round = {(last.x - first.x) * 0.12, (last.y - first.y) * 0.12};
    std::vector<Point> points = {{first.x, first.y},
                                 {first.x + aside.x + round.x, first.y + aside.y + round.y},
                                 {last.x + aside.x - round.x, last.y + aside.y - round.y},
                                 {last.x, last.y}};
    if (&first == &b) std::ranges::reverse(points);
    return points;
  }

  /// A line through each row stands for all cables of the row.
  void draw_rows() {
    drawing_.remark = "a line through a row: each of its routers is cabled to every other";
    std::map<std::pair<std::size_t, DeviceId>, DrawnBundle> rows;  // by dimension and first router
    for (const CableBundle& bundle : scene_.bundles) {
      const auto difference = difference_of(bundle.from, bundle.to);
      if (!difference || bundle.degraded) {
        const Box& a = drawing_.boxes[bundle.from];
        const Box& b = drawing_.boxes[bundle.to];
        drawing_.bundles.push_back(straight(bundle, {a.x, a.y}, {b.x, b.y}));
        continue;
      }
      const std::size_t dimension = difference->dimension;
      const auto [first, last] = ends_of_row(bundle.from, dimension);
      DrawnBundle& row = rows[{dimension, first}];
      const Box& a = drawing_.boxes[first];
      const Box& b = drawing_.boxes[last];
      row.points = {{a.x, a.y}, {b.x, b.y}};
      row.faint = dimension + 2 < steps_.size();
      row.ports.insert(row.ports.end(), bundle.ports.begin(), bundle.ports.end());
    }
    for (auto& [key, row] : rows) drawing_.bundles.push_back(std::move(row));
  }

  [[nodiscard]] std::pair<DeviceId, DeviceId> ends_of_row(DeviceId router, std::size_t dimension) const {
    std::size_t first = 0;
    std::size_t stride = 1;
    std::size_t along = 1;  // from one router of the row to the next
    for (std::size_t i = steps_.size(); i-- > 0;) {
      if (i == dimension) along = stride;
      if (i != dimension) first += coordinates_[router][i] * stride;
      stride *= grid_.dimensions[i];
    }
    return {grid_.at[first], grid_.at[first + (grid_.dimensions[dimension] - 1) * along]};
  }

  const Scene& scene_;
  const GridPoints& grid_;
  std::vector<Point> steps_;  // by dimension
  std::vector<Coordinates> coordinates_;
  Drawing drawing_;
  Point box_;
  double margin_ = 0;
  bool labelled_ = false;
};

}  // namespace

Drawing grid_layout(const Scene& scene, const GridPoints& grid) { return GridLayout(scene, grid).lay_out(); }

}  // namespace ayatori::drawing
