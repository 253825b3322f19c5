// Which links NetworkBuilder::build lists as degraded.

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "../../base/thoroughness_fixtures.hpp"
#include "ayatori/base/random.hpp"
#include "network_fixtures.hpp"

namespace ayatori {
namespace {

constexpr LinkRate hdr{4, LaneSpeed::hdr};
constexpr LinkRate edr{4, LaneSpeed::edr};

std::vector<std::string> degraded(const Network& network) {
  std::vector<std::string> found;
  for (const PortId link : network.degraded_links()) found.push_back(network.describe_link(link));
  return found;
}

/// A NIC of a model, plugged into a router.
void add_nic(NetworkBuilder& builder, const std::string& name, std::uint32_t model, NetworkBuilder::Handle router,
             int port, LinkRate rate) {
  const auto nic = builder.add_nic(name, 0x10000 + 16 * builder.device_count(), 1, name, 0);
  builder.set_model(nic, 0x2c9, model);
  plug(builder, nic, 1, router, port, rate);
}

TEST(DegradedLinks, AClassOfSlowerHostsGivesNoFalseAlarm) {
  NetworkBuilder builder;
  for (int i = 0; i < 10; ++i) builder.add_router(fmt::format("S{}", i), 0x100U + i, 80);
  for (int i = 0; i < 600; ++i) {
    const bool old = i % 600 < 64;
    add_nic(builder, fmt::format("n{}", i), old ? 0x1017 : 0x101b, i % 10, 1 + i / 10, old ? edr : hdr);
  }
  EXPECT_EQ(degraded(built(builder)), std::vector<std::string>{});
}

TEST(DegradedLinks, ASlowLinkIsFoundInASlowerClass) {
  NetworkBuilder builder;
  builder.add_router("S", 0x100, 200);
  for (int i = 0; i < 100; ++i) {
    add_nic(builder, fmt::format("n{}", i), i < 64 ? 0x1017 : 0x101b, 0, 1 + i,
            i == 7   ? LinkRate{1, LaneSpeed::edr}
            : i < 64 ? edr
                     : hdr);
  }
  EXPECT_EQ(degraded(built(builder)), std::vector<std::string>{"S port 8 -> n7 port 1"});
}

TEST(DegradedLinks, WithoutModelsManySlowerHostsAreAClassAndFewAreNot) {
  for (const int slow : {1, 2, 20, 40, 60}) {
    NetworkBuilder builder;
    builder.add_router("S", 0x100, 200);
    for (int i = 0; i < 100; ++i) add_nic(builder, fmt::format("n{}", i), 0, 0, 1 + i, i < slow ? edr : hdr);
    EXPECT_EQ(degraded(built(builder)).size(), slow < 34 ? static_cast<std::size_t>(slow) : 0U);
  }
}

TEST(DegradedLinks, AFewSlowerHostsOfTheirOwnNameAreAClass) {
  for (const bool one_is_slower_still : {false, true}) {
    NetworkBuilder builder;
    builder.add_router("S", 0x100, 200);
    for (int i = 0; i < 100; ++i) {
      const LinkRate login = one_is_slower_still && i == 1 ? LinkRate{1, LaneSpeed::edr} : edr;
      add_nic(builder, fmt::format("{}{}", i < 3 ? "login" : "n", i), 0, 0, 1 + i, i < 3 ? login : hdr);
    }
    // Then the login hosts have no rate in common, and each of them is slower than most.
    EXPECT_EQ(degraded(built(builder)).size(), one_is_slower_still ? 3U : 0U);
  }
}

TEST(DegradedLinks, AHostOrASwitchThatIsSlowerOnAllCablesIsAClass) {
  NetworkBuilder builder;
  for (int i = 0; i < 4; ++i) builder.add_router(fmt::format("S{}", i), 0x100U + i, 40);
  for (int i = 0; i < 20; ++i) {
    for (int rail = 0; rail < 2; ++rail) {
      const auto nic = builder.add_nic(fmt::format("n{} mlx5_{}", i, rail), 0x10000 + 16 * builder.device_count(), 1,
                                       fmt::format("n{}", i), static_cast<std::uint16_t>(rail));
      plug(builder, nic, 1, rail, 1 + i, i == 7 || (i == 9 && rail == 1) ? edr : hdr);
    }
  }
  for (int leaf = 0; leaf < 2; ++leaf) {
    for (int cable = 0; cable < 4; ++cable) {
      plug(builder, leaf, 30 + cable, 2, 1 + 4 * leaf + cable, hdr);
      if (cable == 0) plug(builder, leaf, 38, 3, 1 + leaf, edr);
    }
  }
  EXPECT_EQ(degraded(built(builder)), std::vector<std::string>{"S1 port 10 -> n9 mlx5_1 port 1"});
}

TEST(DegradedLinks, ASlowCableNextToAFasterOneIsFound) {
  NetworkBuilder builder;
  builder.add_router("A", 1, 8);
  builder.add_router("B", 2, 8);
  plug(builder, 0, 1, 1, 1, {1, LaneSpeed::sdr});
  plug(builder, 0, 2, 1, 2, {4, LaneSpeed::sdr});
  EXPECT_EQ(degraded(built(builder)), std::vector<std::string>{"A port 1 -> B port 1"});
}

TEST(DegradedLinks, WhatBothEndsSupportIsExpectedOfTheCable) {
  for (const auto& [max_a, max_b, is_degraded] : {std::tuple(hdr, hdr, true),
                                                  {hdr, edr, false},
                                                  {edr, edr, false},
                                                  {hdr, LinkRate{2, LaneSpeed::ndr}, false},
                                                  {hdr, LinkRate{4, LaneSpeed::ndr}, true}}) {
    NetworkBuilder builder;
    builder.add_router("A", 1, 8);
    builder.add_router("B", 2, 8);
    plug(builder, 0, 1, 1, 1, edr);
    builder.set_max_rate(0, 1, max_a);
    builder.set_max_rate(1, 1, max_b);
    EXPECT_EQ(!degraded(built(builder)).empty(), is_degraded) << to_string(max_a) << " " << to_string(max_b);
  }
}

/// Whether the links of this end's router or machine, or of all devices like this one, have one rate.
bool has_one_rate(const Network& network, PortId end, const std::vector<PortId>& links) {
  const auto device = [&](PortId port) { return network.device(network.port(port).device); };
  const auto owner = [&](PortId port) {
    return device(port).machine == no_id ? std::string(network.name(network.port(port).device))
                                         : network.machine(device(port).machine).name;
  };
  const auto alike = [&](PortId port) {
    std::string letters = owner(port);
    std::erase_if(letters, [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
    const Device d = device(port);
    return fmt::format("{} {} {} {} {} {}", int(d.kind), d.plane, d.vendor_id, d.model_id,
                       d.vendor_id + d.model_id > 0 ? 0 : d.port_count, letters);
  };
  std::set<double> of_one;
  std::set<double> of_those_alike;
  int links_of_one = 0;
  int links_of_those_alike = 0;
  for (const PortId link : links) {
    const PortId peer = network.port(link).peer;
    const double rate = network.port(link).rate.bytes_per_second();
    if (owner(link) == owner(end) || owner(peer) == owner(end)) ++links_of_one, of_one.insert(rate);
    if (alike(link) == alike(end) || alike(peer) == alike(end)) ++links_of_those_alike, of_those_alike.insert(rate);
  }
  return (links_of_one >= 2 && of_one.size() == 1) || (links_of_those_alike >= 2 && of_those_alike.size() == 1);
}

/// By the words of NetworkBuilder::build, comparing each link with each other one.
bool should_be_degraded(const Network& network, PortId id, const std::vector<PortId>& links) {
  const auto device = [&](PortId port) { return network.device(network.port(port).device); };
  const auto model = [&](PortId port) {
    const Device d = device(port);
    return d.vendor_id + d.model_id > 0 ? fmt::format("{} {} {}", int(d.kind), d.vendor_id, d.model_id)
                                        : fmt::format("{} with {} ports", int(d.kind), d.port_count);
  };
  const auto speed = [&](PortId port) { return network.port(port).rate.bytes_per_second(); };
  const auto peer = [&](PortId port) { return network.port(port).peer; };
  const Port& here = network.port(id);
  const Port& there = network.port(peer(id));
  if (here.max_rate.known() && there.max_rate.known()) {
    const LinkRate both{std::min(here.max_rate.width, there.max_rate.width),
                        std::min(here.max_rate.speed, there.max_rate.speed)};
    return speed(id) < both.bytes_per_second();
  }
  if (has_one_rate(network, id, links) || has_one_rate(network, peer(id), links)) return false;
  std::map<double, int> like;
  int all = 0;
  for (const PortId other : links) {
    const bool parallel = network.port(other).device == here.device && network.port(peer(other)).device == there.device;
    const bool crossed = network.port(other).device == there.device && network.port(peer(other)).device == here.device;
    if ((parallel || crossed) && speed(other) > speed(id)) return true;
    const bool same = model(other) == model(id) && model(peer(other)) == model(peer(id));
    const bool turned = model(other) == model(peer(id)) && model(peer(other)) == model(id);
    if (device(other).plane != device(id).plane || (!same && !turned)) continue;
    ++like[speed(other)];
    ++all;
  }
  int most = 0;
  for (const auto& [rate, count] : like) most = std::max(most, count);
  bool most_seen = false;
  for (const auto& [rate, count] : like) {  // from the slowest on
    const bool usual = (count == most && !most_seen) || (count >= 2 && 3 * count >= all);
    most_seen |= count == most;
    if (usual) return speed(id) < rate;
  }
  return false;
}

TEST(DegradedLinks, AgreeWithTheDefinitionOnRandomNetworks) {
  std::size_t found = 0;
  for (std::uint64_t seed = 1; seed <= test::tries(50U, 200U); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    NetworkBuilder builder;
    std::vector<int> used;
    const auto any_rate = [&] {
      return random.below(4) == 0    ? edr
             : random.below(20) == 0 ? LinkRate{}
             : random.below(9) == 0  ? LinkRate{1, LaneSpeed::hdr}
                                     : hdr;
    };
    for (int plane = 0; plane < 2; ++plane) {
      builder.begin_plane(plane == 0 ? "a" : "b");
      const auto first = static_cast<NetworkBuilder::Handle>(builder.device_count());
      for (int i = 0; i < 4; ++i) {
        const auto router =
            builder.add_router(fmt::format("R{}-{}", plane, i), 0x1000U + 0x100 * plane + i, 40 + i % 2);
        used.resize(router + 1);
        if (random.below(2) == 0) builder.set_model(router, 1, static_cast<std::uint32_t>(random.below(2)));
      }
      const auto any_router = [&] { return first + static_cast<NetworkBuilder::Handle>(random.below(4)); };
      const auto connect = [&](NetworkBuilder::Handle a, NetworkBuilder::Handle b) {
        if (a == b || used[a] >= 39 || used[b] >= 39) return;
        plug(builder, a, used[a] + 1, b, used[b] + 1, any_rate());
        for (const auto end : {a, b}) {
          ++used[end];
          if (random.below(4) == 0) builder.set_max_rate(end, static_cast<PortNumber>(used[end]), any_rate());
        }
      };
      for (int i = 0; i < 20; ++i) connect(any_router(), any_router());
      for (int i = 0; i < 30; ++i) {
        const auto name = fmt::format("n{}-{}", plane, i);
        const auto nic = builder.add_nic(name, 0x100000 + 16 * builder.device_count(), 1, name, 0);
        used.resize(nic + 1);
        if (random.below(2) == 0) builder.set_model(nic, 2, static_cast<std::uint32_t>(random.below(3)));
        connect(any_router(), nic);
      }
    }
    const Network network = built(builder);
    std::vector<PortId> links;
    for (PortId id = 0; id < network.port_count(); ++id) {
      const Port& port = network.port(id);
      if (port.connected() && id < port.peer && port.rate.known()) links.push_back(id);
    }
    std::vector<PortId> expected;
    std::ranges::copy_if(links, std::back_inserter(expected),
                         [&](PortId id) { return should_be_degraded(network, id, links); });
    EXPECT_TRUE(std::ranges::equal(network.degraded_links(), expected));
    found += expected.size();
  }
  EXPECT_GT(found, test::tries(250U, 1000U));
}

}  // namespace
}  // namespace ayatori
