#include "ayatori/topology/diff.hpp"

#include "ayatori/topology/faults.hpp"
#include "ayatori/topology/subset.hpp"
#include "topology_fixtures.hpp"

namespace ayatori {
namespace {

using Texts = std::vector<std::string>;

Texts texts(const std::vector<Difference>& differences) {
  Texts found;
  for (const Difference& difference : differences) {
    const char* sign = difference.type == Difference::Type::added     ? "+"
                       : difference.type == Difference::Type::removed ? "-"
                                                                      : "!";
    found.push_back(fmt::format("{}{} {}{}{}", sign, difference.is_link ? " link" : "", difference.name,
                                difference.detail.empty() ? "" : ": ", difference.detail));
  }
  return found;
}

Texts between(const Topology& before, const Topology& after) { return texts(difference(before, after)); }

TEST(Difference, OfATopologyAndItselfIsEmpty) {
  for (const char* source : {"fattree:K=3,levels=3,nodes=20", "xgft:h=2;m=3,4;w=2,2;p=2,2", "torus:4x3", "full:5"}) {
    EXPECT_EQ(between(*image_of(source), *image_of(source)), Texts{}) << source;
  }
}

TEST(Difference, ListsCablesThatAreGone) {
  const Network network = opened("fattree:K=2,levels=2");
  const TopologyPtr whole = got(make_image_topology(network));
  const TopologyPtr less = got(make_image_topology(without_cables(network, "LS1", "RS0", 1)));
  EXPECT_EQ(between(*whole, *less), Texts{"- link LS1 port 3 - RS0 port 2"});
  EXPECT_EQ(between(*less, *whole), Texts{"+ link LS1 port 3 - RS0 port 2"});
}

TEST(Difference, ListsChangedRatesAndFaults) {
  const Network network = opened("fattree:K=2,levels=2");
  const TopologyPtr tree = got(make_image_topology(network));
  EXPECT_EQ(between(*tree, *got(take_out(tree, "N3"))),
            Texts{"! link LS1 port 2 - N3 port 1: 4xHDR -> 4xHDR, taken out"});
  const auto faster = between(*tree, *image_of("fattree:K=2,levels=2,rate=4xNDR"));
  EXPECT_EQ(faster.size(), 16U);
  EXPECT_EQ(faster.front(), "! link LS0 port 1 - N0 port 1: 4xHDR -> 4xNDR");
}

TEST(Difference, ListsObjectsBeforeLinksInNaturalOrder) {
  const auto changes = between(*image_of("fattree:K=2,levels=2,nodes=4"), *image_of("fattree:K=2,levels=2,nodes=6"));
  EXPECT_EQ(changes, (Texts{"+ LS2", "+ N4", "+ N5", "+ link LS2 port 1 - N4 port 1", "+ link LS2 port 2 - N5 port 1",
                            "+ link LS2 port 3 - RS0 port 3", "+ link LS2 port 4 - RS1 port 3"}));
  const TopologyPtr torus = image_of("torus:4x3");
  const auto part = between(*torus, *got(make_subset(torus, std::vector<ObjectId>{0, 1, 2, 3, 4, 5})));
  EXPECT_EQ(part.front(), "- N2-0");
  EXPECT_NE(std::ranges::find(part, "! grid: 4x3 -> 2 (mesh)x3"), part.end());
}

/// Unnamed routers, and names that come twice, are counted.
TEST(Difference, CountsObjectsThatShareAName) {
  const auto spares = [](int count) {
    NetworkBuilder builder;
    for (int i = 0; i < count; ++i) builder.add_router("", static_cast<Guid>(i + 1), 4);
    return got(make_image_topology(built(builder)));
  };
  EXPECT_EQ(between(*spares(3), *spares(5)), (Texts{"+ router without a name", "+ router without a name"}));
}

}  // namespace
}  // namespace ayatori
