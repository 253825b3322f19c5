#include "ayatori/connections/roce_ports.hpp"

#include <algorithm>
#include <utility>

namespace ayatori {

std::optional<std::uint32_t> ipv4_of(const GidBytes& gid) {
  static constexpr std::array<std::uint8_t, 12> mapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
  if (!std::equal(mapped.begin(), mapped.end(), gid.begin())) return std::nullopt;
  std::uint32_t address = 0;
  for (std::size_t i = mapped.size(); i < gid.size(); ++i) address = address << 8U | gid[i];
  return address;
}

RocePorts::RocePorts(RocePlanFile plan) : plan_(std::move(plan)) {
  for (std::size_t port = 0; port < plan_.ports.size(); ++port) port_of_address_[plan_.ports[port].address] = port;
}

std::optional<std::size_t> RocePorts::find(const GidBytes& gid) const {
  const auto address = ipv4_of(gid);
  if (!address) return std::nullopt;
  const auto found = port_of_address_.find(*address);
  return found == port_of_address_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::uint16_t> RocePorts::source_port(const GidBytes& from, const GidBytes& to) const {
  const auto source = find(from);
  const auto destination = find(to);
  if (!source || !destination || *source == *destination) return std::nullopt;
  return plan_.source_port(*source, *destination);
}

}  // namespace ayatori
