#include "ayatori/contention/concurrent_bandwidth.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "ayatori/base/random.hpp"
#include "ayatori/contention/job_endpoints.hpp"
#include "ayatori/contention/message_tracer.hpp"
#include "job_traffic.hpp"

namespace ayatori {

std::vector<LinkOccupancy> link_occupancies(const Network& network, std::span<const Footprint> others) {
  std::vector<LinkOccupancy> occupancies(network.port_count(), LinkOccupancy{});
  for (const Footprint& other : others) {
    for (const LinkUse& use : other.links) {
      LinkOccupancy& occupancy = occupancies[use.link];
      // From the largest occupancy on: each grows out of the one before it, as that was without this job.
      for (std::size_t k = occupancy.size(); k-- > 0;) {
        const double one_less = k == 0 ? 1 : occupancy[k - 1];
        occupancy[k] += (one_less - occupancy[k]) * other.share(use);
      }
    }
  }
  return occupancies;
}

namespace {

constexpr std::size_t all_draws = 20'000;  ///< of random phases, over all steps
constexpr std::size_t max_draws = 1024;    ///< of one step
constexpr std::uint64_t seed_of_the_phases = 1;

/// The steps of a job one after the other, with its messages on each link.
class StepLoads {
 public:
  StepLoads(const JobTraffic& job, JobEndpoints endpoints)
      : job_(job),
        endpoints_(std::move(endpoints)),
        tracer_(job.network, job.routes, job.endpoints, job.plan),
        weights_(job.network, job.endpoints),
        ideal_time_(job.network, endpoints_, weights_),
        load_(job.network.port_count(), 0) {}

  Result<> go_to(std::size_t step) {
    for (const PortId link : links_) load_[link] = 0;
    links_.clear();
    job_.steps.step(step, messages_);
    for (const Message& message : messages_) {
      if (!endpoints_.uses_network(message)) continue;
      const auto count = [this](PortId link) {
        if (load_[link]++ == 0) links_.push_back(link);
      };
      if (!tracer_.trace(message, count)) return not_arriving(job_, message);
    }
    return {};
  }

  [[nodiscard]] std::span<const PortId> links() const { return links_; }
  [[nodiscard]] double ideal() { return links_.empty() ? 0 : ideal_time_.of(messages_); }
  /// The time of a link, with the messages of so many others.
  [[nodiscard]] double time(PortId link, std::uint32_t others = 0) const {
    return (load_[link] + others) * weights_[link];
  }
  [[nodiscard]] double time() const {
    double longest = 0;
    for (const PortId link : links_) longest = std::max(longest, time(link));
    return longest;
  }

 private:
  const JobTraffic& job_;
  JobEndpoints endpoints_;
  MessageTracer tracer_;
  LinkWeights weights_;
  IdealTime ideal_time_;
  std::vector<std::uint32_t> load_;  // by link
  std::vector<PortId> links_;
  std::vector<Message> messages_;
};

/// Σ ideal(s) / Σ of what `time_of` says of each step s, which StepLoads is at then.
template <typename TimeOf>
Result<double> bandwidth_of_steps(const JobTraffic& job, TimeOf time_of) {
  auto endpoints = endpoints_of(job);
  if (!endpoints) return Failure(endpoints.error());
  StepLoads loads(job, std::move(*endpoints));
  double ideal = 0;
  double time = 0;
  for (std::size_t s = 0; s < job.steps.step_count(); ++s) {
    const auto there = loads.go_to(s);
    if (!there) return Failure(there.error());
    if (loads.links().empty()) continue;
    ideal += loads.ideal();
    time += time_of(loads);
  }
  return time == 0 ? 1 : ideal / time;
}

/// What the occupancies on its links add to the time of a step.
double delay_by_occupancy(const StepLoads& step, std::span<const LinkOccupancy> occupancies) {
  LinkOccupancy nobody;
  nobody.fill(1);
  for (const PortId link : step.links()) {
    for (std::size_t k = 0; k < nobody.size(); ++k) nobody[k] *= 1 - occupancies[link][k];
  }
  double delay = 0;
  for (const double none : nobody) delay += 1 - none;
  return delay;
}

/// Other jobs whose steps are known: in all of their steps together, or each in one that is drawn at random, again and
/// again, where there are more combinations than draws.
class RandomPhases {
 public:
  RandomPhases(const Network& network, std::span<const Footprint* const> others, std::size_t draws_a_step)
      : draws_(draws_a_step), uses_of_(network.port_count()), steps_(others.size()) {
    for (std::uint32_t other = 0; other < others.size(); ++other) {
      steps_[other] = others[other]->steps;
      for (const LinkUse& use : others[other]->links) uses_of_[use.link].push_back({other, use.in_steps});
      combinations_ = std::min(combinations_ * std::max<std::uint64_t>(1, steps_[other]), std::uint64_t{draws_} + 1);
    }
  }

  /// The mean time of a step.
  double time(const StepLoads& step) {
    const bool all = combinations_ <= draws_;
    const std::uint64_t count = all ? combinations_ : draws_;
    double sum = 0;
    std::vector<std::uint64_t> bits(steps_.size());
    for (std::uint64_t draw = 0; draw < count; ++draw) {
      std::uint64_t rest = draw;
      for (std::size_t other = 0; other < bits.size(); ++other) {
        bits[other] = std::uint64_t{1} << (all ? rest % steps_[other] : random_.below(steps_[other]));
        rest /= steps_[other];
      }
      double longest = 0;
      for (const PortId link : step.links()) {
        std::uint32_t others = 0;
        for (const Use& use : uses_of_[link]) others += (use.in_steps & bits[use.other]) != 0 ? 1 : 0;
        longest = std::max(longest, step.time(link, others));
      }
      sum += longest;
    }
    return sum / static_cast<double>(count);
  }

 private:
  struct Use {
    std::uint32_t other;
    std::uint64_t in_steps;
  };
  std::size_t draws_;
  std::uint64_t combinations_ = 1;         // of the others' steps; no more than draws_ + 1 are counted
  std::vector<std::vector<Use>> uses_of_;  // by link
  std::vector<std::uint64_t> steps_;       // by job
  Random random_{seed_of_the_phases};
};

std::vector<bool> links_of(const Network& network, const Footprint& job) {
  std::vector<bool> used(network.port_count(), false);
  for (const LinkUse& use : job.links) used[use.link] = true;
  return used;
}

}  // namespace

Result<double> concurrent_bandwidth(const Network& network, const Routes& routes, std::span<const PortId> endpoints,
                                    const Plan& plan, const StepSequence& steps, std::span<const Footprint> others) {
  const std::vector<LinkOccupancy> occupancies = link_occupancies(network, others);
  return bandwidth_of_steps({network, routes, endpoints, plan, steps},
                            [&](const StepLoads& step) { return step.time() + delay_by_occupancy(step, occupancies); });
}

Result<double> bandwidth_at_random_phases(const Network& network, const Routes& routes,
                                          std::span<const PortId> endpoints, const Plan& plan,
                                          const StepSequence& steps, std::span<const Footprint> others) {
  const auto footprint = footprint_of(network, routes, endpoints, plan, steps);
  if (!footprint) return Failure(footprint.error());
  const std::vector<bool> mine = links_of(network, *footprint);
  std::vector<const Footprint*> known;
  std::vector<Footprint> unlisted;
  for (const Footprint& other : others) {
    if (std::ranges::none_of(other.links, [&](const LinkUse& use) { return mine[use.link]; })) continue;
    if (other.lists_steps()) {
      known.push_back(&other);
    } else {
      unlisted.push_back(other);
    }
  }
  const std::vector<LinkOccupancy> occupancies = link_occupancies(network, unlisted);
  const std::size_t draws = all_draws / std::max<std::size_t>(1, steps.step_count());
  RandomPhases phases(network, known, std::clamp<std::size_t>(draws, 4, max_draws));
  return bandwidth_of_steps({network, routes, endpoints, plan, steps}, [&](const StepLoads& step) {
    return (known.empty() ? step.time() : phases.time(step)) + delay_by_occupancy(step, occupancies);
  });
}

}  // namespace ayatori
