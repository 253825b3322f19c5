#include "object_store.hpp"

#include <algorithm>

namespace ayatori::capi {

namespace {

static_assert(sizeof(nwtopo_obj) == 56);

constexpr std::uint32_t nowhere = ~std::uint32_t{0};

nwtopo_obj_type_t type_of(ObjectKind kind) { return static_cast<nwtopo_obj_type_t>(kind); }
static_assert(static_cast<int>(ObjectKind::machine) == NWTOPO_OBJ_MACHINE);
static_assert(static_cast<int>(ObjectKind::router) == NWTOPO_OBJ_ROUTER);
static_assert(static_cast<int>(ObjectKind::grid) == NWTOPO_OBJ_GRID);
static_assert(static_cast<int>(ObjectKind::full) == NWTOPO_OBJ_FULL);
static_assert(static_cast<int>(ObjectKind::graph) == NWTOPO_OBJ_GRAPH);

}  // namespace

std::uint64_t count_objects(const Topology& topology, bool with_machines) {
  std::uint64_t count = 0;
  for (std::uint32_t height = with_machines ? 0 : 1; height <= topology.max_height(); ++height) {
    count += topology.count_at(height);
  }
  return count;
}

/// An array of parents that siblings share, after its length and the next one of the same first parent.
struct ObjectStore::ParentList {
  ParentList* next;
  std::size_t count;

  [[nodiscard]] nwtopo_obj_t* parents() { return reinterpret_cast<nwtopo_obj_t*>(this + 1); }
};

/// What everything but a machine has: its attributes, the cell that the `parents` of its only children point at, and
/// the arrays of those children that have further parents.
struct ObjectStore::ParentRecord {
  nwtopo_obj_attr_u attr;
  nwtopo_obj_t self;
  ParentList* lists;

  static ParentRecord& of(nwtopo_obj_t object) { return *reinterpret_cast<ParentRecord*>(object->attr); }
};

ObjectStore::ObjectStore(TopologyPtr topology, Wanted wanted, std::shared_ptr<ObjectStore> machines)
    : topology_(std::move(topology)),
      wanted_(wanted),
      machines_(std::move(machines)),
      memory_(count_objects(*topology_, wanted.machines && !machines_) * sizeof(nwtopo_obj)),
      slab_(static_cast<nwtopo_obj*>(memory_.data())),
      table_(slab_, count_objects(*topology_, wanted.machines && !machines_), topology_->id_end()) {}

nwtopo_obj_t ObjectStore::get(ObjectId id) {
  if (nwtopo_obj_t found = find(id)) return found;
  if (is_machine(id)) {
    if (!wanted_.machines) return nullptr;
    if (machines_) return machines_->get(id);
  }
  const std::lock_guard held(lock_);
  return get_locked(id);
}

nwtopo_obj_t ObjectStore::find(ObjectId id) const {
  const std::uint32_t in_row = row_length_.load(std::memory_order_acquire);
  if (in_row != 0 && id - row_id_ < in_row) return &slab_[row_position_ + (id - row_id_)];
  if (nwtopo_obj_t* const index = machine_index_.load(std::memory_order_acquire)) {
    if (const std::uint64_t machine = topology_->machine_index(id); machine != no_object) {
      return std::atomic_ref(index[machine]).load(std::memory_order_acquire);
    }
  }
  return const_cast<nwtopo_obj_t>(table_.find(id));
}

std::uint32_t ObjectStore::position_of(const nwtopo_obj* object) const {
  const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(object) - reinterpret_cast<std::uintptr_t>(slab_);
  const std::uintptr_t position = offset / sizeof(nwtopo_obj);
  const bool stands_there = position * sizeof(nwtopo_obj) == offset && position < used_.load(std::memory_order_relaxed);
  return stands_there ? static_cast<std::uint32_t>(position) : nowhere;
}

ObjectId ObjectStore::id_of(const nwtopo_obj* object) const {
  if (const std::uint32_t position = position_of(object); position != nowhere) {
    const std::uint32_t in_row = row_length_.load(std::memory_order_acquire);
    if (in_row != 0 && position - row_position_ < in_row) return row_id_ + (position - row_position_);
    return object->id;
  }
  if (!machines_) return no_object;
  const ObjectId id = machines_->id_of(object);
  return id != no_object && topology_->contains(id) ? id : no_object;
}

std::size_t ObjectStore::bytes() const {
  std::size_t others = machines_ && machines_.use_count() == 1 ? machines_->bytes() : 0;
  const std::lock_guard held(lock_);
  return sizeof *this + memory_.bytes(used_.load() * sizeof(nwtopo_obj)) + table_.bytes() + arena_.bytes() + others;
}

std::shared_ptr<ObjectStore> ObjectStore::machines_of(const std::shared_ptr<ObjectStore>& store) {
  return store->machines_ ? store->machines_ : store;
}

nwtopo_obj_t ObjectStore::get_locked(ObjectId id) {
  if (nwtopo_obj_t found = find(id)) return found;
  if (machines_ && is_machine(id)) return machines_->get(id);
  return create(id);
}

nwtopo_obj_t ObjectStore::create(ObjectId id) {
  nwtopo_obj object{};
  object.id = id;
  object.type = type_of(topology_->kind(id));
  object.height = topology_->height(id);
  object.num_parents = topology_->parent_count(id);
  object.num_children = static_cast<unsigned>(topology_->child_count(id));
  object.parents = parents_of(id);
  object.attr = attributes_of(id);
  nwtopo_obj_t const made = append(object);
  publish(made);
  return made;
}

nwtopo_obj_t ObjectStore::append(const nwtopo_obj& object) {
  const std::uint32_t position = used_.load(std::memory_order_relaxed);
  slab_[position] = object;
  used_.store(position + 1, std::memory_order_release);
  if (object.type == NWTOPO_OBJ_MACHINE) {
    lengthen_row(position, object);
  } else {
    ParentRecord::of(&slab_[position]).self = &slab_[position];
  }
  return &slab_[position];
}

void ObjectStore::lengthen_row(std::uint32_t position, const nwtopo_obj& object) {
  const std::uint32_t length = row_length_.load(std::memory_order_relaxed);
  if (length == 0) {
    row_position_ = position;
    row_id_ = object.id;
  }
  if (position == row_position_ + length && object.id == row_id_ + length) {
    row_length_.store(length + 1, std::memory_order_release);
  }
}

/// From here on other threads find it.
void ObjectStore::publish(nwtopo_obj_t object) {
  nwtopo_obj_t* const index = machine_index_.load(std::memory_order_relaxed);
  if (index != nullptr && object->type == NWTOPO_OBJ_MACHINE) {
    std::atomic_ref(index[topology_->machine_index(object->id)]).store(object, std::memory_order_release);
    return;
  }
  const bool machines_too = index == nullptr;
  table_.insert(static_cast<std::uint32_t>(object - slab_),
                [&](const nwtopo_obj& other) { return machines_too || other.type != NWTOPO_OBJ_MACHINE; });
}

nwtopo_obj_t* ObjectStore::parents_of(ObjectId id) {
  const std::uint32_t count = topology_->parent_count(id);
  if (count == 0) return nullptr;
  for (std::uint32_t i = 0; i < count; ++i) static_cast<void>(get_locked(topology_->parent(id, i)));
  if (count == 1) return &ParentRecord::of(find(topology_->parent(id, 0))).self;
  return shared_parents(id, count);
}

/// Machines on the same routers share an array, in whichever order they come to exist.
nwtopo_obj_t* ObjectStore::shared_parents(ObjectId id, std::uint32_t count) {
  ParentRecord& first = ParentRecord::of(find(topology_->parent(id, 0)));
  for (ParentList* list = first.lists; list != nullptr; list = list->next) {
    const std::span<nwtopo_obj_t> known(list->parents(), list->count);
    const auto same = [&, i = 0U](nwtopo_obj_t parent) mutable { return parent->id == topology_->parent(id, i++); };
    if (known.size() == count && std::ranges::all_of(known, same)) return known.data();
  }
  static_assert(sizeof(ParentList) % sizeof(nwtopo_obj_t) == 0 && alignof(ParentList) == alignof(nwtopo_obj_t));
  auto* const words = arena_.take<nwtopo_obj_t>(sizeof(ParentList) / sizeof(nwtopo_obj_t) + count);
  auto* const list = new (words) ParentList{first.lists, count};
  for (std::uint32_t i = 0; i < count; ++i) list->parents()[i] = find(topology_->parent(id, i));
  first.lists = list;
  return list->parents();
}

char* ObjectStore::name_of(ObjectId id) {
  if (!wanted_.names) return nullptr;
  const std::string name = topology_->name(id);
  return name.empty() ? nullptr : arena_.copy(name);
}

nwtopo_obj_attr_u* ObjectStore::attributes_of(ObjectId id) {
  const ObjectKind kind = topology_->kind(id);
  if (kind == ObjectKind::machine) return machine_attributes(id);
  nwtopo_obj_attr_u* const attr = &(new (arena_.take<ParentRecord>(1)) ParentRecord{})->attr;
  if (kind == ObjectKind::router) attr->router.name = name_of(id);
  if (kind == ObjectKind::grid) return grid_attributes(attr, *topology_->grid(id));
  if (kind == ObjectKind::graph) {
    visit_edges(*topology_, id, [attr](ObjectId, ObjectId) { ++attr->graph.num_edges; });
  }
  return attr;
}

nwtopo_obj_attr_u* ObjectStore::machine_attributes(ObjectId id) {
  const std::uint32_t nics = topology_->nic_count(id);
  if (char* const name = name_of(id)) {
    using Machine = decltype(nwtopo_obj_attr_u::machine);
    return reinterpret_cast<nwtopo_obj_attr_u*>(new (arena_.take<Machine>(1)) Machine{name, nics});
  }
  const auto known = std::ranges::find(nameless_, nics, [](const auto* attr) { return attr->machine.num_nics; });
  if (known != nameless_.end()) return *known;
  nwtopo_obj_attr_u* const attr = new (arena_.take<nwtopo_obj_attr_u>(1)) nwtopo_obj_attr_u{};
  attr->machine.num_nics = nics;
  nameless_.push_back(attr);
  return attr;
}

nwtopo_obj_attr_u* ObjectStore::grid_attributes(nwtopo_obj_attr_u* attr, const GridShape& shape) {
  const std::size_t count = shape.dimensions.size();
  auto& grid = attr->grid;
  grid.dense = shape.dense;
  grid.num_dimensions = static_cast<unsigned>(count);
  grid.dimensions = arena_.take<unsigned>(count);
  grid.reference_coordinates = arena_.take<unsigned>(count);
  grid.periodicities = arena_.take<bool>(count);
  std::ranges::copy(shape.dimensions, grid.dimensions);
  std::fill_n(grid.reference_coordinates, count, 0U);
  std::ranges::copy(shape.reference, grid.reference_coordinates);
  std::ranges::copy(shape.periodic, grid.periodicities);
  return attr;
}

}  // namespace ayatori::capi
