#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ayatori/base/random.hpp"
#include "ayatori/network/builder.hpp"
#include "ayatori/routing/generate.hpp"
#include "ayatori/tables/table_files.hpp"

namespace ayatori {
namespace fingerprint_test {

/// Two leaves with three hosts each under two roots, whose devices the source lists in the order of `seed`. The roots
/// are behind the ports of the leaves in the order of `roots`.
Network listed_in_order(std::uint64_t seed, const std::array<std::size_t, 2>& roots = {2, 3}) {
  constexpr std::size_t routers = 4;
  std::array<std::size_t, 10> order{};
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  Random random(seed);
  random.shuffle(std::span<std::size_t>(order));
  NetworkBuilder builder;
  std::array<NetworkBuilder::Handle, 10> handle{};
  for (const std::size_t device : order) {
    const Guid guid = 0x1000 * (device + 1);
    handle[device] = device < routers
                         ? builder.add_router(fmt::format("S{}", device), guid, 8)
                         : builder.add_nic(fmt::format("H{}", device), guid, 1, fmt::format("H{}", device), 0);
  }
  const auto connect = [&](std::size_t a, PortNumber a_port, std::size_t b, PortNumber b_port) {
    EXPECT_TRUE(builder.connect(handle[a], a_port, handle[b], b_port, {4, LaneSpeed::hdr}));
  };
  for (std::size_t host = 0; host < 6; ++host)
    connect(routers + host, 1, host / 3, static_cast<PortNumber>(1 + host % 3));
  for (std::size_t leaf = 0; leaf < 2; ++leaf) {
    for (std::size_t i = 0; i < roots.size(); ++i)
      connect(leaf, static_cast<PortNumber>(4 + i), roots[i], static_cast<PortNumber>(1 + leaf));
  }
  return builder.build().value();
}

std::string written(const Network& network, const Routes& routes) {
  std::string text;
  write_tables(network, routes, [&](std::string_view piece) { text += piece; });
  return text;
}

Routes made(const Network& network, int lmc) { return std::move(generate_routes(network, lmc)->routes); }

/// Some of the hosts, by name: a job.
std::vector<PortId> job_on(const Network& network, std::initializer_list<std::string_view> hosts) {
  std::vector<PortId> ports;
  for (const std::string_view host : hosts) {
    for (const PortId port : network.endpoints())
      if (network.name(network.port(port).device) == host) ports.push_back(port);
  }
  return ports;
}

TEST(FingerprintOf, DoesNotDependOnTheOrderOfDevicesAndRanks) {
  const Network first = listed_in_order(1);
  const Routes routes = made(first, 1);
  const std::string text = written(first, routes);
  const std::string expected = fingerprint_of(first, routes, job_on(first, {"H4", "H5", "H7"}));
  for (std::uint64_t seed = 2; seed <= 20; ++seed) {
    const Network again = listed_in_order(seed);
    const auto read = parse_tables(text, "lfts", again);
    ASSERT_TRUE(read) << "seed " << seed << ": " << read.error().message;
    EXPECT_EQ(fingerprint_of(again, *read, job_on(again, {"H7", "H4", "H5", "H4"})), expected) << "seed " << seed;
  }
}

TEST(FingerprintOf, TellsEachEntryOnThePathsOfTheJobFromOthersAndNoOtherEntry) {
  const Network network = listed_in_order(1);
  Routes routes = made(network, 1);
  const std::vector<PortId> job = job_on(network, {"H4", "H5", "H7"});
  const std::string before = fingerprint_of(network, routes, job);
  EXPECT_EQ(before.size(), 16U);
  EXPECT_NE(fingerprint_of(network, made(network, 0), job), before) << "other LIDs";
  EXPECT_NE(fingerprint_of(network, routes, job_on(network, {"H4", "H5"})), before) << "another job";
  std::set<std::pair<DeviceId, Lid>> met;
  for (const PortId to : job) {
    const LidRange lids = routes.lids.of(to);
    for (const PortId from : job) {
      for (Lid lid = lids.base; lid < lids.base + lids.count() && from != to; ++lid) {
        EXPECT_TRUE(trace(network, routes, from, lid, [&](PortId link) {
          const DeviceId router = network.port(network.port(link).peer).device;
          if (network.is_router(router)) met.insert({router, lid});
        }));
      }
    }
    for (Lid lid = lids.base; lid < lids.base + lids.count(); ++lid)  // the last switch, also seen from itself
      met.insert({network.router_of(to), lid});
  }
  std::size_t unmet = 0;
  for (DeviceId router = 0; router < network.router_count(); ++router) {
    for (Lid lid = 1; lid <= routes.tables.last_lid(); ++lid) {
      const PortNumber out = routes.tables.out(router, lid);
      routes.tables.set_out(router, lid, out == 1 ? 2 : 1);
      const bool counts = met.contains({router, lid});
      unmet += counts ? 0 : 1;
      EXPECT_EQ(fingerprint_of(network, routes, job) != before, counts) << "router " << router << ", LID " << lid;
      routes.tables.set_out(router, lid, out);
    }
  }
  EXPECT_GT(unmet, 0U);
  EXPECT_GT(met.size(), 0U);
}

TEST(FingerprintOf, TellsWhichCablesAreBehindTheEntries) {
  const Network whole = listed_in_order(1);
  const Routes routes = made(whole, 1);
  const Network other = listed_in_order(1, {3, 2});
  EXPECT_NE(fingerprint_of(other, routes, job_on(other, {"H4", "H7"})),
            fingerprint_of(whole, routes, job_on(whole, {"H4", "H7"})));
  EXPECT_EQ(fingerprint_of(other, routes, job_on(other, {"H4", "H5"})),
            fingerprint_of(whole, routes, job_on(whole, {"H4", "H5"})))
      << "on one leaf";
}

}  // namespace fingerprint_test
}  // namespace ayatori
