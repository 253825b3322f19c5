#include "subnet.hpp"

#include <fmt/core.h>

#include <optional>
#include <unordered_map>

#include "ayatori/network/builder.hpp"
#include "host_names.hpp"
#include "report_text.hpp"

namespace ayatori {

namespace {

std::string_view kind_name(ReportedKind kind) {
  switch (kind) {
    case ReportedKind::router:
      return "router";
    case ReportedKind::adapter:
      return "channel adapter";
    case ReportedKind::subnet_router:
      return "InfiniBand router";
  }
  return "node";
}

std::string_view name_of(const ReportedNode& node) { return node.description.empty() ? node.id : node.description; }

/// Ports that no subnet manager has seen yet answer with the permissive LID (specification 1.2, section 4.1.3).
Lid assigned(Lid lid) { return lid == 0xFFFF ? Lid{0} : lid; }

LinkRate slower(LinkRate a, LinkRate b) {
  if (!a.known()) return b.known() ? b : LinkRate{};
  if (!b.known()) return a;
  return a.bytes_per_second() <= b.bytes_per_second() ? a : b;
}

/// Finds the reported end of a cable by its port.
class CableEnds {
 public:
  explicit CableEnds(const Subnet& subnet) : subnet_(subnet), first_slot_(subnet.nodes.size() + 1) {
    for (std::size_t i = 0; i < subnet.nodes.size(); ++i) {
      first_slot_[i + 1] = first_slot_[i] + subnet.nodes[i].port_count + 1U;
    }
    end_in_slot_.assign(first_slot_.back(), no_id);
  }

  Result<> index_ends() {
    for (std::uint32_t i = 0; i < subnet_.ends.size(); ++i) {
      const ReportedEnd& end = subnet_.ends[i];
      const ReportedNode& node = subnet_.nodes[end.node];
      if (end.port == 0 || end.port > node.port_count) {
        return refuse(end, fmt::format("expected a port from 1 to {} of {}, found {}", node.port_count, describe(node),
                                       end.port));
      }
      std::uint32_t& slot = end_in_slot_[first_slot_[end.node] + end.port];
      if (slot != no_id) {
        return refuse(end, fmt::format("port {} of {} is reported a second time, first in line {}", end.port,
                                       describe(node), subnet_.ends[slot].line));
      }
      slot = i;
    }
    return {};
  }

  /// The index in subnet.ends of the end that the device at the other side reported.
  [[nodiscard]] Result<std::uint32_t> other_end(const ReportedEnd& end) const {
    const ReportedNode& peer = subnet_.nodes[end.peer];
    if (end.peer_port == 0 || end.peer_port > peer.port_count) {
      return refuse(end, fmt::format("expected a port from 1 to {} of {}, found {}", peer.port_count, describe(peer),
                                     end.peer_port));
    }
    if (end.node == end.peer && end.port == end.peer_port) {
      return refuse(end, fmt::format("port {} of {} is cabled to itself", end.port, describe(peer)));
    }
    const std::uint32_t other = end_in_slot_[first_slot_[end.peer] + end.peer_port];
    if (other == no_id) {
      return with_hint(refuse(end, fmt::format("a cable to port {} of {}, whose own record does not list it",
                                               end.peer_port, describe(peer))),
                       std::string(how_to_save_all));
    }
    const ReportedEnd& reported = subnet_.ends[other];
    if (reported.peer != end.node || reported.peer_port != end.port) {
      return refuse(end, fmt::format("a cable to port {} of {}, which line {} connects to another port", end.peer_port,
                                     describe(peer), reported.line));
    }
    return other;
  }

  [[nodiscard]] Result<> check_agreement(const ReportedEnd& end, const ReportedEnd& other) const {
    const Lid own = lid_of(other);
    if (end.peer_lid != 0 && own != 0 && end.peer_lid != own) {
      return refuse(end, fmt::format("LID {} for port {} of {}, which has LID {} in line {}", end.peer_lid, other.port,
                                     describe(subnet_.nodes[other.node]), own, other.line));
    }
    const bool may_be_cut_off = end.line != 0 && end.line == subnet_.unended_line;
    if (may_be_cut_off && (end.rate != other.rate || lid_of(end) != other.peer_lid || end.peer_lid != own)) {
      return refuse(end, "expected the rest of this line: the report is cut off");
    }
    return {};
  }

  /// Both ends of a cable run at one rate. If the report says otherwise, one of them was asked while the link was being
  /// trained, or is at fault.
  [[nodiscard]] std::optional<std::string> contradiction(const ReportedEnd& end, const ReportedEnd& other) const {
    if (!end.rate.known() || !other.rate.known() || end.rate == other.rate) return std::nullopt;
    const std::string where = end.line == 0 ? "" : fmt::format(":{}", end.line);
    const std::string there = other.line == 0 ? "" : fmt::format(" in line {}", other.line);
    return fmt::format("{}{}: port {} of {} runs at {}, but the other end of its cable, port {} of {}, at {}{}",
                       subnet_.source, where, end.port, describe(subnet_.nodes[end.node]), to_string(end.rate),
                       other.port, describe(subnet_.nodes[other.node]), to_string(other.rate), there);
  }

 private:
  [[nodiscard]] Lid lid_of(const ReportedEnd& end) const {
    const ReportedNode& node = subnet_.nodes[end.node];
    return node.kind == ReportedKind::router ? node.lid : end.lid;
  }

  [[nodiscard]] Failure refuse(const ReportedEnd& end, std::string what) const {
    return fail_at(subnet_.source, end.line, std::move(what));
  }

  const Subnet& subnet_;
  std::vector<std::size_t> first_slot_;
  std::vector<std::uint32_t> end_in_slot_;
};

Result<> check_guids(const Subnet& subnet) {
  std::unordered_map<Guid, const ReportedNode*> owners;
  owners.reserve(subnet.nodes.size());
  for (const ReportedNode& node : subnet.nodes) {
    const auto [owner, is_new] = owners.try_emplace(node.guid, &node);
    if (is_new || node.guid == 0) continue;
    const ReportedNode& first = *owner->second;
    const std::string where = first.line == 0 ? "" : fmt::format(" of line {}", first.line);
    return fail_at(
        subnet.source, node.line,
        fmt::format("duplicate GUID {:#018x}: {}{} and {}", node.guid, describe(first), where, describe(node)));
  }
  return {};
}

bool is_aggregation(const ReportedNode& node) {
  return node.kind != ReportedKind::router && describes_aggregation_node(name_of(node));
}

bool belongs_to_a_machine(const ReportedNode& node) {
  return node.kind != ReportedKind::router && !is_aggregation(node);
}

Result<std::vector<HostRail>> hosts_of_adapters(const Subnet& subnet, std::string_view host_pattern) {
  std::vector<Adapter> adapters;
  for (const ReportedNode& node : subnet.nodes) {
    if (belongs_to_a_machine(node)) adapters.push_back({name_of(node), node.guid});
  }
  return assign_hosts(adapters, host_pattern);
}

NetworkBuilder::Handle add_node(NetworkBuilder& builder, const ReportedNode& node, const HostRail* host_rail) {
  const std::string_view name = name_of(node);
  if (node.kind == ReportedKind::router) {
    const auto router = builder.add_router(name, node.guid, node.port_count);
    builder.set_port(router, 0, node.port_guid, assigned(node.lid), node.lmc);
    return router;
  }
  if (host_rail == nullptr) return builder.add_aggregation_node(name, node.guid, node.port_count);
  if (host_rail->host.empty()) return builder.add_unnamed_nic(name, node.guid, node.port_count);
  return builder.add_nic(name, node.guid, node.port_count, host_rail->host, host_rail->rail);
}

/// Handles are the nodes' indices in the subnet.
Result<> add_nodes(NetworkBuilder& builder, const Subnet& subnet, std::string_view host_pattern) {
  const auto host_rails = hosts_of_adapters(subnet, host_pattern);
  if (!host_rails) return Failure(host_rails.error());
  auto host_rail = host_rails->begin();
  for (const ReportedNode& node : subnet.nodes) {
    const auto handle = add_node(builder, node, belongs_to_a_machine(node) ? &*host_rail++ : nullptr);
    builder.set_system_guid(handle, node.system_guid);
    builder.set_model(handle, node.vendor_id, node.model_id);
  }
  return {};
}

Result<> add_cables(NetworkBuilder& builder, const Subnet& subnet) {
  CableEnds cable_ends(subnet);
  if (auto indexed = cable_ends.index_ends(); !indexed) return indexed;
  for (std::uint32_t i = 0; i < subnet.ends.size(); ++i) {
    const ReportedEnd& end = subnet.ends[i];
    const auto other = cable_ends.other_end(end);
    if (!other) return Failure(other.error());
    const ReportedEnd& reported = subnet.ends[*other];
    if (auto agreed = cable_ends.check_agreement(end, reported); !agreed) return agreed;
    if (subnet.nodes[end.node].kind != ReportedKind::router) {
      builder.set_port(end.node, end.port, end.guid, assigned(end.lid), end.lmc);
    }
    builder.set_max_rate(end.node, end.port, end.max_rate);
    if (*other < i) continue;  // connected from there
    if (auto contradiction = cable_ends.contradiction(end, reported)) builder.add_warning(std::move(*contradiction));
    auto connected = builder.connect(end.node, end.port, end.peer, end.peer_port, slower(end.rate, reported.rate));
    if (!connected) return fail_at(subnet.source, end.line, connected.error().message);
  }
  return {};
}

}  // namespace

std::string describe(const ReportedNode& node) {
  return node.description.empty() ? fmt::format("the {} {}", kind_name(node.kind), node.id)
                                  : fmt::format("the {} '{}' ({})", kind_name(node.kind), node.description, node.id);
}

Result<Network> to_network(const Subnet& subnet, std::string_view host_pattern) {
  NetworkBuilder builder;
  if (auto checked = check_guids(subnet); !checked) return Failure(checked.error());
  if (auto added = add_nodes(builder, subnet, host_pattern); !added) return Failure(added.error());
  if (auto cabled = add_cables(builder, subnet); !cabled) return Failure(cabled.error());
  for (const std::string& warning : subnet.warnings) builder.add_warning(warning);
  auto network = builder.build();
  if (!network) return fail_at(subnet.source, 0, network.error().message);
  return network;
}

}  // namespace ayatori
