#include "ayatori/topology/subset.hpp"

#include <algorithm>
#include <optional>

#include "number_set.hpp"
#include "subset_grid.hpp"
#include "subset_routers.hpp"

namespace ayatori {

namespace {

/// Answers are those of the base, without what is not in the subset.
class SubsetTopology final : public Topology {
 public:
  /// `machines` by rising id. `is_transit`: it is what packets of another subset travel in, and asked for that only.
  SubsetTopology(TopologyPtr base, const std::vector<ObjectId>& machines, bool is_transit = false);

  [[nodiscard]] const TopologyPtr& base() const { return base_; }

  ObjectId id_end() const override;
  bool contains(ObjectId id) const override;
  std::uint64_t machine_count() const override { return machines_.count(); }
  ObjectId machine(std::uint64_t index) const override { return base_->machine(machines_.select(index)); }
  std::uint64_t machine_index(ObjectId machine) const override;

  std::uint32_t max_height() const override { return static_cast<std::uint32_t>(others_.size()); }
  std::uint64_t count_at(std::uint32_t height) const override;
  ObjectId object_at(std::uint32_t height, std::uint64_t index) const override;

  ObjectKind kind(ObjectId id) const override { return base_->kind(id); }
  std::uint32_t height(ObjectId id) const override { return base_->height(id); }
  std::uint32_t parent_count(ObjectId id) const override;
  ObjectId parent(ObjectId id, std::uint32_t index) const override;
  std::uint64_t child_count(ObjectId id) const override;
  ObjectId child(ObjectId id, std::uint64_t index) const override;

  std::string name(ObjectId id) const override { return base_->name(id); }
  std::optional<ObjectId> find(std::string_view name) const override;
  std::uint32_t nic_count(ObjectId machine) const override { return base_->nic_count(machine); }
  TopologyNic nic(ObjectId machine, std::uint32_t index) const override { return base_->nic(machine, index); }
  Guid router_guid(ObjectId router) const override { return base_->router_guid(router); }
  std::span<const Plane> planes() const override { return base_->planes(); }
  std::span<const std::string> warnings() const override { return base_->warnings(); }

  bool direct() const override { return base_->direct(); }
  const GridShape* grid(ObjectId id) const override;
  ObjectId grid_child(ObjectId grid, std::uint64_t point) const override;
  std::uint64_t grid_point(ObjectId grid, ObjectId child) const override;

  std::uint32_t link_count(ObjectId id) const override;
  TopologyLink link(ObjectId id, std::uint32_t index) const override;

  TopologyPtr transit() const override { return transit_; }

  std::size_t shared_bytes() const override { return base_->shared_bytes(); }
  std::size_t private_bytes() const override;

 private:
  /// A virtual object.
  struct Group {
    ObjectId id = no_object;
    bool has_all_machines = false;
    std::vector<ObjectId> members;  ///< otherwise
    std::optional<GridBox> box;
  };

  void add_other(ObjectId id);
  void add_router_lists(ObjectId router);
  [[nodiscard]] std::optional<std::size_t> router_number(ObjectId id) const;
  void add_groups();
  void add_group(ObjectId id);
  [[nodiscard]] const Group* group(ObjectId id) const;
  [[nodiscard]] TopologyPtr find_transit(const std::vector<ObjectId>& machines) const;

  TopologyPtr base_;
  TopologyPtr transit_;                        // nullptr: packets stay within the subset
  NumberSet machines_;                         // indices in the base
  std::vector<std::vector<ObjectId>> others_;  // by height − 1
  std::vector<Group> groups_;                  // by rising id
  // Machines have few links and parents, routers many: what is left of theirs is a bit each.
  std::vector<ObjectId> routers_;  // by rising id
  ListParts links_;                // of the routers, in their order
  ListParts parents_;
  ListParts children_;
};

NumberSet indices_of(const Topology& base, const std::vector<ObjectId>& machines) {
  if (machines.size() == base.machine_count()) return NumberSet(machines.size());
  std::vector<std::uint64_t> indices;
  indices.reserve(machines.size());
  for (const ObjectId machine : machines) indices.push_back(base.machine_index(machine));
  return {base.machine_count(), indices};
}

SubsetTopology::SubsetTopology(TopologyPtr base, const std::vector<ObjectId>& machines, bool is_transit)
    : base_(std::move(base)), machines_(indices_of(*base_, machines)) {
  routers_ = routers_between(*base_, machines);
  for (const ObjectId router : routers_) add_other(router);
  add_groups();
  for (const ObjectId router : routers_) add_router_lists(router);
  links_.finish();
  parents_.finish();
  children_.finish();
  routers_.shrink_to_fit();
  for (auto& level : others_) level.shrink_to_fit();
  groups_.shrink_to_fit();
  if (!is_transit) transit_ = find_transit(machines);
}

/// By the points of the box or by the children of the grid, whichever are fewer.
std::vector<ObjectId> children_in_box(const Topology& topology, ObjectId grid, const GridBox& box) {
  std::vector<ObjectId> found;
  const std::uint64_t points = box.shape().points();
  const std::uint64_t children = topology.child_count(grid);
  if (points <= children) {
    for (std::uint64_t point = 0; point < points; ++point) {
      const ObjectId child = topology.grid_child(grid, box.to_base(point));
      if (child != no_object) found.push_back(child);
    }
    return found;
  }
  for (std::uint64_t i = 0; i < children; ++i) {
    const ObjectId child = topology.child(grid, i);
    if (box.contains(topology.grid_point(grid, child))) found.push_back(child);
  }
  return found;
}

/// In a grid of machines with built-in routers, packets travel through every point of the box, whether its machine is
/// in the subset or not; in another direct network, through what lies on shortest paths.
TopologyPtr SubsetTopology::find_transit(const std::vector<ObjectId>& machines) const {
  const TopologyPtr whole = base_->transit() ? base_->transit() : base_;
  if (!base_->direct() || machines.size() == whole->machine_count()) return nullptr;
  const GridBox* const box = groups_.size() == 1 && groups_.front().box ? &*groups_.front().box : nullptr;
  if (box != nullptr && box->shape().dense) return nullptr;
  const ObjectId grid = box == nullptr ? no_object : groups_.front().id;
  const GridShape* const shape = box != nullptr && whole->contains(grid) ? whole->grid(grid) : nullptr;
  const bool is_grid = shape != nullptr && shape->dimensions == base_->grid(grid)->dimensions;
  std::vector<ObjectId> through = is_grid ? children_in_box(*whole, grid, *box) : machines_between(*whole, machines);
  if (through.size() == machines.size()) return nullptr;
  if (through.size() == whole->machine_count()) return whole;
  std::ranges::sort(through);
  return std::make_shared<SubsetTopology>(whole, through, true);
}

void SubsetTopology::add_other(ObjectId id) {
  const std::uint32_t height = base_->height(id);
  if (others_.size() < height) others_.resize(height);
  others_[height - 1].push_back(id);
}

void SubsetTopology::add_router_lists(ObjectId router) {
  const auto add = [&](ListParts& parts, std::uint64_t count, auto neighbour) {
    std::vector<bool> kept(count);
    for (std::uint64_t i = 0; i < count; ++i) kept[i] = contains(neighbour(i));
    parts.add(kept);
  };
  const auto index = [](std::uint64_t i) { return static_cast<std::uint32_t>(i); };
  add(links_, base_->link_count(router), [&](std::uint64_t i) { return base_->link(router, index(i)).to; });
  add(parents_, base_->parent_count(router), [&](std::uint64_t i) { return base_->parent(router, index(i)); });
  add(children_, base_->child_count(router), [&](std::uint64_t i) { return base_->child(router, i); });
}

std::optional<std::size_t> SubsetTopology::router_number(ObjectId id) const {
  const auto found = std::ranges::lower_bound(routers_, id);
  if (found == routers_.end() || *found != id) return std::nullopt;
  return static_cast<std::size_t>(found - routers_.begin());
}

/// From the lowest up: virtual objects may stand above others.
void SubsetTopology::add_groups() {
  for (std::uint32_t height = 1; height <= base_->max_height(); ++height) {
    const std::uint64_t count = base_->count_at(height);
    for (std::uint64_t i = 0; i < count; ++i) {
      const ObjectId id = base_->object_at(height, i);
      if (base_->kind(id) != ObjectKind::router) add_group(id);
    }
  }
  std::ranges::sort(groups_, {}, &Group::id);
}

void SubsetTopology::add_group(ObjectId id) {
  Group group;
  group.id = id;
  const std::uint64_t count = base_->child_count(id);
  group.has_all_machines = base_->height(id) == 1 && count == base_->machine_count();
  if (!group.has_all_machines) {
    for (std::uint64_t i = 0; i < count; ++i) {
      if (const ObjectId member = base_->child(id, i); contains(member)) group.members.push_back(member);
    }
    if (group.members.empty()) return;
    group.members.shrink_to_fit();
  }
  if (const GridShape* shape = base_->grid(id)) {
    std::vector<std::uint64_t> points;
    const std::uint64_t kept = group.has_all_machines ? machine_count() : group.members.size();
    for (std::uint64_t i = 0; i < kept; ++i) {
      points.push_back(base_->grid_point(id, group.has_all_machines ? machine(i) : group.members[i]));
    }
    group.box.emplace(*shape, points);
  }
  groups_.push_back(std::move(group));
  add_other(id);
}

const SubsetTopology::Group* SubsetTopology::group(ObjectId id) const {
  const auto found = std::ranges::lower_bound(groups_, id, {}, &Group::id);
  return found == groups_.end() || found->id != id ? nullptr : &*found;
}

ObjectId SubsetTopology::id_end() const {
  ObjectId last = machine(machine_count() - 1);
  for (const auto& level : others_) {
    if (!level.empty()) last = std::max(last, level.back());
  }
  return last + 1;
}

bool SubsetTopology::contains(ObjectId id) const {
  if (!base_->contains(id)) return false;
  const std::uint32_t height = base_->height(id);
  if (height == 0) return machines_.contains(base_->machine_index(id));
  return height <= others_.size() && std::ranges::binary_search(others_[height - 1], id);
}

std::uint64_t SubsetTopology::machine_index(ObjectId machine) const {
  const std::uint64_t index = base_->machine_index(machine);
  return machines_.contains(index) ? machines_.rank(index) : no_object;
}

std::uint64_t SubsetTopology::count_at(std::uint32_t height) const {
  if (height == 0) return machine_count();
  return height <= others_.size() ? others_[height - 1].size() : 0;
}

ObjectId SubsetTopology::object_at(std::uint32_t height, std::uint64_t index) const {
  return height == 0 ? machine(index) : others_[height - 1][index];
}

std::uint32_t SubsetTopology::parent_count(ObjectId id) const {
  if (const auto router = router_number(id)) return static_cast<std::uint32_t>(parents_.count(*router));
  std::uint32_t found = 0;
  const std::uint32_t count = base_->parent_count(id);
  for (std::uint32_t i = 0; i < count; ++i) found += contains(base_->parent(id, i)) ? 1 : 0;
  return found;
}

ObjectId SubsetTopology::parent(ObjectId id, std::uint32_t index) const {
  if (const auto router = router_number(id)) {
    return base_->parent(id, static_cast<std::uint32_t>(parents_.place(*router, index)));
  }
  const std::uint32_t count = base_->parent_count(id);
  for (std::uint32_t i = 0; i < count; ++i) {
    const ObjectId parent = base_->parent(id, i);
    if (contains(parent) && index-- == 0) return parent;
  }
  return no_object;
}

std::uint64_t SubsetTopology::child_count(ObjectId id) const {
  if (const Group* found = group(id)) return found->has_all_machines ? machine_count() : found->members.size();
  const auto router = router_number(id);
  return router ? children_.count(*router) : 0;
}

ObjectId SubsetTopology::child(ObjectId id, std::uint64_t index) const {
  if (const Group* found = group(id)) return found->has_all_machines ? machine(index) : found->members[index];
  const auto router = router_number(id);
  return router ? base_->child(id, children_.place(*router, index)) : no_object;
}

/// A name that two routers share may be found in the base at the one that is not here.
std::optional<ObjectId> SubsetTopology::find(std::string_view name) const {
  const auto found = base_->find(name);
  if (!found || contains(*found)) return found;
  if (base_->kind(*found) != ObjectKind::router) return std::nullopt;
  for (const auto& level : others_) {
    for (const ObjectId id : level) {
      if (group(id) == nullptr && base_->name(id) == name) return id;
    }
  }
  return std::nullopt;
}

const GridShape* SubsetTopology::grid(ObjectId id) const {
  const Group* found = group(id);
  return found == nullptr || !found->box ? nullptr : &found->box->shape();
}

ObjectId SubsetTopology::grid_child(ObjectId grid, std::uint64_t point) const {
  const ObjectId child = base_->grid_child(grid, group(grid)->box->to_base(point));
  return child != no_object && contains(child) ? child : no_object;
}

std::uint64_t SubsetTopology::grid_point(ObjectId grid, ObjectId child) const {
  return group(grid)->box->from_base(base_->grid_point(grid, child));
}

std::uint32_t SubsetTopology::link_count(ObjectId id) const {
  if (const auto router = router_number(id)) return static_cast<std::uint32_t>(links_.count(*router));
  std::uint32_t kept = 0;
  const std::uint32_t count = base_->link_count(id);
  for (std::uint32_t i = 0; i < count; ++i) kept += contains(base_->link(id, i).to) ? 1 : 0;
  return kept;
}

TopologyLink SubsetTopology::link(ObjectId id, std::uint32_t index) const {
  if (const auto router = router_number(id)) {
    return base_->link(id, static_cast<std::uint32_t>(links_.place(*router, index)));
  }
  const std::uint32_t count = base_->link_count(id);
  for (std::uint32_t i = 0; i < count; ++i) {
    const TopologyLink link = base_->link(id, i);
    if (contains(link.to) && index-- == 0) return link;
  }
  return {};
}

std::size_t SubsetTopology::private_bytes() const {
  std::size_t bytes = sizeof *this + machines_.bytes() + routers_.capacity() * sizeof(ObjectId) + links_.bytes() +
                      parents_.bytes() + children_.bytes() + others_.capacity() * sizeof(others_.front()) +
                      groups_.capacity() * sizeof(Group);
  for (const auto& level : others_) bytes += level.capacity() * sizeof(ObjectId);
  for (const Group& group : groups_) {
    bytes += group.members.capacity() * sizeof(ObjectId) + (group.box ? group.box->bytes() : 0);
  }
  if (const auto* box = dynamic_cast<const SubsetTopology*>(transit_.get())) bytes += box->private_bytes();
  return bytes;
}

}  // namespace

Result<TopologyPtr> make_subset(TopologyPtr base, std::span<const ObjectId> machines) {
  if (machines.empty()) return fail("a subset needs at least one machine");
  std::vector<ObjectId> sorted(machines.begin(), machines.end());
  for (const ObjectId id : sorted) {
    if (base->machine_index(id) != no_object) continue;
    return base->contains(id) ? fail("object {} is not a machine but a {}", id, to_word(base->kind(id)))
                              : fail("there is no machine with the id {}", id);
  }
  std::ranges::sort(sorted);
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice != sorted.end()) return fail("the machine {} ('{}') comes twice", *twice, base->name(*twice));
  // Not a subset of a subset: the same machines must make the same subset, however they were chosen.
  if (const auto* subset = dynamic_cast<const SubsetTopology*>(base.get())) base = subset->base();
  return std::make_shared<SubsetTopology>(std::move(base), sorted);
}

}  // namespace ayatori
