/// Collectives whose times and loads on a network can be worked out by hand.

#include <gtest/gtest.h>

#include <map>

#include "ayatori/flow/simulate.hpp"
#include "ayatori/routing/generate.hpp"
#include "ayatori/schedule/algorithms.hpp"
#include "ayatori/sources/source.hpp"

namespace ayatori {
namespace {

struct Torus {
  explicit Torus(std::vector<std::uint32_t> lengths, double latency = 0) {
    const auto periodic = std::make_unique<bool[]>(lengths.size());
    std::fill_n(periodic.get(), lengths.size(), true);
    placement = placement_on_grid(lengths, {periodic.get(), lengths.size()});
    paths = grid_paths(lengths, placement.periodic, placement.machine, placement.point, {1e9, latency});
  }

  [[nodiscard]] Rank ranks() const { return static_cast<Rank>(placement.machine.size()); }
  [[nodiscard]] SchedulePtr schedule(std::string_view algorithm, Collective collective, Bytes bytes) const {
    return make_schedule(algorithm, {collective, ranks(), 0, bytes}, placement).value();
  }

  Placement placement;
  std::unique_ptr<Paths> paths;
};

double seconds(const Schedule& schedule, const Paths& paths, StepMode steps, FlowOptions options = {}) {
  options.steps = steps;
  const auto prediction = simulate(schedule, paths, options);
  EXPECT_TRUE(prediction) << prediction.error().message;
  return prediction ? prediction->seconds : 0;
}

void expect_both(const Schedule& schedule, const Paths& paths, double expected) {
  for (const StepMode steps : {StepMode::drift, StepMode::synchronous}) {
    EXPECT_NEAR(seconds(schedule, paths, steps), expected, 1e-9 * expected);
  }
}

/// Each face has a link of its own.
TEST(SimulateHalo, TakesItsBytesOverTheBandwidthAndALatency) {
  constexpr Bytes face = 3 << 20;
  for (const std::vector<std::uint32_t>& lengths : {std::vector{4U, 6U}, {3U, 3U}, {3U, 4U, 5U}}) {
    const Torus torus(lengths, 2e-6);
    expect_both(*torus.schedule("halo", Collective::halo, face), *torus.paths, 2e-6 + face / 1e9);
  }
}

/// On a ring of two both neighbours are one machine, but the cable upwards is not the one downwards: dimension order
/// takes the one upwards for both faces.
TEST(SimulateHalo, TakesTwiceAsLongOnARingOfTwo) {
  const Torus torus({2, 4});
  expect_both(*torus.schedule("halo", Collective::halo, 1000), *torus.paths, 2 * 1000 / 1e9);
}

// ---------------------------------------------------------------------------------------------------------------------

/// Two leaves with four hosts each, and a spine. A chunk goes up two links and down two, one a step, while others
/// follow it: every directed link carries one chunk a step, so S chunks take S + 3 steps.
TEST(SimulateInNetwork, TakesAStepForEachChunkAndThreeMore) {
  const Network network = open_source("fattree:K=4,levels=2").value();
  const Routes routes = generate_routes(network, 0).value().routes;
  const Job job = contiguous_job(network, 8, 1).value();
  const Placement placement = placement_of_job(network, job);
  ASSERT_EQ(placement.aggregators.size(), 3U);
  const Plan plan = Plan::base_lids(8);
  const auto paths = routed_paths(network, routes, plan, job, {1e9, 1e-6}, placement.aggregators).value();
  constexpr double chunk = 5000;
  for (const double chunks : {1.0, 2.0, 7.0}) {
    AlgorithmOptions options;
    options.chunk_bytes = static_cast<Bytes>(chunk);
    const CollectiveCall call{Collective::allreduce, 8, 0, static_cast<Bytes>(chunks * chunk)};
    const auto schedule = make_schedule("in-network", call, placement, options).value();
    ASSERT_EQ(schedule->participant_count(), 11U);
    const double step = 1e-6 + chunk / 1e9;
    expect_both(*schedule, *paths, (chunks + 3) * step);
    // Routers add as fast as their links bring the chunks. A hop between a rank and a router has half of the latency.
    FlowOptions costly;
    costly.costs.reduce = {{0, 0, 1 / 4e9}};
    costly.costs.between.send = {{0, 1e-6, 0}};
    costly.costs.between.latency = 3e-6;
    // Chunks leave ranks in the first of these steps, and reach them in the last.
    const double steps_with_ranks = std::min(chunks + 3, 2 * chunks);
    const double expected = (chunks + 3) * step + steps_with_ranks * 1.5e-6 + chunks * 1e-6;
    EXPECT_NEAR(seconds(*schedule, *paths, StepMode::synchronous, costly), expected, 1e-9 * expected);
  }
}

// ---------------------------------------------------------------------------------------------------------------------

/// On a ring every link carries one block a step: 2 (n − 1) steps, in the first n − 1 of which each rank adds a block.
TEST(SimulateAllreduceRing, AddsABlockInHalfOfItsSteps) {
  constexpr double ranks = 8;
  constexpr double bytes = 8000;
  const Torus ring({8});
  FlowOptions options;
  options.costs.reduce = {{0, 0, 1 / 4e9}};
  const double expected = 2 * (ranks - 1) * bytes / ranks / 1e9 + (ranks - 1) * bytes / ranks / 4e9;
  const auto schedule = ring.schedule("ring", Collective::allreduce, 8000);
  for (const StepMode steps : {StepMode::drift, StepMode::synchronous}) {
    EXPECT_NEAR(seconds(*schedule, *ring.paths, steps, options), expected, 1e-9 * expected);
  }
}

/// Each rank copies what it has for itself once, after the messages of the first step. The first and the last of the
/// shifts on a ring of three are one hop each.
TEST(SimulateAlltoallShift, CopiesTheOwnBlockOnce) {
  const Torus ring({3});
  FlowOptions options;
  options.costs.copy = {{0, 0, 1 / 2e9}};
  const double expected = 2 * 6000 / 1e9 + 6000 / 2e9;
  const auto schedule = ring.schedule("shift", Collective::alltoall, 6000);
  for (const StepMode steps : {StepMode::drift, StepMode::synchronous}) {
    EXPECT_NEAR(seconds(*schedule, *ring.paths, steps, options), expected, 1e-9 * expected);
  }
}

// ---------------------------------------------------------------------------------------------------------------------

/// Sum over all links of the bytes that each carries.
Bytes link_bytes(const Schedule& schedule, const Paths& paths) {
  Bytes sum = 0;
  StepActions actions;
  std::vector<std::uint32_t> links;
  for (std::uint32_t stream = 0; stream < schedule.stream_count(); ++stream) {
    for (std::size_t step = 0; step < schedule.step_count(stream); ++step) {
      for (Rank from = 0; from < schedule.participant_count(); ++from) {
        schedule.actions(from, stream, step, actions);
        for (const Transfer& send : actions.sends) {
          paths.path(from, send.peer, links);
          sum += links.size() * bytes_of(schedule, from, actions, send);
        }
      }
    }
  }
  return sum;
}

/// On 8×8, in vectors a rank, twice (down and up) where a reduce-scatter comes first:
///
///   swing               hops 1, 1, 1, 1, 3, 3 of 1/2, 1/4, … 1/64 vector              2 · 69/64
///   ring                63/64 vector each way; one rank in 8 has a neighbour 2 hops off   2 · 63/64 · 9/8
///   rabenseifner        hops 4, 2, 1, 4, 2, 1 of 1/2, 1/4, … 1/64                     2 · 189/64
///   recursive doubling  hops 1, 2, 4, 1, 2, 4 of whole vectors                        14
TEST(SimulateSwing, CarriesFewerBytesOverLinksThanOthersOnATorus) {
  constexpr Bytes vector = 64 * 64 * 16;
  const Torus torus({8, 8});
  const auto vectors = [&](std::string_view algorithm) {
    const auto schedule = torus.schedule(algorithm, Collective::allreduce, vector);
    return static_cast<double>(link_bytes(*schedule, *torus.paths)) / (64.0 * vector);
  };
  EXPECT_EQ(vectors("swing"), 2 * 69 / 64.0);
  EXPECT_EQ(vectors("ring"), 2 * 63 / 64.0 * 9 / 8);
  EXPECT_EQ(vectors("rabenseifner"), 2 * 189 / 64.0);
  EXPECT_EQ(vectors("recursive-doubling"), 14);
}

TEST(SimulateSwing, IsFasterThanOthersOnATorus) {
  const Torus torus({8, 8}, 1e-6);
  for (const StepMode steps : {StepMode::drift, StepMode::synchronous}) {
    const auto time = [&](std::string_view algorithm) {
      return seconds(*torus.schedule(algorithm, Collective::allreduce, 1 << 20), *torus.paths, steps);
    };
    EXPECT_LT(time("swing"), time("ring"));
    EXPECT_LT(time("ring"), time("rabenseifner"));
    EXPECT_LT(time("rabenseifner"), time("recursive-doubling"));
  }
}

}  // namespace
}  // namespace ayatori
