#include <algorithm>
#include <map>
#include <optional>

#include "layout.hpp"

namespace ayatori::drawing {

namespace {

using Pair = std::pair<DeviceId, DeviceId>;  // the lower id first

/// Counts the cables of pairs of routers, and reports those that have fewer than most.
class PairCounter {
 public:
  explicit PairCounter(const Scene& scene) {
    for (const CableBundle& bundle : scene.bundles) {
      cables_[std::minmax(bundle.from, bundle.to)] += static_cast<std::uint32_t>(bundle.ports.size());
    }
  }

  /// Adds the incomplete ones among pairs that are alike. Where most have no cable, the shape is not what we took it
  /// for, and nothing is missing.
  void add_missing(const std::vector<Pair>& pairs, std::vector<MissingCables>& missing) const {
    std::map<std::uint32_t, std::size_t> frequency;
    for (const Pair& pair : pairs) ++frequency[count(pair)];
    if (frequency.empty()) return;
    const auto usual = std::ranges::max_element(frequency, {}, [](const auto& entry) { return entry.second; });
    if (usual->first == 0 || 2 * usual->second < pairs.size()) return;
    for (const Pair& pair : pairs) {
      if (count(pair) < usual->first) missing.push_back({pair.first, pair.second, count(pair), usual->first, {}});
    }
  }

 private:
  [[nodiscard]] std::uint32_t count(const Pair& pair) const {
    const auto found = cables_.find(std::minmax(pair.first, pair.second));
    return found == cables_.end() ? 0 : found->second;
  }

  std::map<Pair, std::uint32_t> cables_;
};

}  // namespace

std::vector<MissingCables> missing_in_tree(const Scene& scene, const std::vector<Row>& rows) {
  const PairCounter counter(scene);
  std::vector<MissingCables> missing;
  for (std::size_t level = 0; level + 1 < rows.size(); ++level) {
    std::vector<bool> is_upper(scene.size());
    for (const DeviceId router : rows[level + 1]) is_upper[router] = true;
    for (const Row& part : parts_between(scene, rows[level], rows[level + 1])) {
      const auto uppers = static_cast<std::size_t>(std::ranges::count_if(part, [&](auto id) { return is_upper[id]; }));
      if (uppers * (part.size() - uppers) > 2 * scene.bundles.size()) continue;  // most have no cable
      std::vector<Pair> pairs;
      for (const DeviceId lower : part) {
        for (const DeviceId upper : part) {
          if (!is_upper[lower] && is_upper[upper]) pairs.emplace_back(lower, upper);
        }
      }
      counter.add_missing(pairs, missing);
    }
  }
  return missing;
}

std::vector<MissingCables> missing_in_grid(const Scene& scene, const GridPoints& grid,
                                           const std::vector<bool>& periodic) {
  const PairCounter counter(scene);
  std::vector<Pair> pairs;
  std::size_t stride = grid.at.size();
  for (std::size_t i = 0; i < grid.dimensions.size(); ++i) {
    const std::size_t length = grid.dimensions[i];
    stride /= length;
    for (std::size_t point = 0; point < grid.at.size(); ++point) {
      const std::size_t here = point / stride % length;
      const auto at = [&](std::size_t there) { return grid.at[point + there * stride - here * stride]; };
      const std::size_t last = grid.full_rows ? length : std::min(here + 2, length);
      for (std::size_t there = here + 1; there < last; ++there) pairs.emplace_back(at(here), at(there));
      if (!grid.full_rows && periodic[i] && here == 0 && length > 2) pairs.emplace_back(at(0), at(length - 1));
    }
  }
  std::vector<MissingCables> missing;
  counter.add_missing(pairs, missing);
  return missing;
}

std::vector<MissingCables> missing_in_groups(const Scene& scene, const std::vector<RouterGroup>& groups) {
  const PairCounter counter(scene);
  std::vector<Pair> pairs;
  for (const auto& [routers, spines] : groups) {
    const Row& others = spines.empty() ? routers : spines;
    for (std::size_t i = 0; i < routers.size(); ++i) {
      for (std::size_t j = spines.empty() ? i + 1 : 0; j < others.size(); ++j) {
        pairs.emplace_back(routers[i], others[j]);
      }
    }
  }
  std::vector<MissingCables> missing;
  counter.add_missing(pairs, missing);
  return missing;
}

}  // namespace ayatori::drawing
