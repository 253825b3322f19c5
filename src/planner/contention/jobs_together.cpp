#include "ayatori/contention/jobs_together.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "ayatori/base/parallel.hpp"
#include "ayatori/base/random.hpp"
#include "ayatori/contention/job_endpoints.hpp"
#include "ayatori/contention/message_tracer.hpp"
#include "job_traffic.hpp"

namespace ayatori {

namespace {

/// Rounds are summed in so many parts, whatever the number of threads, so that rounding does not depend on it.
constexpr std::uint32_t max_parts = 64;

/// What a job needs to send the messages of a step.
struct TracedJob {
  const StepSequence& steps;
  JobEndpoints endpoints;
  MessageTracer tracer;
};

/// The step of each job in each round.
class Phases {
 public:
  Phases(std::span<const JobOnFabric> jobs, const RoundOptions& options) {
    Random random(options.seed);
    for (const JobOnFabric& job : jobs) steps_.push_back(drawn(job.steps.step_count(), options.rounds, random));
  }

  /// no_id of a job without steps.
  [[nodiscard]] std::uint32_t step(std::uint32_t job, std::uint32_t round) const { return steps_[job][round]; }

 private:
  static std::vector<std::uint32_t> drawn(std::size_t step_count, std::uint32_t rounds, Random& random) {
    if (step_count == 0) return std::vector<std::uint32_t>(rounds, no_id);
    std::vector<std::uint32_t> order(step_count);
    std::iota(order.begin(), order.end(), 0U);
    std::vector<std::uint32_t> steps;
    while (steps.size() < rounds) {
      random.shuffle(std::span(order));
      const std::size_t wanted = std::min(order.size(), rounds - steps.size());
      steps.insert(steps.end(), order.begin(), order.begin() + static_cast<std::ptrdiff_t>(wanted));
    }
    return steps;
  }

  std::vector<std::vector<std::uint32_t>> steps_;  // by job and round
};

struct JobTimes {
  double ideal = 0;
  double alone = 0;
  double together = 0;
  std::uint64_t delayed_rounds = 0;
};

/// What one job adds to the time of another if only these two run: by both numbers, the delayed one first.
using Delays = std::map<std::pair<std::uint32_t, std::uint32_t>, double>;

/// Sums over rounds.
struct Sums {
  std::vector<JobTimes> jobs;
  Delays delays;

  void add(const Sums& other) {
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      jobs[j].ideal += other.jobs[j].ideal;
      jobs[j].alone += other.jobs[j].alone;
      jobs[j].together += other.jobs[j].together;
      jobs[j].delayed_rounds += other.jobs[j].delayed_rounds;
    }
    for (const auto& [pair, delay] : other.delays) delays[pair] += delay;
  }
};

/// The loads of one round after the other. Only the links that a round touches are looked at and cleared.
class Superposition {
 public:
  Superposition(const Network& network, std::span<const TracedJob> senders, const Phases& phases,
                const LinkWeights& weights)
      : senders_(senders),
        phases_(phases),
        weights_(weights),
        own_(network.port_count(), 0),
        total_(network.port_count(), 0),
        first_use_(network.port_count(), no_id) {
    sums_.jobs.resize(senders.size());
  }

  void run(std::uint32_t round) {
    times_.assign(senders_.size(), {});
    for (std::uint32_t job = 0; job < senders_.size(); ++job) send(job, phases_.step(job, round));
    for (const Use& use : uses_) {
      JobTimes& times = times_[use.job];
      times.together = std::max(times.together, total_[use.link] * weights_[use.link]);
    }
    add_delays();
    for (std::size_t job = 0; job < times_.size(); ++job) add_times(sums_.jobs[job], times_[job]);
    clear();
  }

  [[nodiscard]] const Sums& sums() const { return sums_; }

 private:
  /// The messages of a job on a link.
  struct Use {
    std::uint32_t job;
    PortId link;
    std::uint32_t load;
    std::uint32_t next;  // use of this link by an earlier job, or no_id
  };

  void send(std::uint32_t job, std::uint32_t step) {
    if (step == no_id) return;
    const TracedJob& sender = senders_[job];
    sender.steps.step(step, messages_);
    touched_.clear();
    for (const Message& message : messages_) {
      if (!sender.endpoints.uses_network(message)) continue;
      sender.tracer.trace(message, [this](PortId link) {
        if (own_[link]++ == 0) touched_.push_back(link);
      });
    }
    for (const PortId link : touched_) {
      const double time = own_[link] * weights_[link];
      times_[job].alone = std::max(times_[job].alone, time);
      if (sender.tracer.is_endpoint_cable(link)) times_[job].ideal = std::max(times_[job].ideal, time);
      uses_.push_back({job, link, own_[link], first_use_[link]});
      first_use_[link] = static_cast<std::uint32_t>(uses_.size() - 1);
      total_[link] += own_[link];
      own_[link] = 0;
    }
  }

  void add_delays() {
    round_delays_.clear();
    for (const Use& use : uses_) {
      for (std::uint32_t other = use.next; other != no_id; other = uses_[other].next) {
        note_delay(use, uses_[other]);
        note_delay(uses_[other], use);
      }
    }
    for (const auto& [pair, delay] : round_delays_) sums_.delays[pair] += delay;
  }

  void note_delay(const Use& delayed, const Use& by) {
    const double time = (delayed.load + by.load) * weights_[delayed.link];
    const double delay = time - times_[delayed.job].alone;
    if (delay <= 0) return;
    double& longest = round_delays_[{delayed.job, by.job}];
    longest = std::max(longest, delay);
  }

  static void add_times(JobTimes& sum, const JobTimes& round) {
    sum.ideal += round.ideal;
    sum.alone += round.alone;
    sum.together += round.together;
    sum.delayed_rounds += round.together > round.alone ? 1 : 0;
  }

  void clear() {
    for (const Use& use : uses_) {
      total_[use.link] = 0;
      first_use_[use.link] = no_id;
    }
    uses_.clear();
  }

  std::span<const TracedJob> senders_;
  const Phases& phases_;
  const LinkWeights& weights_;
  std::vector<std::uint32_t> own_;        // by link: messages of the job that is sending
  std::vector<std::uint32_t> total_;      // by link
  std::vector<std::uint32_t> first_use_;  // by link: into uses_
  std::vector<Use> uses_;
  std::vector<PortId> touched_;
  std::vector<Message> messages_;
  std::vector<JobTimes> times_;  // of this round, by job
  Delays round_delays_;
  Sums sums_;
};

Sums sum_of_rounds(const Network& network, std::span<const TracedJob> senders, const Phases& phases,
                   const LinkWeights& weights, std::uint32_t rounds) {
  const std::uint32_t parts = std::min(rounds, max_parts);
  std::vector<Sums> sums(parts);
  parallel_for({.count = parts}, [&](std::size_t part) {
    Superposition superposition(network, senders, phases, weights);
    for (auto round = static_cast<std::uint32_t>(part); round < rounds; round += parts) superposition.run(round);
    sums[part] = superposition.sums();
  });
  Sums all;
  all.jobs.resize(senders.size());
  for (const Sums& part : sums) all.add(part);
  return all;
}

JobInterference summary(std::uint32_t job, const Sums& sums) {
  const JobTimes& times = sums.jobs[job];
  JobInterference result;
  result.worst_neighbour = job;
  if (times.together == 0) return result;
  result.alone = times.ideal / times.alone;
  result.together = times.ideal / times.together;
  result.delayed_rounds = times.delayed_rounds;
  result.with_worst_neighbour = result.alone;
  double worst = 0;
  for (auto at = sums.delays.lower_bound({job, 0}); at != sums.delays.end() && at->first.first == job; ++at) {
    if (at->second <= worst) continue;
    worst = at->second;
    result.worst_neighbour = at->first.second;
    result.with_worst_neighbour = times.ideal / (times.alone + worst);
  }
  return result;
}

Failure of_job(const JobOnFabric& job, Error error) {
  error.message = fmt::format("job '{}': {}", job.name, error.message);
  return Failure(std::move(error));
}

}  // namespace

Result<JobsTogether> measure_together(const Network& network, const Routes& routes, std::span<const JobOnFabric> jobs,
                                      const RoundOptions& options) {
  std::vector<Footprint> footprints;
  std::vector<TracedJob> senders;
  std::vector<PortId> all_endpoints;
  for (const JobOnFabric& job : jobs) {
    auto footprint = footprint_of(network, routes, job.endpoints, job.plan, job.steps);
    if (!footprint) return of_job(job, footprint.error());
    footprints.push_back(std::move(*footprint));
    auto endpoints = JobEndpoints::of(network, job.endpoints, job.steps);
    if (!endpoints) return of_job(job, endpoints.error());
    senders.push_back({job.steps, std::move(*endpoints), MessageTracer(network, routes, job.endpoints, job.plan)});
    all_endpoints.insert(all_endpoints.end(), job.endpoints.begin(), job.endpoints.end());
  }
  const LinkWeights weights(network, all_endpoints);
  const Sums sums = sum_of_rounds(network, senders, Phases(jobs, options), weights, options.rounds);
  JobsTogether together;
  together.rounds = options.rounds;
  for (std::uint32_t job = 0; job < jobs.size(); ++job) together.jobs.push_back(summary(job, sums));
  together.shared = shared_links(footprints);
  return together;
}

}  // namespace ayatori
