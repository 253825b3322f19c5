/// topology/table_routes.hpp, with tables that src/planner/routing makes.
#include "ayatori/topology/table_routes.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "ayatori/routing/generate.hpp"
#include "ayatori/sources/source.hpp"
#include "ayatori/tables/table_files.hpp"
#include "ayatori/topology/image.hpp"

namespace ayatori {
namespace {

struct Routed {
  TopologyPtr topology;
  TableRoutes routes;
};

Routed routed(std::string_view source, int lmc) {
  auto network = *open_source(source);
  const auto topology = *make_image_topology(network);
  const auto tables = generate_routes(network, lmc);
  if (!tables) throw std::runtime_error(tables.error().message);
  std::string text;
  write_tables(network, tables->routes, [&](std::string_view piece) { text += piece; });
  auto routes = TableRoutes::parse(std::move(network), text, "tables");
  if (!routes) throw std::runtime_error(routes.error().message);
  return {topology, std::move(*routes)};
}

TEST(TableRoutes, LeadFromMachineToMachineOverTheirLinks) {
  for (const char* source :
       {"fattree:K=3,levels=2", "fattree:K=2,levels=3", "torus:3x3", "xgft:h=2;m=4,3;w=1,2;p=1,2"}) {
    const Routed fabric = routed(source, 1);
    for (ObjectId from = 0; from < fabric.topology->machine_count(); ++from) {
      for (ObjectId to = 0; to < fabric.topology->machine_count(); ++to) {
        const auto route = fabric.routes.route(*fabric.topology, from, to, 1);
        ASSERT_TRUE(route) << source << ": " << route.error().message;
        ObjectId here = from;
        for (const RouteStep& step : *route) {
          ASSERT_EQ(step.from, here) << source;
          here = fabric.topology->link(here, step.index).to;
        }
        EXPECT_EQ(here, to) << source;
        EXPECT_GE(route->size(), hops(*fabric.topology, from, to)) << source;
      }
    }
  }
}

TEST(TableRoutes, OfDifferentLidsGoByDifferentRoots) {
  const Routed fabric = routed("fattree:K=4,levels=2", 2);
  std::vector<ObjectId> roots;
  for (std::uint32_t path = 0; path < 4; ++path) {
    const auto route = fabric.routes.route(*fabric.topology, 0, 31, path);
    ASSERT_TRUE(route);
    ASSERT_EQ(route->size(), 4U);
    roots.push_back((*route)[2].from);
  }
  std::ranges::sort(roots);
  EXPECT_TRUE(std::ranges::adjacent_find(roots) == roots.end());
  const auto fifth = fabric.routes.route(*fabric.topology, 0, 31, 4);
  ASSERT_FALSE(fifth);
  EXPECT_EQ(fifth.error().message, "N31 has no path 4: it has 4 LIDs");
}

TEST(TableRoutes, NeedMachines) {
  const Routed fabric = routed("fattree:K=2", 0);
  EXPECT_FALSE(fabric.routes.route(*fabric.topology, 0, 8, 0));
  EXPECT_TRUE(fabric.routes.route(*fabric.topology, 3, 3, 0)->empty());
}

}  // namespace
}  // namespace ayatori
