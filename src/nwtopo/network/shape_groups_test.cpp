// HyperX, dragonfly and dragonfly+: recognised with their parameters, however they are labelled, also damaged.

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "../../base/thoroughness_fixtures.hpp"
#include "shape_fixtures.hpp"

namespace ayatori {
namespace {

using Lines = std::vector<std::string>;
using Lengths = std::vector<std::uint32_t>;

// --- the definitions, checked pair by pair
// ----------------------------------------------------------------------------

/// Routers are cabled if and only if exactly one of their coordinates differs.
void expect_is_hyperx(const Network& network, const Shape& shape) {
  const RouterGraph graph(network);
  ASSERT_EQ(shape.at.size(), graph.size());
  for (std::size_t a = 0; a < shape.at.size(); ++a) {
    for (std::size_t b = 0; b < shape.at.size(); ++b) {
      std::size_t differing = 0;
      std::size_t rest_a = a;
      std::size_t rest_b = b;
      for (std::size_t i = shape.dimensions.size(); i-- > 0;) {
        differing += rest_a % shape.dimensions[i] != rest_b % shape.dimensions[i];
        rest_a /= shape.dimensions[i];
        rest_b /= shape.dimensions[i];
      }
      ASSERT_EQ(graph.joins(shape.at[a], shape.at[b]), differing == 1) << shape.summary << " " << a << " " << b;
    }
  }
}

/// Every router is in one group; within groups the pairs that should be are cabled, and each two groups have as many
/// cables as the shape says.
void expect_is_dragonfly(const Network& network, const Shape& shape) {
  const RouterGraph graph(network);
  const bool plus = shape.kind == ShapeKind::dragonfly_plus;
  std::map<DeviceId, std::pair<std::size_t, bool>> place;  // group, and whether it is a spine
  for (std::size_t i = 0; i < shape.groups.size(); ++i) {
    EXPECT_EQ(shape.groups[i].routers.size(), shape.routers.front());
    EXPECT_EQ(shape.groups[i].spines.size(), plus ? shape.routers.back() : 0U);
    for (const DeviceId router : shape.groups[i].routers)
      EXPECT_TRUE(place.emplace(router, std::pair(i, false)).second);
    for (const DeviceId router : shape.groups[i].spines) EXPECT_TRUE(place.emplace(router, std::pair(i, true)).second);
  }
  ASSERT_EQ(place.size(), graph.size());
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> between;
  for (DeviceId a = 0; a < graph.size(); ++a) {
    for (DeviceId b = 0; b < a; ++b) {
      if (place[a].first == place[b].first) {
        EXPECT_EQ(graph.cable_count(a, b), !plus || place[a].second != place[b].second ? shape.cables.front() : 0U);
        continue;
      }
      between[std::minmax(place[a].first, place[b].first)] += graph.cable_count(a, b);
      EXPECT_FALSE(plus && !(place[a].second && place[b].second) && graph.joins(a, b));
    }
  }
  for (const auto& [pair, cables] : between) EXPECT_EQ(cables, shape.cables.back());
}

void expect_is_what_it_claims(const Network& network, const Shape& shape) {
  if (shape.kind == ShapeKind::full) {
    EXPECT_EQ(RouterGraph(network).pair_count(), network.router_count() * (network.router_count() - 1) / 2);
  } else if (shape.kind == ShapeKind::grid) {
    expect_places_fit(network, shape);
  } else if (shape.kind == ShapeKind::hyperx) {
    expect_is_hyperx(network, shape);
  } else {
    ASSERT_TRUE(shape.kind == ShapeKind::dragonfly || shape.kind == ShapeKind::dragonfly_plus) << shape.summary;
    expect_is_dragonfly(network, shape);
  }
}

// --- formulas, relabelled at random ---------------------------------------------------------------------------------

TEST(RecogniseHyperX, FindsTheLengthsOfEveryFormula) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= test::tries(30U, 150U); ++seed) {
    Random random(seed);
    Lengths lengths;
    std::uint64_t routers = 1;
    while (lengths.size() < 4 && (routers < 8 || random.below(3) != 0) && routers < 100) {
      lengths.push_back(static_cast<std::uint32_t>(1 + random.below(7)));
      routers *= lengths.back();
    }
    const std::string source = fmt::format("hyperx:{},hosts={}", fmt::join(lengths, "x"), random.below(3));
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, source));
    std::erase(lengths, 1U);
    for (const bool relabel : {false, true}) {
      const Network network = relabel ? relabelled(opened(source), seed) : opened(source);
      const Shape shape = recognise(network);
      EXPECT_EQ(lines_of(shape), Lines{});
      expect_is_what_it_claims(network, shape);
      if (lengths.size() < 2) {
        EXPECT_EQ(shape.kind, ShapeKind::full);
      } else if (std::ranges::max(lengths) <= 3) {
        EXPECT_EQ(shape.kind, ShapeKind::grid);
      } else {
        ++found;
        ASSERT_EQ(shape.kind, ShapeKind::hyperx) << shape.summary;
        EXPECT_TRUE(relabel || shape.dimensions == lengths) << shape.summary;
        EXPECT_TRUE(std::ranges::is_permutation(shape.dimensions, lengths));
      }
    }
  }
  EXPECT_GT(found, test::tries(30, 150));
}

struct Parameters {
  std::size_t groups = 0;
  Lengths routers;
  std::uint64_t hosts = 0;
  std::uint64_t between = 0;  // cables between two groups
};

/// Another shape may be the same graph; then it must be exactly that. Returns whether the formula's own was found.
bool expect_parameters(const Network& network, ShapeKind kind, const Parameters& expected) {
  const Shape shape = recognise(network);
  expect_is_what_it_claims(network, shape);
  if (shape.kind != kind) {
    EXPECT_TRUE(shape.kind == ShapeKind::full || shape.kind == ShapeKind::grid || shape.kind == ShapeKind::hyperx)
        << shape.summary << "\n"
        << fmt::format("{}", fmt::join(lines_of(shape), "\n"));
    return false;
  }
  EXPECT_EQ(lines_of(shape), Lines{});
  EXPECT_EQ(shape.groups.size(), expected.groups) << shape.summary;
  EXPECT_EQ(shape.routers, expected.routers) << shape.summary;
  EXPECT_EQ(shape.hosts, expected.hosts);
  EXPECT_EQ(shape.cables, (Lengths{1, static_cast<std::uint32_t>(expected.between)}));
  return true;
}

TEST(RecogniseDragonfly, FindsTheParametersOfEveryFormula) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= test::tries(60U, 200U); ++seed) {
    Random random(seed);
    const std::uint64_t h = 1 + random.below(4);
    const std::uint64_t a = 2 + random.below(6);
    const std::uint64_t p = random.below(4);
    const std::uint64_t g = random.below(3) == 0 ? a * h + 1 : 2 + random.below(a * h);
    const auto source = fmt::format("dragonfly:g={},a={},p={},h={}", g, a, p, h);
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, source));
    const Parameters expected{g, {static_cast<std::uint32_t>(a)}, p, a * h / (g - 1)};
    found += expect_parameters(opened(source), ShapeKind::dragonfly, expected);
    found += expect_parameters(relabelled(opened(source), seed), ShapeKind::dragonfly, expected);
  }
  EXPECT_GT(found, test::tries(90, 300));
}

TEST(RecogniseDragonflyPlus, FindsTheParametersOfEveryFormula) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= test::tries(60U, 200U); ++seed) {
    Random random(seed);
    const std::uint64_t h = 1 + random.below(4);
    const std::uint64_t l = 1 + random.below(5);
    const std::uint64_t s = 1 + random.below(4);
    const std::uint64_t p = 1 + random.below(4);
    const std::uint64_t g = random.below(3) == 0 ? s * h + 1 : 2 + random.below(s * h);
    const auto source = fmt::format("dragonfly+:g={},l={},s={},p={},h={}", g, l, s, p, h);
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, source));
    const Parameters expected{g, {static_cast<std::uint32_t>(l), static_cast<std::uint32_t>(s)}, p, s * h / (g - 1)};
    found += expect_parameters(opened(source), ShapeKind::dragonfly_plus, expected);
    found += expect_parameters(relabelled(opened(source), seed), ShapeKind::dragonfly_plus, expected);
  }
  EXPECT_GT(found, test::tries(111, 370));
}

TEST(RecogniseDragonflyPlus, FindsGroupsWithoutAnyHost) {
  for (const char* source :
       {"dragonfly+:g=5,l=3,s=2,p=0,h=2", "dragonfly+:h=3,p=0", "dragonfly+:g=4,l=6,s=3,p=0,h=2"}) {
    const Shape shape = recognise(opened(source));
    EXPECT_EQ(shape.kind, ShapeKind::dragonfly_plus) << source << shape.summary;
    EXPECT_EQ(lines_of(shape), Lines{});
  }
}

TEST(Recognise, SaysWhatHyperXAndDragonfliesAre) {
  const auto summary = [](const char* source) { return recognise(opened(source)).summary; };
  EXPECT_EQ(summary("hyperx:3x4x5,hosts=2"), "HyperX 3x4x5, 1 cable a pair, 120 hosts with 1 rail");
  EXPECT_EQ(summary("dragonfly:g=9,a=4,p=2,h=2"),
            "dragonfly, 9 groups of 4 routers, 1 cable a pair, 1 cable between two groups, 72 hosts with 1 rail");
  EXPECT_EQ(summary("dragonfly+:g=5,l=2,s=3,p=2,h=4"),
            "dragonfly+, 5 groups of 2 leaves x 3 spines, 1 cable a pair, 3 cables between two groups, 20 hosts with 1 "
            "rail");
}

// --- damage ---------------------------------------------------------------------------------------------------------

/// The same network without some of its cables between routers, by name: "R0-0 <-> R0-1".
struct Damaged {
  Network network;
  std::set<std::string> missing;
};

Damaged without_some_cables(
    const Network& whole, std::uint64_t one_of, std::uint64_t seed,
    const std::function<bool(DeviceId, DeviceId)>& may_go = [](DeviceId, DeviceId) { return true; }) {
  Random random(seed);
  std::set<std::string> missing;
  auto builder = copy_of(whole, [&](PortId id) {
    const DeviceId a = whole.port(id).device;
    const DeviceId b = whole.port(whole.port(id).peer).device;
    if (!whole.is_router(a) || !whole.is_router(b) || !may_go(a, b) || random.below(one_of) != 0) return true;
    missing.insert(fmt::format("{} <-> {}: 0 of 1 cable", whole.name(a), whole.name(b)));
    return false;
  });
  return {built(builder), std::move(missing)};
}

/// The neighbours in a torus of which no cable joins the routers, as cables_named_as_missing() has them.
std::set<std::string> expected_neighbours_not_joined(const Network& network, const Shape& shape) {
  const RouterGraph graph(network);
  std::set<std::string> found;
  std::size_t stride = shape.at.size();
  for (const std::size_t length : shape.dimensions) {
    stride /= length;
    for (std::size_t point = 0; point < shape.at.size(); ++point) {
      const bool last = point / stride % length + 1 == length;
      const auto [a, b] = std::minmax(shape.at[point], shape.at[last ? point - (length - 1) * stride : point + stride]);
      if (!graph.joins(a, b)) found.insert(fmt::format("{} <-> {}: 0 of 1 cable", network.name(a), network.name(b)));
    }
  }
  return found;
}

std::set<std::string> cables_named_as_missing(const Shape& shape) {
  std::set<std::string> found;
  for (const std::string& line : lines_of(shape)) {
    if (line.contains(" <-> ") && !line.contains("group")) found.insert(line);
  }
  return found;
}

TEST(RecogniseHyperX, NamesEveryMissingCableAndNoOther) {
  for (const char* source : {"hyperx:4x4,hosts=2", "hyperx:5x6", "hyperx:3x4x5", "hyperx:8x2x3", "hyperx:16x6"}) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      SCOPED_TRACE(fmt::format("{} seed {}", source, seed));
      const auto damaged = without_some_cables(opened(source), 20, seed);
      const Shape shape = recognise(damaged.network);
      ASSERT_EQ(shape.kind, ShapeKind::hyperx) << shape.summary;
      EXPECT_EQ(cables_named_as_missing(shape), damaged.missing);
    }
  }
}

TEST(RecogniseGrid, PlacesTheRoutersOfASmallDamagedTorus) {
  for (const auto& [source, lengths] : {std::pair("torus:4x4", Lengths{4, 4}),
                                        {"torus:4x4x4", {4, 4, 4}},
                                        {"torus:3x4x3", {4, 3, 3}},
                                        {"torus:2x4x4", {4, 4, 2}}}) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      SCOPED_TRACE(fmt::format("{} seed {}", source, seed));
      const auto damaged = without_some_cables(opened(source), 30, seed);
      const Shape shape = recognise(damaged.network);
      ASSERT_EQ(shape.kind, ShapeKind::grid) << shape.summary;
      EXPECT_TRUE(std::ranges::is_permutation(shape.dimensions, lengths)) << shape.summary;
      EXPECT_EQ(cables_named_as_missing(shape), damaged.missing);
      EXPECT_TRUE(damaged.missing.empty() || damaged.missing == expected_neighbours_not_joined(damaged.network, shape));
    }
  }
}

TEST(RecogniseDragonfly, NamesEveryMissingCableAndNoOther) {
  for (const char* source : {"dragonfly:h=2", "dragonfly:h=3", "dragonfly:g=9,a=8,p=2,h=2", "dragonfly:g=6,a=10,h=1"}) {
    const Network whole = opened(source);
    const Shape regular = recognise(whole);
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      SCOPED_TRACE(fmt::format("{} seed {}", source, seed));
      const auto group_of = [&](DeviceId id) { return whole.name(id).substr(0, whole.name(id).find('-')); };
      const auto damaged =
          without_some_cables(whole, 20, seed, [&](DeviceId a, DeviceId b) { return group_of(a) == group_of(b); });
      const Shape shape = recognise(damaged.network);
      ASSERT_EQ(shape.kind, ShapeKind::dragonfly) << shape.summary << "\n"
                                                  << fmt::format("{}", fmt::join(damaged.missing, "\n"));
      EXPECT_EQ(shape.groups.size(), regular.groups.size());
      EXPECT_EQ(cables_named_as_missing(shape), damaged.missing);
    }
  }
  const Network cut = without_cables(opened("dragonfly:h=2"), "R0-0", "R1-0", 1);
  EXPECT_EQ(lines_of(recognise(cut)), Lines{"the group of R0-0 <-> the group of R1-0: 0 of 1 cable"});
}

TEST(RecogniseDragonflyPlus, NamesEveryMissingCableAndNoOther) {
  for (const char* source : {"dragonfly+:h=3", "dragonfly+:g=5,l=6,s=4,p=3,h=2"}) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      SCOPED_TRACE(fmt::format("{} seed {}", source, seed));
      const Network whole = opened(source);
      const auto damaged = without_some_cables(whole, 20, seed, [&](DeviceId a, DeviceId b) {
        return whole.name(a).front() != whole.name(b).front();  // a leaf "LS0-0" and a spine "SS0-0"
      });
      const Shape shape = recognise(damaged.network);
      ASSERT_EQ(shape.kind, ShapeKind::dragonfly_plus) << shape.summary;
      EXPECT_EQ(cables_named_as_missing(shape), damaged.missing);
    }
  }
}

/// The same network with three more ports on each router.
Network with_free_ports(const Network& network) {
  NetworkBuilder builder;
  for (DeviceId id = 0; id < network.device_count(); ++id) {
    const Device& device = network.device(id);
    if (network.is_router(id)) {
      builder.add_router(network.name(id), device.guid, static_cast<PortNumber>(device.port_count + 3));
    } else {
      builder.add_nic(network.name(id), device.guid, device.port_count, network.machine(device.machine).name, 0);
    }
  }
  for (PortId id = 0; id < network.port_count(); ++id) {
    const Port& port = network.port(id);
    if (!port.connected() || port.peer < id) continue;
    plug(builder, port.device, port.number, network.port(port.peer).device, network.port(port.peer).number);
  }
  return built(builder);
}

TEST(RecogniseDragonflyPlus, LeavesWithoutHostsAndSpinesWithAHostKeepTheirPlaces) {
  const Network whole = with_free_ports(opened("dragonfly+:g=5,l=4,s=4,p=3,h=2"));
  auto builder = copy_of(whole, [&](PortId id) {
    const Port& port = whole.port(id);
    const auto is_emptied = [&](DeviceId router) { return whole.name(router) == "LS1-2"; };
    const DeviceId peer = whole.port(port.peer).device;
    return whole.is_router(port.device) && whole.is_router(peer) ? true : !is_emptied(port.device) && !is_emptied(peer);
  });
  const DeviceId spine = device_named(whole, "SS3-1").value();
  const Network halfway = built(builder);
  auto with_host = copy_of(halfway);
  add_host(with_host, "ufm", spine, first_free_port(halfway, spine));
  const Shape shape = recognise(built(with_host));
  EXPECT_EQ(shape.kind, ShapeKind::dragonfly_plus) << shape.summary;
  EXPECT_EQ(shape.routers, (Lengths{4, 4}));
  for (const char* line : {"LS1-2 has 0 cables to hosts, most have 3", "the spine SS3-1 has 1 host"}) {
    EXPECT_EQ(std::ranges::count(lines_of(shape), line), 1) << line;
  }
}

/// The same network with one cable between routers plugged in elsewhere.
Network with_a_moved_cable(const Network& whole, std::uint64_t seed) {
  Random random(seed);
  const RouterGraph graph(whole);
  while (true) {
    const auto from = static_cast<DeviceId>(random.below(graph.size()));
    const auto to = static_cast<DeviceId>(random.below(graph.size()));
    if (graph.cables(from).empty() || from == to || graph.joins(from, to)) continue;
    const auto free = std::ranges::find_if(whole.ports(to).subspan(1), [](const Port& p) { return !p.connected(); });
    if (free == whole.ports(to).end()) continue;
    const auto& cable = graph.cables(from)[random.below(graph.cables(from).size())];
    const PortId moved = whole.port_id(from, cable.port);
    auto builder = copy_of(whole, [&](PortId id) { return id != std::min(moved, whole.port(moved).peer); });
    plug(builder, from, cable.port, to, free->number);
    return built(builder);
  }
}

TEST(Recognise, ClaimsNoNearMissAsWhole) {
  for (const char* source : {"hyperx:4x5", "hyperx:3x4x4,hosts=2", "dragonfly:h=2", "dragonfly:h=3",
                             "dragonfly:g=5,a=2,p=1,h=2", "dragonfly+:h=2", "dragonfly+:g=5,l=6,s=4,p=3,h=2"}) {
    const Network whole = with_free_ports(opened(source));
    ASSERT_EQ(lines_of(recognise(whole)), Lines{}) << source;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const Shape shape = recognise(with_a_moved_cable(whole, seed));
      EXPECT_NE(lines_of(shape), Lines{}) << source << " seed " << seed << ": " << shape.summary;
    }
  }
}

TEST(Recognise, ClaimsNoRandomGraphAsHyperXOrDragonfly) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    NetworkBuilder builder;
    const auto routers = static_cast<int>(6 + random.below(24));
    const auto cables = static_cast<int>(static_cast<std::uint64_t>(routers) * (2 + random.below(3)));
    std::vector<int> used(static_cast<std::size_t>(routers));
    for (int i = 0; i < routers; ++i) builder.add_router(fmt::format("R{}", i), 0x2000U + i, 64);
    for (int i = 0; i < routers; ++i) {
      if (seed % 2 == 0 || random.below(2) == 0) add_host(builder, fmt::format("n{}", i), i, ++used[i]);
    }
    for (int cable = 0; cable < cables; ++cable) {
      const auto a = static_cast<int>(random.below(routers));
      const auto b = static_cast<int>(random.below(routers));
      if (a != b && used[a] < 64 && used[b] < 64) plug(builder, a, ++used[a], b, ++used[b]);
    }
    const Shape shape = recognise(built(builder));
    EXPECT_TRUE(shape.kind == ShapeKind::graph || shape.kind == ShapeKind::fat_tree)
        << "seed " << seed << ": " << shape.summary;
  }
}

// --- Cray's Aries: groups that are cabled as a HyperX ---------------------------------------------------------------

/// `groups` groups of 6 chassis with 16 routers each, as Cray XC cables them: each router to all of its chassis by one
/// cable, to all in its slot by three, and one cable between two groups.
Network cray_xc(std::uint64_t groups) {
  NetworkBuilder builder;
  constexpr std::uint64_t chassis = 6, slots = 16, routers = chassis * slots;
  std::vector<int> used(groups * routers);
  for (std::uint64_t i = 0; i < groups * routers; ++i) {
    builder.add_router(fmt::format("c{}-{}-{}", i / routers, i % routers / slots, i % slots), 0x2000 + i, 60);
  }
  const auto join = [&](std::uint64_t a, std::uint64_t b) {
    plug(builder, static_cast<NetworkBuilder::Handle>(a), ++used[a], static_cast<NetworkBuilder::Handle>(b), ++used[b],
         LinkRate{});
  };
  for (std::uint64_t i = 0; i < groups * routers; ++i) {
    add_host(builder, fmt::format("n{}", i), static_cast<NetworkBuilder::Handle>(i), 60);
    for (std::uint64_t k = i + 1; k / routers == i / routers; ++k) {
      if (k / slots == i / slots) join(i, k);
      for (int cable = 0; cable < (k % slots == i % slots ? 3 : 0); ++cable) join(i, k);
    }
  }
  for (std::uint64_t a = 0; a < groups; ++a) {
    for (std::uint64_t b = 0; b < a; ++b) join(a * routers + 7 * b, b * routers + 7 * a + 1);
  }
  return built(builder);
}

TEST(RecogniseDragonfly, FindsGroupsThatAreEachAHyperX) {
  for (const std::uint64_t groups : {2U, 5U}) {
    const Network network = cray_xc(groups);
    const Shape shape = recognise(network);
    ASSERT_EQ(shape.kind, ShapeKind::dragonfly) << shape.summary;
    EXPECT_EQ(
        shape.summary,
        fmt::format("dragonfly, {} groups of 96 routers as HyperX 16x6, 1 and 3 cables a pair, 1 cable between two "
                    "groups, {} hosts with 1 rail",
                    groups, 96 * groups));
    EXPECT_EQ(lines_of(shape), Lines{});
    for (const RouterGroup& group : shape.groups) {
      ASSERT_EQ(group.routers.size(), 96U);
      for (const DeviceId router : group.routers) EXPECT_EQ(network.name(router)[1], network.name(group.routers[0])[1]);
    }
  }
  const Shape shape = recognise(without_cables(cray_xc(3), "c1-0-3", "c1-0-5", 1));
  EXPECT_EQ(lines_of(shape), Lines{"c1-0-3 <-> c1-0-5: 0 of 1 cable"});
}

}  // namespace
}  // namespace ayatori
