#include "tree_paths.hpp"

#include <algorithm>
#include <limits>

namespace ayatori {

namespace {

/// More than any LMC can address, and enough for every tree that the LID space holds.
constexpr std::size_t max_trails = 1024;
/// Bounds the table from (root, choices) to path in graphs that are trees of levels only formally.
constexpr std::size_t max_keys = std::size_t{1} << 22;

constexpr PathNumber no_path = std::numeric_limits<PathNumber>::max();

/// The first of each list, then the second of each, …
template <typename T>
std::vector<T> round_robin(const std::vector<std::vector<T>>& lists) {
  std::size_t longest = 0;
  for (const auto& list : lists) longest = std::max(longest, list.size());
  std::vector<T> merged;
  for (std::size_t index = 0; index < longest; ++index) {
    for (const auto& list : lists) {
      if (index < list.size() && merged.size() < max_trails) merged.push_back(list[index]);
    }
  }
  return merged;
}

}  // namespace

TreePaths::TreePaths(const RouterGraph& graph, const Levels& levels)
    : graph_(graph), levels_(levels), trails_(graph.size()), choices_(levels.count, 1), ports_below_(levels.count, 1) {
  std::vector<DeviceId> by_level;
  for (DeviceId router = 0; router < graph.size(); ++router) {
    if (!levels.idle[router]) by_level.push_back(router);
  }
  std::stable_sort(by_level.begin(), by_level.end(),
                   [&](DeviceId a, DeviceId b) { return levels.level[a] > levels.level[b]; });
  find_roots(by_level);
  for (auto begin = by_level.begin(); begin != by_level.end();) {
    const std::uint8_t level = levels.level[*begin];
    const auto end = std::find_if(begin, by_level.end(), [&](DeviceId r) { return levels.level[r] != level; });
    find_trails({begin, end}, level);
    begin = end;
  }
  number_paths();
  up_.assign(graph.size() * count_, none);
  for (DeviceId router = 0; router < graph.size(); ++router) note_trails_of(router);
  trails_ = {};
}

void TreePaths::find_roots(std::span<const DeviceId> from_the_top) {
  std::vector<std::size_t> max_up(levels_.count, 1);
  for (const DeviceId router : from_the_top) {
    const std::size_t up = cables_up(router).size();
    max_up[levels_.level[router]] = std::max(max_up[levels_.level[router]], up);
    if (up == 0) roots_.push_back(router);
  }
  for (std::uint8_t level = 1; level < levels_.count; ++level) {
    const std::uint64_t ports = std::uint64_t{ports_below_[level - 1U]} * max_up[level - 1U];
    ports_below_[level] = static_cast<std::uint32_t>(std::min<std::uint64_t>(ports, no_path));
  }
}

/// First cables first, so that a router's own parents alternate.
std::vector<std::uint8_t> TreePaths::cables_up(DeviceId router) const {
  const auto cables = graph_.cables(router);
  std::vector<std::uint8_t> up;
  for (std::size_t i = 0; i < cables.size(); ++i) {
    const DeviceId peer = cables[i].peer;
    if (levels_.level[peer] > levels_.level[router] && !levels_.idle[peer]) up.push_back(static_cast<std::uint8_t>(i));
  }
  std::stable_sort(up.begin(), up.end(), [&](auto a, auto b) { return cables[a].parallel < cables[b].parallel; });
  return up;
}

void TreePaths::find_trails(std::span<const DeviceId> on_level, std::uint8_t level) {
  const std::uint32_t choices_above = level + 1 < levels_.count ? choices_[level + 1U] : 1;
  choices_[level] = choices_above;
  for (const DeviceId router : on_level) {
    trails_[router] = trails_of(router, choices_above);
    for (const Trail& trail : trails_[router].list) {
      const std::uint32_t here = trail.choices / choices_above + 1;
      choices_[level] = std::max(choices_[level], here * choices_above);
    }
  }
}

TreePaths::Trails TreePaths::trails_of(DeviceId router, std::uint32_t choices_above) const {
  const auto up = cables_up(router);
  if (up.empty()) return {{{root_index(router), 0, none}}, {root_index(router)}};

  const std::uint64_t max_choices = max_keys / roots_.size();
  std::vector<std::uint32_t> cables_to(roots_.size(), 0);
  std::vector<std::vector<Trail>> by_cable;
  for (const std::uint8_t cable : up) {
    const Trails& above = trails_[graph_.cables(router)[cable].peer];
    by_cable.emplace_back();
    for (const Trail& trail : above.list) {
      const std::uint64_t choices = std::uint64_t{cables_to[trail.root]} * choices_above + trail.choices;
      if (choices >= max_choices) continue;
      by_cable.back().push_back({trail.root, static_cast<std::uint32_t>(choices), cable});
    }
    for (const std::uint32_t root : above.roots) ++cables_to[root];
  }

  Trails trails{round_robin(by_cable), {}};
  for (std::uint32_t root = 0; root < roots_.size(); ++root) {
    if (cables_to[root] > 0) trails.roots.push_back(root);
  }
  return trails;
}

std::uint32_t TreePaths::root_index(DeviceId router) const {
  return static_cast<std::uint32_t>(std::find(roots_.begin(), roots_.end(), router) - roots_.begin());
}

void TreePaths::number_paths() {
  std::vector<DeviceId> leaves;
  for (DeviceId router = 0; router < graph_.size(); ++router) {
    if (levels_.level[router] == 0 && !levels_.idle[router]) leaves.push_back(router);
  }
  std::stable_sort(leaves.begin(), leaves.end(),
                   [&](DeviceId a, DeviceId b) { return trails_[a].list.size() > trails_[b].list.size(); });
  path_of_.assign(roots_.size() * choices_[0], no_path);
  for (const DeviceId leaf : leaves) {
    for (const Trail& trail : trails_[leaf].list) {
      PathNumber& path = path_of_[std::size_t{trail.root} * choices_[0] + trail.choices];
      if (path != no_path) continue;
      path = count_++;
      root_of_.push_back(trail.root);
      choices_of_.push_back(trail.choices);
    }
  }
}

/// A router above the leaves does not depend on what was chosen below it.
void TreePaths::note_trails_of(DeviceId router) {
  const std::uint32_t own_choices = choices_[levels_.level[router]];
  for (const Trail& trail : trails_[router].list) {
    for (std::uint32_t choices = trail.choices; choices < choices_[0]; choices += own_choices) {
      const PathNumber path = path_of_[std::size_t{trail.root} * choices_[0] + choices];
      if (path != no_path) up_[std::size_t{router} * count_ + path] = trail.cable;
    }
  }
}

std::vector<PathNumber> TreePaths::of(DeviceId router) const {
  const std::uint32_t own_root = root_index(router);
  std::vector<PathNumber> paths;
  for (PathNumber path = 0; path < count_; ++path) {
    if (root_of_[path] == own_root || up(router, path) != nullptr) paths.push_back(path);
  }
  if (paths.empty()) paths.push_back(0);
  return paths;
}

}  // namespace ayatori
