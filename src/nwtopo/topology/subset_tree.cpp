#include <algorithm>
#include <numeric>
#include <set>

#include "router_parts.hpp"

namespace ayatori {

namespace {

using Router = std::uint32_t;

/// Disjoint sets (union-find with path halving).
class Blocks {
 public:
  explicit Blocks(std::size_t size) : parent_(size) { std::iota(parent_.begin(), parent_.end(), 0); }

  std::uint32_t find(std::uint32_t item) {
    while (parent_[item] != item) item = parent_[item] = parent_[parent_[item]];
    return item;
  }
  void join(std::uint32_t a, std::uint32_t b) { parent_[find(a)] = find(b); }

 private:
  std::vector<std::uint32_t> parent_;
};

/// Routers of heights up to h that hang together form a block. A path between two blocks of height h − 1 climbs to
/// height h at least; if the two lie in one block of height h, and one router of that height is above all the machines
/// in it, then the shortest paths between them climb to height h exactly, straight up and straight down again. So a
/// router is the highest point of shortest paths if and only if it is above machines in two blocks of the height below
/// it.
///
/// Groups of machines are blocks too, the lowest; their numbers come after those of the routers.
class PathsInTree {
 public:
  PathsInTree(const UpRouters& all, std::span<const Router> routers, std::span<const MachineGroup> groups)
      : all_(all),
        routers_(routers),
        groups_(groups),
        blocks_(all.size() + groups.size()),
        has_machines_(all.size()),
        is_above_block_(all.size()),
        holds_machines_(all.size() + groups.size()),
        turns_(all.size()) {
    std::fill(holds_machines_.begin() + static_cast<std::ptrdiff_t>(all.size()), holds_machines_.end(), true);
  }

  [[nodiscard]] bool find_turns();
  void mark(std::vector<bool>& marked) const;

 private:
  struct Below {
    std::set<std::uint32_t> blocks;   ///< with machines of ours below the router
    std::set<std::uint32_t> covered;  ///< those all of whose machines are
  };

  [[nodiscard]] bool is_levelled() const;
  void list_levels();
  [[nodiscard]] Below look_below(Router router);
  [[nodiscard]] std::vector<std::uint32_t> join(std::span<const Router> level);
  [[nodiscard]] bool climb(std::span<const Router> level);

  const UpRouters& all_;
  std::span<const Router> routers_;
  std::span<const MachineGroup> groups_;
  std::vector<std::vector<Router>> levels_;            // routers by height − 1
  std::vector<std::vector<std::uint32_t>> groups_of_;  // by router
  Blocks blocks_;                                      // up to the height that has been climbed
  std::vector<bool> has_machines_;                     // by router: ours, below it
  std::vector<bool> is_above_block_;                   // by router: above all of ours in its block
  std::vector<bool> holds_machines_;                   // by block: ours
  std::vector<bool> turns_;                            // by router
};

/// Machines hang on the lowest routers only, and cables lead one level up or down.
bool PathsInTree::is_levelled() const {
  for (const MachineGroup& group : groups_) {
    if (std::ranges::any_of(group.routers, [&](Router router) { return all_.height(router) != 1; })) return false;
  }
  return std::ranges::all_of(routers_, [&](Router router) {
    return std::ranges::all_of(all_.neighbours(router), [&](Router other) {
      return all_.height(other) + 1 == all_.height(router) || all_.height(router) + 1 == all_.height(other);
    });
  });
}

void PathsInTree::list_levels() {
  groups_of_.resize(all_.size());
  for (std::uint32_t i = 0; i < groups_.size(); ++i) {
    for (const Router router : groups_[i].routers) groups_of_[router].push_back(i);
  }
  for (const Router router : routers_) {
    const std::uint32_t height = all_.height(router);
    if (levels_.size() < height) levels_.resize(height);
    levels_[height - 1].push_back(router);
  }
}

PathsInTree::Below PathsInTree::look_below(Router router) {
  Below below;
  for (const std::uint32_t group : groups_of_[router]) {
    const auto block = static_cast<std::uint32_t>(all_.size() + group);
    below.blocks.insert(block);
    below.covered.insert(block);
    if (groups_[group].machines > 1) turns_[router] = true;
  }
  for (const Router other : all_.neighbours(router)) {
    if (all_.height(other) > all_.height(router) || !has_machines_[other]) continue;
    below.blocks.insert(blocks_.find(other));
    if (is_above_block_[other]) below.covered.insert(blocks_.find(other));
  }
  return below;
}

/// Joins what hangs on the routers of a level. Gives for each block how many of those before it took in that have
/// machines of ours; not only those whose machines lie below: a path may lead down and up again.
std::vector<std::uint32_t> PathsInTree::join(std::span<const Router> level) {
  std::set<std::uint32_t> joined;
  const auto visit_below = [&](Router router, auto visit) {
    for (const std::uint32_t group : groups_of_[router]) visit(static_cast<std::uint32_t>(all_.size() + group));
    for (const Router other : all_.neighbours(router)) {
      if (all_.height(other) < all_.height(router)) visit(other);
    }
  };
  for (const Router router : level) {
    visit_below(router, [&](std::uint32_t item) {
      if (holds_machines_[blocks_.find(item)]) joined.insert(blocks_.find(item));
    });
  }
  for (const Router router : level) {
    visit_below(router, [&](std::uint32_t item) { blocks_.join(item, router); });
  }
  std::vector<std::uint32_t> blocks_in(holds_machines_.size());
  for (const std::uint32_t block : joined) {
    ++blocks_in[blocks_.find(block)];
    holds_machines_[blocks_.find(block)] = true;
  }
  return blocks_in;
}

/// Finds what turns on a level, and joins its blocks. False: a block in which nobody is above all machines.
bool PathsInTree::climb(std::span<const Router> level) {
  std::vector<std::size_t> covered;
  for (const Router router : level) {
    const Below below = look_below(router);
    covered.push_back(below.covered.size());
    has_machines_[router] = !below.blocks.empty();
    if (below.blocks.size() > 1) turns_[router] = true;
  }
  const auto blocks_in = join(level);
  std::vector<bool> has_one_above(blocks_in.size());
  for (std::size_t i = 0; i < level.size(); ++i) {
    const std::uint32_t block = blocks_.find(level[i]);
    is_above_block_[level[i]] = covered[i] == blocks_in[block];
    if (is_above_block_[level[i]]) has_one_above[block] = true;
  }
  return std::ranges::all_of(level, [&](Router router) {
    const std::uint32_t block = blocks_.find(router);
    return blocks_in[block] < 2 || has_one_above[block];
  });
}

bool PathsInTree::find_turns() {
  if (!is_levelled()) return false;
  list_levels();
  return std::ranges::all_of(levels_, [&](const std::vector<Router>& level) { return climb(level); });
}

/// From the turning points straight down to machines of ours.
void PathsInTree::mark(std::vector<bool>& marked) const {
  std::vector<bool> kept = turns_;
  for (std::size_t i = levels_.size(); i-- > 0;) {
    for (const Router router : levels_[i]) {
      if (!kept[router]) continue;
      marked[router] = true;
      for (const Router other : all_.neighbours(router)) {
        if (all_.height(other) < all_.height(router) && has_machines_[other]) kept[other] = true;
      }
    }
  }
}

}  // namespace

bool mark_between_in_tree(const UpRouters& all, std::span<const Router> routers, std::span<const MachineGroup> groups,
                          std::vector<bool>& marked) {
  PathsInTree paths(all, routers, groups);
  if (!paths.find_turns()) return false;
  paths.mark(marked);
  return true;
}

}  // namespace ayatori
