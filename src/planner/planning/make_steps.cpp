#include "ayatori/planning/make_steps.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string_view>

#include "ayatori/contention/message_tracer.hpp"
#include "ayatori/schedule/pattern.hpp"
#include "pair_links.hpp"
#include "spaced_shift.hpp"
#include "step_search.hpp"

namespace ayatori {

namespace {

/// Above so many messages between endpoints only shifts are tried.
constexpr std::uint64_t max_searched_messages = 600'000;
/// Jobs of few messages get less effort.
constexpr std::uint64_t looks_per_message_and_step = 10'000;
/// Numbers of steps that a search is begun with: the bound by load, and some more.
constexpr std::size_t searches = 3;
/// A schedule of so little more than the bound is not searched on for.
constexpr double good_enough = 1.005;

/// A job and the links of its messages.
struct StepTask {
  const Network& network;
  const Routes& routes;
  std::span<const PortId> ports_of_ranks;
  const Plan& plan;
  JobEndpoints endpoints;
  LinkWeights weights;
  PairLinks links;
};

Result<StepTask> task_of(const Network& network, const Routes& routes, std::span<const PortId> endpoints,
                         const Plan& plan) {
  if (plan.rank_count() != endpoints.size()) {
    return fail("a plan for {} ranks does not fit a job of {} ranks", plan.rank_count(), endpoints.size());
  }
  auto job = JobEndpoints::of(network, endpoints, *shift_all_to_all(static_cast<Rank>(endpoints.size())));
  if (!job) return Failure(job.error());
  LinkWeights weights(network, endpoints);
  auto links = PairLinks::traced(network, routes, endpoints, plan, *job, weights);
  if (!links) return Failure(links.error());
  return StepTask{network, routes, endpoints, plan, std::move(*job), std::move(weights), std::move(*links)};
}

/// Ranks of each endpoint, in order.
std::vector<std::vector<Rank>> ranks_of_endpoints(const JobEndpoints& endpoints) {
  std::vector<std::vector<Rank>> ranks(endpoints.endpoint_count());
  for (Rank rank = 0; rank < endpoints.rank_count(); ++rank) ranks[endpoints.endpoint_of(rank)].push_back(rank);
  return ranks;
}

/// Sums over all messages of the job.
class Loads {
 public:
  explicit Loads(const StepTask& task) : task_(task), ranks_(ranks_of_endpoints(task.endpoints)) {}

  LoadBound bound() {
    LoadBound bound;
    const auto take = [&](PortId port, double time) {
      if (time <= bound.time) return;
      bound.time = time;
      bound.busiest = port;
    };
    for (std::uint32_t endpoint = 0; endpoint < ranks_.size(); ++endpoint) {
      const PortId port = task_.endpoints.port(endpoint);
      const double messages = double(count(endpoint)) * double(task_.endpoints.rank_count() - on_machine_of(endpoint));
      take(port, messages * task_.weights[port]);
      take(task_.network.port(port).peer, messages * task_.weights[task_.network.port(port).peer]);
    }
    bound.endpoint_time = bound.time;
    const std::vector<double> loads = ranks_differ() ? loads_of_rank_pairs() : loads_of_rows();
    for (PortId port = 0; port < loads.size(); ++port) take(port, loads[port] * task_.weights[port]);
    return bound;
  }

 private:
  [[nodiscard]] std::size_t count(std::uint32_t endpoint) const { return ranks_[endpoint].size(); }

  [[nodiscard]] std::size_t on_machine_of(std::uint32_t endpoint) const {
    std::size_t ranks = 0;
    for_each_on_machine(endpoint, [&](std::uint32_t other) { ranks += count(other); });
    return ranks;
  }

  /// Endpoints of one machine need not follow each other.
  template <typename Visit>
  void for_each_on_machine(std::uint32_t endpoint, Visit&& visit) const {
    if (by_machine_.empty()) index_machines();
    const auto [first, last] = std::equal_range(
        by_machine_.begin(), by_machine_.end(), endpoint,
        [&](std::uint32_t a, std::uint32_t b) { return task_.links.machine(a) < task_.links.machine(b); });
    std::for_each(first, last, visit);
  }

  void index_machines() const {
    by_machine_.resize(ranks_.size());
    std::iota(by_machine_.begin(), by_machine_.end(), 0U);
    std::stable_sort(by_machine_.begin(), by_machine_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return task_.links.machine(a) < task_.links.machine(b); });
  }

  /// Ranks of one endpoint may take different paths.
  [[nodiscard]] bool ranks_differ() const {
    return task_.plan.is_per_pair() && ranks_.size() < task_.endpoints.rank_count();
  }

  /// By port, without the endpoints' cables.
  [[nodiscard]] std::vector<double> loads_of_rank_pairs() const {
    std::vector<double> loads(task_.network.port_count(), 0);
    const MessageTracer tracer(task_.network, task_.routes, task_.ports_of_ranks, task_.plan);
    const auto ranks = static_cast<Rank>(task_.endpoints.rank_count());
    for (Message message; message.from < ranks; ++message.from) {
      for (message.to = 0; message.to < ranks; ++message.to) {
        if (!task_.endpoints.uses_network(message)) continue;
        tracer.trace(message, [&](PortId port) { loads[port] += tracer.is_endpoint_cable(port) ? 0 : 1; });
      }
    }
    return loads;
  }

  [[nodiscard]] std::vector<double> loads_of_rows() const {
    std::vector<std::size_t> senders(task_.links.row_count(), 0);
    for (std::uint32_t endpoint = 0; endpoint < ranks_.size(); ++endpoint) {
      senders[task_.links.row(endpoint)] += count(endpoint);
    }
    std::vector<double> loads(task_.network.port_count(), 0);
    for (std::uint32_t to = 0; to < ranks_.size(); ++to) {
      // What is on the receiver's own machine does not send over the network.
      const auto leave_out = [&](int sign) {
        for_each_on_machine(to, [&](std::uint32_t other) {
          senders[task_.links.row(other)] += static_cast<std::size_t>(sign) * count(other);
        });
      };
      leave_out(-1);
      for (std::uint32_t row = 0; row < senders.size(); ++row) {
        for (const PairLinks::Link link : task_.links.of_row(row, to)) {
          loads[task_.links.port(link)] += static_cast<double>(senders[row] * count(to));
        }
      }
      leave_out(1);
    }
    return loads;
  }

  const StepTask& task_;
  std::vector<std::vector<Rank>> ranks_;           // by endpoint
  mutable std::vector<std::uint32_t> by_machine_;  // endpoints
};

/// Steps of endpoints as steps of ranks. Where several ranks share an endpoint, the k-th rank of each sends to the
/// (k + i)-th of the other in substep i, and what ranks of one endpoint have for each other goes first.
class RankSteps {
 public:
  explicit RankSteps(const JobEndpoints& endpoints)
      : ranks_(ranks_of_endpoints(endpoints)), rank_count_(endpoints.rank_count()) {
    for (const auto& ranks : ranks_) width_ = std::max(width_, ranks.size());
  }

  /// `to[step · endpoints + from]`, no_id: silent. Steps without a message are left out.
  std::vector<Rank> of(std::span<const std::uint32_t> to) {
    std::vector<std::uint32_t> itself(ranks_.size());
    std::iota(itself.begin(), itself.end(), 0U);
    for (std::size_t i = 1; i < width_; ++i) add(itself, i);
    for (std::size_t begin = 0; begin < to.size(); begin += ranks_.size()) {
      for (std::size_t i = 0; i < width_; ++i) add(to.subspan(begin, ranks_.size()), i);
    }
    return std::move(table_);
  }

 private:
  void add(std::span<const std::uint32_t> to, std::size_t shift) {
    const std::size_t begin = table_.size();
    table_.resize(begin + rank_count_, no_id);
    bool any = false;
    for (std::uint32_t from = 0; from < to.size(); ++from) {
      if (to[from] == no_id) continue;
      const auto& receivers = ranks_[to[from]];
      for (std::size_t k = 0; k < ranks_[from].size(); ++k) {
        const std::size_t at = (k + shift) % width_;
        if (at >= receivers.size() || receivers[at] == ranks_[from][k]) continue;
        table_[begin + ranks_[from][k]] = receivers[at];
        any = true;
      }
    }
    if (!any) table_.resize(begin);
  }

  std::vector<std::vector<Rank>> ranks_;
  std::size_t rank_count_;
  std::size_t width_ = 1;
  std::vector<Rank> table_;
};

/// The receivers in a circle as steps: in step t the sender s sends to slot (s + t) mod T.
std::vector<std::uint32_t> steps_of_circle(std::span<const std::uint32_t> circle, std::uint32_t endpoints) {
  std::vector<std::uint32_t> to(circle.size() * endpoints, no_id);
  for (std::size_t step = 0; step < circle.size(); ++step) {
    for (std::uint32_t from = 0; from < endpoints; ++from) {
      const std::uint32_t receiver = circle[(from + step) % circle.size()];
      if (receiver != from) to[step * endpoints + from] = receiver;
    }
  }
  return to;
}

class StepMaker {
 public:
  StepMaker(const StepTask& task, std::uint64_t search_effort, const SearchControl& control)
      : task_(task), search_effort_(search_effort), control_(control) {
    best_.bound = Loads(task).bound();
  }

  Result<MadeSteps> run() {
    const std::uint32_t endpoints = task_.links.endpoint_count();
    std::size_t max_slots = std::numeric_limits<std::size_t>::max();
    // Pair plans fit few circles, and what they have is long to look at: only what can beat the shift is worth that.
    if (task_.plan.is_per_pair()) {
      const auto tried = consider_shift();
      if (!tried) return Failure(tried.error());
      max_slots = endpoint_steps(best_.time);
    }
    if (is_good()) return take();
    if (const auto circle = spaced_receivers(task_.links, max_slots); !circle.empty()) {
      const auto tried = consider(steps_of_circle(circle, endpoints), "a shift between two orders");
      if (!tried) return Failure(tried.error());
    }
    if (!is_good() && std::uint64_t{endpoints} * endpoints <= max_searched_messages) {
      const auto tried = consider_searches();
      if (!tried) return Failure(tried.error());
    }
    if (!is_good() && !task_.plan.is_per_pair()) {
      const auto tried = consider_shift();
      if (!tried) return Failure(tried.error());
    }
    return take();
  }

 private:
  [[nodiscard]] bool is_good() const { return best_.steps != nullptr && best_.time <= good_enough * best_.bound.time; }

  MadeSteps take() {
    best_.reason = fmt::format("{}: {} steps that take {:.0f}, no less than {:.0f} is possible on these paths", how_,
                               best_.steps->step_count(), best_.time, best_.bound.time);
    return std::move(best_);
  }

  /// A time of the whole all-to-all in messages between endpoints, however many ranks they have.
  [[nodiscard]] std::size_t endpoint_steps(double time) const {
    const double per_endpoint = best_.bound.endpoint_time;
    const double ratio = per_endpoint > 0 ? time / per_endpoint : 1;
    return static_cast<std::size_t>(std::ceil(ratio * (task_.links.endpoint_count() - 1) - 1e-9));
  }

  Result<> consider(const std::vector<std::uint32_t>& to, std::string_view how) {
    return consider(PlannedSteps::of(static_cast<Rank>(task_.ports_of_ranks.size()), RankSteps(task_.endpoints).of(to)),
                    how);
  }

  Result<> consider_searches() {
    const std::size_t least = endpoint_steps(best_.bound.time);
    const std::uint64_t messages = std::uint64_t{task_.links.endpoint_count()} * task_.links.endpoint_count();
    const std::uint64_t effort = std::min(search_effort_, messages * least * looks_per_message_and_step) / searches;
    for (std::size_t more = 0; more < searches && !is_good() && !control_.stopped(); ++more) {
      // Two per cent of the bound, or one step: fewer messages are left over where there is more room.
      const std::size_t steps = least + more * std::max<std::size_t>(1, least / 50);
      const auto tried = consider(searched_steps(task_.links, steps, effort, control_), "found by search");
      if (!tried) return tried;
    }
    return {};
  }

  Result<> consider_shift() {
    return consider(PlannedSteps::of(*shift_all_to_all(static_cast<Rank>(task_.ports_of_ranks.size()))), "the shift");
  }

  Result<> consider(Result<PlannedSteps> steps, std::string_view how) {
    if (!steps) return Failure(steps.error());
    const auto measured = measure_contention(task_.network, task_.routes, task_.ports_of_ranks, task_.plan, *steps);
    if (!measured) return Failure(measured.error());
    if (best_.steps != nullptr && measured->total_time() >= best_.time) return {};
    best_.steps = std::make_shared<const PlannedSteps>(std::move(*steps));
    best_.contention = *measured;
    best_.time = measured->total_time();
    how_ = how;
    return {};
  }

  const StepTask& task_;
  std::uint64_t search_effort_;
  const SearchControl& control_;
  MadeSteps best_;
  std::string how_;
};

}  // namespace

Result<LoadBound> alltoall_bound(const Network& network, const Routes& routes, std::span<const PortId> endpoints,
                                 const Plan& plan) {
  const auto task = task_of(network, routes, endpoints, plan);
  if (!task) return Failure(task.error());
  return Loads(*task).bound();
}

Result<MadeSteps> make_steps(const Network& network, const Routes& routes, std::span<const PortId> endpoints,
                             const Plan& plan, std::uint64_t search_effort, const SearchControl& control) {
  const auto task = task_of(network, routes, endpoints, plan);
  if (!task) return Failure(task.error());
  return StepMaker(*task, search_effort, control).run();
}

}  // namespace ayatori
