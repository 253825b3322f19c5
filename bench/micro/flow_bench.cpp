/// \file
/// How long it takes to predict the time of an all-to-all, and in how much memory. Each prediction is checked: every
/// message is there, no link carried more than it can, and where the network has no hot spot the time is that of the
/// endpoints' cables. --benchmark_filter=REGEX chooses cases by their name.

#include <benchmark/benchmark.h>
#include <fmt/core.h>
#include <sys/resource.h>

#include <cmath>
#include <string>
#include <string_view>

#include "ayatori/flow/simulate.hpp"
#include "ayatori/routing/generate.hpp"
#include "ayatori/schedule/algorithms.hpp"
#include "ayatori/sources/source.hpp"

namespace ayatori {
namespace {

constexpr double rate = 1.716e9;
constexpr Bytes bytes = 1 << 20;

struct Case {
  std::string_view source;
  std::size_t machines;
  std::uint32_t ranks_per_machine;
  std::string_view algorithm;
  StepMode mode;
  bool whole;  ///< all machines of the fabric, whose shifts are free of hot spots; otherwise random machines
};

constexpr Case cases[] = {
    {"fattree:K=16,levels=2", 256, 1, "shift", StepMode::synchronous, false},
    {"fattree:K=16,levels=2", 256, 1, "shift", StepMode::drift, false},
    {"fattree:K=16,levels=2,nodes=256", 256, 1, "shift", StepMode::synchronous, true},
    {"fattree:K=16,levels=2,nodes=256", 256, 1, "shift", StepMode::drift, true},
    {"fattree:K=18,levels=2", 324, 4, "two-level-ring", StepMode::drift, false},
    {"fattree:K=18,levels=2", 324, 4, "shift", StepMode::drift, false},
    {"fattree:K=18,levels=3", 11664, 1, "shift", StepMode::synchronous, true},
};

/// Seconds that the busiest NIC needs for what it sends.
double least_seconds(const Case& what) {
  const double ranks = what.ranks_per_machine;
  return static_cast<double>(what.machines - 1) * ranks * ranks * static_cast<double>(bytes) / rate;
}

bool is_right(const Case& what, const Prediction& prediction) {
  const std::uint64_t ranks = what.machines * what.ranks_per_machine;
  for (const HotLinkTime& link : prediction.hot_links) {
    if (link.busy > 1 + 1e-9) return false;
  }
  const double relative = prediction.seconds / least_seconds(what);
  const bool time_is_right = what.whole ? std::abs(relative - 1) < 1e-9 : relative >= 1 - 1e-9;
  const std::uint64_t to_itself = what.algorithm == "two-level-ring" ? ranks : 0;
  const bool all_there =
      prediction.messages == ranks * (ranks - 1) || prediction.messages == ranks * (ranks - 1) + to_itself;
  return all_there && time_is_right;
}

void time_alltoall(benchmark::State& state, const Case& what) {
  const Network network = open_source(std::string(what.source)).value();
  const Routes routes = generate_routes(network, 0).value().routes;
  Random random(1);
  const Job job = what.whole ? contiguous_job(network, what.machines, what.ranks_per_machine).value()
                             : random_job(network, what.machines, what.ranks_per_machine, random).value();
  const auto ranks = static_cast<Rank>(job.rank_count());
  const Plan plan = Plan::base_lids(ranks);
  const auto schedule = make_schedule(what.algorithm, {Collective::alltoall, ranks, 0, bytes},
                                      placement_of_ranks(ranks, what.ranks_per_machine))
                            .value();
  const auto paths = routed_paths(network, routes, plan, job, {rate, 0}).value();
  FlowOptions options;
  options.steps = what.mode;

  Prediction prediction;
  for (auto _ : state) prediction = simulate(*schedule, *paths, options).value();

  if (!is_right(what, prediction)) return state.SkipWithError("the prediction is wrong");
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["messages"] = static_cast<double>(prediction.messages);
  state.counters["relative_bandwidth"] = least_seconds(what) / prediction.seconds;
  state.counters["peak_MiB"] = static_cast<double>(usage.ru_maxrss) / 1024;
}

/// Each case runs once: the largest takes minutes, and the peak of memory is that of the process so far.
const bool registered = [] {
  for (const Case& what : cases) {
    const std::string name = fmt::format("{}/machines:{}x{}/{}/{}", what.source, what.machines, what.ranks_per_machine,
                                         what.algorithm, what.mode == StepMode::drift ? "drift" : "synchronous");
    benchmark::RegisterBenchmark(name.c_str(), [&what](benchmark::State& state) { time_alltoall(state, what); })
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
  }
  return true;
}();

}  // namespace
}  // namespace ayatori
