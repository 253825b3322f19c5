#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "ayatori/network/builder.hpp"
#include "ayatori/routing/generate.hpp"
#include "ayatori/tables/table_files.hpp"

namespace ayatori {
namespace fingerprint_test {

/// Two leaves with three hosts each under two roots, whose devices the source lists in the order of `seed`.
Network listed_in_order(std::uint64_t seed) {
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
    for (std::size_t root = 2; root < 4; ++root)
      connect(leaf, static_cast<PortNumber>(2 + root), root, static_cast<PortNumber>(1 + leaf));
  }
  return builder.build().value();
}

std::string written(const Network& network, const Routes& routes) {
  std::string text;
  write_tables(network, routes, [&](std::string_view piece) { text += piece; });
  return text;
}

Routes made(const Network& network, int lmc) { return std::move(generate_routes(network, lmc)->routes); }

TEST(FingerprintOf, DoesNotDependOnTheOrderOfDevices) {
  const Network first = listed_in_order(1);
  const Routes routes = made(first, 1);
  const std::string text = written(first, routes);
  for (std::uint64_t seed = 2; seed <= 20; ++seed) {
    const Network again = listed_in_order(seed);
    const auto read = parse_tables(text, "lfts", again);
    ASSERT_TRUE(read) << "seed " << seed << ": " << read.error().message;
    EXPECT_EQ(fingerprint_of(again, *read), fingerprint_of(first, routes)) << "seed " << seed;
  }
}

TEST(FingerprintOf, TellsEachEntryForAHostFromOthers) {
  const Network network = listed_in_order(1);
  Routes routes = made(network, 1);
  const std::string before = fingerprint_of(network, routes);
  EXPECT_EQ(before.size(), 16U);
  EXPECT_NE(fingerprint_of(network, made(network, 0)), before) << "other LIDs";
  for (DeviceId router = 0; router < network.router_count(); ++router) {
    for (const LidRange& range : routes.lids.ranges()) {
      for (std::uint32_t offset = 0; offset < range.count(); ++offset) {
        const auto lid = static_cast<Lid>(range.base + offset);
        const PortNumber out = routes.tables.out(router, lid);
        routes.tables.set_out(router, lid, out == 1 ? 2 : 1);
        const bool of_router = network.is_router(network.port(range.port).device);
        EXPECT_EQ(fingerprint_of(network, routes) == before, of_router) << "router " << router << ", LID " << lid;
        routes.tables.set_out(router, lid, out);
      }
    }
  }
}

}  // namespace fingerprint_test
}  // namespace ayatori
