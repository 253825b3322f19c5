// Paths that routers choose: by load all shortest paths, by hash one of them. Compared with a walk of its own.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <queue>
#include <set>

#include "ayatori/base/random.hpp"
#include "ayatori/flow/paths.hpp"
#include "ayatori/flow/simulate.hpp"
#include "ayatori/network/job.hpp"
#include "ayatori/routing/generate.hpp"
#include "ayatori/sources/source.hpp"
#include "flow_fixtures.hpp"

namespace ayatori {
namespace {

using Links = std::vector<std::uint32_t>;

struct Fabric {
  Network network;
  Routes routes;
  explicit Fabric(const std::string& source)
      : network(open_source(source).value()), routes(generate_routes(network, 0).value().routes) {}
};

const char* const fabrics[] = {"fattree:K=4,levels=2",
                               "fattree:K=3,levels=3",
                               "xgft:h=2;m=4,4;w=1,3",
                               "dragonfly:g=5,a=4,p=1,h=1",
                               "hyperx:3x3,hosts=2",
                               "full:5",
                               "xgft:h=3;m=3,3,3;w=1,2,2;p=1,1,2"};

/// Hops from every router to one, over ports alone.
std::map<DeviceId, int> hops_to(const Network& network, DeviceId router) {
  std::map<DeviceId, int> hops{{router, 0}};
  std::queue<DeviceId> open({router});
  for (; !open.empty(); open.pop()) {
    const DeviceId at = open.front();
    for (PortNumber port = 1; port <= network.device(at).port_count; ++port) {
      const Port& out = network.port(network.port_id(at, port));
      if (!out.connected()) continue;
      const DeviceId peer = network.port(out.peer).device;
      if (peer < network.router_count() && hops.try_emplace(peer, hops[at] + 1).second) open.push(peer);
    }
  }
  return hops;
}

/// Ports out of a router that lead one hop nearer, in order.
std::vector<PortId> nearer(const Network& network, DeviceId router, const std::map<DeviceId, int>& hops) {
  std::vector<PortId> ports;
  for (PortNumber number = 1; number <= network.device(router).port_count; ++number) {
    const PortId port = network.port_id(router, number);
    if (!network.port(port).connected()) continue;
    const DeviceId peer = network.port(network.port(port).peer).device;
    if (peer < network.router_count() && hops.at(peer) == hops.at(router) - 1) ports.push_back(port);
  }
  return ports;
}

TEST(EcmpPaths, FollowTheHashOfTheFlowAtEveryRouter) {
  for (const char* source : fabrics) {
    const Fabric fabric(source);
    Random random(5);
    const Job job = random_job(fabric.network, 5, 1, random).value();
    const auto endpoints = endpoints_of_ranks(fabric.network, job);
    for (const std::uint64_t seed : {0ULL, 7ULL, ~0ULL}) {
      const auto paths = ecmp_paths(fabric.network, fabric.routes, job, {}, seed).value();
      for (Rank from = 0; from < 5; ++from) {
        for (Rank to = 0; to < 5; ++to) {
          if (from == to) continue;
          const DeviceId last = fabric.network.port(fabric.network.port(endpoints[to]).peer).device;
          const auto hops = hops_to(fabric.network, last);
          Links expected{endpoints[from]};
          DeviceId at = fabric.network.port(fabric.network.port(endpoints[from]).peer).device;
          while (at != last) {
            const auto ports = nearer(fabric.network, at, hops);
            const std::uint64_t flow = (std::uint64_t{from} << 32U) + to;
            expected.push_back(ports[ecmp_hash(seed, at, flow) % ports.size()]);
            at = fabric.network.port(fabric.network.port(expected.back()).peer).device;
          }
          expected.push_back(fabric.network.port(endpoints[to]).peer);
          Links links;
          paths->path(from, to, links);
          EXPECT_EQ(links, expected) << source << ", seed " << seed;
        }
      }
    }
  }
}

// Known answers, computed by another program from the definition in paths.hpp.
TEST(EcmpHash, IsTheDocumentedOne) {
  EXPECT_EQ(ecmp_hash(0, 0, 0), 0xa706dd2f4d197e6fU);
  EXPECT_EQ(ecmp_hash(1, 2, 3), 0x90de4125b887e16U);
  EXPECT_EQ(ecmp_hash(~0ULL, 17, 5ULL << 32U), 0x9825150d979e75afU);
}

TEST(EcmpPaths, SpreadFlowsEvenlyOverTheCables) {
  const Fabric fabric("fattree:K=6,levels=2");
  const Job job = contiguous_job(fabric.network, 72, 1).value();
  const auto paths = ecmp_paths(fabric.network, fabric.routes, job, {}, 3).value();
  std::map<std::uint32_t, int> flows;
  int all = 0;
  for (Rank from = 0; from < 72; ++from) {
    for (Rank to = 0; to < 72; ++to) {
      Links links;
      if (from != to) paths->path(from, to, links);
      if (links.size() != 4) continue;
      ++flows[links[1]];
      ++all;
    }
  }
  EXPECT_EQ(flows.size(), 72U);
  const double mean = all / 72.0;
  for (const auto& [link, count] : flows) EXPECT_NEAR(count, mean, 5 * std::sqrt(mean));
}

TEST(AdaptivePaths, AreAllShortestOnesAndNoOthers) {
  for (const char* source : fabrics) {
    const Fabric fabric(source);
    Random random(6);
    const Job job = random_job(fabric.network, 5, 1, random).value();
    const auto endpoints = endpoints_of_ranks(fabric.network, job);
    const auto paths = adaptive_paths(fabric.network, fabric.routes, job, {}).value();
    EXPECT_TRUE(paths->splits_by_load());
    for (Rank from = 0; from < 5; ++from) {
      for (Rank to = 0; to < 5; ++to) {
        if (from == to) continue;
        const DeviceId first = fabric.network.port(fabric.network.port(endpoints[from]).peer).device;
        const DeviceId last = fabric.network.port(fabric.network.port(endpoints[to]).peer).device;
        const auto hops = hops_to(fabric.network, last);
        std::map<DeviceId, std::uint64_t> ways{{first, 1}};  // by router, those nearest to the start first
        for (int left = hops.at(first); left > 0; --left) {
          std::map<DeviceId, std::uint64_t> next;
          for (const auto& [router, count] : ways) {
            for (const PortId port : nearer(fabric.network, router, hops)) {
              next[fabric.network.port(fabric.network.port(port).peer).device] += count;
            }
          }
          ways = next;
        }
        std::set<Links> found;
        for (std::uint32_t part = 0; part < paths->part_count(from, to); ++part) {
          PartPath way;
          paths->part(part, from, to, way);
          ASSERT_EQ(way.links.size(), static_cast<std::size_t>(hops.at(first)) + 2) << source;
          EXPECT_EQ(way.links.front(), endpoints[from]);
          EXPECT_EQ(way.links.back(), fabric.network.port(endpoints[to]).peer);
          for (std::size_t i = 0; i + 1 < way.links.size(); ++i) {
            const DeviceId reached = fabric.network.port(fabric.network.port(way.links[i]).peer).device;
            EXPECT_EQ(fabric.network.port(way.links[i + 1]).device, reached);
          }
          found.insert(way.links);
        }
        EXPECT_EQ(found.size(), paths->part_count(from, to));
        EXPECT_EQ(found.size(), ways.at(last)) << source;
      }
    }
  }
}

/// Seconds of steps in which rank r sends to `to(r, step)`, at one byte a second on every link.
double seconds_of(const Paths& paths, Rank ranks, std::size_t steps, Bytes bytes,
                  const std::function<Rank(Rank, std::size_t)>& to) {
  const test::ListedSchedule schedule(ranks, test::exchanges(ranks, steps, bytes, to));
  return simulate(schedule, paths, {}).value().seconds;
}

// 36 hosts of a tree with as many spines as hosts a leaf: whoever sends to whom, nobody waits if packets spread.
TEST(AdaptivePaths, MakePermutationsFreeOnAFullTree) {
  const Fabric fabric("fattree:K=6,levels=2,nodes=36");
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Random random(seed);
    const Job job = random_job(fabric.network, 16, 1, random).value();
    const auto paths = adaptive_paths(fabric.network, fabric.routes, job, {1, 0}).value();
    const double seconds = seconds_of(
        *paths, 16, 15, 1000, [](Rank rank, std::size_t step) { return static_cast<Rank>((rank + step + 1) % 16); });
    EXPECT_NEAR(seconds, 15000, 1e-6) << "seed " << seed;
  }
}

// Four hosts a leaf and two spines: half of the bandwidth, and no routing can do better.
TEST(AdaptivePaths, HalveTheBandwidthWhereHalfOfTheCablesAre) {
  const Fabric fabric("xgft:h=2;m=4,2;w=1,2");
  const Job job = contiguous_job(fabric.network, 8, 1).value();
  const auto paths = adaptive_paths(fabric.network, fabric.routes, job, {1, 0}).value();
  const double seconds =
      seconds_of(*paths, 8, 1, 1000, [](Rank rank, std::size_t) { return static_cast<Rank>((rank + 4) % 8); });
  EXPECT_NEAR(seconds, 2000, 1e-6);
}

TEST(AdaptivePaths, CarryTheBytesOfEveryMessageOverEachTier) {
  const Fabric fabric("xgft:h=2;m=4,2;w=1,2");
  const Job job = contiguous_job(fabric.network, 8, 1).value();
  const auto paths = adaptive_paths(fabric.network, fabric.routes, job, {1, 0}).value();
  const test::ListedSchedule schedule(
      8, test::exchanges(8, 1, 1000, [](Rank rank, std::size_t) { return static_cast<Rank>((rank + 4) % 8); }));
  const Prediction prediction = simulate(schedule, *paths, {}).value();
  Bytes between_routers = 0;
  for (const HotLinkTime& link : prediction.hot_links) {
    const PortId peer = fabric.network.port(link.link).peer;
    const auto routers = static_cast<DeviceId>(fabric.network.router_count());
    if (fabric.network.port(link.link).device >= routers || fabric.network.port(peer).device >= routers) continue;
    between_routers += link.bytes;
    EXPECT_NEAR(link.saturated, 1, 1e-9);
  }
  EXPECT_EQ(between_routers, 8 * 2 * 1000U) << "each message once up and once down";
}

TEST(AdaptivePaths, AreRefusedWhereTheModelHasNoSuchPaths) {
  const Fabric fabric("xgft:h=2;m=4,2;w=1,2");
  const Job job = contiguous_job(fabric.network, 8, 1).value();
  const auto paths = adaptive_paths(fabric.network, fabric.routes, job, {1, 0}).value();
  const test::ListedSchedule schedule(8, std::vector<std::map<Rank, test::RankStep>>{});
  FlowOptions options;
  options.steps = StepMode::synchronous;
  EXPECT_NE(simulate(schedule, *paths, options).error().message.find("synchronous"), std::string::npos);
  options.steps = StepMode::drift;
  options.head_of_line = true;
  EXPECT_NE(simulate(schedule, *paths, options).error().message.find("head-of-line"), std::string::npos);
}

TEST(ChosenPaths, SayWhichHostsNoCablesJoin) {
  const Fabric fabric("xgft:h=2;m=6,4;w=2,3");  // two rails, in two parts
  const Job job = contiguous_job(fabric.network, 4, 2).value();
  const auto by_load = adaptive_paths(fabric.network, fabric.routes, job, {});
  ASSERT_FALSE(by_load);
  EXPECT_NE(by_load.error().message.find("several parts"), std::string::npos);
}

}  // namespace
}  // namespace ayatori
