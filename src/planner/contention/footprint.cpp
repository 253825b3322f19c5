#include "ayatori/contention/footprint.hpp"

#include <algorithm>
#include <mutex>

#include "ayatori/base/parallel.hpp"
#include "ayatori/contention/job_endpoints.hpp"
#include "ayatori/contention/message_tracer.hpp"
#include "job_traffic.hpp"

namespace ayatori {

namespace {

/// Below this many messages, threads cost more than they bring.
constexpr std::uint64_t worth_threads_of_links = 1U << 16;

/// One thread's part of the steps.
class Usage {
 public:
  explicit Usage(const Network& network) : uses_(network.port_count()), load_(network.port_count(), 0) {}

  /// False if a message is lost.
  bool add(std::size_t step, const JobEndpoints& endpoints, const MessageTracer& tracer,
           std::span<const Message> messages) {
    bool arrived = true;
    for (const Message& message : messages) {
      if (!endpoints.uses_network(message)) continue;
      const auto count = [this](PortId link) {
        if (load_[link]++ == 0) touched_.push_back(link);
      };
      arrived = arrived && tracer.trace(message, count);
    }
    for (const PortId link : touched_) {
      ++uses_[link].steps;
      if (step < max_listed_steps) uses_[link].in_steps |= std::uint64_t{1} << step;
      uses_[link].worst_load = std::max(uses_[link].worst_load, load_[link]);
      load_[link] = 0;
    }
    touched_.clear();
    return arrived;
  }

  void add(const Usage& other) {
    for (PortId link = 0; link < uses_.size(); ++link) {
      uses_[link].steps += other.uses_[link].steps;
      uses_[link].in_steps |= other.uses_[link].in_steps;
      uses_[link].worst_load = std::max(uses_[link].worst_load, other.uses_[link].worst_load);
    }
  }

  /// Of a job of so many steps.
  [[nodiscard]] std::vector<LinkUse> used(std::size_t steps) const {
    std::vector<LinkUse> links;
    for (PortId link = 0; link < uses_.size(); ++link) {
      const LinkUse& use = uses_[link];
      if (use.steps == 0) continue;
      links.push_back({link, use.steps, use.worst_load, steps > max_listed_steps ? 0 : use.in_steps});
    }
    return links;
  }

 private:
  std::vector<LinkUse> uses_;  // by link
  std::vector<std::uint32_t> load_;
  std::vector<PortId> touched_;
};

/// The first message that does not arrive, now that one is known not to.
Failure first_loss(const JobTraffic& job, const JobEndpoints& endpoints, const MessageTracer& tracer) {
  std::vector<Message> messages;
  for (std::size_t step = 0; step < job.steps.step_count(); ++step) {
    job.steps.step(step, messages);
    for (const Message& message : messages) {
      if (endpoints.uses_network(message) && !tracer.trace(message, [](PortId) {})) return not_arriving(job, message);
    }
  }
  return fail("a message was lost and is not found again");
}

}  // namespace

Result<Footprint> footprint_of(const Network& network, const Routes& routes, std::span<const PortId> endpoints,
                               const Plan& plan, const StepSequence& steps) {
  const JobTraffic job{network, routes, endpoints, plan, steps};
  const auto job_endpoints = endpoints_of(job);
  if (!job_endpoints) return Failure(job_endpoints.error());
  const MessageTracer tracer(network, routes, endpoints, plan);
  const std::size_t step_count = steps.step_count();
  const bool many = std::uint64_t{step_count} * endpoints.size() >= worth_threads_of_links;
  Usage all(network);
  bool arrived = true;
  std::mutex mutex;
  parallel_for({.count = step_count, .piece = 16, .worth_threads = many}, [&](Iterations& iterations) {
    Usage mine(network);
    bool mine_arrived = true;
    std::vector<Message> messages;
    for (const std::size_t step : iterations) {
      steps.step(step, messages);
      mine_arrived = mine.add(step, *job_endpoints, tracer, messages) && mine_arrived;
    }
    const std::scoped_lock lock(mutex);
    all.add(mine);
    arrived = arrived && mine_arrived;
  });
  if (!arrived) return first_loss(job, *job_endpoints, tracer);
  return Footprint{step_count, all.used(step_count)};
}

std::vector<SharedLink> shared_links(std::span<const Footprint> footprints) {
  struct User {
    PortId link;
    std::uint32_t job;
    double share;
  };
  std::vector<User> users;
  for (std::uint32_t job = 0; job < footprints.size(); ++job) {
    for (const LinkUse& use : footprints[job].links) users.push_back({use.link, job, footprints[job].share(use)});
  }
  std::sort(users.begin(), users.end(),
            [](const User& a, const User& b) { return a.link != b.link ? a.link < b.link : a.job < b.job; });
  std::vector<SharedLink> shared;
  for (std::size_t i = 0; i < users.size(); ++i) {
    for (std::size_t j = i + 1; j < users.size() && users[j].link == users[i].link; ++j) {
      shared.push_back({users[i].link, users[i].job, users[j].job, users[i].share * users[j].share});
    }
  }
  std::stable_sort(shared.begin(), shared.end(), [](const SharedLink& a, const SharedLink& b) {
    return a.conflict_probability > b.conflict_probability;
  });
  return shared;
}

}  // namespace ayatori
