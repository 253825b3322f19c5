#include "ayatori/contention/contention.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>

#include "ayatori/base/parallel.hpp"
#include "ayatori/contention/job_endpoints.hpp"
#include "ayatori/contention/message_tracer.hpp"
#include "ayatori/contention/multipath_tracer.hpp"
#include "job_traffic.hpp"

namespace ayatori {

namespace {

constexpr std::size_t no_step = std::numeric_limits<std::size_t>::max();

/// Below this many messages, threads cost more than they bring.
constexpr std::uint64_t worth_threads_of_steps = 1U << 16;

/// Measured even after the measurement was stopped: some milliseconds.
constexpr std::uint64_t least_measured_messages = 1U << 16;

/// Times that differ by less are equal: parts of messages do not sum up exactly.
constexpr double time_tolerance = 1e-9;

struct StepTime {
  double ideal = 0;
  double time = 0;
};

/// All of so many steps, in an order in which the first ones are from all over the sequence.
class SpreadOrder {
 public:
  explicit SpreadOrder(std::size_t steps) : steps_(steps) {
    constexpr double golden_section = 0.618;  // no two of few multiples are close to each other
    stride_ = std::max<std::size_t>(1, static_cast<std::size_t>(golden_section * static_cast<double>(steps)));
    while (std::gcd(stride_, steps) > 1) ++stride_;
  }
  [[nodiscard]] std::size_t step(std::size_t place) const { return place * stride_ % steps_; }

 private:
  std::size_t steps_;
  std::size_t stride_ = 1;
};

bool is_longer(double time, double ideal) { return time > ideal * (1 + time_tolerance); }

/// Parts of messages count as what they are parts of.
std::uint32_t whole_messages(std::uint32_t load) { return load; }
std::uint32_t whole_messages(double load) { return static_cast<std::uint32_t>(std::ceil(load - time_tolerance)); }

/// The job on its network: what all threads read.
template <typename Tracer>
struct Job : JobTraffic {
  const JobEndpoints& job_endpoints;
  const LinkWeights& weights;
  const Tracer& tracer;
};

/// The loads of one step. Only the links that a step touches are looked at and cleared.
template <typename Tracer>
class TracedLoads {
 public:
  using Load = typename Tracer::Load;

  explicit TracedLoads(const Job<Tracer>& job) : job_(job), load_(job.network.port_count(), 0) {}

  /// Sends the messages of a step. False if one does not arrive: `lost()` is the first.
  bool send(std::size_t step) {
    job_.steps.step(step, messages_);
    for (const Message& message : messages_) {
      if (!job_.job_endpoints.uses_network(message)) continue;
      const auto count = [this](PortId link, Load share = 1) {
        if (load_[link] == 0) touched_.push_back(link);
        load_[link] += share;
      };
      if (!job_.tracer.trace(message, count)) {
        lost_ = message;
        return false;
      }
    }
    return true;
  }

  [[nodiscard]] StepTime time() const {
    StepTime step;
    for (const PortId link : touched_) {
      const double time = time_of(link);
      step.time = std::max(step.time, time);
      if (job_.tracer.is_endpoint_cable(link)) step.ideal = std::max(step.ideal, time);
    }
    return step;
  }

  template <typename Visit>
  void for_each_hot_spot(double ideal, Visit&& visit) const {
    for (const PortId link : touched_) {
      if (is_longer(time_of(link), ideal)) visit(link, whole_messages(load_[link]));
    }
  }

  void clear() {
    for (const PortId link : touched_) load_[link] = 0;
    touched_.clear();
  }

  [[nodiscard]] const Message& lost() const { return lost_; }
  [[nodiscard]] std::vector<Load> take() { return std::move(load_); }

 private:
  [[nodiscard]] double time_of(PortId link) const { return load_[link] * job_.weights[link]; }

  const Job<Tracer>& job_;
  std::vector<Load> load_;
  std::vector<PortId> touched_;
  std::vector<Message> messages_;
  Message lost_;
};

/// Hot spots by link. Sums of integers and ties by step number: the same in whatever order steps come.
class HotSpots {
 public:
  explicit HotSpots(const Network& network) : by_link_(network.port_count()) {}

  void add(PortId link, std::uint32_t load, std::uint32_t step) { merge({link, load, step, 1}); }

  void add(const HotSpots& other) {
    for (const HotLink& hot : other.by_link_) {
      if (hot.hot_steps != 0) merge(hot);
    }
  }

  [[nodiscard]] std::vector<HotLink> hottest_first() const {
    std::vector<HotLink> links;
    std::copy_if(by_link_.begin(), by_link_.end(), std::back_inserter(links),
                 [](const HotLink& hot) { return hot.hot_steps != 0; });
    std::sort(links.begin(), links.end(), [](const HotLink& a, const HotLink& b) {
      return a.hot_steps != b.hot_steps ? a.hot_steps > b.hot_steps : a.link < b.link;
    });
    return links;
  }

 private:
  void merge(const HotLink& more) {
    HotLink& hot = by_link_[more.link];
    hot.link = more.link;
    hot.hot_steps += more.hot_steps;
    const bool worse = more.worst_load > hot.worst_load;
    const bool earlier = more.worst_load == hot.worst_load && more.worst_step < hot.worst_step;
    if (!worse && !earlier) return;
    hot.worst_load = more.worst_load;
    hot.worst_step = more.worst_step;
  }

  std::vector<HotLink> by_link_;
};

Contention summary(const std::vector<StepTime>& times, const HotSpots& hot_spots, std::size_t unmeasured) {
  Contention result;
  result.unmeasured = unmeasured;
  double ideal = 0;
  double time = 0;
  for (std::size_t s = 0; s < times.size(); ++s) {
    if (times[s].time == 0) continue;
    ++result.steps;
    ideal += times[s].ideal;
    time += times[s].time;
    if (times[s].time > result.worst_time) {
      result.worst_time = times[s].time;
      result.worst_step = static_cast<std::uint32_t>(s);
    }
  }
  if (result.steps != 0) {
    result.relative_bandwidth = ideal / time;
    result.mean_time = time / static_cast<double>(result.steps);
  }
  result.hot_links = hot_spots.hottest_first();
  for (const HotLink& hot : result.hot_links) result.hot_spots += hot.hot_steps;
  result.free = result.hot_spots == 0 && unmeasured == 0;
  return result;
}

/// One thread's part of the steps.
template <typename Tracer>
class Share {
 public:
  Share(const Job<Tracer>& job, std::vector<StepTime>& times) : loads_(job), hot_spots_(job.network), times_(times) {}

  bool run(std::size_t step) {
    const bool arrived = loads_.send(step);
    if (arrived) {
      times_[step] = loads_.time();
      if (is_longer(times_[step].time, times_[step].ideal)) {
        loads_.for_each_hot_spot(times_[step].ideal, [&](PortId link, std::uint32_t load) {
          hot_spots_.add(link, load, static_cast<std::uint32_t>(step));
        });
      }
    }
    loads_.clear();
    return arrived;
  }

  [[nodiscard]] const HotSpots& hot_spots() const { return hot_spots_; }

 private:
  TracedLoads<Tracer> loads_;
  HotSpots hot_spots_;
  std::vector<StepTime>& times_;
};

void lower_to(std::atomic<std::size_t>& smallest, std::size_t value) {
  std::size_t seen = smallest;
  while (value < seen && !smallest.compare_exchange_weak(seen, value)) {
  }
}

template <typename Tracer>
Failure failure_in(const Job<Tracer>& job, std::size_t step) {
  TracedLoads<Tracer> loads(job);
  loads.send(step);
  return not_arriving(job, loads.lost());
}

template <typename Tracer>
Result<Contention> measure(const Job<Tracer>& job, const SearchControl& control) {
  const std::size_t step_count = job.steps.step_count();
  const SpreadOrder order(step_count);
  const std::size_t always = 1 + least_measured_messages / std::max<std::size_t>(1, job.endpoints.size());
  std::atomic<std::size_t> measured = 0;
  const bool many = std::uint64_t{step_count} * job.endpoints.size() >= worth_threads_of_steps;
  std::vector<StepTime> times(step_count);
  HotSpots hot_spots(job.network);
  std::atomic<std::size_t> first_failed = no_step;
  std::mutex mutex;
  parallel_for({.count = step_count, .worth_threads = many}, [&](Iterations& iterations) {
    Share<Tracer> share(job, times);
    for (const std::size_t place : iterations) {
      if (place >= always && control.stopped()) break;
      const std::size_t step = order.step(place);
      if (step < first_failed && !share.run(step)) lower_to(first_failed, step);
      ++measured;
    }
    const std::scoped_lock lock(mutex);
    hot_spots.add(share.hot_spots());
  });
  if (first_failed != no_step) return failure_in(job, first_failed);
  return summary(times, hot_spots, step_count - measured);
}

/// Which rank sends to which over the network in some step.
MultipathTracer::Sends sends_in(const StepSequence& steps, const JobEndpoints& job) {
  const std::size_t ranks = steps.rank_count();
  std::vector<bool> sends(ranks * ranks);
  std::vector<Message> messages;
  for (std::size_t step = 0; step < steps.step_count(); ++step) {
    steps.step(step, messages);
    for (const Message& message : messages) {
      if (job.uses_network(message)) sends[message.from * ranks + message.to] = true;
    }
  }
  return [sends = std::move(sends), ranks](Rank from, Rank to) { return sends[from * ranks + to]; };
}

}  // namespace

Result<Contention> measure_contention(const Network& network, const Routes& routes, std::span<const PortId> endpoints,
                                      const Plan& plan, const StepSequence& steps, const SearchControl& control) {
  const JobTraffic traffic{network, routes, endpoints, plan, steps};
  const auto job_endpoints = endpoints_of(traffic);
  if (!job_endpoints) return Failure(job_endpoints.error());
  const LinkWeights weights(network, endpoints);
  const MessageTracer tracer(network, routes, endpoints, plan);
  return measure<MessageTracer>({traffic, *job_endpoints, weights, tracer}, control);
}

Result<Contention> measure_multipath_contention(const Network& network, const Routes& routes,
                                                std::span<const PortId> endpoints, const StepSequence& steps) {
  const Plan base_lids = Plan::base_lids(static_cast<Rank>(endpoints.size()));
  const JobTraffic traffic{network, routes, endpoints, base_lids, steps};
  const auto job_endpoints = endpoints_of(traffic);
  if (!job_endpoints) return Failure(job_endpoints.error());
  const LinkWeights weights(network, endpoints);
  const auto tracer = MultipathTracer::of(network, routes, endpoints, sends_in(steps, *job_endpoints));
  if (!tracer) return Failure(tracer.error());
  return measure<MultipathTracer>({traffic, *job_endpoints, weights, *tracer}, {});
}

Result<std::vector<std::uint32_t>> link_loads(const Network& network, const Routes& routes,
                                              std::span<const PortId> endpoints, const Plan& plan,
                                              const StepSequence& steps, std::size_t step) {
  const JobTraffic traffic{network, routes, endpoints, plan, steps};
  const auto job_endpoints = endpoints_of(traffic);
  if (!job_endpoints) return Failure(job_endpoints.error());
  const LinkWeights weights(network, endpoints);
  const MessageTracer tracer(network, routes, endpoints, plan);
  const Job<MessageTracer> job{traffic, *job_endpoints, weights, tracer};
  TracedLoads<MessageTracer> loads(job);
  if (!loads.send(step)) return not_arriving(job, loads.lost());
  return loads.take();
}

}  // namespace ayatori
