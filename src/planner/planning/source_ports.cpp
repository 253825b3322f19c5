#include "ayatori/planning/source_ports.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "ayatori/base/random.hpp"
#include "disjoint_choices.hpp"

namespace ayatori {

namespace {

/// Of the search through all choices for one step.
constexpr std::uint64_t max_nodes = 100'000;
/// Ports that are tried in a row without finding a new path, before the rest is left for steps that need it.
constexpr std::uint32_t patience = 64;

/// The paths of a pair that were found so far, each with the lowest port that takes it.
struct PathsOfPair {
  LinkSets links;
  std::vector<std::uint16_t> ports;  ///< by path
  std::uint32_t tried = 0;           ///< ports
};

class PortPlanner {
 public:
  PortPlanner(const HashedPaths& paths, const StepSequence& steps, const SearchControl& control)
      : paths_(paths), steps_(steps), control_(control) {
    result_.endpoints = paths.endpoint_count();
    result_.ports.assign(std::size_t{result_.endpoints} * result_.endpoints, 0);
  }

  SourcePorts run() {
    std::vector<Message> messages;
    std::size_t step = 0;
    for (; step < steps_.step_count() && !control_.stopped(); ++step) {
      steps_.step(step, messages);
      plan_step(messages);
    }
    result_.undecided_steps += steps_.step_count() - step;
    // One port for all pairs that are left would put them on few links; drawn ones are those that come without a plan.
    const bool is_short = step < steps_.step_count();
    const auto drawn = is_short ? random_source_ports(result_.endpoints, 1) : std::vector<std::uint16_t>{};
    for (std::uint32_t from = 0; from < result_.endpoints; ++from) {
      for (std::uint32_t to = 0; to < result_.endpoints; ++to) {
        if (from == to || port(from, to) != 0) continue;
        port(from, to) = is_short ? drawn[std::size_t{from} * result_.endpoints + to] : first_source_port;
      }
    }
    return std::move(result_);
  }

 private:
  std::uint16_t& port(std::uint32_t from, std::uint32_t to) {
    return result_.ports[std::size_t{from} * result_.endpoints + to];
  }

  /// Examines the paths found first; all of them, if those share links whatever is chosen.
  void plan_step(const std::vector<Message>& messages) {
    open_.clear();
    for (const Message& message : messages) {
      if (message.from != message.to) open_.push_back(message);
    }
    known_.clear();
    DisjointChoices found = choose(patience);
    if (!found.disjoint && !control_.stopped() && !saw_all_ports()) found = choose(source_port_count);
    for (std::size_t i = 0; i < open_.size(); ++i) {
      port(open_[i].from, open_[i].to) = paths_of(open_[i]).ports[found.choice[i]];
    }
    if (found.disjoint) return;
    ++(found.exhausted ? result_.proven_steps : result_.undecided_steps);
  }

  DisjointChoices choose(std::uint32_t more) {
    std::vector<LinkSets> candidates;
    for (const Message& message : open_) {
      PathsOfPair& pair = paths_of(message);
      meet_paths(message, pair, more);
      candidates.push_back(pair.links);
    }
    return find_disjoint_choices(candidates, max_nodes);
  }

  PathsOfPair& paths_of(const Message& message) {
    return known_[std::uint64_t{message.from} * result_.endpoints + message.to];
  }

  [[nodiscard]] bool saw_all_ports() {
    return std::ranges::all_of(open_, [&](const Message& message) {
      const PathsOfPair& pair = paths_of(message);
      return pair.tried == source_port_count || pair.links.size() == paths_.path_count(message.from, message.to);
    });
  }

  /// Tries ports until all paths are found, or none in `more` ports since the last.
  void meet_paths(const Message& message, PathsOfPair& pair, std::uint32_t more) {
    if (const std::uint16_t fixed = port(message.from, message.to); fixed != 0) {
      paths_.path(message.from, message.to, fixed, links_);
      pair = {{links_}, {fixed}, source_port_count};
      return;
    }
    const std::uint64_t all = paths_.path_count(message.from, message.to);
    std::map<std::vector<std::uint32_t>, bool> met;
    for (const auto& links : pair.links) met[links] = true;
    for (std::uint32_t since = 0; since < more && met.size() < all && pair.tried < source_port_count; ++since) {
      if (!pair.ports.empty() && control_.stopped()) return;
      const auto tried = static_cast<std::uint16_t>(first_source_port + pair.tried++);
      paths_.path(message.from, message.to, tried, links_);
      if (!met.try_emplace(links_).second) continue;
      pair.links.push_back(links_);
      pair.ports.push_back(tried);
      since = 0;
    }
  }

  const HashedPaths& paths_;
  const StepSequence& steps_;
  const SearchControl& control_;
  SourcePorts result_;
  std::vector<Message> open_;                             // of this step, between different endpoints
  std::unordered_map<std::uint64_t, PathsOfPair> known_;  // of this step
  std::vector<PortId> links_;
};

}  // namespace

Result<SourcePorts> plan_source_ports(const HashedPaths& paths, const StepSequence& steps,
                                      const SearchControl& control) {
  if (steps.rank_count() != paths.endpoint_count()) {
    return fail("steps of {} ranks on {} ports", steps.rank_count(), paths.endpoint_count());
  }
  SourcePorts planned = PortPlanner(paths, steps, control).run();
  const auto contention = measure_source_ports(paths, planned.ports, steps);
  if (!contention) return Failure(contention.error());
  planned.contention = *contention;
  return planned;
}

Result<HashedContention> measure_source_ports(const HashedPaths& paths, const std::vector<std::uint16_t>& ports,
                                              const StepSequence& steps) {
  const std::size_t endpoints = paths.endpoint_count();
  if (steps.rank_count() != endpoints || ports.size() != endpoints * endpoints) {
    return fail("steps of {} ranks and {} source ports on {} ports", steps.rank_count(), ports.size(), endpoints);
  }
  HashedContention found;
  std::uint64_t time = 0;
  std::vector<Message> messages;
  std::vector<PortId> links;
  std::unordered_map<PortId, std::uint32_t> load;
  for (std::size_t step = 0; step < steps.step_count(); ++step) {
    steps.step(step, messages);
    load.clear();
    std::uint32_t worst = 0;
    for (const Message& message : messages) {
      if (message.from == message.to) continue;
      paths.path(message.from, message.to, ports[message.from * endpoints + message.to], links);
      for (const PortId link : links) worst = std::max(worst, ++load[link]);
    }
    if (worst == 0) continue;
    ++found.steps;
    found.free_steps += worst == 1;
    found.worst_load = std::max(found.worst_load, worst);
    time += worst;
  }
  if (found.steps > 0) found.relative_bandwidth = static_cast<double>(found.steps) / static_cast<double>(time);
  return found;
}

std::vector<std::uint16_t> random_source_ports(std::uint32_t endpoints, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::uint16_t> ports(std::size_t{endpoints} * endpoints);
  for (std::uint16_t& port : ports) {
    port = static_cast<std::uint16_t>(first_source_port + random.below(source_port_count));
  }
  return ports;
}

}  // namespace ayatori
