/// \file
/// How fast a large output of ibnetdiscover is read and made into a Network, in bytes a second.
/// The bar is 100 MB/s.

#include <benchmark/benchmark.h>

#include <string>

#include "ayatori/infiniband/infiniband.hpp"
#include "ayatori/sources/source.hpp"

namespace ayatori {
namespace {

std::string text_of(const Network& network) {
  std::string text;
  write_ibnetdiscover(network, [&](std::string_view piece) { text += piece; });
  return text;
}

void parse(benchmark::State& state, const char* source) {
  const Network network = open_source(source).value();
  const std::string text = text_of(network);
  const auto again = parse_ibnetdiscover(text, "bench", "");
  if (!again || again->link_count() != network.link_count() || text_of(*again) != text) {
    state.SkipWithError("the parser's answer is wrong");
    return;
  }
  for (auto _ : state) benchmark::DoNotOptimize(parse_ibnetdiscover(text, "bench", ""));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
  state.counters["MB"] = static_cast<double>(text.size()) / 1e6;
  state.counters["links"] = static_cast<double>(network.link_count());
}
// The larger one is close to what the LID space holds.
BENCHMARK_CAPTURE(parse, hosts_4096, "fattree:K=32,levels=3,nodes=4096")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(parse, hosts_38912, "fattree:K=32,levels=3,nodes=38912")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ayatori
