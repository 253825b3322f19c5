#pragma once
/// \file
/// The objects that C programs see (struct nwtopo_obj), made from a Topology when somebody first asks for them.

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "ayatori/topology/topology.hpp"
#include "id_table.hpp"
#include "memory.hpp"
#include "nwtopo.h"

namespace ayatori::capi {

/// Objects stand one after the other in a slab, in the order in which they were first asked for; the slab is address
/// space for all of them, so that an object never moves, and a pointer belongs to the store if it points at one of
/// the slab's slots. An object, once there, has all of its ancestors, and never changes, but for the arrays that
/// children() fills. What a machine takes:
///
///     56   struct nwtopo_obj
///      0   parents: one parent is named by a cell next to that parent, several by an array that siblings share
///      0   attr: without names, one record for all machines with so many NICs; with names, 16 and the name
///   ≤4.9   its slot in the table of ids; or, once the object above all machines has its `children` array, that array
///          leads from a machine's id to the object, and the slots are given back: 8
///
/// Machines that were asked for one after the other stand in a *row* of the slab, like their ids: the first such row is
/// kept in mind, and who walks along it looks at no memory but the row's own description.
///
/// Any number of threads may call everything here. Whoever asks for what is there takes no lock.
class ObjectStore {
 public:
  struct Wanted {
    bool machines = true;
    bool names = true;
  };

  /// `machines`: another store, of the topology that this one is a subset of, whose machine objects this one shows
  /// instead of having any itself; or nullptr.
  ObjectStore(TopologyPtr topology, Wanted wanted, std::shared_ptr<ObjectStore> machines = nullptr);

  /// The object with an id that the Topology contains; nullptr for a machine if none are wanted.
  [[nodiscard]] nwtopo_obj_t get(ObjectId id);

  /// The id of an object of this store or, if it is also in this topology, of the one with the machines; no_object for
  /// any other pointer, wherever it points.
  [[nodiscard]] ObjectId id_of(const nwtopo_obj* object) const;

  /// The arrays of an object, filled: children, and a grid's map or a graph's edges. nullptr if it has no children, or
  /// machines among them and none are wanted.
  [[nodiscard]] nwtopo_obj_t* children(ObjectId id);

  /// What the store takes; not that of the machines, unless this is the last to have it.
  [[nodiscard]] std::size_t bytes() const;

  /// The store that a subset's machine objects come from.
  [[nodiscard]] static std::shared_ptr<ObjectStore> machines_of(const std::shared_ptr<ObjectStore>& store);

 private:
  struct ParentList;
  struct ParentRecord;

  [[nodiscard]] bool is_machine(ObjectId id) const { return topology_->kind(id) == ObjectKind::machine; }
  /// Where in the slab an object stands; none for a pointer to anything else.
  [[nodiscard]] std::uint32_t position_of(const nwtopo_obj* object) const;
  [[nodiscard]] nwtopo_obj_t find(ObjectId id) const;

  // All below: with the lock held.
  nwtopo_obj_t get_locked(ObjectId id);
  nwtopo_obj_t create(ObjectId id);
  nwtopo_obj_t append(const nwtopo_obj& object);
  void lengthen_row(std::uint32_t position, const nwtopo_obj& object);
  void publish(nwtopo_obj_t object);

  nwtopo_obj_t* parents_of(ObjectId id);
  nwtopo_obj_t* shared_parents(ObjectId id, std::uint32_t count);
  char* name_of(ObjectId id);
  nwtopo_obj_attr_u* attributes_of(ObjectId id);
  nwtopo_obj_attr_u* machine_attributes(ObjectId id);
  nwtopo_obj_attr_u* grid_attributes(nwtopo_obj_attr_u* attr, const GridShape& shape);

  void fill(nwtopo_obj& object);
  nwtopo_obj_t* make_children(ObjectId id, std::uint64_t count);
  void index_machines(nwtopo_obj_t* array);
  void fill_map(nwtopo_obj& object, nwtopo_obj_t* children);
  void fill_edges(nwtopo_obj& object);

  TopologyPtr topology_;
  Wanted wanted_;
  std::shared_ptr<ObjectStore> machines_;

  mutable std::mutex lock_;
  Reservation memory_;
  nwtopo_obj* slab_;
  std::atomic<std::uint32_t> used_ = 0;
  std::uint32_t row_position_ = 0;  // of the row's first machine; set, like its id, before it has any
  ObjectId row_id_ = 0;
  std::atomic<std::uint32_t> row_length_ = 0;
  IdTable table_;
  std::atomic<nwtopo_obj_t*> machine_index_ = nullptr;  // by Topology::machine_index, once there is such an array
  Arena arena_;
  std::vector<nwtopo_obj_attr_u*> nameless_;  // one for each number of NICs
};

/// Objects of a topology, machines included or not.
[[nodiscard]] std::uint64_t count_objects(const Topology& topology, bool with_machines);

/// Calls visit(a, b) for each two children of a graph that at least one cable joins, by rising a, then b.
void visit_edges(const Topology& topology, ObjectId graph, const std::function<void(ObjectId, ObjectId)>& visit);

}  // namespace ayatori::capi
