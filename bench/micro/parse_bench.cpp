/// \file
/// How fast a large output of ibnetdiscover is read and made into a Network, in bytes a second.
/// The bar is 100 MB/s.

#include <benchmark/benchmark.h>
#include <fmt/core.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "ayatori/infiniband/infiniband.hpp"
#include "ayatori/network/builder.hpp"

namespace ayatori {
namespace {

/// A fat tree of 64-port switches, 3 levels: `pods` of 32 leaves and 32 spines, 32 hosts a leaf with a NIC each.
/// 38 pods: 38,912 hosts and 3,456 switches, close to what the LID space holds.
class LargeFabric {
 public:
  explicit LargeFabric(unsigned pods) {
    for (unsigned i = 0; i < half * half; ++i) cores_.push_back(add_router("core", i));
    for (unsigned pod = 0; pod < pods; ++pod) add_pod(pod);
  }

  Network build() {
    auto network = builder_.build();
    if (!network) {
      fmt::print(stderr, "{}\n", network.error().message);
      std::exit(2);
    }
    return *std::move(network);
  }

 private:
  static constexpr unsigned half = 32;  // of a switch's ports
  static constexpr LinkRate rate{4, LaneSpeed::ndr};
  using Handle = NetworkBuilder::Handle;

  Handle add_router(std::string_view tier, unsigned number) {
    const Guid guid = 0xfc6a1c0300000000 + (next_guid_ += 0x40);
    const Handle router = builder_.add_router(fmt::format("MF0;{}-{:04}:MQM9700/U1", tier, number), guid, 2 * half);
    builder_.set_port(router, 0, guid, ++lid_, 0);
    return router;
  }

  void connect(Handle a, unsigned port_a, Handle b, unsigned port_b) {
    const auto connected =
        builder_.connect(a, static_cast<PortNumber>(port_a), b, static_cast<PortNumber>(port_b), rate);
    if (!connected) std::exit(2);
  }

  void add_pod(unsigned pod) {
    std::vector<Handle> spines;
    for (unsigned i = 0; i < half; ++i) {
      spines.push_back(add_router("spine", pod * half + i));
      for (unsigned up = 0; up < half; ++up) {
        connect(spines.back(), half + 1 + up, cores_[i * half + up], 1 + pod);
      }
    }
    for (unsigned i = 0; i < half; ++i) {
      const Handle leaf = add_router("leaf", pod * half + i);
      for (unsigned up = 0; up < half; ++up) connect(leaf, half + 1 + up, spines[up], 1 + i);
      for (unsigned down = 0; down < half; ++down) add_host(leaf, 1 + down);
    }
  }

  void add_host(Handle leaf, unsigned port) {
    const Guid guid = 0xa088c20300000000 + (next_guid_ += 0x10);
    const std::string host = fmt::format("a{:02}-p{}-gpu-{:05}", port, leaf % 10, hosts_++);
    const Handle nic = builder_.add_nic(host + " mlx5_0", guid, 1, host, 0);
    builder_.set_port(nic, 1, guid, ++lid_, 0);
    connect(nic, 1, leaf, port);
  }

  NetworkBuilder builder_;
  std::vector<Handle> cores_;
  Guid next_guid_ = 0;
  unsigned hosts_ = 0;
  Lid lid_ = 0;
};

std::string text_of(const Network& network) {
  std::string text;
  write_ibnetdiscover(network, [&](std::string_view piece) { text += piece; });
  return text;
}

void parse_large_fabric(benchmark::State& state) {
  const Network network = LargeFabric(static_cast<unsigned>(state.range(0))).build();
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
BENCHMARK(parse_large_fabric)->Arg(4)->Arg(38)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ayatori
