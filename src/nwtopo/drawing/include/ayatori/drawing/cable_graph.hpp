#pragma once
/// \file
/// A network as drawings and exports show it: a graph whose vertices are machines and routers, and whose edges are
/// bundles of cables. A router that is built into a machine is one vertex with it. Aggregation engines are left out.

#include <cstdint>
#include <string>
#include <vector>

#include "ayatori/network/network.hpp"

namespace ayatori::drawing {

/// A machine or a router.
struct Vertex {
  MachineId machine = no_id;  ///< no_id: a router
  DeviceId router = no_id;    ///< no_id: a machine without a built-in router
  std::string name;
  int level = -1;  ///< in a tree: 0 machines, 1 leaves, …; -1 where there are no levels

  [[nodiscard]] bool is_machine() const { return machine != no_id; }
};

/// All cables between two vertices that are on one plane and run at one rate.
struct CableBundle {
  std::uint32_t from = 0;  ///< indices of vertices, the lower one first
  std::uint32_t to = 0;
  std::vector<PortId> ports;  ///< their ends at `from`
  bool degraded = false;      ///< one of them runs below the rate of its kind
};

struct CableGraph {
  std::vector<Vertex> vertices;      ///< routers by id, then machines in network order
  std::vector<CableBundle> bundles;  ///< by first port
};

[[nodiscard]] CableGraph cable_graph(const Network& network);

/// "r0", "m0": unlike names, no two are alike, and any format takes them.
[[nodiscard]] std::string vertex_id(const Vertex& vertex);

}  // namespace ayatori::drawing
