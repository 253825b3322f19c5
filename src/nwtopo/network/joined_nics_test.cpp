#include "joined_nics.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "ayatori/base/random.hpp"
#include "ayatori/network/builder.hpp"
#include "ayatori/network/job.hpp"

namespace ayatori {
namespace {

LinkRate megabits(std::uint32_t rate) { return {0, LaneSpeed::unknown, rate}; }

/// Some planes of routers at random, and machines with NICs on some of them.
Network random_planes(Random& random) {
  NetworkBuilder builder;
  const std::size_t planes = 1 + random.below(3);
  const std::size_t machines = 2 + random.below(5);
  for (std::size_t plane = 0; plane < planes; ++plane) {
    builder.begin_plane("plane" + std::to_string(plane));
    const std::size_t routers = 1 + random.below(5);
    std::vector<NetworkBuilder::Handle> handles;
    std::vector<PortNumber> next(routers, 1);
    for (std::size_t i = 0; i < routers; ++i) handles.push_back(builder.add_router("R" + std::to_string(i), 0, 60));
    const auto rate = [&] { return megabits(static_cast<std::uint32_t>(100 * (1 + random.below(4)))); };
    for (std::size_t cable = 0; cable < 2 * routers && routers > 1; ++cable) {
      const std::size_t a = random.below(routers);
      const std::size_t b = random.below(routers);
      if (a == b || random.below(3) == 0) continue;
      EXPECT_TRUE(builder.connect(handles[a], next[a]++, handles[b], next[b]++, rate()));
    }
    for (std::size_t machine = 0; machine < machines; ++machine) {
      for (std::uint64_t nic = random.below(3); nic > 0; --nic) {
        const std::size_t at = random.below(routers);
        const auto handle =
            builder.add_nic("nic", 0, 1, "m" + std::to_string(machine), static_cast<std::uint16_t>(plane * 4 + nic));
        EXPECT_TRUE(builder.connect(handle, 1, handles[at], next[at]++, rate()));
      }
    }
  }
  return builder.build().value();
}

/// The fastest of all paths of at most `steps` cables from a router to another one.
double widest(const Network& network, DeviceId here, DeviceId there, std::size_t steps) {
  if (here == there) return 1e30;
  if (steps == 0) return 0;
  double best = 0;
  for (const Port& port : network.ports(here)) {
    if (!port.connected() || !network.is_router(network.port(port.peer).device)) continue;
    const double beyond = widest(network, network.port(port.peer).device, there, steps - 1);
    best = std::max(best, std::min(beyond, port.rate.bytes_per_second()));
  }
  return best;
}

double widest_shortest(const Network& network, PortId from, PortId to) {
  const double cables = std::min(network.port(from).rate.bytes_per_second(), network.port(to).rate.bytes_per_second());
  for (std::size_t steps = 0; steps < 5; ++steps) {
    const double rate = widest(network, network.router_of(from), network.router_of(to), steps);
    if (rate > 0) return std::min(rate, cables);
  }
  return 0;
}

TEST(JoinedNics, RatesAreThoseOfTheBestOfAllShortestPaths) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Network network = random_planes(random);
    const JoinedNics joined(network, network.endpoints());
    for (const PortId from : network.endpoints()) {
      for (const PortId to : network.endpoints()) {
        if (from == to) continue;
        ASSERT_DOUBLE_EQ(joined.rate(from, to), widest_shortest(network, from, to));
      }
    }
  }
}

TEST(JoinedNics, PairsShareNoNicAndLeaveNoneOutThatCouldBeAdded) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Network network = random_planes(random);
    const JoinedNics joined(network, network.endpoints());
    const auto& near = network.machine(0).endpoints;
    const auto& far = network.machine(static_cast<MachineId>(network.machines().size() - 1)).endpoints;
    const auto pairs = joined.pairs(near, far);
    const auto takes = [&](std::uint32_t i, std::uint32_t j) {
      return std::ranges::any_of(pairs, [&](const NicPair& pair) { return pair.from == i || pair.to == j; });
    };
    double best = 0;
    for (std::uint32_t i = 0; i < near.size(); ++i) {
      for (std::uint32_t j = 0; j < far.size(); ++j) {
        const double rate = joined.rate(near[i], far[j]);
        best = std::max(best, rate);
        EXPECT_TRUE(rate == 0 || takes(i, j));
      }
    }
    EXPECT_EQ(pairs.empty() ? 0 : pairs.front().bytes_per_second, best);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      EXPECT_GT(pairs[k].bytes_per_second, 0);
      for (std::size_t l = 0; l < k; ++l) {
        EXPECT_TRUE(pairs[l].from != pairs[k].from && pairs[l].to != pairs[k].to);
        EXPECT_GE(pairs[l].bytes_per_second, pairs[k].bytes_per_second);
      }
    }
  }
}

}  // namespace
}  // namespace ayatori
