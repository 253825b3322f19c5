/// Paper 1's rule on tables of both numberings of paths.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "../routing/fabric_fixtures.hpp"
#include "ayatori/contention/contention.hpp"
#include "ayatori/network/job.hpp"
#include "ayatori/routing/generate.hpp"
#include "ayatori/schedule/pattern.hpp"
#include "plan_methods.hpp"

namespace ayatori {
namespace rule_test {

struct RuleChoice {
  bool labelled = false;
  std::vector<std::vector<PortId>> routes;  ///< by endpoint of the job and leaf: links between routers
  double relative_bandwidth = 0;            ///< of the shift all-to-all
};

RuleChoice choose_by_rule(const Network& network, const Routes& routes, const std::vector<PortId>& job) {
  const auto steps = shift_all_to_all(static_cast<Rank>(job.size()));
  const JobEndpoints endpoints = JobEndpoints::of(network, job, *steps).value();
  const JobPaths paths = JobPaths::traced(network, routes, endpoints).value();
  const LinkWeights weights(network, job);
  const SearchControl control;
  const PathLabels labels(network, paths, control);
  const JobBound bound;
  const PlanTask task{network, endpoints, weights, *steps, paths, labels, bound, control};
  const PathChoices choices = choices_by_rule(task);
  RuleChoice found{labels.consistent(), {}, 0};
  for (std::uint32_t endpoint = 0; endpoint < endpoints.endpoint_count(); ++endpoint) {
    for (std::uint32_t leaf = 0; leaf < endpoints.leaf_count(); ++leaf) {
      auto& route = found.routes.emplace_back();
      for (const LinkIndex link : paths.route(leaf, endpoint, choices[endpoint])) route.push_back(paths.port(link));
    }
  }
  const Plan plan = plan_of(task, Method::rule, choices);
  found.relative_bandwidth = measure_contention(network, routes, job, plan, *steps).value().relative_bandwidth;
  return found;
}

Routes tables(const Network& network, PathNumbering numbering) {
  return generate_routes(network, choose_lmc(network).value().lmc, {}, numbering).value().routes;
}

std::vector<PortId> drawn_job(const Network& network, Random& random) {
  const auto machines = static_cast<std::uint32_t>(network.machines().size());
  const auto size = 2 + static_cast<std::uint32_t>(random.below(machines - 1));
  return endpoints_of_ranks(network, random_job(network, size, 1, random).value());
}

TEST(Rule, ReachesThePathsThatItHasOnThePapersTables) {
  for (const char* source : {"fattree:K=6,levels=2,nodes=30", "fattree:K=3,levels=3", "xgft:m=6,8;w=1,3;p=1,2",
                             "xgft:m=4,3;w=1,2;p=1,4", "xgft:m=3,3,3;w=1,2,2;p=1,2,1"}) {
    const Network network = test::open(source);
    const Routes by_root = tables(network, PathNumbering::by_root);
    const Routes by_destination = tables(network, PathNumbering::by_destination);
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      SCOPED_TRACE(fmt::format("{}, seed {}", source, seed));
      Random random(seed);
      const auto job = drawn_job(network, random);
      const RuleChoice ours = choose_by_rule(network, by_destination, job);
      EXPECT_TRUE(ours.labelled);
      EXPECT_EQ(ours.routes, choose_by_rule(network, by_root, job).routes);
    }
  }
}

TEST(Rule, IsNoWorseThanOnThePapersTablesWhereCablesAreMissing) {
  double on_papers = 0;
  double on_ours = 0;
  constexpr int jobs = 100;
  for (std::uint64_t seed = 1; seed <= jobs; ++seed) {
    Random random(seed);
    test::Blueprint blueprint = test::blueprint_of(test::open("fattree:K=6,levels=2"));
    test::pull_cables(blueprint, 0.05, random);
    const Network network = blueprint.build();
    const auto job = drawn_job(network, random);
    on_papers += choose_by_rule(network, tables(network, PathNumbering::by_root), job).relative_bandwidth / jobs;
    on_ours += choose_by_rule(network, tables(network, PathNumbering::by_destination), job).relative_bandwidth / jobs;
  }
  EXPECT_NEAR(on_ours, on_papers, 0.02);
}

}  // namespace rule_test
}  // namespace ayatori
