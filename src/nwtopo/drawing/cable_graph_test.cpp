#include "ayatori/drawing/cable_graph.hpp"

#include <gtest/gtest.h>

#include "../network/network_fixtures.hpp"

namespace ayatori::drawing {
namespace {

TEST(CableGraph, BundlesParallelCablesOfOneRate) {
  NetworkBuilder builder;
  const auto a = builder.add_router("A", 1, 8);
  const auto b = builder.add_router("B", 2, 8);
  plug(builder, a, 1, b, 1);
  plug(builder, b, 2, a, 2);
  plug(builder, a, 3, b, 3, {4, LaneSpeed::edr});
  add_host(builder, "host", a, 5);
  const Network network = built(builder);
  const CableGraph graph = cable_graph(network);
  ASSERT_EQ(graph.vertices.size(), 3U);
  ASSERT_EQ(graph.bundles.size(), 3U);
  EXPECT_EQ(graph.bundles[0].ports.size(), 2U);
  EXPECT_EQ(graph.bundles[1].ports.size(), 1U);
  EXPECT_FALSE(graph.bundles[0].degraded);
  EXPECT_TRUE(graph.bundles[1].degraded);
  for (const CableBundle& bundle : graph.bundles) {
    EXPECT_LT(bundle.from, bundle.to);
    for (const PortId port : bundle.ports) {
      if (graph.vertices[bundle.to].is_machine()) continue;
      EXPECT_EQ(network.port(port).device, bundle.from);
    }
  }
}

TEST(CableGraph, MachineWithBuiltInRouterIsOneVertex) {
  const CableGraph graph = cable_graph(opened("torus:5"));
  ASSERT_EQ(graph.vertices.size(), 5U);
  EXPECT_EQ(graph.bundles.size(), 5U);
  for (const Vertex& vertex : graph.vertices) {
    EXPECT_TRUE(vertex.is_machine());
    EXPECT_NE(vertex.router, no_id);
  }
}

TEST(VertexId, IsUniqueWhereNamesAreNot) {
  EXPECT_EQ(vertex_id({no_id, 3, "x", 1}), "r3");
  EXPECT_EQ(vertex_id({3, no_id, "x", 0}), "m3");
}

}  // namespace
}  // namespace ayatori::drawing
