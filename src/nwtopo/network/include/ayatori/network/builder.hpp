#pragma once
/// \file
/// How sources make a Network: they add the devices, then the cables between them, and then call build(), which checks
/// the network and gives its devices their final ids. A builder is not safe for concurrent use.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/network/network.hpp"

namespace ayatori {

/// Builds one Network. Use: add devices, connect them, call build() once.
class NetworkBuilder {
 public:
  /// A device's handle while building. It differs from the DeviceId in the Network, where routers come first.
  using Handle = std::uint32_t;

  /// Begins a plane: devices added from now on are on it. Without a call there is one plane, "infiniband".
  void begin_plane(std::string name, PlaneUse use = {});

  Handle add_router(std::string_view name, Guid guid, PortNumber port_count);
  Handle add_aggregation_node(std::string_view name, Guid guid, PortNumber port_count);

  /// A NIC of the machine called `machine` (which is added when it is first named).
  /// `rail` orders the NICs of one machine and should have the same role in all machines.
  Handle add_nic(std::string_view name, Guid guid, PortNumber port_count, std::string_view machine, std::uint16_t rail);

  /// A NIC whose machine the source does not name: it gets a machine of its own, "hca-0x…", with named = false.
  Handle add_unnamed_nic(std::string_view name, Guid guid, PortNumber port_count);

  void set_system_guid(Handle device, Guid guid);
  /// Which model the device is: VendorID and DeviceID of InfiniBand's NodeInfo (specification 1.2, section 14.2.5.3).
  void set_model(Handle device, std::uint32_t vendor_id, std::uint32_t model_id);
  /// The highest rate that the port supports, whatever is plugged in.
  void set_max_rate(Handle device, PortNumber number, LinkRate rate);
  /// Sets GUID, LID and LMC of one port (0: a router's management port). A port without a GUID gets one in build(): a
  /// router's port 0 gets the device's GUID; a NIC's port gets the device's GUID + port number, as HCAs commonly have
  /// it, unless another port has that GUID.
  void set_port(Handle device, PortNumber number, Guid guid, Lid lid, std::uint8_t lmc);

  /// Plugs a cable in. Adding the same cable again, from either end, is allowed: files often list each cable twice.
  /// `latency` is in nanoseconds, 0 if not known. Errors: a port that already has another cable, a port number that the
  /// device does not have, a port cabled to itself.
  Result<> connect(Handle a, PortNumber port_a, Handle b, PortNumber port_b, LinkRate rate, std::uint32_t latency = 0);

  /// Traffic from one NIC's port to another's (BackgroundFlow). build() fails unless these are connected ports of NICs
  /// of two machines on one plane.
  void add_background(Handle from, PortNumber from_port, Handle to, PortNumber to_port, LinkRate rate);

  /// Declares the network direct: build() fails unless each router has exactly one cable to a NIC, and each NIC one
  /// to a router.
  void set_direct();

  /// Declares that the routers lie in a grid (DeclaredGrid).
  void set_grid(DeclaredGrid grid) { declared_grid_ = std::move(grid); }

  /// Adds one line about something that the source could not read; Network::warnings() returns these lines.
  void add_warning(std::string warning) { warnings_.push_back(std::move(warning)); }

  [[nodiscard]] std::size_t device_count() const { return devices_.size(); }

  /// Checks what was added and makes the Network. Errors: no device at all; two devices or two NIC ports with the same
  /// GUID; the same LID (or overlapping LMC ranges) on two ports of a plane. The builder is empty afterwards.
  ///
  /// A link is listed as degraded if it runs slower than both of its ends support. Where an end does not report this
  /// (set_max_rate), it is degraded if another cable between the same two devices is faster, or if it is slower than is
  /// usual in its class: the links on one plane that join the same two models of device (set_model; without a model,
  /// devices of the same kind with the same number of ports). Usual is the commonest rate, and a slower one that two or
  /// more links and at least a third of the class have. Devices that are slower by themselves have no degraded links: a
  /// router or a machine whose links on all planes, two or more, have one rate; and devices of one model on a plane,
  /// with names that differ in digits alone, whose links, two or more, have one rate.
  Result<Network> build();

 private:
  struct PendingPort {
    Guid guid = 0;
    Handle peer = no_id;
    Lid lid = 0;
    std::uint8_t lmc = 0;
    PortNumber peer_port = 0;
    LinkRate rate;
    LinkRate max_rate;
    std::uint32_t latency = 0;
  };
  struct PendingFlow {
    Handle from = no_id;
    Handle to = no_id;
    PortNumber from_port = 0;
    PortNumber to_port = 0;
    LinkRate rate;
  };
  struct PendingDevice {
    Device device;
    std::string name;
    std::size_t first_port = 0;  // into ports_, slot 0
  };

  Handle add_device(DeviceKind kind, std::string_view name, Guid guid, PortNumber port_count);
  MachineId machine_named(std::string_view name, bool named);
  PendingPort* slot(Handle device, PortNumber number);

  /// The devices and cables under their final ids, not checked yet. Empties the builder.
  Network take_network();
  /// Handles in the order of the DeviceIds: routers first, so that per-router tables need no map.
  [[nodiscard]] std::vector<Handle> routers_first() const;
  /// Adds the device, its name and its port slots under the next DeviceId.
  void append_device(const PendingDevice& pending, Network& network) const;
  /// Joins the device's ports to their peers. `id_of` has the DeviceId of each handle; all devices are in `network`.
  void append_cables(Handle handle, std::span<const DeviceId> id_of, Network& network) const;
  void append_background(std::span<const DeviceId> id_of, Network& network) const;

  static Result<> check_direct(const Network& network);
  static Result<> check_background(const Network& network);
  static Result<> check_lids(const Network& network);
  static Result<> index_guids(Network& network);
  static void find_shared_names(Network& network);
  static void give_default_guids(Network& network);
  static void put_in_order(Network& network);

  std::vector<PendingDevice> devices_;
  std::vector<PendingPort> ports_;
  std::vector<PendingFlow> background_;
  std::vector<Machine> machines_;
  std::unordered_map<std::string, MachineId> machine_by_name_;
  std::vector<Plane> planes_;
  std::vector<std::string> warnings_;
  bool direct_ = false;
  std::optional<DeclaredGrid> declared_grid_;
};

}  // namespace ayatori
