#include "idle_routers.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <iterator>

namespace ayatori {

namespace {

/// A set of leaves, by their numbers.
class LeafSet {
 public:
  explicit LeafSet(std::size_t leaves) : words_((leaves + 63) / 64) {}

  void add(std::size_t leaf) { words_[leaf / 64] |= std::uint64_t{1} << leaf % 64; }
  void add(const LeafSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  }
  [[nodiscard]] std::size_t size() const { return shared_with(*this); }
  [[nodiscard]] std::size_t shared_with(const LeafSet& other) const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      count += static_cast<std::size_t>(std::popcount(words_[i] & other.words_[i]));
    }
    return count;
  }
  template <typename Visit>
  bool any_of(Visit&& visit) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t rest = words_[i]; rest != 0; rest &= rest - 1) {
        if (visit(64 * i + static_cast<std::size_t>(std::countr_zero(rest)))) return true;
      }
    }
    return false;
  }

  friend bool operator==(const LeafSet&, const LeafSet&) = default;

 private:
  std::vector<std::uint64_t> words_;
};

class IdleFinder {
 public:
  IdleFinder(const RouterGraph& graph, std::span<const std::uint32_t> distance, const std::vector<bool>& has_machines)
      : graph_(graph), distance_(distance), has_machines_(has_machines), needed_(has_machines) {}

  std::vector<bool> find() {
    sort_by_distance();
    if (leaves_ == 1) return idle(std::ranges::count(has_machines_, true) == 1);
    if (leaves_ >= 2 && !by_distance_.back().empty() && !are_leaves_cabled()) {
      find_leaves_below();
      find_joints();
      drop_bridges();
      if (is_in_one_piece_where_the_whole_is()) return idle(true);
    }
    return idle(false);
  }

 private:
  void sort_by_distance() {
    by_distance_.resize(1);
    for (DeviceId router = 0; router < graph_.size(); ++router) {
      if (distance_[router] == unreached) continue;
      if (by_distance_.size() <= distance_[router]) by_distance_.resize(distance_[router] + 1);
      by_distance_[distance_[router]].push_back(router);
    }
    leaves_ = by_distance_.front().size();
  }

  /// Then it is no tree, and most likely one of the networks whose every router has hosts.
  [[nodiscard]] bool are_leaves_cabled() const {
    return std::ranges::any_of(by_distance_.front(), [&](DeviceId leaf) {
      return std::ranges::any_of(graph_.neighbours(leaf),
                                 [&](const auto& other) { return distance_[other.router] == 0; });
    });
  }

  void find_leaves_below() {
    below_.assign(graph_.size(), LeafSet(leaves_));
    for (std::size_t i = 0; i < leaves_; ++i) below_[by_distance_.front()[i]].add(i);
    for (const auto& routers : by_distance_) {
      for (const DeviceId router : routers) {
        for (const auto& other : graph_.neighbours(router)) {
          if (distance_[other.router] == distance_[router] + 1) below_[other.router].add(below_[router]);
        }
      }
    }
  }

  /// From the leaves up: which routers join leaves that lower ones do not? They are needed, and all between them and
  /// their leaves.
  void find_joints() {
    for (const DeviceId leaf : by_distance_.front()) joined_.push_back(below_[leaf]);
    for (std::size_t i = 1; i < by_distance_.size(); ++i) {
      std::vector<DeviceId> joints;
      std::ranges::copy_if(by_distance_[i], std::back_inserter(joints),
                           [&](DeviceId router) { return is_joint(router); });
      if (i + 1 < by_distance_.size()) join_below(joints);
      for (const DeviceId router : joints) needed_[router] = true;
    }
    for (std::size_t i = by_distance_.size(); i-- > 0;) {
      for (const DeviceId router : by_distance_[i]) {
        if (!needed_[router]) continue;
        for (const auto& other : graph_.neighbours(router)) {
          if (distance_[other.router] + 1 == distance_[router]) needed_[other.router] = true;
        }
      }
    }
  }

  /// In a damaged tree, some leaves that a pod's or the tree's top should join may have lost each other. So a joint has
  /// to bring one of its leaves more than half of the others below it.
  [[nodiscard]] bool is_joint(DeviceId router) const {
    const LeafSet& below = below_[router];
    const std::size_t others = below.size() - 1;
    return others > 0 &&
           below.any_of([&](std::size_t leaf) { return 2 * (joined_[leaf].shared_with(below) - 1) < others; });
  }

  /// A switch on two leaves is one more path between them. It would give all paths to these two leaves other numbers,
  /// for hosts that can't use it, too. So it is idle next to routers that join these leaves and more than twice as
  /// many.
  void drop_bridges() {
    if (by_distance_.size() < 2) return;
    for (const DeviceId router : by_distance_[1]) {
      if (needed_[router] && is_bridge(router)) needed_[router] = false;
    }
  }

  [[nodiscard]] bool is_bridge(DeviceId router) const {
    if (has_machines_[router] || below_[router].size() != 2) return false;
    DeviceId leaf = no_id;
    for (const auto& other : graph_.neighbours(router)) {
      if (distance_[other.router] > 0 && needed_[other.router]) return false;
      if (distance_[other.router] == 0) leaf = other.router;
    }
    return std::ranges::any_of(graph_.neighbours(leaf), [&](const auto& nearby) {
      const LeafSet& joined = below_[nearby.router];
      return needed_[nearby.router] && joined.size() > 4 && joined.shared_with(below_[router]) == 2;
    });
  }

  void join_below(const std::vector<DeviceId>& joints) {
    const LeafSet* last = nullptr;
    for (const DeviceId router : joints) {
      const LeafSet& below = below_[router];
      if (last != nullptr && *last == below) continue;  // as all tops of a whole tree
      last = &below;
      below.any_of([&](std::size_t leaf) {
        joined_[leaf].add(below);
        return false;
      });
    }
  }

  /// Hosts must not lose each other: if only idle routers join two pieces, none is idle.
  [[nodiscard]] bool is_in_one_piece_where_the_whole_is() const {
    const auto whole = graph_.part_numbers();
    std::vector<bool> part_seen(graph_.size());
    std::vector<bool> seen(graph_.size());
    for (const DeviceId leaf : by_distance_.front()) {
      if (seen[leaf]) continue;
      if (part_seen[whole[leaf]]) return false;
      part_seen[whole[leaf]] = true;
      std::vector<DeviceId> piece = {leaf};
      seen[leaf] = true;
      for (std::size_t i = 0; i < piece.size(); ++i) {
        for (const auto& other : graph_.neighbours(piece[i])) {
          if (!needed_[other.router] || seen[other.router]) continue;
          seen[other.router] = true;
          piece.push_back(other.router);
        }
      }
    }
    return true;
  }

  [[nodiscard]] std::vector<bool> idle(bool all_that_are_not_needed) const {
    std::vector<bool> found(graph_.size());
    for (DeviceId router = 0; router < graph_.size(); ++router) {
      found[router] = distance_[router] == unreached || (all_that_are_not_needed && !needed_[router]);
    }
    return found;
  }

  const RouterGraph& graph_;
  std::span<const std::uint32_t> distance_;
  const std::vector<bool>& has_machines_;
  std::vector<bool> needed_;                        // by router
  std::vector<std::vector<DeviceId>> by_distance_;  // the leaves first
  std::size_t leaves_ = 0;
  std::vector<LeafSet> below_;   // by router
  std::vector<LeafSet> joined_;  // by leaf: with which others, itself among them, by the levels seen so far
};

}  // namespace

std::vector<bool> find_idle_routers(const RouterGraph& graph, std::span<const std::uint32_t> distance,
                                    const std::vector<bool>& has_machines) {
  return IdleFinder(graph, distance, has_machines).find();
}

}  // namespace ayatori
