#include "ayatori/tables/lids.hpp"

#include <algorithm>

namespace ayatori {

namespace {

std::size_t destination_ports(const Network& network) {
  return network.endpoints().size() + network.aggregation_ports().size();
}

}  // namespace

Result<LidMap> LidMap::from_ranges(const Network& network, std::vector<LidRange> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const LidRange& a, const LidRange& b) { return a.base < b.base; });
  LidMap map;
  map.range_of_port_.assign(network.port_count(), no_id);
  std::uint32_t end = 0;
  for (const LidRange& range : ranges) end = std::max(end, range.base + range.count());
  if (end > std::uint32_t{last_unicast_lid} + 1) {
    return fail("LID {:#06x} is after the last unicast LID, {:#06x}", end - 1, last_unicast_lid);
  }
  map.owner_.assign(end, no_id);
  for (const LidRange& range : ranges) {
    const Port& port = network.port(range.port);
    if (range.base == 0) return fail("'{}' port {} has the LID 0", network.name(port.device), port.number);
    for (std::uint32_t lid = range.base; lid < range.base + range.count(); ++lid) {
      if (map.owner_[lid] != no_id) {
        const Port& other = network.port(map.owner_[lid]);
        return fail("LID {:#06x} is given twice: to '{}' port {} and to '{}' port {}", lid, network.name(other.device),
                    other.number, network.name(port.device), port.number);
      }
      map.owner_[lid] = range.port;
    }
    map.range_of_port_[range.port] = static_cast<std::uint32_t>(map.ranges_.size());
    map.ranges_.push_back(range);
    map.lid_count_ += range.count();
  }
  return map;
}

Result<LidMap> LidMap::reported_by(const Network& network) {
  std::vector<LidRange> ranges;
  const auto take = [&](PortId id) -> bool {
    const Port& port = network.port(id);
    if (port.lid == 0) return false;
    ranges.push_back({id, port.lid, port.lmc});
    return true;
  };
  const auto without_lid = [&](PortId id) {
    return fail("'{}' port {} has no LID", network.name(network.port(id).device), network.port(id).number);
  };
  for (const PortId id : network.endpoints()) {
    if (!take(id)) return without_lid(id);
  }
  for (const PortId id : network.aggregation_ports()) {
    if (!take(id)) return without_lid(id);
  }
  for (DeviceId router = 0; router < network.router_count(); ++router) {
    if (!take(network.port_id(router, 0))) return without_lid(network.port_id(router, 0));
  }
  return from_ranges(network, std::move(ranges));
}

std::uint64_t LidMap::last_lid_needed(const Network& network, int lmc) {
  const std::uint64_t block = std::uint64_t{1} << lmc;
  return block * (destination_ports(network) + 1) - 1 + network.router_count();
}

Result<LidMap> LidMap::assign(const Network& network, int lmc) {
  if (lmc < 0 || lmc > max_lmc) return fail("LMC {} is out of range: 0 to {}", lmc, max_lmc);
  if (const std::uint64_t last = last_lid_needed(network, lmc); last > last_unicast_lid) {
    int fitting = lmc;
    while (fitting >= 0 && last_lid_needed(network, fitting) > last_unicast_lid) --fitting;
    return with_hint(fail("LMC {} needs LIDs up to {:#x}, but unicast LIDs end at {:#x}", lmc, last, last_unicast_lid),
                     fitting >= 0 ? fmt::format("the largest LMC that fits {} ports and {} routers is {}",
                                                destination_ports(network), network.router_count(), fitting)
                                  : std::string("not even one LID a port fits: split the fabric into subnets"));
  }
  std::vector<LidRange> ranges;
  std::uint32_t next = 1U << lmc;
  const auto give = [&](PortId port, std::uint8_t port_lmc) {
    ranges.push_back({port, static_cast<Lid>(next), port_lmc});
    next += 1U << port_lmc;
  };
  for (const PortId port : network.endpoints()) give(port, static_cast<std::uint8_t>(lmc));
  for (const PortId port : network.aggregation_ports()) give(port, static_cast<std::uint8_t>(lmc));
  for (DeviceId router = 0; router < network.router_count(); ++router) give(network.port_id(router, 0), 0);
  return from_ranges(network, std::move(ranges));
}

LidRange LidMap::of(PortId port) const {
  if (port >= range_of_port_.size() || range_of_port_[port] == no_id) return {port, 0, 0};
  return ranges_[range_of_port_[port]];
}

}  // namespace ayatori
