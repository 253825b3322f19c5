/// How long it takes to measure contention and to make plans. Each answer is checked while it is timed; the checks take
/// next to no time.

#include <benchmark/benchmark.h>

#include "ayatori/contention/contention.hpp"
#include "ayatori/network/job.hpp"
#include "ayatori/planning/make_plan.hpp"
#include "ayatori/routing/generate.hpp"
#include "ayatori/schedule/pattern.hpp"
#include "ayatori/sources/source.hpp"

namespace ayatori {
namespace {

constexpr const char* hosts_648 = "fattree:K=18,levels=2";
constexpr const char* hosts_11664 = "fattree:K=18,levels=3";

/// All hosts of a fabric as one job.
struct WholeFabric {
  Network network;
  Routes routes;
  std::vector<PortId> endpoints;
  std::unique_ptr<StepSequence> steps;

  WholeFabric(const char* source, int lmc)
      : network(open_source(source).value()), routes(generate_routes(network, lmc).value().routes) {
    endpoints = endpoints_of_ranks(network, contiguous_job(network, network.machines().size(), 1).value());
    steps = shift_all_to_all(static_cast<Rank>(endpoints.size()));
  }

  [[nodiscard]] Result<Contention> contention() const {
    return measure_contention(network, routes, endpoints, Plan::base_lids(static_cast<Rank>(endpoints.size())), *steps);
  }
  [[nodiscard]] Result<Planned> plan(Method method) const {
    return make_plan(network, routes, endpoints, *steps, method);
  }
};

/// All shifts of a full tree are free on d-mod-k tables.
void shifts(benchmark::State& state, const char* source) {
  const WholeFabric fabric(source, 0);
  for (auto _ : state) {
    const auto contention = fabric.contention();
    if (!contention || !contention->free || contention->steps + 1 != fabric.endpoints.size()) {
      state.SkipWithError("shifts of a full tree must be free");
      return;
    }
  }
  state.counters["messages"] = static_cast<double>(fabric.endpoints.size() * (fabric.endpoints.size() - 1));
}

void plan(benchmark::State& state, const char* source, Method method) {
  const WholeFabric fabric(source, 5);
  for (auto _ : state) {
    const auto planned = fabric.plan(method);
    if (!planned || planned->hot_spots != 0) {
      state.SkipWithError("the plan has hot spots");
      return;
    }
  }
}

BENCHMARK_CAPTURE(shifts, hosts_648, hosts_648)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(shifts, hosts_11664, hosts_11664)->Unit(benchmark::kSecond)->Iterations(1)->UseRealTime();
BENCHMARK_CAPTURE(plan, rule_648, hosts_648, Method::rule)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(plan, pair_648, hosts_648, Method::pair)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace ayatori
