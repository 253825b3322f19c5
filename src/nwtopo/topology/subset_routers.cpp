#include "subset_routers.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "router_parts.hpp"
#include "search.hpp"

namespace ayatori {

namespace {

using Router = std::uint32_t;

constexpr std::uint32_t far_away = ~std::uint32_t{0};

/// What stands above the routers of a part that form no tree.
std::optional<ObjectKind> virtual_above(const Topology& topology, ObjectId router) {
  const std::uint32_t count = topology.parent_count(router);
  if (count == 0) return std::nullopt;
  const ObjectKind last = topology.kind(topology.parent(router, count - 1));
  return last == ObjectKind::router ? std::nullopt : std::optional(last);
}

class Finder {
 public:
  Finder(const Topology& topology, std::span<const ObjectId> machines)
      : topology_(topology), machines_(machines), all_(topology), marked_(all_.size()) {}

  [[nodiscard]] std::vector<ObjectId> find();

 private:
  using Groups = std::vector<MachineGroup>;

  void mark_parents_of(ObjectId machine);
  [[nodiscard]] std::vector<Router> routers_of(ObjectId machine) const;
  [[nodiscard]] std::vector<Groups> groups_by_part() const;
  void mark_part(std::span<const Router> routers, const Groups& groups);

  const Topology& topology_;
  std::span<const ObjectId> machines_;
  UpRouters all_;
  std::vector<bool> marked_;
};

void Finder::mark_parents_of(ObjectId machine) {
  const std::uint32_t count = topology_.parent_count(machine);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (const auto router = all_.number_of(topology_.parent(machine, i))) marked_[*router] = true;
  }
}

std::vector<Router> Finder::routers_of(ObjectId machine) const {
  std::vector<Router> found;
  const std::uint32_t count = topology_.link_count(machine);
  for (std::uint32_t i = 0; i < count; ++i) {
    const TopologyLink link = topology_.link(machine, i);
    if (link.state != LinkState::up) continue;
    if (const auto router = all_.number_of(link.to)) found.push_back(*router);
  }
  std::ranges::sort(found);
  found.erase(std::ranges::unique(found).begin(), found.end());
  return found;
}

std::vector<Finder::Groups> Finder::groups_by_part() const {
  std::vector<std::map<std::vector<Router>, std::uint32_t>> counts(all_.part_count());
  for (const ObjectId machine : machines_) {
    auto routers = routers_of(machine);
    const auto part = [&](Router router) { return all_.part(router); };
    std::ranges::stable_sort(routers, {}, part);
    for (auto begin = routers.begin(); begin != routers.end();) {
      const auto end = std::find_if(begin, routers.end(), [&](Router r) { return part(r) != part(*begin); });
      ++counts[part(*begin)][{begin, end}];
      begin = end;
    }
  }
  std::vector<Groups> found(all_.part_count());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    for (const auto& [routers, machines] : counts[i]) found[i].push_back({routers, machines});
  }
  return found;
}

void Finder::mark_part(std::span<const Router> routers, const Groups& groups) {
  const auto above = virtual_above(topology_, all_.id(routers.front()));
  if (groups.empty()) return;
  if (!above) {
    if (!mark_between_in_tree(all_, routers, groups, marked_)) mark_between(all_, routers, groups, marked_);
    return;
  }
  Groups one_each;
  for (const Router router : routers) {
    if (marked_[router]) one_each.push_back({{router}, 1});
  }
  mark_between(all_, routers, one_each, marked_);
}

std::vector<ObjectId> Finder::find() {
  for (const ObjectId machine : machines_) mark_parents_of(machine);
  std::vector<std::vector<Router>> parts(all_.part_count());
  for (Router router = 0; router < all_.size(); ++router) parts[all_.part(router)].push_back(router);
  const auto groups = groups_by_part();
  for (std::size_t i = 0; i < parts.size(); ++i) mark_part(parts[i], groups[i]);
  std::vector<ObjectId> found;
  for (Router router = 0; router < all_.size(); ++router) {
    if (marked_[router]) found.push_back(all_.id(router));
  }
  return found;
}

/// Breadth-first search from one group, and back from the others along shortest paths.
class ShortestPaths {
 public:
  ShortestPaths(const UpRouters& all, std::span<const MachineGroup> groups, std::vector<bool>& marked)
      : all_(all),
        groups_(groups),
        marked_(marked),
        distance_(all.size(), far_away),
        on_path_(all.size()),
        is_end_(all.size()) {
    for (const MachineGroup& group : groups) {
      for (const Router router : group.routers) is_end_[router] = true;
    }
    ends_ = static_cast<std::size_t>(std::ranges::count(is_end_, true));
  }

  void mark_from(std::size_t from) {
    reach(groups_[from]);
    for (std::size_t to = 0; to < groups_.size(); ++to) {
      if (to != from) start_back(groups_[to]);
    }
    go_back();
  }

 private:
  void reach(const MachineGroup& from);
  void start_back(const MachineGroup& to);
  void go_back();

  const UpRouters& all_;
  std::span<const MachineGroup> groups_;
  std::vector<bool>& marked_;
  std::vector<std::uint32_t> distance_;
  std::vector<bool> on_path_;
  std::vector<bool> is_end_;  // whether it is a router of a group
  std::size_t ends_ = 0;
  std::vector<Router> reached_;
};

/// Ends when no router of a group is left to reach.
void ShortestPaths::reach(const MachineGroup& from) {
  std::size_t left = ends_ - from.routers.size();
  reached_ = from.routers;
  for (const Router router : reached_) distance_[router] = 0;
  for (std::size_t i = 0; i < reached_.size() && left > 0; ++i) {
    for (const Router next : all_.neighbours(reached_[i])) {
      if (distance_[next] != far_away) continue;
      distance_[next] = distance_[reached_[i]] + 1;
      reached_.push_back(next);
      left -= is_end_[next] ? 1 : 0;
    }
  }
}

/// A machine with several rails is reached through the nearest.
void ShortestPaths::start_back(const MachineGroup& to) {
  std::uint32_t nearest = far_away;
  for (const Router router : to.routers) nearest = std::min(nearest, distance_[router]);
  if (nearest == far_away) return;
  for (const Router router : to.routers) {
    if (distance_[router] == nearest) on_path_[router] = true;
  }
}

void ShortestPaths::go_back() {
  for (std::size_t i = reached_.size(); i-- > 0;) {
    const Router router = reached_[i];
    if (on_path_[router]) {
      marked_[router] = true;
      for (const Router next : all_.neighbours(router)) {
        if (distance_[next] + 1 == distance_[router]) on_path_[next] = true;
      }
    }
  }
  for (const Router router : reached_) {
    distance_[router] = far_away;
    on_path_[router] = false;
  }
}

}  // namespace

UpRouters::UpRouters(const Topology& topology) : first_{0} {
  for (std::uint32_t height = topology.direct() ? 0 : 1; height <= topology.max_height(); ++height) {
    const std::uint64_t count = topology.count_at(height);
    for (std::uint64_t i = 0; i < count; ++i) {
      const ObjectId id = topology.object_at(height, i);
      if (forwards(topology, id)) ids_.push_back(id);
    }
  }
  std::ranges::sort(ids_);
  for (const ObjectId id : ids_) {
    heights_.push_back(topology.height(id));
    const std::uint32_t count = topology.link_count(id);
    for (std::uint32_t i = 0; i < count; ++i) {
      const TopologyLink link = topology.link(id, i);
      if (link.state != LinkState::up || link.to == id) continue;
      if (const auto other = number_of(link.to)) neighbours_.push_back(*other);
    }
    const auto begin = neighbours_.begin() + static_cast<std::ptrdiff_t>(first_.back());
    std::sort(begin, neighbours_.end());
    neighbours_.erase(std::unique(begin, neighbours_.end()), neighbours_.end());
    first_.push_back(neighbours_.size());
  }
  number_parts();
}

std::optional<std::uint32_t> UpRouters::number_of(ObjectId id) const {
  const auto found = std::ranges::lower_bound(ids_, id);
  if (found == ids_.end() || *found != id) return std::nullopt;
  return static_cast<std::uint32_t>(found - ids_.begin());
}

void UpRouters::number_parts() {
  parts_.assign(size(), far_away);
  std::vector<Router> reached;
  for (Router start = 0; start < size(); ++start) {
    if (parts_[start] != far_away) continue;
    reached = {start};
    parts_[start] = part_count_;
    for (std::size_t i = 0; i < reached.size(); ++i) {
      for (const Router next : neighbours(reached[i])) {
        if (parts_[next] != far_away) continue;
        parts_[next] = part_count_;
        reached.push_back(next);
      }
    }
    ++part_count_;
  }
}

void mark_between(const UpRouters& all, std::span<const std::uint32_t> routers, std::span<const MachineGroup> groups,
                  std::vector<bool>& marked) {
  ShortestPaths paths(all, groups, marked);
  const auto is_marked = [&](Router router) { return marked[router]; };
  for (std::size_t from = 0; from < groups.size() && !std::ranges::all_of(routers, is_marked); ++from) {
    paths.mark_from(from);
  }
  // Two machines of one group meet at each of their routers.
  for (const MachineGroup& group : groups) {
    if (group.machines < 2) continue;
    for (const Router router : group.routers) marked[router] = true;
  }
}

std::vector<ObjectId> machines_between(const Topology& direct, std::span<const ObjectId> machines) {
  const UpRouters all(direct);
  std::vector<bool> marked(all.size());
  std::vector<Router> routers(all.size());
  std::iota(routers.begin(), routers.end(), 0);
  std::vector<MachineGroup> groups;
  for (const ObjectId machine : machines) {
    const Router router = *all.number_of(machine);
    marked[router] = true;
    groups.push_back({{router}, 1});
  }
  mark_between(all, routers, groups, marked);
  std::vector<ObjectId> found;
  for (const Router router : routers) {
    if (marked[router]) found.push_back(all.id(router));
  }
  return found;
}

std::vector<ObjectId> routers_between(const Topology& topology, std::span<const ObjectId> machines) {
  if (topology.direct()) return {};
  return Finder(topology, machines).find();
}

}  // namespace ayatori
