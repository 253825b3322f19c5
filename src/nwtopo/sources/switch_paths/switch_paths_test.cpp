#include "ayatori/switch_paths/switch_paths.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <set>

#include "../read_fixtures.hpp"
#include "ayatori/base/random.hpp"

namespace ayatori {
namespace {

TEST(NetworkOfPaths, PathsBecomeATree) {
  const auto network = network_of_paths(
      {{"i-2", {"leaf-1", "spine-1"}}, {"i-10", {"leaf-1", "spine-1"}}, {"i-3", {"leaf-2", "spine-1"}}, {"i-4", {}}},
      "efa", "f");
  ASSERT_TRUE(network) << error_of(network);
  EXPECT_EQ(network->planes()[0].name, "efa");
  EXPECT_EQ(network->machines().size(), 4U);
  EXPECT_EQ(cables(*network), (std::set<std::string>{"leaf-1 port 1 -> i-2 port 1", "leaf-1 port 2 -> i-10 port 1",
                                                     "leaf-2 port 1 -> i-3 port 1", "leaf-1 port 3 -> spine-1 port 1",
                                                     "leaf-2 port 2 -> spine-1 port 2"}));
}

TEST(NetworkOfPaths, NeighboursHaveOneCable) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    std::vector<HostPath> paths;
    std::set<std::set<std::string>> expected;
    for (std::uint64_t host = 0; host < 1 + random.below(20); ++host) {
      HostPath path{fmt::format("h{}", host), {}};
      std::string below = path.host;
      for (std::uint64_t name = random.below(3); name < 12; name += 1 + random.below(5)) {
        path.switches.push_back(fmt::format("s{}", random.below(2) == 0 ? name : 11 - name));
        if (std::set(path.switches.begin(), path.switches.end()).size() < path.switches.size()) {
          path.switches.pop_back();
          continue;
        }
        expected.insert({below, path.switches.back()});
        below = path.switches.back();
      }
      paths.push_back(std::move(path));
    }
    const auto network = network_of_paths(paths, "p", "f");
    ASSERT_TRUE(network) << "seed " << seed << ": " << error_of(network);
    std::set<std::set<std::string>> found;
    for (PortId id = 0; id < network->port_count(); ++id) {
      const Port& port = network->port(id);
      const bool is_port = port.number > 0 && (network->is_router(port.device) || port.connected());
      if (!is_port) continue;
      ASSERT_TRUE(port.connected()) << "seed " << seed;
      const DeviceId peer = network->port(port.peer).device;
      found.insert({std::string(network->name(port.device)), std::string(network->name(peer))});
    }
    EXPECT_EQ(found, expected) << "seed " << seed;
    EXPECT_EQ(network->link_count(), expected.size()) << "seed " << seed;
  }
}

TEST(NetworkOfPaths, RepeatedNamesAndTooManyPortsAreRefused) {
  EXPECT_EQ(error_of(network_of_paths({}, "p", "f")), "f: no hosts");
  EXPECT_EQ(error_of(network_of_paths({{"a", {"x"}}, {"a", {"x"}}}, "p", "f")), "f: 'a' is listed twice");
  EXPECT_EQ(error_of(network_of_paths({{"a", {"x", "y", "x"}}}, "p", "f")), "f: 'x' is above 'a' twice");
  std::vector<HostPath> many;
  for (int i = 0; i < 65536; ++i) many.push_back({std::to_string(i), {"x"}});
  EXPECT_EQ(error_of(network_of_paths(many, "p", "f")), "f: 'x' needs 65536 ports; the maximum is 65535");
}

}  // namespace
}  // namespace ayatori
