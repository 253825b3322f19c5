#include "ayatori/infiniband/infiniband.hpp"

#ifndef AYATORI_HAVE_IBNETDISC

namespace ayatori {

Result<Network> discover_infiniband(std::string_view) {
  return with_hint(
      fail("ib:live: this build has no live discovery"),
      "apt-get install libibnetdisc-dev libibmad-dev libibumad-dev and build again, or save what ibnetdiscover "
      "prints and open it as ib:FILE");
}

}  // namespace ayatori

#else

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "infiniband_libraries.hpp"
#include "subnet.hpp"

namespace ayatori {

namespace {

constexpr std::string_view source_name = "ib:live";

struct DestroyFabric {
  decltype(&::ibnd_destroy_fabric) destroy;
  void operator()(ibnd_fabric_t* fabric) const { destroy(fabric); }
};
using Fabric = std::unique_ptr<ibnd_fabric_t, DestroyFabric>;

LaneSpeed extended_speed(unsigned code) {
  switch (code) {
    case 1:
      return LaneSpeed::fdr;
    case 2:
      return LaneSpeed::edr;
    case 4:
      return LaneSpeed::hdr;
    case 8:
      return LaneSpeed::ndr;
    default:
      return LaneSpeed::unknown;
  }
}

LaneSpeed basic_speed(unsigned code) {
  switch (code) {
    case 1:
      return LaneSpeed::sdr;
    case 2:
      return LaneSpeed::ddr;
    case 4:
      return LaneSpeed::qdr;
    default:
      return LaneSpeed::unknown;
  }
}

std::uint8_t width(unsigned code) {
  switch (code) {
    case 1:
      return 1;
    case 2:
      return 4;
    case 4:
      return 8;
    case 8:
      return 12;
    case 16:
      return 2;
    default:
      return 0;
  }
}

/// Reads what ports say of themselves.
class PortReader {
 public:
  explicit PortReader(const InfinibandLibraries& libraries) : libraries_(libraries) {}

  /// PortInfo's active width and speed (specification 1.2, section 14.2.5.6).
  [[nodiscard]] LinkRate rate_of(const ibnd_port_t& port) const;
  /// The widest and fastest of what PortInfo says is supported, a bit each.
  [[nodiscard]] LinkRate max_rate_of(const ibnd_port_t& port) const;
  [[nodiscard]] bool is_up(const ibnd_port_t& port) const {
    constexpr unsigned link_up = 5;  // PortPhysicalState
    return field(port.info, IB_PORT_PHYS_STATE_F) == link_up;
  }

 private:
  [[nodiscard]] unsigned field(const std::uint8_t* attribute, MAD_FIELDS name) const {
    return libraries_.mad_get_field(const_cast<std::uint8_t*>(attribute), 0, name);
  }
  /// Port 0 of a switch says whether the extended speeds of its ports are valid.
  [[nodiscard]] bool has_extended_speeds(const ibnd_port_t& port) const {
    constexpr unsigned extended_speeds = 1U << 14;  // of CapabilityMask
    const bool is_switch = port.node->type == IB_NODE_SWITCH;
    const ibnd_port_t& capable = is_switch ? *port.node->ports[0] : port;
    return (field(capable.info, IB_PORT_CAPMASK_F) & extended_speeds) != 0;
  }

  const InfinibandLibraries& libraries_;
};

constexpr unsigned fdr10 = 1;  // of a vendor's attribute: to the specification, such a port is QDR

LinkRate PortReader::rate_of(const ibnd_port_t& port) const {
  const unsigned extended = has_extended_speeds(port) ? field(port.info, IB_PORT_LINK_SPEED_EXT_ACTIVE_F) : 0;
  LinkRate rate{width(field(port.info, IB_PORT_LINK_WIDTH_ACTIVE_F)),
                basic_speed(field(port.info, IB_PORT_LINK_SPEED_ACTIVE_F))};
  if (extended != 0) {
    rate.speed = extended_speed(extended);
  } else if (rate.speed == LaneSpeed::qdr && (field(port.ext_info, IB_MLNX_EXT_PORT_LINK_SPEED_ACTIVE_F) & fdr10)) {
    rate.speed = LaneSpeed::fdr10;
  }
  return rate.known() ? rate : LinkRate{};
}

LinkRate PortReader::max_rate_of(const ibnd_port_t& port) const {
  LinkRate rate;
  const unsigned widths = field(port.info, IB_PORT_LINK_WIDTH_SUPPORTED_F);
  const unsigned speeds = field(port.info, IB_PORT_LINK_SPEED_SUPPORTED_F);
  const unsigned extended = has_extended_speeds(port) ? field(port.info, IB_PORT_LINK_SPEED_EXT_SUPPORTED_F) : 0;
  for (unsigned bit = 1; bit <= 16; bit *= 2) {
    if (widths & bit) rate.width = std::max(rate.width, width(bit));
    if (speeds & bit) rate.speed = std::max(rate.speed, basic_speed(bit));
    if (extended & bit) rate.speed = std::max(rate.speed, extended_speed(bit));
  }
  const unsigned vendors = field(port.ext_info, IB_MLNX_EXT_PORT_LINK_SPEED_SUPPORTED_F);
  if (rate.speed == LaneSpeed::qdr && (vendors & fdr10)) rate.speed = LaneSpeed::fdr10;
  return rate.known() ? rate : LinkRate{};
}

/// A port whose PortInfo was lost holds zeros only, which no real port answers.
bool has_answered(const ibnd_port_t* port) {
  return port != nullptr && std::ranges::any_of(port->info, [](std::uint8_t byte) { return byte != 0; });
}

/// Copies what libibnetdisc found, and checks that nothing is missing: libibnetdisc goes on when MADs are lost.
class FabricReader {
 public:
  FabricReader(const InfinibandLibraries& libraries, ibnd_fabric_t& fabric)
      : libraries_(libraries), ports_(libraries), fabric_(fabric) {
    subnet_.source = source_name;
  }

  Result<Subnet> read() {
    for (const int type : {IB_NODE_SWITCH, IB_NODE_CA, IB_NODE_ROUTER}) {
      libraries_.ibnd_iter_nodes_type(
          &fabric_, [](ibnd_node_t* node, void* self) { static_cast<FabricReader*>(self)->add(*node); }, type, this);
    }
    for (const ibnd_node_t* node : nodes_) {
      if (auto checked = check(*node); !checked) return Failure(checked.error());
      for (int number = 1; number <= node->numports; ++number) {
        if (auto added = add_end(*node, node->ports[number]); !added) return Failure(added.error());
      }
    }
    return std::move(subnet_);
  }

 private:
  void add(ibnd_node_t& node) {
    index_[&node] = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back(&node);
    ReportedNode reported;
    const char letter = node.type == IB_NODE_SWITCH ? 'S' : node.type == IB_NODE_CA ? 'H' : 'R';
    reported.id = texts_.emplace_back(fmt::format("{}-{:016x}", letter, node.guid));
    reported.description = description_of(node);
    reported.guid = node.guid;
    reported.system_guid = libraries_.mad_get_field64(node.info, 0, IB_NODE_SYSTEM_GUID_F);
    reported.vendor_id = libraries_.mad_get_field(node.info, 0, IB_NODE_VENDORID_F);
    reported.model_id = libraries_.mad_get_field(node.info, 0, IB_NODE_DEVID_F);
    reported.port_count = static_cast<PortNumber>(node.numports);
    reported.kind = node.type == IB_NODE_SWITCH ? ReportedKind::router
                    : node.type == IB_NODE_CA   ? ReportedKind::adapter
                                                : ReportedKind::subnet_router;
    if (reported.kind == ReportedKind::router) {
      reported.port_guid = libraries_.mad_get_field64(node.info, 0, IB_NODE_PORT_GUID_F);
      reported.lid = node.smalid;
      reported.lmc = node.smalmc;
    }
    subnet_.nodes.push_back(reported);
  }

  std::string_view description_of(const ibnd_node_t& node) {
    std::string text(node.nodedesc, strnlen(node.nodedesc, sizeof node.nodedesc));
    text.erase(text.find_last_not_of(' ') + 1);
    for (char& c : text) {
      if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
    }
    return texts_.emplace_back(std::move(text));
  }

  [[nodiscard]] Result<> check(const ibnd_node_t& node) const {
    const bool is_switch = node.type == IB_NODE_SWITCH;
    if (node.nodedesc[0] == '\0') return lost(node, "its description");
    for (int number = is_switch ? 0 : 1; number <= node.numports; ++number) {
      const ibnd_port_t* port = node.ports[number];
      if (port == nullptr && !is_switch) continue;  // an adapter's ports are asked one by one, as cables lead to them
      if (!has_answered(port)) return lost(node, fmt::format("its port {}", number));
      if (number != 0 && port->remoteport == nullptr && ports_.is_up(*port)) {
        return lost(node, fmt::format("what is plugged into its port {}", number));
      }
    }
    return {};
  }

  [[nodiscard]] Failure lost(const ibnd_node_t& node, std::string_view what) const {
    return with_hint(
        fail("{}: {} did not report {}: MADs were lost", source_name, describe(subnet_.nodes[index_.at(&node)]), what),
        "try again; if it stays so, that device is not answering");
  }

  Result<> add_end(const ibnd_node_t& node, const ibnd_port_t* port) {
    if (port == nullptr || port->remoteport == nullptr) return {};
    const ibnd_port_t& peer = *port->remoteport;
    const auto peer_index = index_.find(peer.node);
    if (peer_index == index_.end()) return lost(node, "what kind of node its neighbour is");
    ReportedEnd end;
    end.node = index_.at(&node);
    end.peer = peer_index->second;
    end.port = static_cast<PortNumber>(port->portnum);
    end.peer_port = static_cast<PortNumber>(peer.portnum);
    end.guid = port->guid;
    end.lid = port->base_lid;
    end.lmc = port->lmc;
    end.rate = ports_.rate_of(*port);
    end.max_rate = ports_.max_rate_of(*port);
    subnet_.ends.push_back(end);
    return {};
  }

  const InfinibandLibraries& libraries_;
  PortReader ports_;
  ibnd_fabric_t& fabric_;
  Subnet subnet_;
  std::deque<std::string> texts_;  // what the subnet's views look at
  std::vector<const ibnd_node_t*> nodes_;
  std::unordered_map<const ibnd_node_t*, std::uint32_t> index_;
};

/// Checked first and in this order, because the libraries print messages where they find nothing.
Result<> check_there_is_a_port(const InfinibandLibraries& libraries) {
  umad_device_node* const adapters = libraries.umad_get_ca_device_list();
  libraries.umad_free_ca_device_list(adapters);
  if (adapters == nullptr) {
    return with_hint(fail("{}: this machine has no InfiniBand adapter", source_name),
                     "run it on a node of the fabric, or open what ibnetdiscover printed there as ib:FILE");
  }
  constexpr int by_default = 0;
  const int port = libraries.umad_init() < 0 ? -EIO : libraries.umad_open_port(nullptr, by_default);
  if (port < 0) {
    return with_hint(with_cause(fail("{}: no active InfiniBand port can be opened", source_name), std::strerror(-port)),
                     "does this user have access to /dev/infiniband/umad*?");
  }
  libraries.umad_close_port(port);
  return {};
}

}  // namespace

Result<Network> discover_infiniband(std::string_view host_pattern) {
  const auto libraries = load_infiniband_libraries();
  if (!libraries) return Failure(libraries.error());
  if (auto checked = check_there_is_a_port(*libraries); !checked) return Failure(checked.error());
  libraries->madrpc_show_errors(0);
  ibnd_config_t config{};
  config.flags = IBND_CONFIG_MLX_EPI;
  const Fabric fabric(libraries->ibnd_discover_fabric(nullptr, 0, nullptr, &config),
                      DestroyFabric{libraries->ibnd_destroy_fabric});
  if (!fabric) return fail("{}: discovery failed: the local port does not answer MADs", source_name);
  FabricReader reader(*libraries, *fabric);
  const auto subnet = reader.read();
  if (!subnet) return Failure(subnet.error());
  return to_network(*subnet, host_pattern);
}

}  // namespace ayatori

#endif
