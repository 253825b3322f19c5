#include "ayatori/planning/plan_for_traffics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "../contention/tree_fixtures.hpp"
#include "ayatori/base/random.hpp"
#include "ayatori/contention/contention.hpp"
#include "ayatori/routing/generate.hpp"
#include "ayatori/schedule/pattern.hpp"
#include "ayatori/sources/source.hpp"
#include "traffic_search.hpp"

namespace ayatori {
namespace plan_for_traffics_test {

using test::Fabric;
using test::Tree;

constexpr std::size_t permutations = 200;

/// All that a job of so many ranks may send.
class Programs {
 public:
  explicit Programs(Rank ranks) {
    steps_.push_back(shift_all_to_all(ranks));
    steps_.push_back(xor_exchanges(ranks));
    steps_.push_back(all_at_once(ranks));
    steps_.push_back(ring(ranks));
    steps_.push_back(halo(ranks, 2));
    steps_.push_back(binomial_tree(ranks));
    steps_.push_back(random_permutations(ranks, permutations, 1));
    for (const auto& steps : steps_) traffics_.push_back({*steps, false});
    traffics_.back().permutations = true;
  }

  [[nodiscard]] std::span<const Traffic> traffics() const { return traffics_; }

 private:
  std::vector<std::unique_ptr<StepSequence>> steps_;
  std::vector<Traffic> traffics_;
};

Fabric fabric_of(const std::string& source, int lmc) {
  Network network = open_source(source).value();
  Routes routes = generate_routes(network, lmc).value().routes;
  return {std::move(network), std::move(routes)};
}

double share(const Fabric& fabric, const std::vector<PortId>& job, const Plan& plan, const StepSequence& steps) {
  return measure_contention(fabric.network, fabric.routes, job, plan, steps).value().relative_bandwidth;
}

double mean(std::span<const TrafficShare> shares, double TrafficShare::* which) {
  double sum = 0;
  for (const TrafficShare& each : shares) sum += each.*which;
  return sum / static_cast<double>(shares.size());
}

/// A job of random hosts whose ranks are in random order.
std::vector<PortId> shuffled_job(const Fabric& fabric, std::uint32_t hosts, std::uint32_t size, Random& random,
                                 std::uint32_t ranks_a_host = 1) {
  std::vector<PortId> job = fabric.job(test::random_subset(hosts, size, random), ranks_a_host);
  random.shuffle(std::span(job));
  return job;
}

TEST(PlanForTraffics, ReadmesTreeHasShiftAndExchangesFreeAndPermutationsAreBetterThanWithout) {
  const Fabric fabric = fabric_of("fattree:K=6,levels=2,nodes=30", 3);
  const Programs programs(16);
  const auto unseen = random_permutations(16, permutations, 2);
  Random random(7);
  double exchanges = 0;
  double planned = 0;
  double without = 0;
  constexpr int jobs = 6;
  for (int i = 0; i < jobs; ++i) {
    const auto job = shuffled_job(fabric, 30, 16, random);
    const auto found = plan_for_traffics(fabric.network, fabric.routes, job, programs.traffics(), 0).value();
    EXPECT_EQ(found.shares[0].with, 1) << i;
    exchanges += found.shares[1].with / jobs;
    planned += share(fabric, job, found.planned.plan, *unseen) / jobs;
    without += share(fabric, job, Plan::base_lids(16), *unseen) / jobs;
  }
  EXPECT_GE(exchanges, 0.95);
  EXPECT_GE(planned, 0.55);
  EXPECT_GT(planned, without);
}

TEST(PlanForTraffics, NoTrafficLosesAndSharesAreMeasured) {
  Random random(11);
  const std::vector<Tree> trees = {
      {.down = {6, 5}, .up = {6}},
      {.down = {8, 4}, .up = {4}, .scramble = 3},
      {.down = {4, 4}, .up = {4}, .missing = {5, 10}, .slow = {3}},
      {.down = {3, 3, 3}, .up = {3, 3}},
  };
  for (const Tree& tree : trees) {
    const Fabric fabric = test::make(tree, 3);
    for (int i = 0; i < 3; ++i) {
      const auto size = static_cast<std::uint32_t>(4 + random.below(tree.host_count() - 4));
      const auto job = shuffled_job(fabric, tree.host_count(), size, random, 1 + i % 2);
      const Programs programs(static_cast<Rank>(job.size()));
      const auto found = plan_for_traffics(fabric.network, fabric.routes, job, programs.traffics(), 0).value();
      ASSERT_EQ(found.shares.size(), programs.traffics().size());
      for (std::size_t t = 0; t < found.shares.size(); ++t) {
        const StepSequence& steps = programs.traffics()[t].steps;
        EXPECT_GE(found.shares[t].with, found.shares[t].without * (1 - tolerated_loss));
        EXPECT_DOUBLE_EQ(found.shares[t].with, share(fabric, job, found.planned.plan, steps));
        const Plan base = Plan::base_lids(static_cast<Rank>(job.size()));
        EXPECT_DOUBLE_EQ(found.shares[t].without, share(fabric, job, base, steps));
      }
      EXPECT_GE(mean(found.shares, &TrafficShare::with), mean(found.shares, &TrafficShare::without));
      EXPECT_EQ(found.planned.contention.relative_bandwidth, found.shares[0].with);
    }
  }
}

TEST(PlanForTraffics, TheNamedTrafficIsAsGoodAsItsOwnPlan) {
  Random random(5);
  const Fabric fabric = fabric_of("fattree:K=6,levels=2,nodes=30", 3);
  for (const std::uint32_t size : {9U, 16U, 24U, 30U}) {
    const auto job = shuffled_job(fabric, 30, size, random);
    const Programs programs(size);
    const auto own = make_plan(fabric.network, fabric.routes, job, programs.traffics()[0].steps, Method::pair).value();
    const auto found = plan_for_traffics(fabric.network, fabric.routes, job, programs.traffics(), 1).value();
    EXPECT_GE(found.shares[0].with, own.contention.relative_bandwidth - 1e-9);
    EXPECT_EQ(found.planned.max_relative_bandwidth, own.max_relative_bandwidth);
  }
}

TEST(PlanForTraffics, AllRanksOfTwoHostsTakeOnePathAndTheShiftOfHostsInOrderStaysFree) {
  Random random(13);
  const Fabric fabric = fabric_of("fattree:K=6,levels=2,nodes=30", 3);
  for (const bool in_order : {true, false}) {
    std::vector<PortId> job = fabric.job(test::random_subset(30, 9, random), 4);
    if (!in_order) random.shuffle(std::span(job));
    const Programs programs(36);
    const auto own = make_plan(fabric.network, fabric.routes, job, programs.traffics()[0].steps, Method::pair).value();
    const auto found = plan_for_traffics(fabric.network, fabric.routes, job, programs.traffics(), 1).value();
    for (const Plan* plan : {&own.plan, &found.planned.plan}) {
      std::map<std::pair<PortId, PortId>, std::uint8_t> taken;
      for (Rank from = 0; from < 36; ++from) {
        for (Rank to = 0; to < 36; ++to) {
          if (job[from] == job[to]) continue;
          const auto path = taken.try_emplace({job[from], job[to]}, plan->path_bits(from, to)).first->second;
          EXPECT_EQ(plan->path_bits(from, to), path);
        }
      }
    }
    if (in_order) EXPECT_EQ(own.contention.relative_bandwidth, 1);
    EXPECT_GE(found.shares[0].with, in_order ? 1 : 0.98);
  }
}

TEST(PlanForTraffics, OfOnePathOrOneLeafIsAPlanThatChangesNothing) {
  const Fabric fabric = fabric_of("fattree:K=6,levels=2,nodes=30", 0);
  const Programs programs(6);
  for (const auto& job : {fabric.contiguous(6), fabric.job({0, 6, 12, 18, 24, 29})}) {
    const auto found = plan_for_traffics(fabric.network, fabric.routes, job, programs.traffics(), 0).value();
    for (const TrafficShare& each : found.shares) EXPECT_EQ(each.with, each.without);
  }
}

TEST(PlanForTraffics, RefusesWhatMakePlanRefuses) {
  const Fabric fabric = fabric_of("fattree:K=6,levels=2,nodes=30", 3);
  const Programs programs(4);
  EXPECT_FALSE(plan_for_traffics(fabric.network, fabric.routes, fabric.contiguous(5), programs.traffics(), 0));
}

// ---- the search, against a slow oracle ------------------------------------------------------------------------------

/// A job, with all that the search asks for.
struct Searched {
  Searched(const Fabric& fabric, const std::vector<PortId>& job)
      : programs(static_cast<Rank>(job.size())),
        network(fabric.network),
        routes(fabric.routes),
        ports(job),
        endpoints(JobEndpoints::of(network, job, programs.traffics()[0].steps).value()),
        paths(JobPaths::traced(network, routes, endpoints).value()),
        weights(network, job) {
    for (const Traffic& traffic : programs.traffics()) {
      if (!traffic.permutations)
        traffics.known.push_back({traffic.steps, 1.0 + static_cast<double>(traffics.known.size())});
    }
    traffics.permutations = 3;
    Random random(17);
    for (PortId port = 0; port < network.port_count(); ++port) traffics.of_others.push_back(2 * random.fraction());
  }

  [[nodiscard]] JobOnPaths job() const { return {network, endpoints, paths, weights}; }

  /// By its definition, from the tables alone.
  [[nodiscard]] double price(const Plan& plan) const {
    const auto n = static_cast<double>(ports.size());
    double sum = 0;
    for (const WeighedSteps& each : traffics.known) {
      for (std::size_t s = 0; s < each.steps.step_count(); ++s) {
        const auto load = link_loads(network, routes, ports, plan, each.steps, s).value();
        double ideal = 0;
        for (PortId link = 0; link < load.size(); ++link) {
          if (!between_routers(link)) ideal = std::max(ideal, load[link] * weights[link]);
        }
        for (PortId link = 0; link < load.size(); ++link) {
          for (std::uint32_t i = 1; between_routers(link) && i <= load[link]; ++i) {
            const double over = std::max(0.0, i * weights[link] - ideal);
            sum += each.weight * (n - 1) / static_cast<double>(each.steps.step_count()) * (over + among_others(link));
          }
        }
      }
    }
    const double of_pairs = endpoints.endpoint_count() / (n * n);
    return sum + traffics.permutations * of_pairs * price_of_permutations(plan, 1 / of_pairs);
  }

 private:
  [[nodiscard]] bool between_routers(PortId link) const {
    const Port& port = network.port(link);
    return port.connected() && port.device < network.router_count() &&
           network.port(port.peer).device < network.router_count();
  }

  [[nodiscard]] double among_others(PortId link) const {
    return 2 * std::min(1.0, traffics.of_others[link]) * weights[link];
  }

  /// `permutation_messages`: what a message of its own counts, where a pair of messages counts 1.
  [[nodiscard]] double price_of_permutations(const Plan& plan, double permutation_messages) const {
    std::vector<std::vector<Message>> on(network.port_count());
    for (Rank from = 0; from < ports.size(); ++from) {
      for (Rank to = 0; to < ports.size(); ++to) {
        if (!endpoints.crosses_leaves({from, to})) continue;
        const Lid lid = static_cast<Lid>(routes.lids.of(ports[to]).base + plan.path_bits(from, to));
        EXPECT_TRUE(trace(network, routes, ports[from], lid, [&](PortId link) { on[link].push_back({from, to}); }));
      }
    }
    double sum = 0;
    for (PortId link = 0; link < on.size(); ++link) {
      for (std::size_t i = 0; between_routers(link) && i < on[link].size(); ++i) {
        sum += permutation_messages * among_others(link);
        for (std::size_t j = 0; j < i; ++j) {
          const bool apart = ports[on[link][i].from] != ports[on[link][j].from];
          sum += apart && ports[on[link][i].to] != ports[on[link][j].to] ? weights[link] : 0;
        }
      }
    }
    return sum;
  }

 public:
  Programs programs;
  const Network& network;
  const Routes& routes;
  std::vector<PortId> ports;
  JobEndpoints endpoints;
  JobPaths paths;
  LinkWeights weights;
  TrafficWeights traffics;
};

TEST(TrafficSearch, PriceIsThatOfItsDefinition) {
  Random random(3);
  const Fabric fabric = test::make({.down = {4, 4}, .up = {4}, .missing = {5}, .slow = {3, 9}}, 2);
  for (int i = 0; i < 6; ++i) {
    const Searched searched(fabric, shuffled_job(fabric, 16, 5, random, 1 + i % 3));
    std::map<std::pair<PortId, PortId>, std::uint8_t> taken;
    std::vector<std::uint8_t> bits;
    for (const PortId from : searched.ports) {
      for (Rank to = 0; to < searched.ports.size(); ++to) {
        const std::uint32_t endpoint = searched.endpoints.endpoint_of(to);
        const auto choice = static_cast<std::uint32_t>(random.below(searched.paths.choice_count(endpoint)));
        const std::uint8_t drawn = searched.paths.path_bits(endpoint, choice);
        bits.push_back(taken.try_emplace({from, searched.ports[to]}, drawn).first->second);
      }
    }
    const Plan plan = Plan::per_pair(static_cast<Rank>(searched.ports.size()), bits);
    const double price = searched.price(plan);
    EXPECT_NEAR(price_for_traffics(searched.job(), searched.traffics, plan), price, 1e-4 * price);
  }
}

TEST(TrafficSearch, FindsTheLeastPriceOfAllPlansOfASmallJob) {
  const Fabric fabric = test::make({.down = {2, 3}, .up = {2}}, 1);
  const Searched searched(fabric, fabric.job({0, 2, 1, 4}));
  double least = std::numeric_limits<double>::max();
  for (std::uint32_t choices = 0; choices < 1U << 12; ++choices) {
    std::vector<std::uint8_t> bits(16);
    for (std::uint32_t pair = 0, bit = 0; pair < 16; ++pair) {
      if (pair / 4 != pair % 4) bits[pair] = choices >> bit++ & 1;
    }
    least = std::min(least, searched.price(Plan::per_pair(4, bits)));
  }
  const Plan found =
      paths_for_traffics(searched.job(), searched.traffics, Plan::per_pair(4, std::vector<std::uint8_t>(16)), {});
  EXPECT_NEAR(searched.price(found), least, 1e-4 * (1 + least));
}

}  // namespace plan_for_traffics_test
}  // namespace ayatori
