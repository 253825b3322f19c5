#pragma once
/// \file
/// A simulator that keeps no state between events: at every instant it works out all rates from nothing, by the
/// definition, and goes to the next end. Random cases to compare it with. Header only; tests include it.

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>

#include "ayatori/flow/simulate.hpp"
#include "flow_fixtures.hpp"
#include "head_of_line.hpp"
#include "max_min.hpp"

namespace ayatori::test {

/// A job that begins at `phase`. Jobs have the same numbers for links, machines and NICs.
struct SlowJob {
  const Schedule& schedule;
  const Paths& paths;
  double phase = 0;
};

/// The models of simulate.hpp and side_by_side.hpp without any shortcut; the time that it needs grows with the square
/// of the number of messages.
class SlowDrift {
 public:
  SlowDrift(const Schedule& schedule, const Paths& paths, const FlowOptions& options)
      : SlowDrift({{schedule, paths}}, options) {}
  SlowDrift(std::vector<SlowJob> jobs, const FlowOptions& options) : jobs_(std::move(jobs)), options_(options) {
    for (std::size_t job = 0; job < jobs_.size(); ++job) {
      for (Rank p = 0; p < jobs_[job].schedule.participant_count(); ++p) {
        for (std::uint32_t s = 0; s < jobs_[job].schedule.stream_count(); ++s) programs_.push_back({job, p, s});
      }
    }
  }

  /// When each rank of the only job is done; nothing in a deadlock.
  std::optional<std::vector<double>> run() {
    while (true) {
      while (move()) {
      }
      if (is_done(0)) break;
      if (!advance_to_next_event()) return std::nullopt;
    }
    std::vector<double> ends(jobs_[0].schedule.call().ranks, 0);
    for (const Program& program : programs_) ends[program.rank] = std::max(ends[program.rank], program.end);
    return ends;
  }

  /// The mean time of each job's calls that begin when all have begun, until each job has ended one. No deadlock.
  std::vector<double> run_in_loops() {
    double all_begun = 0;
    for (const SlowJob& job : jobs_) all_begun = std::max(all_begun, job.phase);
    std::vector<double> begun;
    for (const SlowJob& job : jobs_) begun.push_back(job.phase);
    std::vector<std::vector<double>> times(jobs_.size());
    std::vector<bool> over(jobs_.size(), false);
    const auto has_none = [](const std::vector<double>& calls) { return calls.empty(); };
    while (true) {
      while (move()) {
      }
      bool again = false;
      for (std::size_t job = 0; job < jobs_.size(); ++job) {
        if (over[job] || !is_done(job)) continue;
        const double seconds = now_ - begun[job];
        over[job] = seconds <= 1e-12 * now_;
        if (over[job]) times[job] = {0};
        if (!over[job] && begun[job] >= all_begun * (1 - 1e-12)) times[job].push_back(seconds);
        if (over[job]) continue;
        begun[job] = now_;
        restart(job);
        again = true;
      }
      if (std::ranges::none_of(times, has_none)) break;
      if (!again) advance_to_next_event();
    }
    std::vector<double> means;
    for (const auto& calls : times) {
      means.push_back(std::accumulate(calls.begin(), calls.end(), 0.0) / static_cast<double>(calls.size()));
    }
    return means;
  }

 private:
  struct Program {
    std::size_t job;
    Rank rank;
    std::uint32_t stream;
    std::size_t step = 0;
    bool begun = false;
    double local_until = -1;
    bool done = false;
    double end = 0;
  };
  struct InFlight {
    std::size_t job;
    Rank from;
    Rank to;
    std::uint32_t stream;
    Bytes bytes = 0;
    std::optional<std::size_t> sender_step = {};
    std::optional<std::size_t> receiver_step = {};
    double starts = -1;  // when it begins to flow; negative: not known yet
    double left = 0;
    bool arrived = false;
  };

  [[nodiscard]] bool is_done(std::size_t job) const {
    return std::ranges::all_of(programs_, [&](const Program& p) { return p.job != job || p.done; });
  }

  void restart(std::size_t job) {
    for (Program& program : programs_) {
      if (program.job == job) program = {job, program.rank, program.stream};
    }
    std::erase_if(messages_, [&](const InFlight& message) { return message.job == job; });
  }

  [[nodiscard]] bool eager(const InFlight& message) const { return message.bytes <= options_.eager_limit; }

  [[nodiscard]] double delay(const InFlight& message) const {
    double delay = options_.overhead;
    const Paths& paths = jobs_[message.job].paths;
    if (paths.machine(message.from) == paths.machine(message.to)) return delay + options_.bus_latency;
    std::vector<std::uint32_t> links;
    paths.path(message.from, message.to, links);
    for (const auto link : links) delay += paths.latency(link);
    return delay;
  }

  [[nodiscard]] std::vector<std::uint32_t> constraints(const InFlight& message) const {
    const Paths& paths = jobs_[message.job].paths;
    const auto links = static_cast<std::uint32_t>(paths.link_count());
    const std::uint32_t a = paths.machine(message.from);
    const std::uint32_t b = paths.machine(message.to);
    if (a == b) return options_.bus > 0 ? std::vector<std::uint32_t>{links + 3 * a} : std::vector<std::uint32_t>{};
    std::vector<std::uint32_t> path;
    paths.path(message.from, message.to, path);
    if (options_.injection > 0) {
      path.push_back(links + 3 * paths.nic(message.from) + 1);
      path.push_back(links + 3 * paths.nic(message.to) + 2);
    }
    return path;
  }

  [[nodiscard]] std::vector<double> capacities() const {
    std::vector<double> capacity;
    const Paths& paths = jobs_[0].paths;
    std::uint32_t count = 0;
    for (const SlowJob& job : jobs_) count = std::max({count, job.paths.machine_count(), job.paths.nic_count()});
    for (std::uint32_t link = 0; link < paths.link_count(); ++link) capacity.push_back(paths.bytes_per_second(link));
    for (std::uint32_t number = 0; number < count; ++number) {
      capacity.insert(capacity.end(), {options_.bus, options_.injection, options_.injection});
    }
    return capacity;
  }

  template <typename Lacks>
  InFlight& find_or_make(std::size_t job, Rank from, Rank to, std::uint32_t stream, Lacks lacks) {
    for (InFlight& message : messages_) {
      const bool same = message.job == job && message.from == from && message.to == to && message.stream == stream;
      if (same && lacks(message)) return message;
    }
    messages_.push_back({job, from, to, stream});
    return messages_.back();
  }

  void begin(Program& program) {
    StepActions actions;
    const Schedule& schedule = jobs_[program.job].schedule;
    schedule.actions(program.rank, program.stream, program.step, actions);
    for (const Transfer& send : actions.sends) {
      InFlight& message = find_or_make(program.job, program.rank, send.peer, program.stream,
                                       [](const InFlight& m) { return !m.sender_step; });
      message.sender_step = program.step;
      message.bytes = bytes_of(schedule, program.rank, actions, send);
      message.left = static_cast<double>(message.bytes);
    }
    for (const Transfer& receive : actions.receives) {
      InFlight& message = find_or_make(program.job, receive.peer, program.rank, program.stream,
                                       [](const InFlight& m) { return !m.receiver_step; });
      message.receiver_step = program.step;
    }
    program.begun = true;
  }

  [[nodiscard]] bool step_is_over(const Program& program) const {
    return std::none_of(messages_.begin(), messages_.end(), [&](const InFlight& message) {
      if (message.job != program.job || message.stream != program.stream || message.arrived) return false;
      const bool sends = message.from == program.rank && message.sender_step == program.step && !eager(message);
      return sends || (message.to == program.rank && message.receiver_step == program.step);
    });
  }

  [[nodiscard]] double local_time(const Program& program) const {
    StepActions actions;
    const Schedule& schedule = jobs_[program.job].schedule;
    schedule.actions(program.rank, program.stream, program.step, actions);
    double seconds = 0;
    for (const auto& local : actions.locals) {
      const bool copies = local.kind == LocalOperation::Kind::copy;
      const double rate = copies ? options_.copy_bytes_per_second : options_.reduce_bytes_per_second;
      const auto bytes = static_cast<double>(schedule.slot_bytes(program.rank, local.from.first));
      if (rate > 0) seconds += bytes / rate;
    }
    return seconds;
  }

  /// Whatever can happen at this instant; false if nothing.
  bool move() {
    bool moved = false;
    for (Program& program : programs_) {
      if (program.done || jobs_[program.job].phase > now_ * (1 + 1e-12)) continue;
      if (program.step == jobs_[program.job].schedule.step_count(program.stream)) {
        program.done = true;
        program.end = now_;
        moved = true;
      } else if (!program.begun) {
        begin(program);
        moved = true;
      } else if (program.local_until < 0 && step_is_over(program)) {
        program.local_until = now_ + local_time(program);
        moved = true;
      } else if (program.local_until >= 0 && program.local_until <= now_ * (1 + 1e-12)) {
        program.local_until = -1;
        program.begun = false;
        ++program.step;
        moved = true;
      }
    }
    for (InFlight& message : messages_) {
      if (message.starts >= 0 || !message.sender_step || (!eager(message) && !message.receiver_step)) continue;
      message.starts = now_ + delay(message);
      moved = true;
    }
    for (InFlight& message : messages_) {
      if (message.arrived || !flows(message)) continue;
      if (message.left > 1e-9 && !constraints(message).empty()) continue;
      message.arrived = true;
      moved = true;
    }
    return moved;
  }

  [[nodiscard]] bool flows(const InFlight& message) const {
    return message.starts >= 0 && message.starts <= now_ * (1 + 1e-12) && !message.arrived;
  }

  bool advance_to_next_event() {
    std::vector<std::vector<std::uint32_t>> paths;
    std::vector<InFlight*> flowing;
    double next = INFINITY;
    for (InFlight& message : messages_) {
      if (flows(message)) {
        flowing.push_back(&message);
        paths.push_back(constraints(message));
      } else if (!message.arrived && message.starts > now_) {
        next = std::min(next, message.starts);
      }
    }
    for (const Program& program : programs_) {
      if (!program.done && program.local_until > now_) next = std::min(next, program.local_until);
    }
    for (const SlowJob& job : jobs_) {
      if (job.phase > now_) next = std::min(next, job.phase);
    }
    const auto rates =
        options_.head_of_line ? head_of_line_rates(capacities(), paths) : max_min_fair_rates(capacities(), paths);
    for (std::size_t i = 0; i < flowing.size(); ++i) next = std::min(next, now_ + flowing[i]->left / rates[i]);
    if (next == INFINITY) return false;
    for (std::size_t i = 0; i < flowing.size(); ++i) flowing[i]->left -= rates[i] * (next - now_);
    now_ = next;
    return true;
  }

  std::vector<SlowJob> jobs_;
  FlowOptions options_;
  std::deque<InFlight> messages_;
  std::vector<Program> programs_;
  double now_ = 0;
};

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
  return links;
}

inline ListedPaths random_paths(Random& random, Rank ranks) {
  return random_paths_on(random_links(random), random, ranks, ranks);
}

/// Random messages, whose send and receive stand in the same step; sometimes a receive comes a step later.
inline ListedSchedule random_schedule(Random& random, Rank ranks) {
  ListedSchedule::Steps streams;
  for (std::uint64_t s = 1 + random.below(2); s > 0; --s) {
    const std::size_t steps = 1 + random.below(6);
    std::vector<std::map<Rank, RankStep>> listed(steps + 1);
    for (std::size_t step = 0; step < steps; ++step) {
      for (std::uint64_t messages = random.below(2 * ranks); messages > 0; --messages) {
        const Rank from = static_cast<Rank>(random.below(ranks));
        const Rank to = static_cast<Rank>(random.below(ranks));
        if (from == to) continue;
        listed[step][from].sends.emplace_back(to, random.below(5) * 100);
        listed[step + (random.below(8) == 0 ? 1 : 0)][to].receives.push_back(from);
      }
      if (random.below(3) == 0) listed[step][static_cast<Rank>(random.below(ranks))].reduces = 50;
      if (random.below(3) == 0) listed[step][static_cast<Rank>(random.below(ranks))].copies = 70;
    }
    streams.push_back(listed);
  }
  return {ranks, streams};
}

inline FlowOptions random_options(Random& random) {
  FlowOptions options;
  options.eager_limit = random.below(3) * 150;
  options.overhead = random.below(2) == 0 ? 0 : 0.25;
  options.injection = random.below(2) == 0 ? 0 : 150;
  options.bus = random.below(2) == 0 ? 0 : 250;
  options.bus_latency = random.below(2) == 0 ? 0 : 0.125;
  options.reduce_bytes_per_second = random.below(2) == 0 ? 0 : 100;
  options.copy_bytes_per_second = random.below(2) == 0 ? 0 : 140;
  return options;
}

}  // namespace ayatori::test
