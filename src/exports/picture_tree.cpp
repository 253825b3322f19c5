#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "ayatori/base/text.hpp"
#include "picture.hpp"

namespace ayatori::exports {

namespace {

using Row = std::vector<std::uint32_t>;  // routers from left to right

constexpr double left_margin = 76;  // for the names of the levels
constexpr double right_margin = 16;
constexpr double top = 20;
constexpr std::size_t few = 14;  // routers a row that leave room for thick lines
constexpr std::size_t max_dots = 2500;

class TreeLayout {
 public:
  TreeLayout(const Scene& scene, const Levels& levels) : scene_(scene), levels_(levels) {}

  Picture lay_out() {
    arrange_rows();
    picture_.boxes.resize(scene_.routers.size());
    const std::size_t widest = std::ranges::max(rows_, {}, &Row::size).size();
    span_ = widest <= 22 ? std::max(620.0, static_cast<double>(widest) * 64)
                         : std::clamp(static_cast<double>(widest) * 14, 1400.0, 4000.0);
    picture_.width = left_margin + span_ + right_margin;
    picture_.thickness = widest <= few ? 1.4 : widest <= 60 ? 0.9 : 0.5;
    picture_.opacity = widest <= few ? 1 : scene_.bundles.size() <= 1500 ? 0.6 : 0.3;
    double y = top;
    for (std::size_t level = rows_.size(); level-- > 0;) {
      place_row(level, y);
      y += gap(level);
    }
    place_hosts();
    place_cables();
    return std::move(picture_);
  }

 private:
  /// From the leaves up, each row in the order of what is below it.
  void arrange_rows() {
    rows_.resize(levels_.count);
    for (std::uint32_t i = 0; i < scene_.routers.size(); ++i) rows_[level_of(i)].push_back(i);
    const auto by_name = [&](auto a, auto b) { return natural_less(scene_.routers[a].name, scene_.routers[b].name); };
    for (Row& row : rows_) std::ranges::stable_sort(row, by_name);
    for (std::size_t level = 0; level + 1 < rows_.size(); ++level) keep_blocks_together(level);
  }

  [[nodiscard]] std::uint8_t level_of(std::uint32_t router) const {
    return levels_.level[scene_.routers[router].router];
  }

  /// Sorts a row and the one above by the parts that cables between the two make, for instance pods.
  void keep_blocks_together(std::size_t level) {
    std::vector<std::uint32_t> part(scene_.routers.size());
    std::iota(part.begin(), part.end(), 0);
    const auto root = [&](std::uint32_t i) {
      while (part[i] != i) i = part[i] = part[part[i]];
      return i;
    };
    for (const CableBundle& bundle : scene_.bundles) {
      if (std::min(level_of(bundle.from), level_of(bundle.to)) == level) part[root(bundle.from)] = root(bundle.to);
    }
    std::map<std::uint32_t, std::size_t> first;  // where a part begins in the lower row
    for (std::size_t i = 0; i < rows_[level].size(); ++i) first.try_emplace(root(rows_[level][i]), i);
    const auto begin_of = [&](std::uint32_t i) {
      const auto found = first.find(root(i));
      return found == first.end() ? scene_.routers.size() : found->second;
    };
    if (level == 0) std::ranges::stable_sort(rows_[0], {}, begin_of);
    std::ranges::stable_sort(rows_[level + 1], {}, begin_of);
  }

  [[nodiscard]] double gap(std::size_t level) const {
    if (level == 0) return 0;
    const double wanted = span_ / 5;
    return std::clamp(wanted, 130.0, rows_.size() > 2 ? 230.0 : 260.0);
  }

  void place_row(std::size_t level, double y) {
    const Row& row = rows_[level];
    const double pitch = span_ / static_cast<double>(row.size());
    const double width = std::min(pitch * 0.84, 92.0);
    std::size_t longest = 0;
    for (const std::uint32_t router : row) longest = std::max(longest, scene_.labels[router].size());
    const double needed = static_cast<double>(longest) * letter;
    const bool inside = needed + 6 <= width;
    const bool above = !inside && level > 0 && needed + 4 <= pitch;
    const double height = inside ? 22 : 10;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const double x = left_margin + (static_cast<double>(i) + 0.5) * pitch;
      picture_.boxes[row[i]] = {x, y, width, height};
      if (inside) picture_.texts.push_back({x, y + 4, scene_.labels[row[i]], Text::Anchor::middle, 0, true});
      if (above) picture_.texts.push_back({x, y - 9, scene_.labels[row[i]]});
    }
    if (level == 0) upright_labels_ = !inside && pitch >= 11;
    picture_.texts.push_back({left_margin - 12, y + 4, level_name(level), Text::Anchor::end});
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
    std::size_t all = 0;
    for (const auto& hosts : scene_.hosts) {
      crowd = std::max(crowd, hosts.size());
      all += hosts.size();
    }
    const Row& leaves = rows_.front();
    const double pitch = span_ / static_cast<double>(leaves.size());
    const double room = std::min(pitch - 2, 100.0);
    auto columns = std::min<std::size_t>({crowd, 8, static_cast<std::size_t>(std::max(1.0, room / 6.5))});
    columns = std::max<std::size_t>(columns, 1);
    const std::size_t lines = (crowd + columns - 1) / columns;
    const bool dotted = room >= 6 && lines <= 12 && all <= max_dots;
    const double step = std::min(room / static_cast<double>(columns), 15.0);
    picture_.dot = std::min(step * 0.38, 5.0);
    const Box& leaf = picture_.boxes[leaves.front()];
    const double begin = leaf.y + leaf.height / 2 + 6;
    double end = begin + (dotted ? static_cast<double>(lines) * step + 4 : 0);
    if (dotted && all > 0) {
      picture_.texts.push_back({left_margin - 12, (begin + end) / 2 + 2, "hosts", Text::Anchor::end});
    }
    for (std::uint32_t router = 0; dotted && router < scene_.routers.size(); ++router) {
      place_dots(router, columns, step);
    }
    if (upright_labels_) {
      end = write_upright(leaves, end, !dotted);
    } else if (!dotted) {
      end = write_sums(leaves, end, pitch);
    }
    picture_.height = end + 6;
  }

  void place_dots(std::uint32_t router, std::size_t columns, double step) {
    const auto& hosts = scene_.hosts[router];
    const Box& box = picture_.boxes[router];
    const auto across = static_cast<double>(std::min(columns, hosts.size()));
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      const double x = box.x + (static_cast<double>(i % columns) - (across - 1) / 2) * step;
      const double y = box.y + box.height / 2 + 6 + (static_cast<double>(i / columns) + 0.5) * step;
      picture_.dots.push_back({x, y, hosts[i]});
    }
  }

  /// Labels that read upwards; gives where they end.
  double write_upright(const Row& leaves, double y, bool with_hosts) {
    std::size_t longest = 0;
    for (const std::uint32_t router : leaves) {
      std::string label = scene_.labels[router];
      if (with_hosts) label += ", " + hosts_in_words(scene_.hosts[router].size());
      longest = std::max(longest, label.size());
      picture_.texts.push_back({picture_.boxes[router].x + 3.5, y + 2, std::move(label), Text::Anchor::end, -90});
    }
    return y + static_cast<double>(longest) * letter + 6;
  }

  double write_sums(const Row& leaves, double y, double pitch) {
    std::size_t least = scene_.hosts[leaves.front()].size();
    std::size_t most = least;
    for (const std::uint32_t router : leaves) {
      least = std::min(least, scene_.hosts[router].size());
      most = std::max(most, scene_.hosts[router].size());
      if (pitch >= 56) {
        const Box& box = picture_.boxes[router];
        picture_.texts.push_back({box.x, y + 10, hosts_in_words(scene_.hosts[router].size())});
      }
    }
    if (pitch < 56) {
      const std::string each = least == most ? hosts_in_words(most) : fmt::format("{} to {} hosts", least, most);
      picture_.texts.push_back({left_margin + span_ / 2, y + 10, each + " on each leaf"});
    }
    return y + 16;
  }

  /// Ends are spread along the boxes, in the order of the boxes at the other end.
  void place_cables() {
    std::vector<std::vector<std::pair<double, std::size_t>>> above(scene_.routers.size());
    auto below = above;
    for (std::size_t i = 0; i < scene_.bundles.size(); ++i) {
      const auto [lower, upper] = ends(i);
      above[lower].emplace_back(picture_.boxes[upper].x, i);
      below[upper].emplace_back(picture_.boxes[lower].x, i);
    }
    std::vector<double> lower_x(scene_.bundles.size());
    std::vector<double> upper_x(scene_.bundles.size());
    for (std::uint32_t router = 0; router < scene_.routers.size(); ++router) {
      spread(router, above[router], lower_x);
      spread(router, below[router], upper_x);
    }
    for (std::size_t i = 0; i < scene_.bundles.size(); ++i) {
      const Box& low = picture_.boxes[ends(i).first];
      const Box& high = picture_.boxes[ends(i).second];
      picture_.strands.push_back(
          {i, straight(lower_x[i], low.y - low.height / 2, upper_x[i], high.y + high.height / 2)});
    }
  }

  void spread(std::uint32_t router, std::vector<std::pair<double, std::size_t>>& others, std::vector<double>& x) const {
    std::ranges::sort(others);
    const Box& box = picture_.boxes[router];
    for (std::size_t i = 0; i < others.size(); ++i) {
      const double share = (static_cast<double>(i) + 0.5) / static_cast<double>(others.size()) - 0.5;
      x[others[i].second] = box.x + share * box.width * 0.86;
    }
  }

  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> ends(std::size_t bundle) const {
    const auto [from, to] = std::pair(scene_.bundles[bundle].from, scene_.bundles[bundle].to);
    return level_of(from) < level_of(to) ? std::pair(from, to) : std::pair(to, from);
  }

  const Scene& scene_;
  const Levels& levels_;
  Picture picture_;
  std::vector<Row> rows_;  // by level
  double span_ = 0;        // width of a row
  bool upright_labels_ = false;
};

}  // namespace

Picture tree_picture(const Scene& scene, const Levels& levels) { return TreeLayout(scene, levels).lay_out(); }

}  // namespace ayatori::exports
