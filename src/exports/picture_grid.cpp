#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "picture.hpp"

namespace ayatori::exports {

namespace {

using Coordinates = std::vector<std::uint32_t>;

struct Vector {
  double x = 0;
  double y = 0;
};

constexpr double margin = 34;
constexpr double longest_arc = 26;  // how far a cable around the edge bends aside

/// One vector a dimension: a router stands at the sum of its coordinates times these. The last dimension runs to the
/// right, the one before it downwards; a third one stacks slanted planes; more of them repeat what is drawn so far, in
/// turns to the right and downwards.
class GridLayout {
 public:
  GridLayout(const Scene& scene, const Shape& shape, const std::vector<std::uint32_t>& at)
      : scene_(scene), shape_(shape), at_(at), steps_(shape.dimensions.size()) {}

  Picture lay_out() {
    choose_steps();
    place_routers();
    draw_cables();
    return std::move(picture_);
  }

 private:
  [[nodiscard]] std::size_t length(std::size_t from_last) const {
    const std::size_t count = shape_.dimensions.size();
    return from_last < count ? shape_.dimensions[count - 1 - from_last] : 1;
  }
  Vector& step(std::size_t from_last) { return steps_[steps_.size() - 1 - from_last]; }

  void choose_steps() {
    const std::size_t count = steps_.size();
    std::size_t longest = 0;
    for (const std::string& label : scene_.labels) longest = std::max(longest, label.size());
    const double label_width = static_cast<double>(longest) * letter + 10;
    labelled_ = scene_.routers.size() <= 150 && label_width <= 90 && count <= 2;
    const double across = labelled_ ? label_width + 26 : scene_.routers.size() <= 500 ? 40 : 22;
    box_ = labelled_ ? Vector{label_width, 22} : Vector{scene_.routers.size() <= 500 ? 11.0 : 7.0, 0};
    if (!labelled_) box_.y = box_.x;
    const double down = labelled_ ? 62 : across;
    step(0) = {across, 0};
    if (count > 1) step(1) = {0, down};
    if (count <= 2) return;
    // Rows of a slanted plane are moved aside, so that the cables between planes do not run through its routers.
    const double rows = static_cast<double>(length(1));
    step(1) = {across * 0.62 * (rows > 1 ? std::min(1.0, 5.5 / rows) : 1), across * 0.5};
    step(2) = {0, (rows - 1) * step(1).y + across * 1.5};
    Vector size = {static_cast<double>(length(0)) * across + (rows - 1) * step(1).x,
                   static_cast<double>(length(2)) * step(2).y};
    for (std::size_t i = 3; i < count; ++i) {
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
    coordinates_.resize(scene_.routers.size());
    picture_.boxes.resize(scene_.routers.size());
    for (std::size_t point = 0; point < at_.size(); ++point) {
      Coordinates& here = coordinates_[at_[point]];
      here.resize(steps_.size());
      std::size_t rest = point;
      Vector place = {margin + box_.x / 2, margin};
      for (std::size_t i = steps_.size(); i-- > 0;) {
        here[i] = static_cast<std::uint32_t>(rest % shape_.dimensions[i]);
        rest /= shape_.dimensions[i];
        place.x += here[i] * steps_[i].x;
        place.y += here[i] * steps_[i].y;
      }
      picture_.boxes[at_[point]] = {place.x, place.y, box_.x, box_.y, !labelled_};
      picture_.width = std::max(picture_.width, place.x + box_.x / 2 + margin);
      picture_.height = std::max(picture_.height, place.y + margin);
      write_label(at_[point], place);
    }
    picture_.thickness = scene_.bundles.size() <= 300 ? 1.4 : 0.9;
  }

  void write_label(std::uint32_t router, Vector place) {
    if (labelled_) {
      picture_.texts.push_back({place.x, place.y + 4, scene_.labels[router], Text::Anchor::middle, 0, true});
    }
    const std::size_t hosts = scene_.hosts[router].size();
    if (hosts == 0 || steps_.size() > 2 || !labelled_) return;
    picture_.texts.push_back(
        {place.x + box_.x / 2, place.y + 23, hosts_in_words(hosts), Text::Anchor::end, 0, false, 9});
  }

  void draw_cables() {
    const bool stubs = steps_.size() > 2;
    for (std::size_t i = 0; i < scene_.bundles.size(); ++i) {
      const std::uint32_t from = scene_.bundles[i].from;
      const std::uint32_t to = scene_.bundles[i].to;
      const auto [dimension, distance] = difference(from, to);
      const Box& a = picture_.boxes[from];
      const Box& b = picture_.boxes[to];
      const bool faint = dimension + 2 < steps_.size();
      if (distance == 1) {
        picture_.strands.push_back({i, straight(a.x, a.y, b.x, b.y), faint});
      } else if (stubs) {
        picture_.strands.push_back({i, stub(a, b, dimension) + stub(b, a, dimension), faint});
        picture_.remark = "open ends: cables around the edge";
      } else {
        picture_.strands.push_back({i, arc(a, b, dimension)});
      }
    }
  }

  /// The beginning of the cable around the edge from `a`, away from `b`.
  [[nodiscard]] std::string stub(const Box& a, const Box& b, std::size_t dimension) const {
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    const double shown = std::min(std::hypot(steps_[dimension].x, steps_[dimension].y) * 0.5, 18.0);
    return straight(a.x, a.y, a.x - (b.x - a.x) / length * shown, a.y - (b.y - a.y) / length * shown);
  }

  /// The dimension in which two neighbours differ, and by how much.
  [[nodiscard]] std::pair<std::size_t, std::uint32_t> difference(std::uint32_t a, std::uint32_t b) const {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const auto [low, high] = std::minmax(coordinates_[a][i], coordinates_[b][i]);
      if (low != high) return {i, high - low};
    }
    return {0, 0};
  }

  /// Around the edge: beside the row, from its first router to its last.
  [[nodiscard]] std::string arc(const Box& a, const Box& b, std::size_t dimension) const {
    const Vector along = steps_[dimension];
    const double step = std::hypot(along.x, along.y);
    const double bend = std::min(step * 0.45, longest_arc);
    const bool flat = std::abs(along.x) > std::abs(along.y);  // bends upwards, others to the left
    const Vector aside = flat ? Vector{0, -bend} : Vector{-bend - (labelled_ ? box_.x / 2 : 0), 0};
    const Box& first = std::pair(a.x, a.y) <= std::pair(b.x, b.y) ? a : b;
    const Box& last = &first == &a ? b : a;
    const double length = std::hypot(last.x - first.x, last.y - first.y);
    const Vector unit = {(last.x - first.x) / length, (last.y - first.y) / length};
    const double round = std::min(step * 0.6, length / 2);
    const Vector near = {first.x + aside.x + unit.x * round, first.y + aside.y + unit.y * round};
    const Vector far = {last.x + aside.x - unit.x * round, last.y + aside.y - unit.y * round};
    return fmt::format("M{:.1f} {:.1f}Q{:.1f} {:.1f} {:.1f} {:.1f}L{:.1f} {:.1f}Q{:.1f} {:.1f} {:.1f} {:.1f}", first.x,
                       first.y, first.x + aside.x, first.y + aside.y, near.x, near.y, far.x, far.y, last.x + aside.x,
                       last.y + aside.y, last.x, last.y);
  }

  const Scene& scene_;
  const Shape& shape_;
  const std::vector<std::uint32_t>& at_;
  std::vector<Vector> steps_;  // by dimension
  std::vector<Coordinates> coordinates_;
  Picture picture_;
  Vector box_;
  bool labelled_ = false;
};

}  // namespace

Picture grid_picture(const Scene& scene, const Shape& shape, const std::vector<std::uint32_t>& at) {
  return GridLayout(scene, shape, at).lay_out();
}

}  // namespace ayatori::exports
