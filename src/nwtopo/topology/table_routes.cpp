#include "ayatori/topology/table_routes.hpp"

#include "ayatori/tables/table_files.hpp"

namespace ayatori {

namespace {

std::optional<std::uint32_t> link_at_port(const Topology& topology, ObjectId object, const Port& port, PlaneId plane,
                                          ObjectId to) {
  for (std::uint32_t i = 0; i < topology.link_count(object); ++i) {
    const TopologyLink link = topology.link(object, i);
    if (link.from_port == port.number && link.plane == plane && link.to == to) return i;
  }
  return std::nullopt;
}

}  // namespace

TableRoutes::TableRoutes(Network network, Routes routes) : network_(std::move(network)), routes_(std::move(routes)) {
  object_of_machine_.resize(network_.machines().size());
  const auto machines = network_.machines_in_order();
  for (std::size_t i = 0; i < machines.size(); ++i) object_of_machine_[machines[i]] = i;

  // In a direct network a router is its machine; otherwise routers come after the machines.
  object_of_router_.resize(network_.router_count());
  ObjectId next = machines.size();
  for (const DeviceId router : network_.routers_in_order()) object_of_router_[router] = next++;
  if (!network_.direct()) return;
  for (const PortId endpoint : network_.endpoints()) {
    object_of_router_[network_.router_of(endpoint)] = object_of(network_.port(endpoint).device);
  }
}

Result<TableRoutes> TableRoutes::parse(Network network, std::string_view text, std::string_view file) {
  auto routes = parse_tables(text, file, network);
  if (!routes) return Failure(routes.error());
  return TableRoutes(std::move(network), std::move(*routes));
}

ObjectId TableRoutes::object_of(DeviceId node) const {
  return network_.is_router(node) ? object_of_router_[node] : object_of_machine_[network_.device(node).machine];
}

Result<std::vector<RouteStep>> TableRoutes::route(const Topology& part, ObjectId from, ObjectId to,
                                                  std::uint32_t path) const {
  const Topology& topology = transit_of(part);
  const auto machines = network_.machines_in_order();
  if (from >= machines.size() || to >= machines.size()) return fail("routes by tables lead from machine to machine");
  if (from == to) return std::vector<RouteStep>{};
  const auto& sources = network_.machine(machines[from]).endpoints;
  const auto& targets = network_.machine(machines[to]).endpoints;
  if (sources.empty() || targets.empty()) return fail("{} or {} has no cable", topology.name(from), topology.name(to));
  const LidRange lids = routes_.lids.of(targets.front());
  if (lids.base == 0 || path >= lids.count()) {
    return fail("{} has no path {}: it has {} LIDs", topology.name(to), path, lids.base == 0 ? 0 : lids.count());
  }
  const auto plane = [&](PortId port) { return network_.device(network_.port(port).device).plane; };
  PortId source = sources.front();
  for (auto i = sources.rbegin(); i != sources.rend(); ++i) {
    if (plane(*i) == plane(targets.front())) source = *i;
  }

  std::vector<RouteStep> steps;
  bool inside = true;
  const bool arrives = trace(network_, routes_, source, static_cast<Lid>(lids.base + path), [&](PortId link) {
    const Port& port = network_.port(link);
    const ObjectId here = object_of(port.device);
    const ObjectId next = object_of(network_.port(port.peer).device);
    if (here == next) return;  // between a machine and the router that is built into it
    const bool known = topology.contains(here) && topology.contains(next);
    const auto index = known ? link_at_port(topology, here, port, plane(link), next) : std::nullopt;
    inside = inside && index.has_value();
    if (index) steps.push_back({here, *index});
  });
  if (!arrives) return fail("packets from {} do not arrive at {}", topology.name(from), topology.name(to));
  if (!inside) return fail("the path from {} to {} leaves the topology", topology.name(from), topology.name(to));
  return steps;
}

}  // namespace ayatori
