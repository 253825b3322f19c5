// Switches that no host needs change nothing for the others: levels, shape, tables.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "../../base/thoroughness_fixtures.hpp"
#include "ayatori/network/levels.hpp"
#include "ayatori/network/shape.hpp"
#include "ayatori/routing/check.hpp"
#include "ayatori/routing/generate.hpp"
#include "idle_fixtures.hpp"

namespace ayatori {
namespace idle_routers_test {

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
  int compared = 0;
  const int seeds = test::tries(64, 1000);
  for (int seed = 1; seed <= seeds; ++seed) {
    const auto trees = test::with_and_without_idle(static_cast<std::uint64_t>(seed));
    if (!trees) continue;
    SCOPED_TRACE(fmt::format("seed {}, {}", seed, trees->source));
    const auto levels = rank_levels(trees->with);
    ASSERT_TRUE(levels) << levels.error().reason;
    expect_same_levels(trees->levels, *levels);
    expect_same_shape(trees->without, trees->with);
    expect_same_tables(trees->without, trees->with, trees->levels);
    if (testing::Test::HasFailure()) return;
    ++compared;
  }
  EXPECT_GT(compared, seeds * 8 / 10);
}

}  // namespace idle_routers_test
}  // namespace ayatori
