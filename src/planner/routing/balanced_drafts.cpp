#include "balanced_drafts.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <random>

#include "ayatori/base/parallel.hpp"
#include "router_order.hpp"

namespace ayatori {

namespace {

/// Routers times channels of all tops together: a few seconds.
constexpr std::size_t most_work = 2'000'000;
constexpr std::size_t most_tops = 4;

constexpr std::size_t measured_jobs = 50;
constexpr std::size_t hosts_of_a_job = 48;

/// Mean over random jobs of their bandwidth, relative to links without contention. Rank r sends to rank r + k in step
/// k; a step takes as long as its busiest cable.
double measure_random_jobs(const Channels& channels, std::span<const DeviceId> router_of,
                           std::span<const PathTree> trees) {
  std::mt19937 random(1);
  std::vector<std::size_t> all(router_of.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<std::size_t> job;
  std::vector<std::uint32_t> messages(channels.size(), 0);
  double sum = 0;
  for (std::size_t i = 0; i < measured_jobs; ++i) {
    job.clear();
    std::ranges::sample(all, std::back_inserter(job), hosts_of_a_job, random);
    double time = 0;
    for (std::size_t step = 1; step < job.size(); ++step) {
      double longest = 1;
      std::ranges::fill(messages, 0);
      for (std::size_t rank = 0; rank < job.size(); ++rank) {
        const std::size_t to = job[(rank + step) % job.size()];
        for (DeviceId router = router_of[job[rank]]; router != router_of[to];) {
          const ChannelId channel = trees[to][router];
          longest = std::max(longest, static_cast<double>(++messages[channel]) / channels[channel].cables);
          router = channels[channel].to;
        }
      }
      time += longest;
    }
    sum += static_cast<double>(job.size() - 1) / time;
  }
  return sum / measured_jobs;
}

/// Shortest paths, paths by dimensions if there are any, up*/down* paths from the middle, then from routers anywhere.
/// At least one that is always complete.
std::vector<BalancedPaths::Start> starts_of(const RouterGraph& graph, const Channels& channels,
                                            std::span<const std::uint32_t> dimensions) {
  const std::size_t work = graph.size() * channels.size() + 1;
  const std::size_t tops = std::clamp<std::size_t>(most_work / work, 1, most_tops);
  std::mt19937 random(1);
  std::vector<BalancedPaths::Start> starts = {{2, no_id}, {4, no_id}};
  if (!dimensions.empty()) starts.push_back({2, no_id, dimensions});
  for (std::size_t i = 0; i < tops; ++i) {
    const DeviceId top = i == 0 ? middle_of(graph) : static_cast<DeviceId>(random() % graph.size());
    starts.push_back({2, top});
    starts.push_back({4, top});
  }
  return starts;
}

}  // namespace

BestPaths find_best_paths(const RouterGraph& graph, const Channels& channels, std::span<const std::uint32_t> hosts,
                          std::span<const DeviceId> destinations, std::span<const std::uint32_t> dimensions,
                          const SearchControl& control) {
  struct Draft {
    BestPaths best;
    double bandwidth = 0;
  };
  const auto starts = starts_of(graph, channels, dimensions);
  std::vector<Draft> drafts(starts.size());
  const auto make = [&](std::size_t i) {
    auto paths = std::make_unique<BalancedPaths>(graph, channels, hosts, starts[i], control);
    if (!paths->complete()) return;
    auto trees = paths->to(destinations, 0);
    const double bandwidth = measure_random_jobs(channels, destinations, trees);
    drafts[i] = {{std::move(paths), std::move(trees)}, bandwidth};
  };
  make(0);
  const bool is_best = drafts[0].best.paths != nullptr && drafts[0].best.paths->unrestricted();
  if (!is_best) parallel_for({.count = drafts.size() - 1}, [&](std::size_t i) { make(i + 1); });
  return std::move(std::ranges::max_element(drafts, {}, &Draft::bandwidth)->best);
}

}  // namespace ayatori
