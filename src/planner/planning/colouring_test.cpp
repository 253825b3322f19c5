#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "ayatori/base/random.hpp"
#include "bipartite_colouring.hpp"
#include "graph_colouring.hpp"

namespace ayatori {
namespace colouring_test {

constexpr std::uint64_t plenty = 1'000'000;

/// All K^n assignments.
bool colourable(const ClashGraph& graph) {
  std::vector<std::uint8_t> colour(graph.size(), 0);
  for (;;) {
    if (graph.admits(colour)) return true;
    std::size_t v = 0;
    while (v < graph.size() && ++colour[v] == graph.colours()) colour[v++] = 0;
    if (v == graph.size()) return false;
  }
}

ClashGraph random_graph(Random& random) {
  const std::size_t vertices = 1 + random.below(7);
  const std::size_t colours = 1 + random.below(4);
  const bool plain = random.below(2) == 0;
  ClashGraph graph = plain ? ClashGraph::plain(vertices, colours) : ClashGraph::general(vertices, colours);
  const double density = random.fraction();
  for (std::size_t v = 0; v < vertices; ++v) {
    for (std::size_t w = v + 1; w < vertices; ++w) {
      if (plain && random.fraction() < density) graph.add_edge(v, w);
      for (std::size_t pair = 0; !plain && pair < colours * colours; ++pair) {
        if (random.fraction() < density) graph.add_clash(v, pair / colours, w, pair % colours);
      }
    }
    if (random.below(3) == 0) graph.list(v).reset(random.below(colours));
  }
  return graph;
}

TEST(GraphColouring, AgreesWithTryingEverything) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const ClashGraph graph = random_graph(random);
    const Colouring result = colour_vertices(graph, plenty);
    ASSERT_EQ(result.outcome == Colouring::Outcome::found, colourable(graph));
    ASSERT_NE(result.outcome, Colouring::Outcome::gave_up);
    if (result.outcome != Colouring::Outcome::found) continue;
    EXPECT_TRUE(graph.admits(result.colour));
    ++found;
  }
  EXPECT_GT(found, 100);
  EXPECT_LT(found, 500);
}

TEST(GraphColouring, AnOddWheelNeedsFour) {
  for (const std::size_t colours : {3U, 4U}) {
    ClashGraph wheel = ClashGraph::plain(8, colours);
    for (std::size_t rim = 0; rim < 7; ++rim) {
      wheel.add_edge(rim, (rim + 1) % 7);
      wheel.add_edge(rim, 7);
    }
    EXPECT_EQ(colour_vertices(wheel, plenty).outcome == Colouring::Outcome::found, colours == 4);
  }
}

TEST(GraphColouring, GivesUpWhenTheBudgetIsSpent) {
  ClashGraph graph = ClashGraph::plain(9, 8);
  for (std::size_t v = 0; v < 9; ++v) {
    for (std::size_t w = 0; w < v; ++w) graph.add_edge(v, w);
  }
  EXPECT_EQ(colour_vertices(graph, 5).outcome, Colouring::Outcome::gave_up);
  EXPECT_EQ(colour_vertices(graph, 5).tried, 5U);
  // Colours that nobody has yet are alike: one branch is enough, not 8!.
  EXPECT_EQ(colour_vertices(graph, plenty).outcome, Colouring::Outcome::impossible);
  EXPECT_EQ(colour_vertices(graph, plenty).tried, 8U);
}

TEST(GraphColouring, NoVerticesNeedNoColours) {
  EXPECT_EQ(colour_vertices(ClashGraph::plain(0, 0), plenty).outcome, Colouring::Outcome::found);
  EXPECT_EQ(colour_vertices(ClashGraph::plain(1, 0), plenty).outcome, Colouring::Outcome::impossible);
}

struct Multigraph {
  std::vector<BipartiteEdge> edges;
  std::map<std::uint32_t, std::size_t> left_degree;
  std::map<std::uint32_t, std::size_t> right_degree;
  std::size_t degree = 0;
};

Multigraph random_multigraph(Random& random) {
  Multigraph graph;
  const std::uint64_t vertices = 1 + random.below(12);
  const std::uint64_t count = random.below(80);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto left = static_cast<std::uint32_t>(random.below(vertices));
    const auto right = static_cast<std::uint32_t>(random.below(vertices));
    graph.edges.push_back({left, right, {}});
    graph.degree = std::max({graph.degree, ++graph.left_degree[left], ++graph.right_degree[right]});
  }
  return graph;
}

/// How often the most frequent colour stands at a vertex, over all vertices.
std::size_t most_often(const Multigraph& graph, const std::vector<std::uint16_t>& colour) {
  std::map<std::tuple<bool, std::uint32_t, std::uint16_t>, std::size_t> times;
  std::size_t most = 0;
  for (std::size_t e = 0; e < colour.size(); ++e) {
    if (colour[e] == no_colour) continue;
    most = std::max(
        {most, ++times[{false, graph.edges[e].left, colour[e]}], ++times[{true, graph.edges[e].right, colour[e]}]});
  }
  return most;
}

TEST(BipartiteColouring, KoenigNeedsNoMoreColoursThanTheDegree) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    Multigraph graph = random_multigraph(random);
    for (BipartiteEdge& edge : graph.edges) {
      for (std::size_t c = 0; c < graph.degree; ++c) edge.list.set(c);
    }
    const auto colour = colour_edges(graph.edges);
    ASSERT_EQ(colour.size(), graph.edges.size());
    for (const std::uint16_t c : colour) EXPECT_LT(c, graph.degree);
    EXPECT_LE(most_often(graph, colour), 1U);
  }
}

TEST(BipartiteColouring, FewerColoursAreSharedOutEvenly) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    Multigraph graph = random_multigraph(random);
    const std::size_t colours = 1 + random.below(6);
    for (BipartiteEdge& edge : graph.edges) {
      for (std::size_t c = 0; c < colours; ++c) edge.list.set(c);
    }
    const auto colour = colour_edges(graph.edges);
    for (const std::uint16_t c : colour) EXPECT_LT(c, colours);
    EXPECT_LE(most_often(graph, colour), (graph.degree + colours - 1) / colours);
  }
}

TEST(BipartiteColouring, KeepsToTheLists) {
  std::size_t without = 0;
  std::size_t edges = 0;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    Multigraph graph = random_multigraph(random);
    for (BipartiteEdge& edge : graph.edges) {
      for (std::size_t c = 0; c < graph.degree + 2; ++c) edge.list.set(c, random.below(8) != 0);
    }
    const auto colour = colour_edges(graph.edges);
    for (std::size_t e = 0; e < colour.size(); ++e) {
      ++edges;
      if (colour[e] == no_colour) {
        ++without;
      } else {
        EXPECT_TRUE(graph.edges[e].list.test(colour[e]));
      }
    }
    EXPECT_LE(most_often(graph, colour), 1U);
  }
  EXPECT_LT(without * 100, edges);
}

}  // namespace colouring_test
}  // namespace ayatori
