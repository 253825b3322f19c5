// Looking at a loaded topology: objects by id, name, height and place.

#include <cerrno>

#include "handle.hpp"
#include "names.hpp"

namespace ayatori::capi {

namespace {

/// The handle's own places and the description of a regular network fit into it; the same for every topology.
constexpr std::size_t fixed_bytes = 2048;

bool has_machines(const Session& session) { return (session.flags & NWTOPO_TOPOLOGY_FLAG_NO_MACHINES) == 0; }

/// The one object that all others lie below; no_object if there is none.
ObjectId find_root(const Topology& topology) {
  const std::uint32_t top = topology.max_height();
  if (top == 0 || topology.count_at(top) != 1) return no_object;
  const ObjectId highest = topology.object_at(top, 0);
  // A torus given by a formula may have billions of machines: they are counted, not visited.
  if (top == 1) return topology.child_count(highest) == topology.machine_count() ? highest : no_object;
  for (std::uint32_t height = 0; height < top; ++height) {
    for (std::uint64_t i = 0; i < topology.count_at(height); ++i) {
      if (topology.parent_count(topology.object_at(height, i)) == 0) return no_object;
    }
  }
  return highest;
}

ObjectId root_of(Loaded& loaded) {
  std::call_once(loaded.root_known, [&] { loaded.root = find_root(*loaded.topology); });
  return loaded.root;
}

std::uint64_t objects_at(nwtopo_topology_t handle, const Topology& topology, unsigned height) {
  if (height > topology.max_height() || (height == 0 && !has_machines(*session_of(handle)))) return 0;
  return topology.count_at(height);
}

std::size_t bytes_of(const std::optional<std::string>& text) { return text ? text->capacity() : 0; }

std::size_t all_bytes(const Session& session) {
  std::size_t bytes = sizeof(nwtopo_topology) + sizeof session;
  for (const auto* text : {&session.source, &session.this_machine, &session.faults, &session.tables,
                           &session.host_pattern, &session.aliases}) {
    bytes += bytes_of(*text);
  }
  if (!session.loaded) return bytes;
  const Loaded& loaded = *session.loaded;
  if (loaded.base && loaded.base_handle.expired()) bytes += loaded.base->private_bytes();
  if (loaded.aliases) bytes += loaded.aliases->bytes();
  for (const std::string& warning : loaded.warnings) bytes += sizeof warning + warning.capacity();
  return bytes + sizeof loaded + loaded.source.capacity() + loaded.topology->private_bytes() + loaded.objects->bytes();
}

}  // namespace

}  // namespace ayatori::capi

using namespace ayatori;
using namespace ayatori::capi;

extern "C" {

const char* nwtopo_obj_type_name(nwtopo_obj_type_t type) {
  if (type >= 0 && type < NWTOPO_OBJ_MAX) return to_word(static_cast<ObjectKind>(type)).data();
  return guarded([&]() -> const char* { return refuse(EINVAL, "{} is not a type of object", static_cast<int>(type)); });
}

unsigned nwtopo_topology_get_max_height(nwtopo_topology_t topology) {
  const Loaded* const here = loaded(topology);
  return here == nullptr ? 0 : here->topology->max_height();
}

nwtopo_obj_t nwtopo_topology_get_object_by_id(nwtopo_topology_t topology, unsigned long id) {
  return with_loaded(topology, [&](const Loaded& here) -> nwtopo_obj_t {
    if (!here.topology->contains(id)) return refuse(ENOENT, "no object has the id {}", id);
    return object_of(here, id);
  });
}

nwtopo_obj_t nwtopo_topology_get_this_machine(nwtopo_topology_t topology) {
  return with_loaded(topology, [&](const Loaded& here) -> nwtopo_obj_t {
    const auto machine = this_machine(*here.topology, session_of(topology)->this_machine, here.aliases.get());
    if (!machine) return refuse(machine.error());
    return object_of(here, *machine);
  });
}

nwtopo_obj_t nwtopo_topology_get_object_by_name(nwtopo_topology_t topology, const char* name) {
  return with_loaded(topology, [&](const Loaded& here) -> nwtopo_obj_t {
    if (name == nullptr) return refuse(EINVAL, "the name is NULL");
    const auto id = find_by_name(*here.topology, name, here.aliases.get());
    if (!id) return refuse(ENOENT, "no machine or router is called '{}'", name);
    return object_of(here, *id);
  });
}

unsigned nwtopo_topology_get_num_warnings(nwtopo_topology_t topology) {
  const Loaded* const here = loaded(topology);
  return here == nullptr ? 0 : static_cast<unsigned>(here->warnings.size());
}

const char* nwtopo_topology_get_warning(nwtopo_topology_t topology, unsigned index) {
  return with_loaded(topology, [&](const Loaded& here) -> const char* {
    if (index < here.warnings.size()) return here.warnings[index].c_str();
    return refuse(ENOENT, "no warning {}: there are {}", index, here.warnings.size());
  });
}

unsigned long nwtopo_topology_get_num_objects(nwtopo_topology_t topology, unsigned height) {
  return with_loaded(topology,
                     [&](const Loaded& here) -> unsigned long { return objects_at(topology, *here.topology, height); });
}

nwtopo_obj_t nwtopo_topology_get_object(nwtopo_topology_t topology, unsigned height, unsigned long index) {
  return with_loaded(topology, [&](const Loaded& here) -> nwtopo_obj_t {
    const std::uint64_t count = objects_at(topology, *here.topology, height);
    if (index >= count) return refuse(ENOENT, "no object {} at height {}: there are {}", index, height, count);
    return object_of(here, here.topology->object_at(height, index));
  });
}

nwtopo_obj_t nwtopo_topology_get_root(nwtopo_topology_t topology) {
  return with_loaded(topology, [&](Loaded& here) -> nwtopo_obj_t {
    const ObjectId root = root_of(here);
    if (root == no_object) return refuse(ENOENT, "no object stands above all others");
    return object_of(here, root);
  });
}

nwtopo_obj_t* nwtopo_obj_get_children(nwtopo_topology_t topology, nwtopo_obj_t obj) {
  return with_object(topology, obj, id_of, [&](const Loaded& here, ObjectId id) -> nwtopo_obj_t* {
    if (nwtopo_obj_t* const children = here.objects->children(id)) return children;
    if (here.topology->child_count(id) == 0) return refuse(ENOENT, "object {} has no children", id);
    return refuse(ENOENT, "the children of object {} are machines, and the topology was loaded with NO_MACHINES", id);
  });
}

nwtopo_obj_t nwtopo_obj_get_child(nwtopo_topology_t topology, nwtopo_obj_t obj, unsigned long index) {
  return with_object(topology, obj, id_of, [&](const Loaded& here, ObjectId id) -> nwtopo_obj_t {
    const std::uint64_t count = here.topology->child_count(id);
    if (index >= count) return refuse(ENOENT, "no child {} of object {}: it has {}", index, id, count);
    return object_of(here, here.topology->child(id, index));
  });
}

nwtopo_obj_t nwtopo_obj_get_parent(nwtopo_topology_t topology, nwtopo_obj_t obj, unsigned index) {
  return with_object(topology, obj, id_of, [&](const Loaded& here, ObjectId id) -> nwtopo_obj_t {
    const std::uint32_t count = here.topology->parent_count(id);
    if (index >= count) return refuse(ENOENT, "no parent {} of object {}: it has {}", index, id, count);
    return object_of(here, here.topology->parent(id, index));
  });
}

int nwtopo_topology_get_memory(nwtopo_topology_t topology, struct nwtopo_memory* memory) {
  return guarded([&]() -> int {
    const Session* const session = session_of(topology);
    if (session == nullptr) return failed;
    if (memory == nullptr) return refuse(EINVAL, "the pointer to the answer is NULL");
    const std::size_t all = all_bytes(*session);
    memory->fixed = fixed_bytes;
    memory->private_ = all > fixed_bytes ? all - fixed_bytes : 0;
    memory->shared = session->loaded ? session->loaded->topology->shared_bytes() : 0;
    return 0;
  });
}

}  // extern "C"
