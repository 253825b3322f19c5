#include "handle.hpp"

#include <cerrno>
#include <deque>

namespace ayatori::capi {

namespace {

/// All handles of this process.
class Handles {
 public:
  [[nodiscard]] bool has(nwtopo_topology_t handle) const {
    const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(handle) - reinterpret_cast<std::uintptr_t>(first());
    return offset % sizeof(nwtopo_topology) == 0 && offset / sizeof(nwtopo_topology) < most;
  }

  /// A place for a session; bad_alloc if all are taken.
  [[nodiscard]] nwtopo_topology_t add(std::unique_ptr<Session> session) {
    const std::lock_guard held(lock_);
    nwtopo_topology_t const handle = free_place();
    handle->session.store(session.release(), std::memory_order_release);
    return handle;
  }

  void remove(nwtopo_topology_t handle) {
    const std::unique_ptr<Session> session(handle->session.exchange(nullptr));
    const std::lock_guard held(lock_);
    free_.push_back(handle);
  }

 private:
  static constexpr std::size_t most = std::size_t{1} << 20;

  [[nodiscard]] nwtopo_topology_t first() const { return static_cast<nwtopo_topology_t>(memory_.data()); }

  /// Those that were destroyed are given out again as late as possible.
  nwtopo_topology_t free_place() {
    constexpr std::size_t spared = 256;
    if (used_ < most && free_.size() < spared) return first() + used_++;
    if (free_.empty()) throw std::bad_alloc();
    nwtopo_topology_t const handle = free_.front();
    free_.pop_front();
    return handle;
  }

  Reservation memory_{most * sizeof(nwtopo_topology)};
  std::mutex lock_;
  std::size_t used_ = 0;
  std::deque<nwtopo_topology_t> free_;
};

/// Never destroyed: programs may end a topology while they exit.
Handles& handles() {
  static Handles* const all = new Handles;
  return *all;
}

Session* find_session(nwtopo_topology_t handle) {
  return handles().has(handle) ? handle->session.load(std::memory_order_acquire) : nullptr;
}

}  // namespace

Session* session_of(nwtopo_topology_t handle) {
  return guarded([&]() -> Session* {
    if (Session* const session = find_session(handle)) return session;
    if (handle == nullptr) return refuse(EINVAL, "the topology is NULL");
    return refuse(EINVAL, "this is not a topology: it was destroyed, or never initialised");
  });
}

Loaded* loaded(nwtopo_topology_t handle) {
  Session* const session = session_of(handle);
  if (session == nullptr || session->loaded) return session == nullptr ? nullptr : session->loaded.get();
  return refuse(EINVAL, "the topology is not loaded yet: nwtopo_topology_load() does that");
}

Session* unloaded(nwtopo_topology_t handle) {
  Session* const session = session_of(handle);
  if (session == nullptr || !session->loaded) return session;
  return refuse(EBUSY, "the topology is loaded already: this can only be said before");
}

ObjectId id_of(const Loaded& topology, const nwtopo_obj* object, const char* what) {
  const ObjectId id = topology.objects->id_of(object);
  if (id != no_object) return id;
  if (object == nullptr) {
    refuse(EINVAL, "{} is NULL", what);
  } else {
    refuse(EINVAL, "{} is not of this topology", what);
  }
  return no_object;
}

ObjectId device_of(const Loaded& topology, const nwtopo_obj* object, const char* what) {
  const ObjectId id = id_of(topology, object, what);
  if (id == no_object) return no_object;
  const ObjectKind kind = topology.topology->kind(id);
  if (kind == ObjectKind::machine || kind == ObjectKind::router) return id;
  refuse(EINVAL, "{} is a {}: expected a machine or router", what, to_word(kind));
  return no_object;
}

nwtopo_obj_t object_of(const Loaded& topology, ObjectId id) {
  if (nwtopo_obj_t const object = topology.objects->get(id)) return object;
  return refuse(ENOENT, "machine {} has no object: the topology was loaded with NO_MACHINES", id);
}

}  // namespace ayatori::capi

using namespace ayatori::capi;

extern "C" {

unsigned nwtopo_get_api_version(void) { return NWTOPO_API_VERSION; }

int nwtopo_topology_init(nwtopo_topology_t* topologyp) {
  return guarded([&]() -> int {
    if (topologyp == nullptr) return refuse(EINVAL, "the pointer to the topology is NULL");
    *topologyp = nullptr;
    *topologyp = handles().add(std::make_unique<Session>());
    return 0;
  });
}

void nwtopo_topology_destroy(nwtopo_topology_t topology) {
  guarded([&] {
    if (find_session(topology) != nullptr) handles().remove(topology);
    return 0;
  });
}

}  // extern "C"
