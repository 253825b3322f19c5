#include "ayatori/plan_in_use/roce_ports.hpp"

#include <utility>

namespace ayatori {

RocePorts::RocePorts(RocePlanFile plan) : plan_(std::move(plan)) {
  for (std::size_t port = 0; port < plan_.ports.size(); ++port) port_of_address_[plan_.ports[port].address] = port;
}

std::optional<std::size_t> RocePorts::find(const GidBytes& gid) const {
  const auto found = port_of_address_.find(IpAddress(gid));
  return found == port_of_address_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::uint16_t> RocePorts::source_port(const GidBytes& from, const GidBytes& to) const {
  const auto source = find(from);
  const auto destination = find(to);
  if (!source || !destination || *source == *destination) return std::nullopt;
  return plan_.source_port(*source, *destination);
}

}  // namespace ayatori
