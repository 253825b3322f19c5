#pragma once
/// \file
/// How sources make a Network: nodes first, cables between them, then build(),
/// which checks the whole and fixes the ids. Not safe for concurrent use.

#include <string>
#include <string_view>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/network/network.hpp"

namespace ayatori {

class NetworkBuilder {
 public:
  /// A node's handle while building; Network::node ids differ (routers come first there).
  using Handle = std::uint32_t;

  /// The plane that following nodes are on. Without a call there is one plane, "infiniband".
  void begin_plane(std::string name);

  Handle add_router(std::string_view name, Guid guid, PortNumber port_count);
  Handle add_aggregation_node(std::string_view name, Guid guid, PortNumber port_count);

  /// A NIC of the machine called `machine` (made at its first mention).
  /// `rail` orders the NICs of one machine and should mean the same role in all machines.
  Handle add_nic(std::string_view name, Guid guid, PortNumber port_count, std::string_view machine, std::uint16_t rail);

  /// A NIC whose machine nobody named: it becomes a machine of its own, "hca-0x…", with named = false.
  Handle add_unnamed_nic(std::string_view name, Guid guid, PortNumber port_count);

  void set_system_guid(Handle device, Guid guid);
  /// GUID, LID and LMC of one port (0: a router's management port). Ports without GUID get the node's GUID
  /// (routers' port 0), or node GUID + port number (NICs), as HCAs commonly do, unless another port has that one.
  void set_port(Handle device, PortNumber number, Guid guid, Lid lid, std::uint8_t lmc);

  /// Plugs a cable in. Saying the same cable again, from either end, is no error (files tell each cable twice);
  /// a port that already has another cable, or a port number beyond the node's, is. `latency` in nanoseconds, 0 if
  /// not known.
  Result<> connect(Handle a, PortNumber port_a, Handle b, PortNumber port_b, LinkRate rate, std::uint32_t latency = 0);

  /// Says that the network is direct: build() fails unless each router has exactly one cable to a NIC, and each NIC one
  /// to a router.
  void set_direct();

  /// Says that the routers lie in a grid (ToldGrid).
  void set_grid(ToldGrid grid) { told_grid_ = std::move(grid); }

  /// Adds what the source could not read, one line each: Network::warnings().
  void add_warning(std::string warning) { warnings_.push_back(std::move(warning)); }

  [[nodiscard]] std::size_t device_count() const { return devices_.size(); }

  /// Checks and freezes. Errors: no node at all; two nodes or two NIC ports with one GUID; one LID (or LMC range)
  /// on two ports of a plane. Links are compared with the most common rate among links of the same kind (NIC to
  /// router, router to router, …, on one plane); slower ones are listed as degraded. The builder is empty afterwards.
  Result<Network> build();

 private:
  struct PendingPort {
    Guid guid = 0;
    Handle peer = no_id;
    Lid lid = 0;
    std::uint8_t lmc = 0;
    PortNumber peer_port = 0;
    LinkRate rate;
    std::uint32_t latency = 0;
  };
  struct PendingDevice {
    Device device;
    std::string name;
    std::size_t first_port = 0;  // into ports_, slot 0
  };

  Handle add_device(DeviceKind kind, std::string_view name, Guid guid, PortNumber port_count);
  MachineId machine_named(std::string_view name, bool named);
  PendingPort* slot(Handle device, PortNumber number);

  static Result<> check_direct(const Network& network);
  static Result<> check_lids(const Network& network);
  static Result<> index_guids(Network& network);
  static void find_shared_names(Network& network);
  static void give_default_guids(Network& network);
  static void put_in_order(Network& network);

  std::vector<PendingDevice> devices_;
  std::vector<PendingPort> ports_;
  std::vector<Machine> machines_;
  std::unordered_map<std::string, MachineId> machine_by_name_;
  std::vector<Plane> planes_;
  std::vector<std::string> warnings_;
  bool direct_ = false;
  std::optional<ToldGrid> told_grid_;
};

}  // namespace ayatori
