// A million peers, one message to and from each, in one process: everything arrives, in at most 64 MiB.

#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>

#include "ayatori/base/text.hpp"
#include "ayatori/simulated/peers.hpp"

int main(int argc, char** argv) {
  using namespace ayatori;
  simulated::ManyPeers peers;
  if (argc > 1) peers.count = parse_unsigned<std::uint32_t>(argv[1]).value_or(0);
  simulated::Plan plan;
  plan.drop = 0.01;

  const auto start = std::chrono::steady_clock::now();
  const auto result = run_many_peers(peers, plan);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;

  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const double rss = static_cast<double>(usage.ru_maxrss) / 1024;
  const bool all = result.to_peers == peers.count && result.from_peers == peers.count && result.wrong == 0;
  fmt::print(
      "{{\"peers\": {}, \"to_peers\": {}, \"from_peers\": {}, \"wrong\": {}, \"renewals\": {}, \"rss_MiB\": {:.1f}, "
      "\"virtual_seconds\": {:.2f}, \"seconds\": {:.1f}}}\n",
      peers.count, result.to_peers, result.from_peers, result.wrong, result.renewals, rss, result.virtual_seconds,
      took.count());
  return all && rss <= 64 ? 0 : 2;
}
