// The arrays of an object: its children, a grid's map, a graph's edges. Threads may read the pointers to them at any
// time, so each is filled first and stored with release; `children` is stored last.

#include <algorithm>

#include "object_store.hpp"

namespace ayatori::capi {

namespace {

template <typename T>
T* load(T*& pointer) {
  return std::atomic_ref(pointer).load(std::memory_order_acquire);
}

template <typename T>
void store(T*& pointer, T* value) {
  std::atomic_ref(pointer).store(value, std::memory_order_release);
}

/// Machines have the lowest ids, and children come by rising id.
bool has_machines_below(const Topology& topology, ObjectId id) {
  return topology.child_count(id) > 0 && topology.kind(topology.child(id, 0)) == ObjectKind::machine;
}

bool holds_all_machines(const Topology& topology, ObjectId id) {
  const std::uint64_t count = topology.machine_count();
  return count > 0 && topology.child_count(id) == count &&
         topology.kind(topology.child(id, count - 1)) == ObjectKind::machine;
}

bool is_child(const Topology& topology, ObjectId parent, ObjectId id) {
  for (std::uint32_t i = 0; i < topology.parent_count(id); ++i) {
    if (topology.parent(id, i) == parent) return true;
  }
  return false;
}

}  // namespace

void visit_edges(const Topology& topology, ObjectId graph, const std::function<void(ObjectId, ObjectId)>& visit) {
  std::vector<ObjectId> ends;
  for (std::uint64_t i = 0; i < topology.child_count(graph); ++i) {
    const ObjectId from = topology.child(graph, i);
    ends.clear();
    for (std::uint32_t j = 0; j < topology.link_count(from); ++j) {
      const ObjectId to = topology.link(from, j).to;
      if (to > from && is_child(topology, graph, to)) ends.push_back(to);
    }
    std::ranges::sort(ends);
    ends.erase(std::ranges::unique(ends).begin(), ends.end());
    for (const ObjectId to : ends) visit(from, to);
  }
}

nwtopo_obj_t* ObjectStore::children(ObjectId id) {
  nwtopo_obj_t const object = get(id);
  if (object == nullptr || object->num_children == 0) return nullptr;
  if (nwtopo_obj_t* const there = load(object->children)) return there;
  if (!wanted_.machines && has_machines_below(*topology_, id)) return nullptr;
  const std::lock_guard held(lock_);
  if (object->children == nullptr) fill(*object);
  return object->children;
}

void ObjectStore::fill(nwtopo_obj& object) {
  nwtopo_obj_t* const children = make_children(object.id, object.num_children);
  if (object.type == NWTOPO_OBJ_GRID) fill_map(object, children);
  if (object.type == NWTOPO_OBJ_GRAPH) fill_edges(object);
  store(object.children, children);
}

nwtopo_obj_t* ObjectStore::make_children(ObjectId id, std::uint64_t count) {
  const bool as_index = !machines_ && machine_index_.load() == nullptr && holds_all_machines(*topology_, id);
  nwtopo_obj_t* const array = arena_.take<nwtopo_obj_t>(count);
  if (as_index) index_machines(array);
  for (std::uint64_t i = 0; i < count; ++i) {
    nwtopo_obj_t const child = get_locked(topology_->child(id, i));
    // Of an index each entry is there already, and other threads read it.
    if (!as_index) array[i] = child;
  }
  return array;
}

/// Makes an array the map from ids of machines to their objects, and frees their slots in the table.
void ObjectStore::index_machines(nwtopo_obj_t* array) {
  const std::uint32_t used = used_.load();
  std::fill_n(array, topology_->machine_count(), nullptr);
  for (std::uint32_t position = 0; position < used; ++position) {
    nwtopo_obj& object = slab_[position];
    if (object.type == NWTOPO_OBJ_MACHINE) array[topology_->machine_index(object.id)] = &object;
  }
  machine_index_.store(array, std::memory_order_release);
  table_.keep_only(used, [](const nwtopo_obj& object) { return object.type != NWTOPO_OBJ_MACHINE; });
}

/// Where points and children come in the same order, the map is the array of children.
void ObjectStore::fill_map(nwtopo_obj& object, nwtopo_obj_t* children) {
  const std::uint64_t points = topology_->grid(object.id)->points();
  const auto child_at = [&](std::uint64_t point) { return topology_->grid_child(object.id, point); };
  bool same = points == object.num_children;
  for (std::uint64_t point = 0; same && point < points; ++point) same = child_at(point) == children[point]->id;
  nwtopo_obj_t* map = children;
  if (!same) {
    map = arena_.take<nwtopo_obj_t>(points);
    for (std::uint64_t point = 0; point < points; ++point) {
      const ObjectId child = child_at(point);
      map[point] = child == no_object ? nullptr : get_locked(child);
    }
  }
  store(object.attr->grid.map, map);
}

void ObjectStore::fill_edges(nwtopo_obj& object) {
  const unsigned count = object.attr->graph.num_edges;
  auto* edge = arena_.take<nwtopo_graph_edge>(count);
  nwtopo_graph_edge_t* const edges = arena_.take<nwtopo_graph_edge_t>(count);
  nwtopo_graph_edge_t* next = edges;
  visit_edges(*topology_, object.id, [&](ObjectId a, ObjectId b) {
    *edge = {{get_locked(a), get_locked(b)}};
    *next++ = edge++;
  });
  store(object.attr->graph.edges, edges);
}

}  // namespace ayatori::capi
