#pragma once
/// \file
/// What a nwtopo_topology_t points to, and how the C functions get at it.

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "ayatori/topology/host_names.hpp"
#include "ayatori/topology/table_routes.hpp"
#include "ayatori/topology/topology.hpp"
#include "errors.hpp"
#include "nwtopo.h"
#include "object_store.hpp"

namespace ayatori::capi {

/// A topology once it is loaded. Never changes but for the objects in its store; any number of threads may read it.
struct Loaded {
  TopologyPtr topology;
  std::shared_ptr<ObjectStore> objects;
  std::string source;
  bool as_made = true;                        ///< all of what its source says: no faults, no subset
  std::shared_ptr<const TableRoutes> routes;  ///< nullptr: no forwarding tables were given
  std::shared_ptr<const HostNames> aliases;   ///< nullptr: no other names were given
  std::vector<std::string> warnings;          ///< of the source, then of the tables

  /// Of a subset: what it reads of its base, which the base counts as its own memory as long as its handle lives.
  TopologyPtr base;
  std::weak_ptr<const void> base_handle;
  std::shared_ptr<const void> handle = std::make_shared<char>();  ///< ends with this topology

  std::once_flag root_known;
  ObjectId root = no_object;
};

/// A topology from init to destroy.
struct Session {
  unsigned long flags = 0;
  std::optional<std::string> source;
  std::optional<std::string> this_machine;
  std::optional<std::string> faults;
  std::optional<std::string> tables;  ///< the file's name
  std::optional<std::string> host_pattern;
  std::optional<std::string> aliases;  ///< the file's name
  std::span<const std::byte> buffer;   ///< the program's, until it is loaded; takes the place of a source
  std::unique_ptr<Loaded> loaded;
};

/// The session of a handle; nullptr, with errno and a message, for NULL, for a handle that was destroyed (as long as it
/// was not given out again), and for a pointer that never was one.
[[nodiscard]] Session* session_of(nwtopo_topology_t handle);

/// Its loaded topology; nullptr, with errno and a message, if there is none.
[[nodiscard]] Loaded* loaded(nwtopo_topology_t handle);

/// A session that still can be prepared; nullptr, with errno and a message, otherwise.
[[nodiscard]] Session* unloaded(nwtopo_topology_t handle);

/// The id of an object; no_object, with errno and a message that calls it `what`, if it is not of this topology.
[[nodiscard]] ObjectId id_of(const Loaded& topology, const nwtopo_obj* object, const char* what = "the object");

/// The same for machines and routers only: those have links.
[[nodiscard]] ObjectId device_of(const Loaded& topology, const nwtopo_obj* object, const char* what = "the object");

/// The body of a C function that asks a loaded topology; fails if there is none.
template <typename Body>
auto with_loaded(nwtopo_topology_t handle, Body body) noexcept {
  return guarded([&]() -> std::invoke_result_t<Body, Loaded&> {
    Loaded* const here = loaded(handle);
    if (here == nullptr) return failed;
    return body(*here);
  });
}

/// The same for an object of it, which `check` (id_of or device_of) finds.
template <typename Check, typename Body>
auto with_object(nwtopo_topology_t handle, const nwtopo_obj* object, Check check, Body body) noexcept {
  return with_loaded(handle, [&](const Loaded& here) -> std::invoke_result_t<Body, const Loaded&, ObjectId> {
    const ObjectId id = check(here, object, "the object");
    if (id == no_object) return failed;
    return body(here, id);
  });
}

/// The body of a C function that prepares a topology; fails if that is loaded.
template <typename Body>
int with_unloaded(nwtopo_topology_t handle, Body body) noexcept {
  return guarded([&]() -> int {
    Session* const session = unloaded(handle);
    if (session == nullptr) return failed;
    return body(*session);
  });
}

/// The object with an id of the topology; NULL, with errno and a message, if it is a machine and those were left out.
[[nodiscard]] nwtopo_obj_t object_of(const Loaded& topology, ObjectId id);

}  // namespace ayatori::capi

/// A handle is a place in a table that never moves and is never freed, so that a look at any pointer tells whether it
/// is a handle.
struct nwtopo_topology {
  std::atomic<ayatori::capi::Session*> session;
};
