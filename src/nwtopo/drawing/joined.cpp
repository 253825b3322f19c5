#include "joined.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <tuple>

namespace ayatori::drawing {

namespace {

class SetMaker {
 public:
  explicit SetMaker(const Scene& scene) : scene_(scene) { made_.set_of.resize(scene.size()); }

  void add(Row routers, std::string label) {
    for (const DeviceId router : routers) made_.set_of[router] = static_cast<std::uint32_t>(made_.sets.size());
    made_.sets.push_back(std::move(routers));
    made_.labels.push_back(std::move(label));
  }

  /// "LS0 … LS17", the first and the last one of the row.
  void add(Row routers) {
    const std::string& first = scene_.labels[routers.front()];
    const std::string& last = scene_.labels[routers.back()];
    std::string label = routers.size() == 1 ? first : fmt::format("{} … {}", first, last);
    add(std::move(routers), std::move(label));
  }

  RouterSets take() { return std::move(made_); }

 private:
  const Scene& scene_;
  RouterSets made_;
};

/// The length of `max_sets` runs of `count` things, or of fewer.
std::size_t run_length(std::size_t count, std::size_t max_sets) { return (count + max_sets - 1) / max_sets; }

/// Pods in which each of the two lowest rows has routers, in runs; nothing if there are none.
std::vector<std::array<Row, 2>> pods_of(const Scene& scene, const std::vector<Row>& rows, std::size_t max_sets) {
  const auto parts = parts_between(scene, rows[0], rows[1]);
  std::vector<bool> is_leaf(scene.size());
  for (const DeviceId router : rows[0]) is_leaf[router] = true;
  std::vector<std::array<Row, 2>> pods;
  const std::size_t length = run_length(parts.size(), max_sets);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i % length == 0) pods.emplace_back();
    for (const DeviceId router : parts[i]) pods.back()[is_leaf[router] ? 0 : 1].push_back(router);
  }
  const auto has_both = [](const auto& pod) { return !pod[0].empty() && !pod[1].empty(); };
  return pods.size() > 1 && std::ranges::all_of(pods, has_both) ? pods : std::vector<std::array<Row, 2>>{};
}

/// How many neighbouring coordinates a block takes in each dimension: as few as leave max_blocks blocks.
std::vector<std::size_t> block_lengths(const std::vector<std::uint32_t>& dimensions, std::size_t max_blocks) {
  std::vector<std::size_t> lengths(dimensions.size(), 1);
  const auto blocks_along = [&](std::size_t i) { return (dimensions[i] + lengths[i] - 1) / lengths[i]; };
  const auto blocks = [&] {
    std::size_t count = 1;
    for (std::size_t i = 0; i < lengths.size(); ++i) count *= blocks_along(i);
    return count;
  };
  while (blocks() > max_blocks) {
    std::size_t longest = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i) longest = blocks_along(i) > blocks_along(longest) ? i : longest;
    lengths[longest] *= 2;
  }
  return lengths;
}

/// From the middle of a box's upper side and back to it.
std::vector<Point> loop_at(const Box& box) {
  const double half = std::max(box.width / 4, 2.0);
  const double top = box.y - box.height / 2;
  const double rise = std::clamp(box.width, 12.0, 24.0);
  return {
      {box.x - half, top}, {box.x - 2 * half - 4, top - rise}, {box.x + 2 * half + 4, top - rise}, {box.x + half, top}};
}

std::string set_in_words(const Scene& scene, const RouterSets& sets, std::size_t set) {
  const Row& routers = sets.sets[set];
  if (routers.size() == 1) return scene.names[routers.front()];
  std::size_t hosts = 0;
  for (const DeviceId router : routers) hosts += scene.endpoints[router].size();
  const std::string with_hosts = hosts > 0 ? fmt::format(", {}", hosts_in_words(hosts)) : "";
  const std::string ends = fmt::format("{} … {}", scene.names[routers.front()], scene.names[routers.back()]);
  const std::string name = sets.labels[set] == ends ? ends : sets.labels[set] + ": " + ends;
  return fmt::format("{}, {} routers{}", name, routers.size(), with_hosts);
}

}  // namespace

RouterSets sets_of_tree(const Scene& scene, const std::vector<Row>& rows, std::size_t max_sets) {
  SetMaker sets(scene);
  const auto pods = rows.size() > 2 ? pods_of(scene, rows, max_sets) : std::vector<std::array<Row, 2>>{};
  for (const auto& pod : pods) {
    for (const Row& routers : pod) sets.add(routers);
  }
  for (std::size_t level = pods.empty() ? 0 : 2; level < rows.size(); ++level) {
    for (const Cluster& cluster : clusters_of_row(scene, rows, level, max_sets)) {
      const auto begin = rows[level].begin();
      sets.add(
          Row(begin + static_cast<std::ptrdiff_t>(cluster.begin), begin + static_cast<std::ptrdiff_t>(cluster.end)));
    }
  }
  return sets.take();
}

RouterSets sets_of_grid(const Scene& scene, const GridPoints& grid, std::size_t max_blocks, GridPoints& blocks) {
  const auto lengths = block_lengths(grid.dimensions, max_blocks);
  blocks = {grid.dimensions, {}, grid.full_rows};
  std::size_t count = 1;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    blocks.dimensions[i] = static_cast<std::uint32_t>((grid.dimensions[i] + lengths[i] - 1) / lengths[i]);
    count *= blocks.dimensions[i];
  }
  std::vector<Row> rows(count);
  for (std::size_t point = 0; point < grid.at.size(); ++point) {
    std::size_t rest = point;
    std::size_t block = 0;
    std::size_t stride = 1;
    for (std::size_t i = lengths.size(); i-- > 0; rest /= grid.dimensions[i]) {
      block += rest % grid.dimensions[i] / lengths[i] * stride;
      stride *= blocks.dimensions[i];
    }
    rows[block].push_back(grid.at[point]);
  }
  blocks.at.resize(count);
  std::iota(blocks.at.begin(), blocks.at.end(), 0);
  SetMaker sets(scene);
  for (Row& row : rows) sets.add(std::move(row));
  return sets.take();
}

RouterSets sets_of_groups(const Scene& scene, const std::vector<RouterGroup>& groups, std::size_t max_sets) {
  SetMaker sets(scene);
  const std::size_t length = run_length(groups.size(), max_sets);
  for (std::size_t first = 0; first < groups.size(); first += length) {
    const std::size_t end = std::min(first + length, groups.size());
    Row routers;
    for (std::size_t i = first; i < end; ++i) {
      for (const Row* row : {&groups[i].routers, &groups[i].spines}) {
        routers.insert(routers.end(), row->begin(), row->end());
      }
    }
    sets.add(std::move(routers),
             end - first == 1 ? fmt::format("group {}", first) : fmt::format("groups {} … {}", first, end - 1));
  }
  return sets.take();
}

RouterSets sets_of_row(const Scene& scene, const Row& order, std::size_t max_sets) {
  SetMaker sets(scene);
  const std::size_t length = run_length(order.size(), max_sets);
  for (std::size_t i = 0; i < order.size(); i += length) {
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(i);
    sets.add(Row(begin, begin + static_cast<std::ptrdiff_t>(std::min(length, order.size() - i))));
  }
  return sets.take();
}

Scene join(const Network& network, const Scene& scene, const RouterSets& sets) {
  Scene joined;
  joined.names = sets.labels;
  joined.labels = sets.labels;
  for (const Row& routers : sets.sets) {
    auto& endpoints = joined.endpoints.emplace_back();
    for (const DeviceId router : routers) {
      endpoints.insert(endpoints.end(), scene.endpoints[router].begin(), scene.endpoints[router].end());
    }
  }
  std::map<std::tuple<std::uint32_t, std::uint32_t, bool>, CableBundle> bundles;
  for (const CableBundle& bundle : scene.bundles) {
    const std::uint32_t from = sets.set_of[bundle.from];
    const std::uint32_t to = sets.set_of[bundle.to];
    if (from == to) continue;
    const auto [low, high] = std::minmax(from, to);
    CableBundle& all = bundles[{low, high, bundle.degraded}];
    all.from = low;
    all.to = high;
    all.degraded = bundle.degraded;
    const auto ports = from == low ? bundle.ports : far_ports(network, bundle);
    all.ports.insert(all.ports.end(), ports.begin(), ports.end());
  }
  for (auto& [key, bundle] : bundles) joined.bundles.push_back(std::move(bundle));
  return joined;
}

void finish_joined(const Network& network, const Scene& scene, const RouterSets& sets, Drawing& drawing) {
  std::map<std::pair<std::uint32_t, bool>, DrawnBundle> loops;
  for (const CableBundle& bundle : scene.bundles) {
    const std::uint32_t set = sets.set_of[bundle.from];
    if (set != sets.set_of[bundle.to]) continue;
    DrawnBundle& loop = loops[{set, bundle.degraded}];
    loop.form = DrawnBundle::Form::curve;
    loop.degraded = bundle.degraded;
    loop.ports.insert(loop.ports.end(), bundle.ports.begin(), bundle.ports.end());
  }
  for (auto& [key, loop] : loops) {
    loop.points = loop_at(drawing.boxes[key.first]);
    drawing.bundles.push_back(std::move(loop));
  }
  drawing.box_of = sets.set_of;
  for (std::size_t set = 0; set < sets.sets.size(); ++set) drawing.box_names.push_back(set_in_words(scene, sets, set));
  drawing.remark = fmt::format(
      "{} routers are too many to show one by one: a box stands for several, a line for all cables between two boxes{}",
      network.router_count(), loops.empty() ? "" : ", a loop for those inside a box");
}

}  // namespace ayatori::drawing
