#pragma once
/// \file
/// A network as exports show it: machines and routers, and the cables between them. A router that is built into a
/// machine is that machine. Aggregation nodes are left out.

#include <cstdint>
#include <string>
#include <vector>

#include "ayatori/network/network.hpp"

namespace ayatori::exports {

/// A machine or a router.
struct Vertex {
  MachineId machine = no_id;  ///< no_id: a router
  DeviceId router = no_id;    ///< no_id: a machine without a built-in router
  std::string name;
  int level = -1;  ///< in a tree: 0 machines, 1 leaves, …; -1 where there are no levels

  [[nodiscard]] bool is_machine() const { return machine != no_id; }
};

/// All cables between two devices that are on one plane and run at one rate.
struct CableBundle {
  std::uint32_t from = 0;  ///< indices of devices, the lower one first
  std::uint32_t to = 0;
  std::vector<PortId> ports;  ///< their ends at `from`
  bool degraded = false;
};

struct Devices {
  std::vector<Vertex> devices;       ///< routers by id, then machines in network order
  std::vector<CableBundle> bundles;  ///< by first port
};

[[nodiscard]] Devices devices_of(const Network& network);

/// "r0", "m0": unlike names, no two are alike, and any format takes them.
[[nodiscard]] std::string device_id(const Vertex& device);

}  // namespace ayatori::exports
