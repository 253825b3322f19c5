#include "names.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "ayatori/topology/grid.hpp"
#include "ayatori/topology/queries.hpp"

namespace ayatori::capi {

namespace {

/// Four machines, "n0" to "n3" with an ending each.
TopologyPtr machines_called(const std::string& ending) {
  GridFormula formula;
  formula.dimensions = {4};
  formula.periodic = {true};
  formula.name = [ending](std::uint64_t point) { return fmt::format("n{}{}", point, ending); };
  formula.find = [ending](std::string_view name) -> std::optional<std::uint64_t> {
    for (std::uint64_t point = 0; point < 4; ++point) {
      if (name == fmt::format("n{}{}", point, ending)) return point;
    }
    return std::nullopt;
  };
  return make_grid_topology(std::move(formula));
}

}  // namespace

TEST(FindByName, FindsMachinesWithOrWithoutTheirDomain) {
  const auto plain = machines_called("");
  const auto full = machines_called(".cluster.org");
  EXPECT_EQ(find_by_name(*plain, "n2"), 2U);
  EXPECT_EQ(find_by_name(*plain, "n2.cluster.org"), 2U);
  EXPECT_EQ(find_by_name(*full, "n2.cluster.org"), 2U);
  EXPECT_EQ(find_by_name(*full, "n2"), 2U);
}

TEST(FindByName, DistinguishesMachinesByTheirDomain) {
  EXPECT_EQ(find_by_name(*machines_called(".cluster.org"), "n2.elsewhere.org"), std::nullopt);
  EXPECT_EQ(find_by_name(*machines_called(""), "n4"), std::nullopt);
  EXPECT_EQ(find_by_name(*machines_called(""), ""), std::nullopt);
}

TEST(ThisMachine, IsFoundByNameOrId) {
  const auto topology = machines_called("");
  EXPECT_EQ(this_machine(*topology, "n3"), 3U);
  EXPECT_EQ(this_machine(*topology, "1"), 1U);
  for (const char* nobody : {"4", "n4", "-1", "", "grid"}) {
    const auto found = this_machine(*topology, nobody);
    ASSERT_FALSE(found) << nobody;
    EXPECT_EQ(found.error().code, ENOENT);
    EXPECT_NE(found.error().message.find(fmt::format("'{}'", nobody)), std::string::npos);
  }
}

}  // namespace ayatori::capi
