/// How long it takes to make and to check forwarding tables. Each answer is checked before it is timed.

#include <benchmark/benchmark.h>

#include <string>

#include "ayatori/routing/check.hpp"
#include "ayatori/routing/generate.hpp"
#include "ayatori/sources/source.hpp"

namespace ayatori {
namespace {

constexpr const char* hosts_648 = "fattree:K=18,levels=2";
constexpr const char* hosts_11664 = "fattree:K=18,levels=3";

Network open(const char* source) { return open_source(source).value(); }

void generate(benchmark::State& state, const char* source, int lmc) {
  const Network network = open(source);
  if (!check_tables(network, generate_routes(network, lmc).value().routes).ok()) {
    state.SkipWithError("the forwarding tables are wrong");
    return;
  }
  for (auto _ : state) benchmark::DoNotOptimize(generate_routes(network, lmc));
  state.counters["hosts"] = static_cast<double>(network.machines().size());
}

void check(benchmark::State& state, const char* source, int lmc) {
  const Network network = open(source);
  const Routes routes = generate_routes(network, lmc).value().routes;
  if (!check_tables(network, routes).ok()) {
    state.SkipWithError("the forwarding tables are wrong");
    return;
  }
  for (auto _ : state) benchmark::DoNotOptimize(check_tables(network, routes));
  state.counters["lids"] = static_cast<double>(routes.lids.lid_count());
}

BENCHMARK_CAPTURE(generate, hosts_648, hosts_648, 0)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(generate, hosts_648_lmc_5, hosts_648, 5)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(generate, hosts_11664, hosts_11664, 0)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(check, hosts_648, hosts_648, 0)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(check, hosts_648_lmc_5, hosts_648, 5)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(check, hosts_11664, hosts_11664, 0)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace ayatori
