#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "ayatori/base/random.hpp"
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

}  // namespace
}  // namespace ayatori
