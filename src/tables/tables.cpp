#include "ayatori/tables/tables.hpp"

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

}  // namespace ayatori
