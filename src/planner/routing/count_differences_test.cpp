#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>

#include "ayatori/base/random.hpp"
#include "ayatori/sources/source.hpp"
#include "ayatori/tables/tables.hpp"

namespace ayatori {
namespace {

using Entries = std::map<std::pair<DeviceId, Lid>, PortNumber>;

ForwardingTables tables_of(const Entries& entries, DeviceId routers, Lid last_lid) {
  ForwardingTables tables(routers, last_lid);
  for (const auto& [place, port] : entries) tables.set_out(place.first, place.second, port);
  return tables;
}

Entries random_entries(DeviceId routers, Lid last_lid, Random& random) {
  Entries entries;
  for (DeviceId router = 0; router < routers; ++router) {
    for (Lid lid = 1; lid <= last_lid; ++lid) {
      if (random.below(3) > 0) entries[{router, lid}] = static_cast<PortNumber>(random.below(3));
    }
  }
  return entries;
}

TEST(CountDifferences, CountsEntriesOfEitherSetAlsoBeyondTheLastLidOfTheOther) {
  Random random(20);
  for (int round = 0; round < 200; ++round) {
    const auto routers = static_cast<DeviceId>(1 + random.below(4));
    const Lid last_of_a = static_cast<Lid>(random.below(9));
    const Lid last_of_b = static_cast<Lid>(random.below(9));
    const Entries a = random_entries(routers, last_of_a, random);
    const Entries b = random_entries(routers, last_of_b, random);
    std::uint64_t expected = 0;
    for (const auto& [place, port] : a) expected += !b.contains(place) || b.at(place) != port;
    for (const auto& [place, port] : b) expected += !a.contains(place);
    const auto counted = count_differences(tables_of(a, routers, last_of_a), tables_of(b, routers, last_of_b));
    ASSERT_TRUE(counted);
    EXPECT_EQ(*counted, expected) << "round " << round;
  }
}

TEST(CountDifferences, RefusesTablesOfDifferentNetworks) {
  const auto counted = count_differences(ForwardingTables(2, 5), ForwardingTables(3, 5));
  ASSERT_FALSE(counted);
  EXPECT_EQ(counted.error().message, "tables of 2 and of 3 routers are not of one network");
}

/// Random tables, in which NICs have LIDs of random numbers, or none.
Routes random_routes(const Network& network, Random& random) {
  std::vector<LidRange> ranges;
  Lid next = 1;
  for (const PortId port : network.endpoints()) {
    next = static_cast<Lid>(next + 4 * random.below(3));
    if (random.below(4) == 0) continue;
    next = static_cast<Lid>(next + 4 - next % 4);
    ranges.push_back({port, next, static_cast<std::uint8_t>(random.below(3))});
    next = static_cast<Lid>(next + 4);
  }
  Routes routes{LidMap::from_ranges(network, ranges).value(), {}};
  const Lid last = static_cast<Lid>(std::max<Lid>(next, 5) - 4 * random.below(2));  // which some LIDs exceed
  routes.tables = tables_of(random_entries(network.router_count(), last, random), network.router_count(), last);
  return routes;
}

PortNumber out_by_base_lid(const Routes& routes, DeviceId router, PortId port) {
  const Lid base = routes.lids.of(port).base;
  if (base == 0 || base > routes.tables.last_lid()) return ForwardingTables::no_port;
  return routes.tables.out(router, base);
}

TEST(CountBaseDifferences, ComparesWhereBaseLidsLeadWhateverTheirNumbers) {
  const Network network = open_source("full:3,hosts=3").value();
  Random random(21);
  for (int round = 0; round < 200; ++round) {
    const Routes a = random_routes(network, random);
    const Routes b = random_routes(network, random);
    std::uint64_t expected = 0;
    for (const PortId port : network.endpoints()) {
      for (DeviceId router = 0; router < network.router_count(); ++router) {
        expected += out_by_base_lid(a, router, port) != out_by_base_lid(b, router, port);
      }
    }
    EXPECT_EQ(count_base_differences(network, a, b).value(), expected) << "round " << round;
  }
}

}  // namespace
}  // namespace ayatori
