#include "ayatori/tables/tables.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace ayatori {

Result<> check_table_ports(const Network& network) {
  for (DeviceId router = 0; router < network.router_count(); ++router) {
    const PortNumber count = network.device(router).port_count;
    if (count <= last_table_port) continue;
    return fail("'{}' has {} ports; a forwarding table can name {}", network.name(router), count, last_table_port);
  }
  return {};
}

ForwardingTables::ForwardingTables(std::size_t routers, Lid last_lid)
    : width_(std::size_t{last_lid} + 1), entries_(routers * width_, no_port) {}

namespace {

Result<> check_same_network(const ForwardingTables& a, const ForwardingTables& b) {
  if (a.router_count() == b.router_count()) return {};
  return fail("tables of {} and of {} routers are not of one network", a.router_count(), b.router_count());
}

TablePort port_at(std::span<const TablePort> row, std::size_t lid) {
  return lid < row.size() ? row[lid] : ForwardingTables::no_port;
}

}  // namespace

Result<std::uint64_t> count_differences(const ForwardingTables& a, const ForwardingTables& b) {
  if (auto same = check_same_network(a, b); !same) return Failure(same.error());
  const std::size_t lids = std::max(a.last_lid(), b.last_lid()) + std::size_t{1};
  std::uint64_t differences = 0;
  for (DeviceId router = 0; router < a.router_count(); ++router) {
    for (std::size_t lid = first_unicast_lid; lid < lids; ++lid) {
      differences += port_at(a.row(router), lid) != port_at(b.row(router), lid);
    }
  }
  return differences;
}

Result<std::uint64_t> count_base_differences(const Network& network, const Routes& a, const Routes& b) {
  if (auto same = check_same_network(a.tables, b.tables); !same) return Failure(same.error());
  std::vector<std::pair<Lid, Lid>> bases;
  for (const auto ports : {network.endpoints(), network.aggregation_ports()}) {
    for (const PortId port : ports) bases.emplace_back(a.lids.of(port).base, b.lids.of(port).base);
  }
  std::uint64_t differences = 0;
  for (DeviceId router = 0; router < a.tables.router_count(); ++router) {
    const auto port_to = [&](const Routes& routes, Lid base) {
      return base == 0 ? ForwardingTables::no_port : port_at(routes.tables.row(router), base);
    };
    for (const auto& [of_a, of_b] : bases) differences += port_to(a, of_a) != port_to(b, of_b);
  }
  return differences;
}

}  // namespace ayatori
