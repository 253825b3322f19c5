#pragma once
/// \file
/// A Topology is what nwtopo.h shows of a network: *objects* (machines, routers, and the virtual objects grid, full and
/// graph that say how their children are joined), each with a height, parents above it and children below it, and the
/// links between them (paper 2, section 4.2). It is a view of a network by ids, not a second model of it: three
/// kinds answer the same questions from what they have.
///
///   GridTopology     a formula: a torus or mesh of any size in constant memory
///   ImageTopology    a block of bytes made from a Network, in memory or mapped from a cache file
///   SubsetTopology   some of the machines of another Topology
///
/// Object ids mean the same object in every process that opened the same source, and in every subset: machines have the
/// ids 0 … N − 1 in network order, then come routers, then virtual objects. Heights: machines 0, routers 1 more than
/// the highest below them, a virtual object 1 more than its children, which may be virtual objects too. A Topology
/// never changes; any number of threads may read it. Arguments are ids that contains() knows and indices below the
/// count that goes with them.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ayatori/base/ids.hpp"
#include "ayatori/network/link_rate.hpp"
#include "ayatori/network/plane.hpp"

namespace ayatori {

using ObjectId = std::uint64_t;
inline constexpr ObjectId no_object = ~ObjectId{0};

enum class ObjectKind : std::uint8_t {
  machine,
  router,
  grid,   ///< its children form a mesh or torus
  full,   ///< each of its children is joined to each other; they may be groups of a dragonfly
  graph,  ///< its children are joined by the edges that it lists
};

enum class LinkState : std::uint8_t {
  up,
  taken_out,  ///< a fault given as data (Faults): seen, but no query goes over it
};

inline constexpr std::uint32_t no_nic = ~std::uint32_t{0};

/// A machine's network adapter.
struct TopologyNic {
  std::uint32_t rail = 0;
  PlaneId plane = 0;
  Guid guid = 0;            ///< 0: not known
  std::string_view device;  ///< "mlx5_0"; empty: not known. Ends with a zero byte, and lives as long as the topology
};

/// The directed link that leaves a port.
struct TopologyLink {
  ObjectId to = no_object;
  std::uint32_t from_port = 0;
  std::uint32_t to_port = 0;
  std::uint32_t from_nic = no_nic;  ///< number of the machine's NIC that the port is on; no_nic at a router
  std::uint32_t to_nic = no_nic;
  PlaneId plane = 0;
  LinkRate rate;
  std::uint32_t latency = 0;  ///< nanoseconds, 0: not known
  LinkState state = LinkState::up;
  bool degraded = false;  ///< slower than its kind (NetworkBuilder::build)
};

/// The geometry of a grid object.
struct GridShape {
  std::vector<std::uint32_t> dimensions;  ///< lengths; the last coordinate runs fastest
  std::vector<bool> periodic;             ///< per dimension: torus, or mesh
  std::vector<std::uint32_t> reference;   ///< of a subset: where its point 0,0,… lies in the whole grid
  bool dense = true;                      ///< every point has a child
  std::vector<std::uint32_t> whole = {};  ///< of a subset: lengths of the whole grid; empty: this is the whole
  bool regular = false;  ///< its children are machines with exactly the links that the shape says, all of them up

  [[nodiscard]] std::uint64_t points() const;
};

/// The interface of all three kinds. Immutable; any number of threads may read it.
class Topology {
 public:
  virtual ~Topology() = default;

  /// One more than the greatest id; below it a subset has holes.
  [[nodiscard]] virtual ObjectId id_end() const = 0;
  [[nodiscard]] virtual bool contains(ObjectId id) const = 0;

  [[nodiscard]] virtual std::uint64_t machine_count() const = 0;
  /// The index-th machine in network order, and back; no_object for an id that is not a machine of this topology.
  [[nodiscard]] virtual ObjectId machine(std::uint64_t index) const = 0;
  [[nodiscard]] virtual std::uint64_t machine_index(ObjectId machine) const = 0;

  [[nodiscard]] virtual std::uint32_t max_height() const = 0;
  [[nodiscard]] virtual std::uint64_t count_at(std::uint32_t height) const = 0;
  [[nodiscard]] virtual ObjectId object_at(std::uint32_t height, std::uint64_t index) const = 0;  ///< by rising id

  [[nodiscard]] virtual ObjectKind kind(ObjectId id) const = 0;
  [[nodiscard]] virtual std::uint32_t height(ObjectId id) const = 0;
  [[nodiscard]] virtual std::uint32_t parent_count(ObjectId id) const = 0;
  [[nodiscard]] virtual ObjectId parent(ObjectId id, std::uint32_t index) const = 0;  ///< by rising id, each once
  [[nodiscard]] virtual std::uint64_t child_count(ObjectId id) const = 0;
  [[nodiscard]] virtual ObjectId child(ObjectId id, std::uint64_t index) const = 0;  ///< by rising id, each once

  /// Host name, router name, or a word for a virtual object ("grid"). Empty: not known.
  [[nodiscard]] virtual std::string name(ObjectId id) const = 0;
  [[nodiscard]] virtual std::optional<ObjectId> find(std::string_view name) const = 0;  ///< a machine or router
  [[nodiscard]] virtual std::uint32_t nic_count(ObjectId machine) const = 0;
  [[nodiscard]] virtual TopologyNic nic(ObjectId machine, std::uint32_t index) const = 0;  ///< by plane, then rail
  [[nodiscard]] virtual Guid router_guid(ObjectId router) const = 0;                       ///< 0: not known
  [[nodiscard]] virtual std::span<const Plane> planes() const = 0;

  /// What the source could not read, one line each ("FILE:LINE: skipped, …"): a part of the network may be missing.
  [[nodiscard]] virtual std::span<const std::string> warnings() const { return {}; }

  /// Machines forward packets: their routers are built in (Network::direct).
  [[nodiscard]] virtual bool direct() const = 0;

  /// The shape of a grid object; nullptr for all others.
  [[nodiscard]] virtual const GridShape* grid(ObjectId id) const = 0;
  /// The grid's child at a point (row-major number), no_object where a sparse grid has none; and back.
  [[nodiscard]] virtual ObjectId grid_child(ObjectId grid, std::uint64_t point) const = 0;
  [[nodiscard]] virtual std::uint64_t grid_point(ObjectId grid, ObjectId child) const = 0;

  /// Cabled ports of a machine or router, by plane, NIC and port number (parallel cables are several links). A machine
  /// whose router is built in (a torus node) has the router's links. Virtual objects have none.
  [[nodiscard]] virtual std::uint32_t link_count(ObjectId id) const = 0;
  [[nodiscard]] virtual TopologyLink link(ObjectId id, std::uint32_t index) const = 0;

  /// The topology that packets between these machines travel in, if it is more than this one: in a part of a direct
  /// network, routers that are built into machines outside of the part still forward. Its ids are those of this
  /// topology. Queries search there. nullptr: packets stay within this topology.
  [[nodiscard]] virtual std::shared_ptr<const Topology> transit() const { return nullptr; }

  /// Bytes that all processes of a node share (a mapped cache), and bytes that are this Topology's own.
  [[nodiscard]] virtual std::size_t shared_bytes() const = 0;
  [[nodiscard]] virtual std::size_t private_bytes() const = 0;
};

using TopologyPtr = std::shared_ptr<const Topology>;

/// Where packets between the machines of a topology travel: its transit(), or itself. Lives as long as the topology.
[[nodiscard]] const Topology& transit_of(const Topology& topology);

/// "machine", "router", "grid", "full", "graph".
[[nodiscard]] std::string_view to_word(ObjectKind kind);

}  // namespace ayatori
