#pragma once
/// \file
/// Fabrics for tests: made from lists of cables, drawn at random, or broken at random. Header only; tests include it.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "ayatori/base/random.hpp"
#include "ayatori/network/builder.hpp"
#include "ayatori/sources/source.hpp"

namespace ayatori::test {

/// Which devices are cabled to each other; ports are numbered in the order of the lists.
struct Blueprint {
  DeviceId routers = 0;
  std::vector<std::pair<DeviceId, DeviceId>> cables;  ///< between routers
  std::vector<DeviceId> hosts;                        ///< the router of each
  std::vector<DeviceId> aggregation_nodes;            ///< the router of each

  [[nodiscard]] bool connected() const {
    std::vector<DeviceId> part(routers);
    std::iota(part.begin(), part.end(), 0);
    const auto find = [&](DeviceId router) {
      while (part[router] != router) router = part[router] = part[part[router]];
      return router;
    };
    DeviceId parts = routers;
    for (const auto& [a, b] : cables) {
      if (find(a) == find(b)) continue;
      part[find(a)] = find(b);
      --parts;
    }
    return parts == 1;
  }

  [[nodiscard]] Network build() const {
    NetworkBuilder builder;
    std::vector<unsigned> ports(routers, 0);
    for (const auto& [a, b] : cables) ++ports[a], ++ports[b];
    for (const DeviceId router : hosts) ++ports[router];
    for (const DeviceId router : aggregation_nodes) ++ports[router];
    for (DeviceId router = 0; router < routers; ++router) {
      builder.add_router("R" + std::to_string(router), 0x1000 + router, static_cast<PortNumber>(ports[router] + 1));
    }
    std::vector<unsigned> next(routers, 1);
    const LinkRate rate{4, LaneSpeed::hdr};
    const auto plug = [&](NetworkBuilder::Handle a, PortNumber port, DeviceId router) {
      EXPECT_TRUE(builder.connect(a, port, router, static_cast<PortNumber>(next[router]++), rate));
    };
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      plug(builder.add_nic("mlx5_0", 0x100000 + 16 * i, 1, "N" + std::to_string(i), 0), 1, hosts[i]);
    }
    for (std::size_t i = 0; i < aggregation_nodes.size(); ++i) {
      plug(builder.add_aggregation_node("aggregation", 0x900000 + 16 * i, 1), 1, aggregation_nodes[i]);
    }
    for (const auto& [a, b] : cables) {
      const auto port = static_cast<PortNumber>(next[a]++);
      plug(a, port, b);
    }
    auto network = builder.build();
    EXPECT_TRUE(network) << network.error().message;
    return std::move(*network);
  }
};

inline Network open(const std::string& source) {
  auto network = open_source(source);
  EXPECT_TRUE(network) << source << ": " << network.error().message;
  return std::move(*network);
}

inline Blueprint blueprint_of(const Network& network) {
  Blueprint blueprint;
  blueprint.routers = static_cast<DeviceId>(network.router_count());
  for (PortId id = 0; id < network.port_count(); ++id) {
    const Port& port = network.port(id);
    if (!port.connected() || id > port.peer || !network.is_router(network.port(port.peer).device)) continue;
    blueprint.cables.emplace_back(port.device, network.port(port.peer).device);
  }
  for (const PortId endpoint : network.endpoints()) blueprint.hosts.push_back(network.router_of(endpoint));
  return blueprint;
}

/// Removes this share of the cables between routers, but no cable without which the fabric is not connected.
inline void pull_cables(Blueprint& blueprint, double share, Random& random) {
  const auto goal = static_cast<std::size_t>(static_cast<double>(blueprint.cables.size()) * (1 - share));
  for (std::size_t tries = 0; blueprint.cables.size() > goal && tries < 1000; ++tries) {
    const auto at = static_cast<std::ptrdiff_t>(random.below(blueprint.cables.size()));
    const auto cable = blueprint.cables[static_cast<std::size_t>(at)];
    blueprint.cables.erase(blueprint.cables.begin() + at);
    if (!blueprint.connected()) blueprint.cables.insert(blueprint.cables.begin() + at, cable);
  }
}

/// Levels of random width, each router cabled to a random choice of the next level, a few hosts and aggregation
/// nodes high up. Draws again until the fabric is connected.
inline Blueprint random_tree(std::size_t levels, Random& random) {
  for (;;) {
    Blueprint blueprint;
    std::vector<DeviceId> first = {0};
    for (std::size_t level = 0; level < levels; ++level) {
      first.push_back(first.back() + 2 + static_cast<DeviceId>(random.below(level == 0 ? 8 : 5)));
    }
    blueprint.routers = first.back();
    for (std::size_t level = 0; level + 1 < levels; ++level) {
      for (DeviceId below = first[level]; below < first[level + 1]; ++below) {
        for (DeviceId above = first[level + 1]; above < first[level + 2]; ++above) {
          for (std::uint64_t cables = random.below(3); cables > 0; --cables)
            blueprint.cables.emplace_back(below, above);
        }
      }
    }
    for (DeviceId leaf = 0; leaf < first[1]; ++leaf) {
      for (std::uint64_t hosts = 2 + random.below(5); hosts > 0; --hosts) blueprint.hosts.push_back(leaf);
    }
    for (DeviceId router = first[1]; router < first.back(); ++router) {
      if (random.below(6) == 0) blueprint.hosts.push_back(router);
    }
    for (DeviceId router = 0; router < first.back(); ++router) {
      if (random.below(2) == 0) blueprint.aggregation_nodes.push_back(router);
    }
    if (blueprint.connected()) return blueprint;
  }
}

/// Any connected graph, with some parallel cables and loops.
inline Blueprint random_graph(Random& random) {
  Blueprint blueprint;
  blueprint.routers = 2 + static_cast<DeviceId>(random.below(14));
  for (DeviceId router = 1; router < blueprint.routers; ++router) {
    blueprint.cables.emplace_back(router, static_cast<DeviceId>(random.below(router)));
  }
  for (std::uint64_t more = random.below(2 * blueprint.routers); more > 0; --more) {
    blueprint.cables.emplace_back(random.below(blueprint.routers), random.below(blueprint.routers));
  }
  for (std::uint64_t hosts = 1 + random.below(2 * blueprint.routers); hosts > 0; --hosts) {
    blueprint.hosts.push_back(static_cast<DeviceId>(random.below(blueprint.routers)));
  }
  return blueprint;
}

}  // namespace ayatori::test
