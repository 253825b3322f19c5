#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "layout.hpp"

namespace ayatori::drawing {

namespace {

constexpr double left_margin = 76;  // for the names of the levels
constexpr double right_margin = 16;
constexpr double top = 34;
constexpr double frame_pad = 7;
constexpr std::size_t few = 14;                      // routers a row that leave room for thick lines
constexpr std::size_t max_bundles_of_levels = 1600;  // between two levels: beyond it, sets of routers are joined
constexpr std::size_t max_unit = 40;                 // routers a row that need no sets
constexpr std::size_t max_dot_rows = 48;             // hosts below each other

class TreeLayout {
 public:
  TreeLayout(const Network& network, const Scene& scene, const Levels& levels)
      : network_(network), scene_(scene), levels_(levels), rows_(tree_rows(network, scene, levels)) {}

  Drawing lay_out() {
    drawing_.boxes.resize(scene_.size());
    find_pods();
    find_clusters();
    choose_widths();
    place_rows();
    place_hosts();
    frame_pods_and_clusters();
    place_cables();
    return std::move(drawing_);
  }

 private:
  // --- the order within a row ---------------------------------------------------------------------------------------

  /// Pods: connected parts of the two lowest rows. One that has the upper or the lower row alone makes no pods.
  void find_pods() {
    if (rows_.size() < 2) return;
    const auto parts = parts_between(scene_, rows_[0], rows_[1]);
    if (parts.size() < 2 || parts.size() > rows_[0].size() || rows_.size() < 3) return;
    std::size_t leaf = 0;
    std::size_t upper = 0;
    for (const Row& part : parts) {
      const auto is_leaf = [&](DeviceId router) { return levels_[router] == 0; };
      const auto leaves = static_cast<std::size_t>(std::ranges::count_if(part, is_leaf));
      if (leaves == 0 || leaves == part.size()) return pods_.clear();
      pods_.push_back({Cluster{leaf, leaf + leaves}, Cluster{upper, upper + part.size() - leaves}});
      leaf += leaves;
      upper += part.size() - leaves;
    }
  }

  void find_clusters() {
    clusters_.resize(rows_.size());
    for (std::size_t level = 0; level < rows_.size(); ++level) {
      if (level < 2 && !pods_.empty()) {
        for (const auto& pod : pods_) clusters_[level].push_back(pod[level]);
      } else if (rows_[level].size() > max_unit) {
        clusters_[level] = clusters_of_row(scene_, rows_, level, max_unit);
      } else {
        for (std::size_t i = 0; i < rows_[level].size(); ++i) clusters_[level].push_back({i, i + 1});
      }
    }
  }

  // --- positions ----------------------------------------------------------------------------------------------------

  void choose_widths() {
    const std::size_t widest = std::ranges::max(rows_, {}, &Row::size).size();
    double longest = 0;
    for (const std::string& label : scene_.labels) longest = std::max(longest, width_of(label));
    const double named = static_cast<double>(widest) * (1.1 * longest + 6) / 0.84;  // room for names in boxes
    span_ = widest <= 22 ? std::max({480.0, static_cast<double>(widest) * 64, std::min(named, 620.0)})
                         : std::clamp(static_cast<double>(widest) * 14, 1400.0, 2000.0);
    drawing_.width = left_margin + span_ + right_margin;
    name_size_ = span_ > 1600 ? 16 : 11;  // wide drawings will be looked at from farther away
    drawing_.thickness = widest <= few ? 1.4 : widest <= 60 ? 0.9 : 0.5;
    drawing_.opacity = widest <= few ? 1 : scene_.bundles.size() <= max_bundles_of_levels ? 0.6 : 0.45;
  }

  void place_rows() {
    double y = top;
    for (std::size_t level = rows_.size(); level-- > 0;) {
      place_row(level, y);
      if (level > 0) y += level == 1 && !pods_.empty() ? std::clamp(span_ / 8, 90.0, 150.0) : gap();
    }
  }

  [[nodiscard]] double gap() const { return std::clamp(span_ / 5, 130.0, rows_.size() > 2 ? 230.0 : 260.0); }

  void place_row(std::size_t level, double y) {
    const Row& row = rows_[level];
    const std::vector<Cluster>& clusters = clusters_[level];
    const bool in_pods = level < 2 && !pods_.empty();
    const bool apart = clusters.size() < row.size() || in_pods;
    const double space = apart ? std::min(2.5 * frame_pad, 0.3 * span_ / static_cast<double>(clusters.size())) : 0;
    const double room = span_ - space * static_cast<double>(clusters.size());
    pitch_ = in_pods ? 1e9 : room / static_cast<double>(row.size());
    double x = left_margin;
    for (const Cluster& cluster : clusters) {
      const auto count = static_cast<double>(cluster.end - cluster.begin);
      const double width = in_pods ? room / static_cast<double>(clusters.size()) : count * pitch_;
      pitch_ = std::min(pitch_, width / count);
      for (std::size_t i = cluster.begin; i < cluster.end; ++i) {
        drawing_.boxes[row[i]].x = x + space / 2 + (static_cast<double>(i - cluster.begin) + 0.5) * width / count;
      }
      x += width + space;
    }
    size_boxes(level, y);
  }

  void size_boxes(std::size_t level, double y) {
    const Row& row = rows_[level];
    const double width = std::min(pitch_ * 0.84, 92.0);
    double longest = 0;
    for (const DeviceId router : row) longest = std::max(longest, width_of(scene_.labels[router]));
    const bool inside = 1.1 * longest + 6 <= width;  // bold
    const bool above = !inside && level > 0 && longest + 4 <= pitch_;
    for (const DeviceId router : row) {
      Box& box = drawing_.boxes[router];
      box = {box.x, y, width, inside ? 22.0 : 10.0};
      if (inside) drawing_.texts.push_back({box.x, y + 4, scene_.labels[router], Text::Anchor::middle, 0, true});
      if (above) drawing_.texts.push_back({box.x, y - 9, scene_.labels[router]});
    }
    if (level == 0) upright_labels_ = !inside && pitch_ >= 11;
    named_.push_back(inside || above || upright_labels_);
    write_next_to(y + 4, level_name(level));
  }

  /// In the left margin.
  void write_next_to(double y, std::string text) {
    drawing_.texts.push_back({left_margin - 12, y, std::move(text), Text::Anchor::end, 0, false, name_size_});
  }

  [[nodiscard]] std::string level_name(std::size_t level) const {
    if (rows_.size() == 1) return rows_[0].size() == 1 ? "router" : "routers";
    if (level == 0) return rows_[0].size() == 1 ? "leaf" : "leaves";
    if (level + 1 == rows_.size()) return rows_[level].size() == 1 ? "spine" : "spines";
    return "middle";
  }

  /// Dots below their router, in rows; where there is no room for them, their number.
  void place_hosts() {
    std::size_t crowd = 0;
    for (const auto& hosts : scene_.endpoints) crowd = std::max(crowd, hosts.size());
    const double room = std::min(pitch_ - 1, 100.0);
    const auto fitting = static_cast<std::size_t>(std::max(1.0, room / 6.5));
    const std::size_t columns = std::max<std::size_t>(std::min<std::size_t>({crowd, 8, fitting}), 1);
    const std::size_t lines = (crowd + columns - 1) / columns;
    dotted_ = room >= 1 && lines <= max_dot_rows;
    const double step = std::min(room / static_cast<double>(columns), 15.0);
    drawing_.dot = std::min(step * 0.38, 5.0);
    const Box& leaf = drawing_.boxes[rows_.front().front()];
    const double begin = leaf.y + leaf.height / 2 + 6;
    bottom_ = begin + (dotted_ ? static_cast<double>(lines) * step + 4 : 0);
    if (dotted_ && crowd > 0) {
      write_next_to((begin + bottom_) / 2 + 2, "hosts");
    }
    for (DeviceId router = 0; dotted_ && router < scene_.size(); ++router) place_dots(router, columns, step);
    if (upright_labels_) {
      write_upright();
    } else if (!dotted_ && clusters_[0].size() == rows_[0].size()) {
      write_sums();
    }
    drawing_.height = bottom_ + 6;
  }

  void place_dots(DeviceId router, std::size_t columns, double step) {
    const auto& hosts = scene_.endpoints[router];
    const Box& box = drawing_.boxes[router];
    const auto across = static_cast<double>(std::min(columns, hosts.size()));
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      const double x = box.x + (static_cast<double>(i % columns) - (across - 1) / 2) * step;
      const double y = box.y + box.height / 2 + 6 + (static_cast<double>(i / columns) + 0.5) * step;
      drawing_.dots.push_back({x, y, hosts[i]});
    }
  }

  /// Labels that read upwards.
  void write_upright() {
    double longest = 0;
    for (const DeviceId router : rows_.front()) {
      std::string label = scene_.labels[router];
      if (!dotted_) label += ", " + hosts_in_words(scene_.endpoints[router].size());
      longest = std::max(longest, width_of(label));
      drawing_.texts.push_back({drawing_.boxes[router].x + 3.5, bottom_ + 2, std::move(label), Text::Anchor::end, -90});
    }
    bottom_ += longest + 6;
  }

  void write_sums() {
    const Row& leaves = rows_.front();
    const auto hosts = [&](DeviceId router) { return scene_.endpoints[router].size(); };
    const auto [least, most] = std::ranges::minmax(leaves, {}, hosts);
    if (pitch_ < 56) {
      const std::string each = hosts(least) == hosts(most) ? hosts_in_words(hosts(most))
                                                           : fmt::format("{} to {} hosts", hosts(least), hosts(most));
      drawing_.texts.push_back({left_margin + span_ / 2, bottom_ + 10, each + " on each leaf"});
    } else {
      for (const DeviceId router : leaves) {
        drawing_.texts.push_back({drawing_.boxes[router].x, bottom_ + 10, hosts_in_words(hosts(router))});
      }
    }
    bottom_ += 16;
  }

  // --- frames -------------------------------------------------------------------------------------------------------

  void frame_pods_and_clusters() {
    const double under = bottom_;
    for (const auto& pod : pods_) {
      Row routers(rows_[1].begin() + index(pod[1].begin), rows_[1].begin() + index(pod[1].end));
      routers.insert(routers.end(), rows_[0].begin() + index(pod[0].begin), rows_[0].begin() + index(pod[0].end));
      add_frame(std::move(routers), under, pod[0]);
    }
    for (std::size_t level = 0; level < rows_.size(); ++level) {
      if (clusters_[level].size() == rows_[level].size() || (level < 2 && !pods_.empty())) continue;
      for (const Cluster& cluster : clusters_[level]) {
        Row routers(rows_[level].begin() + index(cluster.begin), rows_[level].begin() + index(cluster.end));
        const Box& box = drawing_.boxes[routers.front()];
        add_frame(std::move(routers), level == 0 ? under : box.y + box.height / 2 + 3, cluster, level);
      }
    }
    if (bottom_ > under) drawing_.height = bottom_ + 6;
  }

  static std::ptrdiff_t index(std::size_t i) { return static_cast<std::ptrdiff_t>(i); }

  /// Around routers and, below leaves, their hosts.
  void add_frame(Row routers, double bottom, const Cluster& cluster, std::size_t level = 0) {
    double left = 1e9;
    double right = 0;
    double begin = 1e9;
    for (const DeviceId router : routers) {
      const Box& box = drawing_.boxes[router];
      left = std::min(left, box.x - pitch_of(level) / 2);
      right = std::max(right, box.x + pitch_of(level) / 2);
      begin = std::min(begin, box.y - box.height / 2);
    }
    Frame frame;
    frame.x = (left + right) / 2;
    frame.y = (begin - 3 + bottom) / 2;
    frame.width = right - left + 4;
    frame.height = bottom - begin + 3;
    frame.label = label_of(cluster, level);
    frame.routers = std::move(routers);
    if (!named_[rows_.size() - 1 - level]) {
      if (level == 0) {
        name_below(frame, bottom);
      } else {
        name_above(frame, begin - 9, cluster, level);
      }
    }
    drawing_.frames.push_back(std::move(frame));
  }

  [[nodiscard]] double name_width(std::string_view name) const { return width_of(name) * name_size_ / 11; }

  /// Upright where there is no room for it.
  void name_below(const Frame& frame, double bottom) {
    const double width = name_width(frame.label);
    const bool upright = width > frame.width + 2;
    Text text = {frame.x, bottom + 2 + name_size_, frame.label};
    if (upright) text = {frame.x + 0.32 * name_size_, bottom + 5, frame.label, Text::Anchor::end, -90};
    text.size = name_size_;
    drawing_.texts.push_back(std::move(text));
    bottom_ = std::max(bottom_, bottom + (upright ? width + 8 : name_size_ + 5));
  }

  /// Where there is no room for both names of every frame of the row, the first one, or none.
  void name_above(const Frame& frame, double y, const Cluster& cluster, std::size_t level) {
    const auto label = [&](const Cluster& other) { return name_width(label_of(other, level)); };
    const auto widest = std::ranges::max_element(clusters_[level], {}, label);
    const bool both = label(*widest) <= frame.width;
    const std::string text = both ? frame.label : scene_.labels[rows_[level][cluster.begin]] + " …";
    if (name_width(text) > frame.width + 12) return;
    drawing_.texts.push_back({frame.x, y, text, Text::Anchor::middle, 0, false, name_size_});
  }

  [[nodiscard]] double pitch_of(std::size_t level) const { return drawing_.boxes[rows_[level].front()].width / 0.84; }

  /// "LS0 … LS17".
  [[nodiscard]] std::string label_of(const Cluster& cluster, std::size_t level) const {
    const std::string& first = scene_.labels[rows_[level][cluster.begin]];
    return cluster.end - cluster.begin == 1
               ? first
               : fmt::format("{} … {}", first, scene_.labels[rows_[level][cluster.end - 1]]);
  }

  // --- cables -------------------------------------------------------------------------------------------------------

  void place_cables() {
    std::map<std::pair<int, int>, std::vector<std::size_t>> tiers;
    for (std::size_t i = 0; i < scene_.bundles.size(); ++i) {
      const auto [low, high] = std::minmax(levels_[scene_.bundles[i].from], levels_[scene_.bundles[i].to]);
      tiers[{low, high}].push_back(i);
    }
    for (const auto& [between, bundles] : tiers) {
      const bool inside_pods = between == std::pair{0, 1} && !pods_.empty();
      if (between.first == between.second) {
        for (const std::size_t i : bundles) add_arc(scene_.bundles[i]);
      } else if (bundles.size() <= max_bundles_of_levels || inside_pods) {
        add_each(bundles, bundles.size() > max_bundles_of_levels);
      } else {
        add_bands(bundles, static_cast<std::size_t>(between.first), static_cast<std::size_t>(between.second));
      }
    }
  }

  /// A line for each bundle. Ends are spread along the boxes, in the order of the boxes at the other end.
  void add_each(const std::vector<std::size_t>& bundles, bool faint) {
    std::map<DeviceId, std::vector<std::pair<double, std::size_t>>> ends;
    for (const std::size_t i : bundles) {
      const CableBundle& bundle = scene_.bundles[i];
      ends[bundle.from].emplace_back(drawing_.boxes[bundle.to].x, 2 * i);
      ends[bundle.to].emplace_back(drawing_.boxes[bundle.from].x, 2 * i + 1);
    }
    std::map<std::size_t, double> x;
    for (auto& [router, others] : ends) {
      std::ranges::sort(others);
      // Upwards and downwards apart: a middle row never has both among the same bundles.
      const Box& box = drawing_.boxes[router];
      for (std::size_t i = 0; i < others.size(); ++i) x[others[i].second] = slot(box.x, box.width, i, others.size());
    }
    for (const std::size_t i : bundles) {
      const CableBundle& bundle = scene_.bundles[i];
      const bool up = levels_[bundle.from] < levels_[bundle.to];
      const Box& low = drawing_.boxes[up ? bundle.from : bundle.to];
      const Box& high = drawing_.boxes[up ? bundle.to : bundle.from];
      DrawnBundle drawn = straight(bundle, {x[2 * i + (up ? 0 : 1)], low.y - low.height / 2},
                                   {x[2 * i + (up ? 1 : 0)], high.y + high.height / 2});
      if (!up) drawn.ports = far_ports(network_, bundle);
      drawn.faint = faint;
      drawing_.bundles.push_back(std::move(drawn));
    }
  }

  static double slot(double middle, double width, std::size_t index, std::size_t count) {
    return middle + ((static_cast<double>(index) + 0.5) / static_cast<double>(count) - 0.5) * width * 0.86;
  }

  /// Within a row: over it, the higher the farther.
  void add_arc(const CableBundle& bundle) {
    const Box& a = drawing_.boxes[bundle.from];
    const Box& b = drawing_.boxes[bundle.to];
    const double rise = std::min(20 + std::abs(b.x - a.x) / 5, 80.0);
    DrawnBundle drawn = straight(bundle, {}, {});
    drawn.form = DrawnBundle::Form::curve;
    const double over = std::max(a.y - a.height / 2 - rise, 4.0);
    drawn.points = {{a.x, a.y - a.height / 2}, {a.x, over}, {b.x, over}, {b.x, b.y - b.height / 2}};
    drawing_.bundles.push_back(std::move(drawn));
  }

  /// One line for all bundles between two clusters; a degraded bundle has a line of its own besides.
  void add_bands(const std::vector<std::size_t>& bundles, std::size_t low, std::size_t high) {
    const auto lower_of = cluster_indices(low);
    const auto upper_of = cluster_indices(high);
    std::map<std::pair<std::size_t, std::size_t>, std::vector<PortId>> bands;
    std::vector<std::size_t> alone;
    for (const std::size_t i : bundles) {
      const CableBundle& bundle = scene_.bundles[i];
      if (bundle.degraded) {
        alone.push_back(i);
        continue;
      }
      const bool up = levels_[bundle.from] == low;
      const DeviceId lower = up ? bundle.from : bundle.to;
      auto& ports = bands[{lower_of.at(lower), upper_of.at(up ? bundle.to : bundle.from)}];
      const auto own = up ? bundle.ports : far_ports(network_, bundle);
      ports.insert(ports.end(), own.begin(), own.end());
    }
    std::map<std::size_t, std::vector<std::size_t>> above, below;
    for (const auto& [ends, ports] : bands)
      above[ends.first].push_back(ends.second), below[ends.second].push_back(ends.first);
    for (auto& [ends, ports] : bands) {
      DrawnBundle drawn;
      drawn.points = {band_end(low, ends.first, above[ends.first], ends.second, true),
                      band_end(high, ends.second, below[ends.second], ends.first, false)};
      drawn.ports = std::move(ports);
      drawing_.bundles.push_back(std::move(drawn));
      drawing_.remark = "a line between two frames: all cables between them";
    }
    add_each(alone, false);
  }

  [[nodiscard]] std::map<DeviceId, std::size_t> cluster_indices(std::size_t level) const {
    std::map<DeviceId, std::size_t> found;
    for (std::size_t c = 0; c < clusters_[level].size(); ++c) {
      for (std::size_t i = clusters_[level][c].begin; i < clusters_[level][c].end; ++i) found[rows_[level][i]] = c;
    }
    return found;
  }

  /// Where a band begins or ends: spread along its cluster, in the order of the clusters at the other ends.
  [[nodiscard]] Point band_end(std::size_t level, std::size_t cluster, const std::vector<std::size_t>& others,
                               std::size_t other, bool at_top) const {
    const Cluster& own = clusters_[level][cluster];
    const Box& first = drawing_.boxes[rows_[level][own.begin]];
    const Box& last = drawing_.boxes[rows_[level][own.end - 1]];
    const auto place = static_cast<std::size_t>(std::ranges::lower_bound(others, other) - others.begin());
    const double pad = own.end - own.begin > 1 ? 3 : 0;
    return {slot((first.x + last.x) / 2, last.x - first.x + first.width, place, others.size()),
            first.y + (at_top ? -first.height / 2 - pad : first.height / 2 + pad)};
  }

  const Network& network_;
  const Scene& scene_;
  const Levels& levels_;
  std::vector<Row> rows_;                       // by level
  std::vector<std::array<Cluster, 2>> pods_;    // each one's leaves and routers above them
  std::vector<std::vector<Cluster>> clusters_;  // by level
  std::vector<bool> named_;  // by level, from the roots down: its routers have their names next to them
  Drawing drawing_;
  double span_ = 0;   // width of a row
  double pitch_ = 0;  // distance of routers in the row that was placed last
  double bottom_ = 0;
  double name_size_ = 11;  // of frames and levels
  bool upright_labels_ = false;
  bool dotted_ = false;
};

}  // namespace

Drawing tree_layout(const Network& network, const Scene& scene, const Levels& levels) {
  return TreeLayout(network, scene, levels).lay_out();
}

}  // namespace ayatori::drawing
