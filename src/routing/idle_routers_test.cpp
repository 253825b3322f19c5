// Switches that no host needs change nothing for the others: levels, shape, tables.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>
#include <vector>

#include "../base/thoroughness_fixtures.hpp"
#include "ayatori/network/levels.hpp"
#include "ayatori/network/shape.hpp"
#include "ayatori/routing/check.hpp"
#include "ayatori/routing/generate.hpp"
#include "fabric_fixtures.hpp"

namespace ayatori {
namespace idle_routers_test {

using test::Blueprint;

/// Adds switches without hosts to the blueprint of a tree with these levels.
class Additions {
 public:
  Additions(Blueprint& blueprint, const Levels& levels, Random& random)
      : blueprint_(blueprint), levels_(levels), random_(random) {
    for (DeviceId router = 0; router < blueprint.routers; ++router) {
      if (!levels.idle[router]) by_level_[levels.level[router]].push_back(router);
    }
  }

  void add() {
    for (std::uint64_t more = 1 + random_.below(4); more > 0; --more) {
      switch (random_.below(5)) {
        case 0:
          add_pod();
          break;
        case 1:
          copy_pod();
          break;
        case 2:
          add_chain();
          break;
        case 3:
          add_stray();
          break;
        default:
          blueprint_.routers += 1;  // cabled to nothing
      }
    }
  }

 private:
  DeviceId add_router() { return blueprint_.routers++; }
  void cable(DeviceId a, DeviceId b) { blueprint_.cables.emplace_back(a, b); }
  [[nodiscard]] const std::vector<DeviceId>& tops() { return by_level_[levels_.count - 1]; }
  [[nodiscard]] DeviceId any(const std::vector<DeviceId>& routers) { return routers[random_.below(routers.size())]; }

  /// A few switches below some of the tops, and a few below these.
  void add_pod() {
    std::vector<DeviceId> upper;
    for (std::uint64_t i = 1 + random_.below(3); i > 0; --i) {
      upper.push_back(add_router());
      for (std::uint64_t cables = 1 + random_.below(4); cables > 0; --cables) cable(upper.back(), any(tops()));
    }
    for (std::uint64_t i = 1 + random_.below(3); i > 0; --i) {
      const DeviceId leaf = add_router();
      for (const DeviceId above : upper) {
        for (std::uint64_t cables = random_.below(3); cables > 0; --cables) cable(leaf, above);
      }
      if (random_.below(3) == 0) cable(leaf, add_router());
    }
  }

  /// All that is below the tops and holds together with some leaf, once more, without hosts.
  void copy_pod() {
    const std::size_t old_cables = blueprint_.cables.size();
    std::map<DeviceId, DeviceId> copies = {{any(by_level_[0]), add_router()}};
    const auto is_below_tops = [&](DeviceId router) {
      return router < levels_.level.size() && !levels_.idle[router] && levels_.level[router] + 1 < levels_.count;
    };
    for (bool grown = true; grown;) {
      grown = false;
      for (std::size_t i = 0; i < old_cables; ++i) {
        const auto [a, b] = blueprint_.cables[i];
        if (!is_below_tops(a) || !is_below_tops(b) || copies.contains(a) == copies.contains(b)) continue;
        copies[copies.contains(a) ? b : a] = add_router();
        grown = true;
      }
    }
    for (std::size_t i = 0; i < old_cables; ++i) {
      const auto [a, b] = blueprint_.cables[i];
      if (a >= levels_.level.size() || b >= levels_.level.size() || levels_.idle[a] || levels_.idle[b]) continue;
      const auto copy_of = [&](DeviceId router) { return copies.contains(router) ? copies.at(router) : router; };
      if (copies.contains(a) || copies.contains(b)) cable(copy_of(a), copy_of(b));
    }
  }

  void add_chain() {
    auto end = static_cast<DeviceId>(random_.below(levels_.level.size()));
    for (std::uint64_t length = 1 + random_.below(5); length > 0; --length) {
      const DeviceId next = add_router();
      for (std::uint64_t cables = 1 + random_.below(2); cables > 0; --cables) cable(end, next);
      end = next;
    }
  }

  /// A switch on tops, and in trees of two levels on a leaf as well.
  void add_stray() {
    const DeviceId stray = add_router();
    for (const DeviceId top : tops()) {
      if (random_.below(2) == 0) cable(stray, top);
    }
    if (levels_.count == 2 && random_.below(2) == 0) cable(stray, any(by_level_[0]));
  }

  Blueprint& blueprint_;
  const Levels& levels_;
  Random& random_;
  std::map<int, std::vector<DeviceId>> by_level_;
};

/// Hosts taken off some leaves, and cables pulled.
void damage(Blueprint& blueprint, Random& random) {
  if (random.below(3) == 0) {
    const DeviceId emptied = blueprint.hosts[random.below(blueprint.hosts.size())];
    std::erase(blueprint.hosts, emptied);
  }
  constexpr std::array shares = {0.0, 0.05, 0.1};
  test::pull_cables(blueprint, shares[random.below(shares.size())], random);
}

void expect_same_levels(const Levels& before, const Levels& after) {
  EXPECT_EQ(after.count, before.count);
  for (DeviceId router = 0; router < after.level.size(); ++router) {
    if (router >= before.level.size()) {
      EXPECT_TRUE(after.idle[router]) << "R" << router;
      continue;
    }
    EXPECT_EQ(after.idle[router], before.idle[router]) << "R" << router;
    if (!before.idle[router]) EXPECT_EQ(after.level[router], before.level[router]) << "R" << router;
  }
}

std::vector<std::string> irregularities_of_those_with_hosts(const Shape& shape) {
  std::vector<std::string> lines;
  for (const Irregularity& irregular : shape.irregularities) {
    if (irregular.kind != IrregularityKind::idle_routers) lines.push_back(irregular.text);
  }
  return lines;
}

void expect_same_shape(const Network& before, const Network& after) {
  const Shape shape = recognise(before);
  if (shape.kind != ShapeKind::fat_tree) return;  // too much is damaged
  const Shape now = recognise(after);
  EXPECT_EQ(now.summary, shape.summary);
  EXPECT_EQ(now.routers, shape.routers);
  EXPECT_EQ(now.cables, shape.cables);
  EXPECT_EQ(now.oversubscription, shape.oversubscription);
  EXPECT_EQ(irregularities_of_those_with_hosts(now), irregularities_of_those_with_hosts(shape));
}

/// Between hosts, all LIDs have the same entries; whatever is planned for hosts is made of these.
void expect_same_tables(const Network& before, const Network& after, const Levels& levels) {
  const LmcChoice choice = choose_lmc(before).value();
  EXPECT_EQ(choose_lmc(after)->paths, choice.paths);
  const Generated generated = generate_routes(before, choice.lmc).value();
  const Generated now = generate_routes(after, choice.lmc).value();
  EXPECT_EQ(now.engine, generated.engine);
  EXPECT_EQ(now.paths, generated.paths);
  ASSERT_EQ(after.endpoints().size(), before.endpoints().size());
  for (std::size_t i = 0; i < before.endpoints().size(); ++i) {
    const LidRange range = generated.routes.lids.of(before.endpoints()[i]);
    const LidRange same = now.routes.lids.of(after.endpoints()[i]);
    for (DeviceId router = 0; router < before.router_count(); ++router) {
      if (levels.idle[router]) continue;
      for (std::uint32_t j = 0; j < range.count(); ++j) {
        ASSERT_EQ(now.routes.tables.out(router, static_cast<Lid>(same.base + j)),
                  generated.routes.tables.out(router, static_cast<Lid>(range.base + j)))
            << before.name(router) << " to endpoint " << i << ", path " << j;
      }
    }
  }
  const TableCheck check = check_tables(after, now.routes);
  EXPECT_EQ(check.unreachable, 0U);
  EXPECT_EQ(check.unrouted_router_lids, 0U);
  EXPECT_TRUE(check.deadlock_free);
}

TEST(IdleRoutersProperty, ChangeNothingForTheOthers) {
  const std::array sources = {"fattree:K=4,levels=2",   "fattree:K=6,levels=2,nodes=30", "fattree:K=3,levels=3",
                              "xgft:m=4,6;w=1,3;p=1,2", "xgft:m=3,3,3;w=1,2,2;p=1,2,1",  "fattree:K=2,levels=4",
                              "xgft:m=4,4,4;w=1,4,4",   "xgft:m=2,2,3;w=1,2,2"};
  int compared = 0;
  const int seeds = test::tries(64, 1000);
  for (int seed = 1; seed <= seeds; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const std::string source = sources[static_cast<std::size_t>(seed) % sources.size()];
    SCOPED_TRACE(fmt::format("seed {}, {}", seed, source));
    Blueprint blueprint = test::blueprint_of(test::open(source));
    damage(blueprint, random);
    const Network before = blueprint.build();
    const auto levels = rank_levels(before);
    if (!levels) continue;  // too much is damaged
    Additions(blueprint, *levels, random).add();
    const Network after = blueprint.build();
    const auto levels_after = rank_levels(after);
    ASSERT_TRUE(levels_after) << levels_after.error().reason;
    expect_same_levels(*levels, *levels_after);
    expect_same_shape(before, after);
    expect_same_tables(before, after, *levels);
    if (testing::Test::HasFailure()) return;
    ++compared;
  }
  EXPECT_GT(compared, seeds * 9 / 10);
}

}  // namespace idle_routers_test
}  // namespace ayatori
