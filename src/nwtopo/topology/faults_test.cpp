#include "ayatori/topology/faults.hpp"

#include "ayatori/topology/subset.hpp"
#include "topology_fixtures.hpp"

namespace ayatori {
namespace {

std::vector<std::string> links_out(const Topology& topology) {
  std::vector<std::string> found;
  for (const ObjectId id : ids_of(topology)) {
    for (const TopologyLink& link : links_of(topology, id)) {
      if (link.state == LinkState::taken_out) {
        found.push_back(fmt::format("{}:{}", topology.name(id), link.from_port));
      }
    }
  }
  std::ranges::sort(found);
  return found;
}

using Texts = std::vector<std::string>;

TEST(TakeOut, TakesACableOutInBothDirections) {
  const TopologyPtr tree = image_of("fattree:K=2,levels=2");
  const TopologyPtr faulty = got(take_out(tree, "LS1:3"));
  expect_complete(*faulty);
  EXPECT_EQ(links_out(*faulty), (Texts{"LS1:3", "RS0:2"}));
  EXPECT_TRUE(links_out(*tree).empty());
}

TEST(TakeOut, TakesARouterOutWithAllOfItsCables) {
  const TopologyPtr faulty = got(take_out(image_of("fattree:K=2,levels=2"), "RS0,\n\nN5:1\n"));
  EXPECT_EQ(links_out(*faulty),
            (Texts{"LS0:3", "LS1:3", "LS2:2", "LS2:3", "LS3:3", "N5:1", "RS0:1", "RS0:2", "RS0:3", "RS0:4"}));
}

TEST(TakeOut, WorksOnATorusAndOnFaultsBefore) {
  GridFormula formula;
  formula.dimensions = {4, 4};
  formula.periodic = {true, true};
  const TopologyPtr once = got(take_out(make_grid_topology(formula), "N0-0:2"));
  expect_complete(*once);
  EXPECT_EQ(links_out(*once), (Texts{"N0-0:2", "N1-0:3"}));
  EXPECT_EQ(links_out(*got(take_out(once, "N1-0:3,N2-2:4"))), (Texts{"N0-0:2", "N1-0:3", "N2-2:4", "N2-3:5"}));
}

TEST(TakeOut, FindsNamesWithColons) {
  NetworkBuilder builder;
  const auto a = builder.add_router("MF0;sw01:IS5300/L1:2", 1, 8);
  plug(builder, a, 1, builder.add_router("b", 2, 8), 7);
  plug(builder, a, 2, builder.add_router("c", 3, 8), 7);
  const TopologyPtr pair = got(make_image_topology(built(builder)));
  EXPECT_EQ(links_out(*got(take_out(pair, "MF0;sw01:IS5300/L1:2"))).size(), 4U);
  EXPECT_EQ(links_out(*got(take_out(pair, "MF0;sw01:IS5300/L1:2:1"))), (Texts{"MF0;sw01:IS5300/L1:2:1", "b:7"}));
}

TEST(TakeOut, OfNothingChangesNothing) {
  const TopologyPtr tree = image_of("fattree:K=2,levels=2");
  EXPECT_EQ(got(take_out(tree, " \n,")), tree);
}

TEST(TakeOut, NamesWhatIsNotThere) {
  const TopologyPtr tree = image_of("fattree:K=2,levels=2");
  const auto error = [&](std::string_view faults) { return take_out(tree, faults).error().message; };
  EXPECT_EQ(error("LS9"), "fault 'LS9': there is no machine or router 'LS9'");
  EXPECT_EQ(error("LS0,XY:2"), "fault 'XY:2': there is no machine or router 'XY'");
  EXPECT_EQ(error("LS0:nine"), "fault 'LS0:nine': expected a port number or the name of a NIC after the colon");
  EXPECT_EQ(error("LS0:9"), "fault 'LS0:9': 'LS0' has no cable in port 9");
}

/// A subset has no router that only a link which was taken out leads to.
TEST(TakeOut, LeadsSubsetsOverAnotherPath) {
  const TopologyPtr tree = image_of("fattree:K=2,levels=2");
  const TopologyPtr faulty = got(take_out(tree, "LS0:3"));
  const TopologyPtr subset = got(make_subset(faulty, std::vector<ObjectId>{0, 7}));
  expect_consistent(*subset);
  EXPECT_FALSE(subset->contains(tree->find("RS0").value()));
  EXPECT_TRUE(subset->contains(tree->find("RS1").value()));
}

}  // namespace
}  // namespace ayatori
