#pragma once
/// \file
/// The model of a network: machines, their NICs, routers, and the cables
/// between them, on one or several planes. A Network never changes once it is
/// built (see NetworkBuilder), so any number of threads may read it.
///
/// Cables connect devices: routers (InfiniBand switches, Ethernet switches),
/// NICs (HCAs) and aggregation nodes (reduction engines inside a switch that
/// answer as a channel adapter). Every device has the port slots
/// 0 … port_count, numbered as printed on the device. Slot 0 is a router's
/// management port; on other devices it stays empty. Ports have two indices:
///
///   by device:  ports(device)[number]      by port:  port(id), with port(id).device, .number, .peer
///
/// A PortId also names the *directed link that leaves the port*: link loads,
/// for example, are an array over port ids.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ayatori/base/ids.hpp"
#include "ayatori/network/link_rate.hpp"
#include "ayatori/network/plane.hpp"

namespace ayatori {

enum class DeviceKind : std::uint8_t {
  router,       ///< forwards packets
  nic,          ///< a machine's network interface
  aggregation,  ///< in-network reduction engine (SHARP); belongs to no machine
};

struct Port {
  PortId peer = no_id;      ///< the other end of the cable; no_id if nothing is plugged in
  DeviceId device = no_id;  ///< whose port this is
  Guid guid = 0;
  Lid lid = 0;  ///< base LID that the network's source reported, 0 if none
  std::uint8_t lmc = 0;
  PortNumber number = 0;
  LinkRate rate;              ///< active rate of the cable
  LinkRate max_rate;          ///< highest rate that the port supports; not known if the source does not report it
  std::uint32_t latency = 0;  ///< of the cable and the device at its end, in nanoseconds; 0 is "not known"

  [[nodiscard]] bool connected() const { return peer != no_id; }
};

struct Device {
  DeviceKind kind = DeviceKind::router;
  PortNumber port_count = 0;  ///< slots are 0 … port_count
  PlaneId plane = 0;
  MachineId machine = no_id;  ///< owner; no_id unless a NIC
  std::uint16_t rail = 0;     ///< which of its machine's NICs: 0, 1, …; same number, same role, in every machine
  PortId first_slot = 0;      ///< id of slot 0
  Guid guid = 0;
  Guid system_guid = 0;         ///< system image GUID: devices of one card or chassis share it
  std::uint32_t vendor_id = 0;  ///< who made it (an IEEE company id), 0: not known
  std::uint32_t model_id = 0;   ///< which of the vendor's models it is (InfiniBand's DeviceID), 0: not known
};

struct Machine {
  std::string name;               ///< host name; for an unnamed HCA "hca-0x…" with its GUID
  bool named = true;              ///< false: the source has no host name for it
  std::vector<PortId> endpoints;  ///< its connected NIC ports, sorted by rail, then port number
};

/// A grid that the source of a network declares: its routers lie at the points of the grid in the order in which they
/// were added, the last coordinate running fastest. Cables alone do not determine it: where a length is 1 or 2, a torus
/// and a mesh have the same cables.
struct DeclaredGrid {
  std::vector<std::uint32_t> dimensions;
  std::vector<bool> periodic;  ///< per dimension
};

/// Background traffic, storage for example: it flows at its demand, or at its max-min fair share of full links.
struct BackgroundFlow {
  PortId from = no_id;  ///< an endpoint, as `to`
  PortId to = no_id;
  LinkRate rate;  ///< its demand
};

/// Another name of a machine, by which hostfiles may call it.
struct HostAlias {
  std::string name;
  MachineId machine = no_id;
};

/// Machines, devices, ports and cables in arrays by id. Immutable: any number of threads may read it. Functions do not
/// check ids.
class Network {
 public:
  /// Routers have the ids 0 … router_count() − 1, so that per-router tables need no map.
  [[nodiscard]] std::size_t router_count() const { return router_count_; }
  [[nodiscard]] std::size_t device_count() const { return devices_.size(); }
  [[nodiscard]] const Device& device(DeviceId id) const { return devices_[id]; }
  [[nodiscard]] std::string_view name(DeviceId id) const;
  [[nodiscard]] bool is_router(DeviceId id) const { return id < router_count_; }
  /// Routers in the natural order of their names, then by GUID. Network order follows this order.
  [[nodiscard]] std::vector<DeviceId> routers_in_order() const;

  /// Slots 0 … port_count of a device.
  [[nodiscard]] std::span<const Port> ports(DeviceId id) const {
    return {ports_.data() + devices_[id].first_slot, std::size_t{devices_[id].port_count} + 1};
  }
  [[nodiscard]] std::size_t port_count() const { return ports_.size(); }  ///< all slots of all devices
  [[nodiscard]] const Port& port(PortId id) const { return ports_[id]; }
  [[nodiscard]] PortId port_id(DeviceId device, PortNumber number) const {
    return devices_[device].first_slot + number;
  }

  /// Cables, each counted once; a cable from a router to itself counts.
  [[nodiscard]] std::size_t link_count() const { return link_count_; }

  [[nodiscard]] std::span<const Machine> machines() const { return machines_; }
  [[nodiscard]] const Machine& machine(MachineId id) const { return machines_[id]; }
  [[nodiscard]] std::span<const Plane> planes() const { return planes_; }

  /// Warnings of the source, one line each: skipped lines, devices that did not answer, cables whose ends report two
  /// rates. A program that opens a source should show them to the user, since a part of the network may be missing.
  /// Usually empty.
  [[nodiscard]] std::span<const std::string> warnings() const { return warnings_; }

  /// True if each machine has its router built in, as in a torus; a drawing then shows both as one.
  [[nodiscard]] bool direct() const { return direct_; }
  /// The grid that the source declares. It is not compared with the cables here: declared_shape() of shape.hpp does
  /// that.
  [[nodiscard]] const std::optional<DeclaredGrid>& declared_grid() const { return declared_grid_; }

  /// The router at the other end of an endpoint's cable; no_id if it is not plugged into a router.
  [[nodiscard]] DeviceId router_of(PortId endpoint) const;

  /// Every connected port of machines' NICs in *network order*: by router (natural order of the router names,
  /// then GUID), then by the router's port number. Neighbours in this order share a leaf.
  [[nodiscard]] std::span<const PortId> endpoints() const { return endpoints_; }

  /// Connected ports of aggregation nodes, in network order. They take LIDs like NICs and belong to no job.
  [[nodiscard]] std::span<const PortId> aggregation_ports() const { return aggregation_ports_; }

  /// Machines in network order: by their first endpoint; those without any cable come last, by name.
  [[nodiscard]] std::span<const MachineId> machines_in_order() const { return machine_order_; }

  [[nodiscard]] std::optional<MachineId> find_machine(std::string_view name) const;
  /// What with_aliases() of host_aliases.hpp has read; else nothing.
  [[nodiscard]] std::span<const HostAlias> aliases() const { return aliases_; }
  void add_alias(HostAlias alias) { aliases_.push_back(std::move(alias)); }
  /// Adds those that another network has for machines of this one's names.
  void add_aliases_of(const Network& other);
  /// The NIC port (or router port 0) with this GUID; the node GUID of a NIC (InfiniBand's word) finds its first
  /// connected port.
  [[nodiscard]] std::optional<PortId> find_guid(Guid guid) const;

  /// The name to show to users: the device's name, with its GUID and LID if another device has the same name:
  /// "SwitchIB Mellanox Technologies (0x7cfe900300a5e3a0, LID 12)". A NIC's LID is that of its first cabled port.
  [[nodiscard]] std::string label(DeviceId id) const;

  /// "LS1 port 8 -> RS2 port 2": the directed link that leaves a port, with the labels of both devices.
  [[nodiscard]] std::string describe_link(PortId id) const;

  /// What the source says of other traffic, in its order; usually nothing.
  [[nodiscard]] std::span<const BackgroundFlow> background() const { return background_; }

  /// Cables that run slower than they should (see NetworkBuilder::build), as the lower of the two port ids.
  [[nodiscard]] std::span<const PortId> degraded_links() const { return degraded_; }

 private:
  friend class NetworkBuilder;

  std::size_t router_count_ = 0;
  std::size_t link_count_ = 0;
  bool direct_ = false;
  std::optional<DeclaredGrid> declared_grid_;
  std::vector<Device> devices_;
  std::vector<Port> ports_;
  std::string name_pool_;
  std::vector<std::uint32_t> name_ends_;
  std::vector<bool> shares_name_;  // by device: whether another one has the same name
  std::vector<Machine> machines_;
  std::vector<Plane> planes_;
  std::vector<std::string> warnings_;
  std::vector<PortId> endpoints_;
  std::vector<PortId> aggregation_ports_;
  std::vector<MachineId> machine_order_;
  std::vector<PortId> degraded_;
  std::vector<BackgroundFlow> background_;
  std::vector<HostAlias> aliases_;
  std::unordered_map<std::string, MachineId> machine_by_name_;
  std::unordered_map<Guid, PortId> port_by_guid_;
};

}  // namespace ayatori
