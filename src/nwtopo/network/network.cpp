#include "ayatori/network/network.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "ayatori/base/text.hpp"

namespace ayatori {

std::string_view Network::name(DeviceId id) const {
  const std::uint32_t begin = id == 0 ? 0 : name_ends_[id - 1];
  return std::string_view(name_pool_).substr(begin, name_ends_[id] - begin);
}

std::vector<DeviceId> Network::routers_in_order() const {
  std::vector<DeviceId> routers(router_count());
  std::iota(routers.begin(), routers.end(), 0);
  std::sort(routers.begin(), routers.end(), [&](DeviceId a, DeviceId b) {
    if (name(a) != name(b)) return natural_less(name(a), name(b));
    return std::pair(device(a).guid, a) < std::pair(device(b).guid, b);
  });
  return routers;
}

DeviceId Network::router_of(PortId endpoint) const {
  const PortId peer = ports_[endpoint].peer;
  if (peer == no_id || !is_router(ports_[peer].device)) return no_id;
  return ports_[peer].device;
}

void Network::add_aliases_of(const Network& other) {
  for (const HostAlias& alias : other.aliases_) {
    if (const auto here = find_machine(other.machine(alias.machine).name)) add_alias({alias.name, *here});
  }
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

std::string Network::label(DeviceId id) const {
  if (!shares_name_[id]) return std::string(name(id));
  const Port* with_lid = is_router(id) ? &ports(id)[0] : nullptr;
  for (const Port& port : ports(id)) {
    if (with_lid == nullptr && port.connected()) with_lid = &port;
  }
  const bool has_lid = with_lid != nullptr && with_lid->lid != 0;
  const std::string lid = has_lid ? fmt::format(", LID {}", with_lid->lid) : "";
  return devices_[id].guid == 0 && !has_lid ? std::string(name(id))
                                            : fmt::format("{} ({:#018x}{})", name(id), devices_[id].guid, lid);
}

std::string Network::describe_link(PortId id) const {
  const Port& from = ports_[id];
  if (!from.connected()) return fmt::format("{} port {} (no cable)", label(from.device), from.number);
  const Port& to = ports_[from.peer];
  return fmt::format("{} port {} -> {} port {}", label(from.device), from.number, label(to.device), to.number);
}

}  // namespace ayatori
