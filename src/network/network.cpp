#include "ayatori/network/network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "ayatori/base/text.hpp"

namespace ayatori {

std::string_view Network::name(NodeId id) const {
  const std::uint32_t begin = id == 0 ? 0 : name_ends_[id - 1];
  return std::string_view(name_pool_).substr(begin, name_ends_[id] - begin);
}

std::vector<NodeId> Network::routers_in_order() const {
  std::vector<NodeId> routers(router_count());
  std::iota(routers.begin(), routers.end(), 0);
  std::sort(routers.begin(), routers.end(), [&](NodeId a, NodeId b) {
    if (name(a) != name(b)) return natural_less(name(a), name(b));
    return std::pair(node(a).guid, a) < std::pair(node(b).guid, b);
  });
  return routers;
}

NodeId Network::router_of(PortId endpoint) const {
  const PortId peer = ports_[endpoint].peer;
  if (peer == no_id || !is_router(ports_[peer].node)) return no_id;
  return ports_[peer].node;
}

std::optional<MachineId> Network::find_machine(std::string_view name) const {
  const auto found = machine_by_name_.find(std::string(name));
  if (found == machine_by_name_.end()) return std::nullopt;
  return found->second;
}

std::optional<PortId> Network::find_guid(Guid guid) const {
  const auto found = port_by_guid_.find(guid);
  if (found == port_by_guid_.end()) return std::nullopt;
  return found->second;
}

std::string Network::describe_link(PortId id) const {
  const Port& from = ports_[id];
  if (!from.connected()) return fmt::format("{} port {} (no cable)", name(from.node), from.number);
  const Port& to = ports_[from.peer];
  return fmt::format("{} port {} -> {} port {}", name(from.node), from.number, name(to.node), to.number);
}

}  // namespace ayatori
