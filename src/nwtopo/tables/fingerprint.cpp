#include <fmt/core.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>

#include "ayatori/tables/tables.hpp"

namespace ayatori {

namespace {

constexpr std::uint64_t nobody = 0;

/// Ids follow the order in which a source lists devices: a GUID tells who it is, and the name where there is none.
std::uint64_t known_as(const Network& network, DeviceId device) {
  const Guid guid = network.device(device).guid;
  const auto name = network.name(device);
  return guid != 0 ? guid : XXH3_64bits(name.data(), name.size());
}

/// A job's ports, each once, by LID: in no order of ranks.
std::vector<PortId> ports_by_lid(const Routes& routes, std::span<const PortId> endpoints) {
  std::vector<PortId> ports(endpoints.begin(), endpoints.end());
  std::ranges::sort(ports, {}, [&](PortId port) { return std::pair(routes.lids.of(port).base, port); });
  ports.erase(std::ranges::unique(ports).begin(), ports.end());
  return ports;
}

/// Lists the entries that packets to one LID meet on their way from any of some routers.
class WaysToLids {
 public:
  WaysToLids(const Network& network, const Routes& routes)
      : network_(network), routes_(routes), met_for_(network.router_count(), 0) {}

  void add(Lid lid, std::span<const DeviceId> from, std::vector<std::uint64_t>& numbers) {
    ++count_;
    for (DeviceId here : from) {
      while (network_.is_router(here) && met_for_[here] != count_) {
        met_for_[here] = count_;
        const PortNumber out =
            lid <= routes_.tables.last_lid() ? routes_.tables.out(here, lid) : PortNumber{ForwardingTables::no_port};
        const DeviceId next = behind(here, out);
        numbers.insert(numbers.end(),
                       {known_as(network_, here), out, next == no_id ? nobody : known_as(network_, next)});
        if (next == no_id) break;
        here = next;
      }
    }
  }

 private:
  [[nodiscard]] DeviceId behind(DeviceId router, PortNumber out) const {
    if (out == 0 || out > network_.device(router).port_count) return no_id;
    const PortId peer = network_.port(network_.port_id(router, out)).peer;
    return peer == no_id ? no_id : network_.port(peer).device;
  }

  const Network& network_;
  const Routes& routes_;
  std::vector<std::uint64_t> met_for_;  ///< by router: the last LID, counted, for which it was met
  std::uint64_t count_ = 0;
};

}  // namespace

std::string fingerprint_of(const Network& network, const Routes& routes, std::span<const PortId> endpoints) {
  const std::vector<PortId> ports = ports_by_lid(routes, endpoints);
  std::vector<std::uint64_t> numbers;
  std::vector<DeviceId> first_routers;
  for (const PortId port : ports) {
    const LidRange lids = routes.lids.of(port);
    const PortId peer = network.port(port).peer;
    numbers.insert(numbers.end(), {lids.base, lids.lmc, network.port(port).guid});
    if (peer == no_id || !network.is_router(network.port(peer).device)) continue;
    const DeviceId router = network.port(peer).device;
    if (std::ranges::find(first_routers, router) == first_routers.end()) first_routers.push_back(router);
  }
  std::uint64_t hash = XXH3_64bits(numbers.data(), numbers.size() * sizeof numbers[0]);
  WaysToLids ways(network, routes);
  for (const PortId port : ports) {
    const LidRange lids = routes.lids.of(port);
    if (lids.base == 0) continue;
    numbers.clear();
    for (std::uint32_t offset = 0; offset < lids.count(); ++offset)
      ways.add(static_cast<Lid>(lids.base + offset), first_routers, numbers);
    hash = XXH3_64bits_withSeed(numbers.data(), numbers.size() * sizeof numbers[0], hash);
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace ayatori
