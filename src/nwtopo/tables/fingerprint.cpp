#include <fmt/core.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>

#include "ayatori/tables/tables.hpp"

namespace ayatori {

namespace {

/// By GUID, and by name where none is known: ids follow the order in which a source lists devices.
std::vector<DeviceId> routers_in_fixed_order(const Network& network) {
  std::vector<DeviceId> routers(network.router_count());
  for (DeviceId router = 0; router < routers.size(); ++router) routers[router] = router;
  std::ranges::sort(routers, {},
                    [&](DeviceId router) { return std::pair(network.device(router).guid, network.name(router)); });
  return routers;
}

}  // namespace

std::string fingerprint_of(const Network& network, const Routes& routes) {
  std::vector<std::uint64_t> numbers;
  std::vector<Lid> lids;
  for (const LidRange& range : routes.lids.ranges()) {
    if (network.is_router(network.port(range.port).device)) continue;
    numbers.insert(numbers.end(), {range.base, range.lmc, network.port(range.port).guid});
    for (std::uint32_t offset = 0; offset < range.count(); ++offset)
      lids.push_back(static_cast<Lid>(range.base + offset));
  }
  std::uint64_t hash = XXH3_64bits(numbers.data(), numbers.size() * sizeof numbers[0]);
  std::vector<TablePort> entries(lids.size());
  for (const DeviceId router : routers_in_fixed_order(network)) {
    const auto row = routes.tables.row(router);
    std::ranges::transform(lids, entries.begin(),
                           [&](Lid lid) { return lid < row.size() ? row[lid] : ForwardingTables::no_port; });
    hash = XXH3_64bits_withSeed(entries.data(), entries.size(), hash);
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace ayatori
