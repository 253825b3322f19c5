/// How long it takes to recognise the shape of a network. Each answer is checked before it is timed.

#include <benchmark/benchmark.h>

#include "ayatori/network/shape.hpp"
#include "ayatori/sources/source.hpp"

namespace ayatori {
namespace {

void recognises(benchmark::State& state, const char* source, ShapeKind kind) {
  const Network network = open_source(source).value();
  if (recognise(network).kind != kind) {
    state.SkipWithError("another shape");
    return;
  }
  for (auto _ : state) benchmark::DoNotOptimize(recognise(network));
  state.counters["routers"] = static_cast<double>(network.router_count());
}

BENCHMARK_CAPTURE(recognises, torus_of_4096, "torus:16x16x16", ShapeKind::grid)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(recognises, tree_of_11664_hosts, "fattree:K=18,levels=3", ShapeKind::fat_tree)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ayatori
