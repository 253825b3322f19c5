// Very many peers, one message to and from each, in one process, on a simulated network that loses one datagram in a
// hundred. A program of its own, since what it measures is the memory of the whole process.
//
//     many_peers_ours COUNT      prints one JSON line
//
// The cost of an idle peer is what the whole process grows by, divided by the number of further peers: a run with few
// peers comes first. Exits with 2 if a message is missing or wrong.

#include <fmt/core.h>

#include <algorithm>
#include <chrono>

#include "ayatori/base/text.hpp"
#include "ayatori/simulated/peers.hpp"
#include "harness/processes.hpp"

namespace {

using namespace ayatori;

/// Twice as many as talk at once: everything that does not grow with the number of peers has been allocated then.
constexpr std::uint32_t few = 2 * simulated::ManyPeers{}.at_once;

struct Measured {
  simulated::ManyPeersResult result;
  double resident = 0;  // bytes, the maximum since the process began
};

Measured measure(std::uint32_t count) {
  simulated::Scenario scenario;
  scenario.drop = 0.01;
  Measured measured{.result = run_many_peers({.count = count}, scenario)};
  measured.resident = static_cast<double>(bench::peak_resident_bytes());
  return measured;
}

}  // namespace

int main(int argc, char** argv) {
  const auto count = argc == 2 ? parse_unsigned<std::uint32_t>(argv[1]) : std::nullopt;
  constexpr std::uint32_t max_count = 100'000'000;
  if (!count || *count == 0 || *count > max_count) {
    fmt::print(stderr, "error: many_peers_ours COUNT, from 1 to {}\n", max_count);
    return 1;
  }
  const auto start = std::chrono::steady_clock::now();
  const Measured before = measure(std::min(few, *count));
  const Measured all = measure(*count);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;

  const simulated::ManyPeersResult& result = all.result;
  const std::uint64_t delivered = result.to_peers + result.from_peers;
  const std::string per_idle_peer =
      *count > few ? fmt::format("{:.2f}", (all.resident - before.resident) / (*count - few)) : "null";
  fmt::print(
      "{{\"count\": {}, \"messages\": {}, \"delivered\": {}, \"wrong\": {}, \"rss_MB\": {:.2f}, "
      "\"bytes_per_idle_peer\": {}, \"renewals\": {}, \"virtual_s\": {:.3f}, \"wall_s\": {:.1f}}}\n",
      *count, std::uint64_t{*count} * 2, delivered, result.wrong, all.resident / 1e6, per_idle_peer, result.renewals,
      result.virtual_seconds, took.count());
  return delivered == std::uint64_t{*count} * 2 && result.wrong == 0 ? 0 : 2;
}
