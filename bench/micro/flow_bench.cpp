// How long it takes to time an all-to-all, and in how much memory. Answers are checked first: each message is there, no
// link carried more than it can, and where the network has no hot spot the time is that of the endpoints' cables.

#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cmath>
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
  std::size_t nodes;
  std::uint32_t ranks_per_node;
  std::string_view algorithm;
  StepMode mode;
  bool whole;  ///< all nodes of the fabric, whose shifts are free of hot spots; otherwise random ones
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
  const double ranks = what.ranks_per_node;
  return static_cast<double>(what.nodes - 1) * ranks * ranks * static_cast<double>(bytes) / rate;
}

bool is_right(const Case& what, const Prediction& prediction) {
  const std::uint64_t ranks = what.nodes * what.ranks_per_node;
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

bool run(const Case& what) {
  const Network network = open_source(std::string(what.source)).value();
  const Routes routes = generate_routes(network, 0).value().routes;
  Random random(1);
  const Job job = what.whole ? contiguous_job(network, what.nodes, what.ranks_per_node).value()
                             : random_job(network, what.nodes, what.ranks_per_node, random).value();
  const auto ranks = static_cast<Rank>(job.rank_count());
  const Plan plan = Plan::destination_mod_k(ranks);
  const auto schedule = make_schedule(what.algorithm, {Collective::alltoall, ranks, 0, bytes},
                                      places_of_ranks(ranks, what.ranks_per_node))
                            .value();
  const auto paths = routed_paths(network, routes, plan, job, {rate, 0}).value();
  FlowOptions options;
  options.steps = what.mode;

  const auto start = std::chrono::steady_clock::now();
  const Prediction prediction = simulate(*schedule, *paths, options).value();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;

  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const bool right = is_right(what, prediction);
  fmt::print(
      "{{\"source\": \"{}\", \"nodes\": {}, \"ranks_per_node\": {}, \"algorithm\": \"{}\", \"steps\": \"{}\", "
      "\"messages\": {}, \"relative_bandwidth\": {:.4f}, \"seconds\": {:.3f}, \"peak_MiB\": {}, \"right\": {}}}\n",
      what.source, what.nodes, what.ranks_per_node, what.algorithm,
      what.mode == StepMode::drift ? "drift" : "synchronous", prediction.messages,
      least_seconds(what) / prediction.seconds, took.count(), usage.ru_maxrss / 1024, right);
  std::fflush(stdout);
  return right;
}

}  // namespace
}  // namespace ayatori

// With an argument: only the fabrics whose source is that.
int main(int argc, char** argv) {
  bool right = true;
  for (const auto& what : ayatori::cases) {
    if (argc == 1 || what.source == argv[1]) right = ayatori::run(what) && right;
  }
  return right ? 0 : 2;
}
