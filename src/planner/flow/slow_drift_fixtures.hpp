#pragma once
/// \file
/// A simulator that keeps no state between events: at every instant it works out all rates from nothing, by the
/// definition, and goes to the next end. Header only; tests include it.

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <optional>

#include "ayatori/flow/simulate.hpp"
#include "flow_fixtures.hpp"
#include "rates_fixtures.hpp"

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
    for (double& end : ends) end += options_.costs.start;
    return ends;
  }

  /// Whether two messages could leave a NIC, or begin to flow on a connection, at the same time: which of them is first
  /// is left open.
  [[nodiscard]] bool order_is_open() const { return order_is_open_; }

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
  struct Part {
    PartPath path = {};
    double starts = 0;  // when it begins to flow, or to wait for those before it on its connection
    double left = 0;    // bytes
    bool arrived = false;
  };
  struct InFlight {
    std::size_t job;
    Rank from;
    Rank to;
    std::uint32_t stream;
    Bytes bytes = 0;
    std::optional<std::size_t> sender_step = {};
    std::optional<std::size_t> receiver_step = {};
    double sent_at = -1;           // when the sender's processor is done; negative: not known yet
    std::vector<Part> parts = {};  // none: it has not left yet
    bool arrived = false;
    double received_at = -1;  // when the receiver's processor is done; negative: not known yet
  };
  struct Outlet {
    double last_asked = -1;
    double free_from = 0;
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

  [[nodiscard]] bool same_machine(const InFlight& message) const {
    const Paths& paths = jobs_[message.job].paths;
    return paths.machine(message.from) == paths.machine(message.to);
  }
  [[nodiscard]] const MessageCosts& costs(const InFlight& message) const {
    return same_machine(message) ? options_.costs.inside : options_.costs.between;
  }
  [[nodiscard]] bool eager(const InFlight& message) const { return message.bytes <= costs(message).eager_limit; }
  [[nodiscard]] bool over(double time) const { return time >= 0 && time <= now_ * (1 + 1e-12); }

  /// A straight line for each size, by its definition.
  static double line(const SizeCost& cost, Bytes bytes) {
    double seconds = 0;
    for (const auto& [from, fixed, per_byte] : cost) {
      if (bytes >= from) seconds = fixed + per_byte * static_cast<double>(bytes);
    }
    return seconds;
  }

  /// When the rank's processor is done with what it is asked for now.
  double busy_until(std::size_t job, Rank rank, double seconds) {
    if (seconds == 0) return now_;
    double& until = busy_[{job, rank}];
    until = std::max(until, now_) + seconds;
    return until;
  }

  /// When a message that could leave now leaves.
  double leaves(const InFlight& message) {
    if (costs(message).gap == 0) return now_;
    const bool inside = same_machine(message);
    const std::uint32_t number = inside ? message.from : jobs_[message.job].paths.nic(message.from);
    Outlet& outlet = outlets_[{inside ? message.job + 1 : 0, number}];
    order_is_open_ |= outlet.last_asked == now_;
    outlet.last_asked = now_;
    const double at = std::max(outlet.free_from, now_);
    outlet.free_from = at + costs(message).gap;
    return at;
  }

  /// Cuts a message into parts that begin to flow when they have waited.
  void depart(InFlight& message) {
    const Paths& paths = jobs_[message.job].paths;
    const double leaves_at =
        leaves(message) + costs(message).latency + (eager(message) ? 0 : costs(message).rendezvous);
    Bytes left = message.bytes;
    Bytes parts = same_machine(message) ? 1 : paths.part_count(message.from, message.to);
    for (std::uint32_t number = 0; parts > 0; ++number, --parts) {
      Part& part = message.parts.emplace_back();
      const Bytes bytes = (left + parts - 1) / parts;
      if (bytes == 0 && number > 0) part.arrived = true;
      part.left = static_cast<double>(bytes);
      if (bytes > 0 && !same_machine(message)) part.left += static_cast<double>(costs(message).header);
      left -= bytes;
      part.starts = leaves_at;
      if (same_machine(message)) continue;
      paths.part(number, message.from, message.to, part.path);
      for (const auto link : part.path.links) part.starts += paths.latency(link);
    }
  }

  [[nodiscard]] std::vector<std::uint32_t> constraints(const InFlight& message, const Part& part) const {
    const Paths& paths = jobs_[message.job].paths;
    const auto links = static_cast<std::uint32_t>(paths.link_count());
    if (same_machine(message)) {
      const std::uint32_t bus = links + 3 * paths.machine(message.from);
      return options_.costs.inside.bandwidth > 0 ? std::vector<std::uint32_t>{bus} : std::vector<std::uint32_t>{};
    }
    std::vector<std::uint32_t> all = part.path.links;
    if (options_.costs.between.bandwidth > 0) {
      all.push_back(links + 3 * part.path.from_nic + 1);
      all.push_back(links + 3 * part.path.to_nic + 2);
    }
    return all;
  }

  [[nodiscard]] std::vector<double> capacities() const {
    std::vector<double> capacity;
    const Paths& paths = jobs_[0].paths;
    std::uint32_t count = 0;
    for (const SlowJob& job : jobs_) count = std::max({count, job.paths.machine_count(), job.paths.nic_count()});
    for (std::uint32_t link = 0; link < paths.link_count(); ++link) capacity.push_back(paths.bytes_per_second(link));
    for (std::uint32_t number = 0; number < count; ++number) {
      const double injection = options_.costs.between.bandwidth;
      capacity.insert(capacity.end(), {options_.costs.inside.bandwidth, injection, injection});
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
    for (const Transfer& receive : actions.receives) {
      InFlight& message = find_or_make(program.job, receive.peer, program.rank, program.stream,
                                       [](const InFlight& m) { return !m.receiver_step; });
      message.receiver_step = program.step;
      depart_if_ready(message);
      receive_if_there(message);
    }
    for (const Transfer& send : actions.sends) {
      InFlight& message = find_or_make(program.job, program.rank, send.peer, program.stream,
                                       [](const InFlight& m) { return !m.sender_step; });
      message.sender_step = program.step;
      message.bytes = bytes_of(schedule, program.rank, actions, send);
      message.sent_at = busy_until(program.job, program.rank, line(costs(message).send, message.bytes));
    }
    program.begun = true;
  }

  [[nodiscard]] bool step_is_over(const Program& program) const {
    return std::none_of(messages_.begin(), messages_.end(), [&](const InFlight& message) {
      if (message.job != program.job || message.stream != program.stream) return false;
      const bool sends = message.from == program.rank && message.sender_step == program.step;
      const bool receives = message.to == program.rank && message.receiver_step == program.step;
      return (sends && !over(eager(message) ? message.sent_at : message.received_at)) ||
             (receives && !over(message.received_at));
    });
  }

  /// Of operations of one slot.
  static bool is_sent(const StepActions& actions, Slot slot) {
    for (const Transfer& send : actions.sends) {
      for (std::uint32_t i = 0; i < send.range_count; ++i) {
        const SlotRange& range = actions.ranges[send.first_range + i];
        if (slot >= range.first && slot < range.first + range.count) return true;
      }
    }
    return false;
  }

  [[nodiscard]] double local_time(const Program& program) const {
    StepActions actions;
    const Schedule& schedule = jobs_[program.job].schedule;
    schedule.actions(program.rank, program.stream, program.step, actions);
    double seconds = 0;
    for (const auto& local : actions.locals) {
      const bool copies = local.kind == LocalOperation::Kind::copy;
      const Bytes bytes = schedule.slot_bytes(program.rank, local.from.first);
      seconds += line(copies ? options_.costs.copy : options_.costs.reduce, bytes);
      if (!copies && is_sent(actions, local.to)) seconds += line(options_.costs.cache_refill, bytes);
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
        program.local_until = busy_until(program.job, program.rank, local_time(program));
        moved = true;
      } else if (over(program.local_until)) {
        program.local_until = -1;
        program.begun = false;
        ++program.step;
        moved = true;
      }
    }
    for (InFlight& message : messages_) moved |= depart_if_ready(message);
    for (InFlight& message : messages_) moved |= arrive_if_flowed(message);
    for (InFlight& message : messages_) moved |= receive_if_there(message);
    return moved;
  }

  bool depart_if_ready(InFlight& message) {
    if (!message.parts.empty() || !over(message.sent_at) || (!eager(message) && !message.receiver_step)) return false;
    depart(message);
    return true;
  }

  bool arrive_if_flowed(InFlight& message) {
    bool moved = false;
    for (Part& part : message.parts) {
      if (part.arrived || !flows(message, part) || (part.left > 1e-9 && !constraints(message, part).empty())) continue;
      part.arrived = true;
      moved = true;
    }
    const auto has_arrived = [](const Part& part) { return part.arrived; };
    message.arrived = !message.parts.empty() && std::ranges::all_of(message.parts, has_arrived);
    return moved;
  }

  bool receive_if_there(InFlight& message) {
    if (!message.arrived || !message.receiver_step || message.received_at >= 0) return false;
    message.received_at = busy_until(message.job, message.to, line(costs(message).receive, message.bytes));
    return true;
  }

  [[nodiscard]] bool needs_time(const InFlight& message, const Part& part) const {
    return part.left > 1e-9 && !constraints(message, part).empty();
  }

  [[nodiscard]] bool flows(const InFlight& message, const Part& part) {
    return over(part.starts) && !part.arrived && (!needs_time(message, part) || is_first_in_queue(message, part));
  }

  /// None is before it on its connection.
  [[nodiscard]] bool is_first_in_queue(const InFlight& message, const Part& part) {
    if (!options_.in_order) return true;
    const auto number = static_cast<std::size_t>(&part - message.parts.data());
    bool is_after_this = false;
    for (const InFlight& other : messages_) {
      if (&other == &message) is_after_this = true;
      const bool same_ends = other.job == message.job && other.from == message.from && other.to == message.to;
      if (&other == &message || !same_ends || other.parts.size() <= number) continue;
      const Part& its = other.parts[number];
      if (its.arrived || !over(its.starts) || !needs_time(other, its)) continue;
      const bool at_once = std::abs(its.starts - part.starts) <= 1e-11 * now_;
      order_is_open_ |= at_once && (other.stream != message.stream || eager(other) != eager(message));
      if (at_once ? !is_after_this : its.starts < part.starts) return false;
    }
    return true;
  }

  bool advance_to_next_event() {
    std::vector<std::vector<std::uint32_t>> paths;
    std::vector<Part*> flowing;
    double next = INFINITY;
    for (InFlight& message : messages_) {
      for (Part& part : message.parts) {
        if (flows(message, part)) {
          flowing.push_back(&part);
          paths.push_back(constraints(message, part));
        } else if (!part.arrived && !over(part.starts)) {
          next = std::min(next, part.starts);
        }
      }
      for (const double time : {message.sent_at, message.received_at}) {
        if (time > now_ && !over(time)) next = std::min(next, time);
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
  std::map<std::pair<std::size_t, Rank>, double> busy_;              // until when a job's rank's processor is
  std::map<std::pair<std::size_t, std::uint32_t>, Outlet> outlets_;  // 0 and a NIC, or job + 1 and a rank
  bool order_is_open_ = false;
  double now_ = 0;
};

}  // namespace ayatori::test
