#pragma once
/// \file
/// Random links, paths, schedules and options, to compare simulators with. Header only; tests include it.

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "ayatori/base/random.hpp"
#include "ayatori/flow/simulate.hpp"
#include "flow_fixtures.hpp"

namespace ayatori::test {

/// Random links.
inline ListedPaths random_links(Random& random) {
  std::vector<double> rates;
  std::vector<double> latencies;
  const std::size_t links = 2 + random.below(8);
  for (std::size_t link = 0; link < links; ++link) {
    rates.push_back(100.0 * static_cast<double>(1 + random.below(4)));
    latencies.push_back(random.below(2) == 0 ? 0 : 0.1 * static_cast<double>(random.below(10)));
  }
  return {rates, {}, {}, latencies};
}

/// Cuts the messages of some pairs into up to three parts, over pieces of their path and NICs of their machines.
inline void cut_some_messages(ListedPaths& paths, Random& random) {
  for (const auto& [pair, links] : paths.paths) {
    if (random.below(2) == 0) continue;
    const auto nic_of = [&](Rank rank) {
      return 2 * paths.machines[rank] + static_cast<std::uint32_t>(random.below(2));
    };
    for (std::uint64_t part = 1 + random.below(3); part > 0; --part) {
      std::vector<std::uint32_t> piece = links;
      random.shuffle(std::span(piece));
      piece.resize(1 + random.below(piece.size()));
      paths.parts[pair].push_back({piece, nic_of(pair.first), nic_of(pair.second)});
    }
  }
}

/// Random loop-free paths over links; ranks are on some of as many machines, and perhaps share a NIC there.
inline ListedPaths random_paths_on(ListedPaths links, Random& random, Rank ranks, Rank machine_count) {
  for (Rank r = 0; r < ranks; ++r) links.machines.push_back(static_cast<std::uint32_t>(random.below(machine_count)));
  for (Rank a = 0; a < ranks; ++a) {
    for (Rank b = 0; b < ranks; ++b) {
      if (links.machines[a] == links.machines[b]) continue;
      std::vector<std::uint32_t> path(links.rates.size());
      std::iota(path.begin(), path.end(), 0U);
      random.shuffle(std::span(path));
      path.resize(1 + random.below(std::min<std::size_t>(4, path.size())));
      links.paths[{a, b}] = path;
    }
  }
  for (const std::uint32_t machine : links.machines)
    links.nics.push_back(2 * machine + static_cast<std::uint32_t>(random.below(2)));
  if (random.below(2) == 0) cut_some_messages(links, random);
  return links;
}

inline ListedPaths random_paths(Random& random, Rank ranks) {
  return random_paths_on(random_links(random), random, ranks, ranks);
}

/// Random messages, whose send and receive stand in the same step; sometimes a receive comes a step later.
inline ListedSchedule random_schedule(Random& random, Rank ranks, bool all_sizes_differ = false) {
  ListedSchedule::Steps streams;
  Bytes next_size = 1;
  const std::uint64_t stream_count = 1 + random.below(2);
  // No two streams of a rank may want its processor at the same time, for their order would be left open.
  const bool with_locals = all_sizes_differ || stream_count == 1;
  while (streams.size() < stream_count) {
    const std::size_t steps = 1 + random.below(6);
    std::vector<std::map<Rank, RankStep>> listed(steps + 1);
    for (Rank rank = 0; all_sizes_differ && rank < ranks; ++rank) listed[0][rank].copies = ++next_size;
    for (std::size_t step = all_sizes_differ ? 1 : 0; step < steps; ++step) {
      for (std::uint64_t messages = random.below(2 * ranks); messages > 0; --messages) {
        const Rank from = static_cast<Rank>(random.below(ranks));
        const Rank to = static_cast<Rank>(random.below(ranks));
        if (from == to) continue;
        listed[step][from].sends.emplace_back(to, all_sizes_differ ? next_size : random.below(5) * 100);
        next_size += 3;
        listed[step + (random.below(8) == 0 ? 1 : 0)][to].receives.push_back(from);
      }
      if (!with_locals) continue;
      if (random.below(3) == 0) {
        RankStep& reducing = listed[step][static_cast<Rank>(random.below(ranks))];
        reducing.reduces = 50;
        if (!reducing.sends.empty() && random.below(2) == 0) {
          reducing.reduced = static_cast<Slot>(reducing.sends.back().second);
        }
      }
      if (random.below(3) == 0) listed[step][static_cast<Rank>(random.below(ranks))].copies = 70;
    }
    streams.push_back(listed);
  }
  return {ranks, streams};
}

inline FlowOptions random_options(Random& random) {
  FlowOptions options;
  for (MessageCosts* costs : {&options.costs.inside, &options.costs.between}) {
    costs->eager_limit = random.below(3) * 150;
    costs->latency = random.below(2) == 0 ? 0 : 0.25;
    costs->rendezvous = random.below(2) == 0 ? 0 : 0.125;
  }
  options.costs.between.bandwidth = random.below(2) == 0 ? 0 : 150;
  options.costs.between.header = random.below(4) == 0 ? 30 : 0;
  options.costs.inside.bandwidth = random.below(2) == 0 ? 0 : 250;
  if (random.below(2) == 0) options.costs.reduce = {{0, 0, 1 / 100.0}};
  if (random.below(2) == 0) options.costs.copy = {{0, 0.5, 1 / 140.0}};
  if (random.below(2) == 0) options.costs.cache_refill = {{0, 0.25, 1 / 170.0}};
  return options;
}

}  // namespace ayatori::test
