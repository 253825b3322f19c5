#include "ayatori/tables/tables.hpp"

#include <algorithm>

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

Result<std::uint64_t> count_differences(const ForwardingTables& a, const ForwardingTables& b) {
  if (a.router_count() != b.router_count()) {
    return fail("tables of {} and of {} routers are not of one network", a.router_count(), b.router_count());
  }
  const std::size_t lids = std::max(a.last_lid(), b.last_lid()) + std::size_t{1};
  const auto port_at = [](std::span<const TablePort> row, std::size_t lid) {
    return lid < row.size() ? row[lid] : ForwardingTables::no_port;
  };
  std::uint64_t differences = 0;
  for (DeviceId router = 0; router < a.router_count(); ++router) {
    const auto row_of_a = a.row(router);
    const auto row_of_b = b.row(router);
    for (std::size_t lid = first_unicast_lid; lid < lids; ++lid) {
      differences += port_at(row_of_a, lid) != port_at(row_of_b, lid);
    }
  }
  return differences;
}

}  // namespace ayatori
