#include "ayatori/flow/side_by_side.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

#include "ayatori/base/parallel.hpp"
#include "drifting_schedule.hpp"
#include "joined_paths.hpp"
#include "modes.hpp"

namespace ayatori {

namespace {

/// Tokens of phases have numbers above those of all schedules.
constexpr std::uint32_t phase_number = DriftingSchedule::max_number;

JoinedPaths joined(std::span<const JobSideBySide> jobs) {
  std::vector<const Paths*> paths;
  std::vector<Rank> ranks;
  for (const JobSideBySide& job : jobs) {
    paths.push_back(&job.paths);
    ranks.push_back(job.schedule.call().ranks);
  }
  return {std::move(paths), ranks};
}

class SideBySide {
 public:
  SideBySide(std::span<const JobSideBySide> jobs, const FlowOptions& options)
      : paths_(joined(jobs)), resources_(paths_, options), traffic_(resources_, options) {
    for (std::uint32_t number = 0; number < jobs.size(); ++number) {
      const JobSideBySide& job = jobs[number];
      loops_.emplace_back(DriftingSchedule(job.schedule, options, traffic_, paths_.placement(number), number), job);
      untimed_left_ += job.is_timed ? 1 : 0;
    }
    waiting_ = jobs.size();
  }

  Result<std::vector<TimeSideBySide>> run() {
    for (std::uint32_t number = 0; number < loops_.size(); ++number) {
      traffic_.start_timer(loops_[number].phase, phase_token(number));
    }
    std::vector<Token> completed;
    while (untimed_left_ != 0 && traffic_.advance(completed)) {
      for (const Token token : completed) complete(token);
      for (std::uint32_t number = 0; number < loops_.size(); ++number) {
        if (auto advanced = advance(number); !advanced) return of_job(number, advanced.error());
      }
    }
    if (auto moves = traffic_.check_packets(); untimed_left_ != 0 && !moves) return Failure(moves.error());
    std::vector<TimeSideBySide> times;
    for (const Loop& loop : loops_) times.push_back(time_of(loop));
    return times;
  }

 private:
  /// A job that repeats its schedule.
  struct Loop {
    Loop(DriftingSchedule drifting_schedule, const JobSideBySide& job)
        : drifting(std::move(drifting_schedule)), phase(job.phase), is_timed(job.is_timed) {}

    DriftingSchedule drifting;
    double phase;
    bool is_timed;
    bool is_under_way = false;
    bool is_over = false;  // it is not repeated any more
    double begun = 0;      // the call under way, or the last one
    double sum = 0;        // seconds of the calls that count
    std::uint64_t calls = 0;
  };

  static Token phase_token(std::uint32_t number) { return (Token{phase_number} << 40) | number; }

  void complete(Token token) {
    const std::uint32_t number = DriftingSchedule::number_of(token);
    if (number != phase_number) return loops_[number].drifting.complete(token);
    begin_first_call(loops_[static_cast<std::uint32_t>(token)]);
  }

  void begin_first_call(Loop& loop) {
    begin(loop);
    if (--waiting_ == 0) counting_from_ = traffic_.now();
  }

  void begin(Loop& loop) {
    loop.begun = traffic_.now();
    loop.is_under_way = true;
    loop.drifting.begin();
  }

  /// Lets a job go on that has something to do now; its next call begins at the instant in which one ends.
  Result<> advance(std::uint32_t number) {
    Loop& loop = loops_[number];
    while (loop.is_under_way) {
      if (auto advanced = loop.drifting.advance(); !advanced) return advanced;
      if (!loop.drifting.has_ended()) return {};
      if (!loop.drifting.is_quiet()) return fail("when the call ends, messages are left that no rank receives");
      loop.is_under_way = false;
      note_call(loop);
      if (!loop.is_over) begin(loop);
    }
    return {};
  }

  void note_call(Loop& loop) {
    const double seconds = traffic_.now() - loop.begun;
    loop.is_over = seconds == 0;
    if (loop.begun < counting_from_ && !loop.is_over) return;
    loop.sum += seconds;
    if (++loop.calls == 1 && loop.is_timed) --untimed_left_;
  }

  [[nodiscard]] static TimeSideBySide time_of(const Loop& loop) {
    if (!loop.is_timed || loop.calls == 0) return {};
    return {loop.sum / static_cast<double>(loop.calls), loop.calls};
  }

  [[nodiscard]] static Failure of_job(std::uint32_t number, Error error) {
    error.message = fmt::format("job {}: {}", number, error.message);
    return Failure(std::move(error));
  }

  JoinedPaths paths_;
  Resources resources_;
  Traffic traffic_;
  std::deque<Loop> loops_;   // by number of the job
  std::size_t waiting_ = 0;  // jobs that have not begun
  double counting_from_ = std::numeric_limits<double>::infinity();
  std::size_t untimed_left_ = 0;  // timed jobs of which no call that counts has ended
};

Result<> check(std::span<const JobSideBySide> jobs) {
  const auto is_timed = [](const JobSideBySide& job) { return job.is_timed; };
  if (std::ranges::none_of(jobs, is_timed)) return fail("no job is to be timed");
  if (jobs.size() > DriftingSchedule::max_number) return fail("{} jobs are too many", jobs.size());
  for (const JobSideBySide& job : jobs) {
    if (!std::isfinite(job.phase) || job.phase < 0) return fail("a job can't begin after {} seconds", job.phase);
    if (auto fits = check_participants(job.schedule, job.paths); !fits) return fits;
  }
  return {};
}

}  // namespace

Result<std::vector<TimeSideBySide>> simulate_side_by_side(std::span<const JobSideBySide> jobs,
                                                          const FlowOptions& options) {
  if (auto checked = check_options(options); !checked) return Failure(checked.error());
  FlowOptions drifting = options;
  drifting.steps = StepMode::drift;
  for (const JobSideBySide& job : jobs) {
    if (auto checked = check_split(job.paths, drifting); !checked) return Failure(checked.error());
  }
  if (auto checked = check(jobs); !checked) return Failure(checked.error());
  return SideBySide(jobs, options).run();
}

std::vector<Result<std::vector<TimeSideBySide>>> simulate_all_side_by_side(
    std::span<const std::vector<JobSideBySide>> runs, const FlowOptions& options) {
  std::vector<Result<std::vector<TimeSideBySide>>> times(runs.size());
  parallel_for({.count = runs.size()}, [&](std::size_t i) { times[i] = simulate_side_by_side(runs[i], options); });
  return times;
}

std::vector<double> seconds_on_links(const Schedule& schedule, const Paths& paths) {
  const Resources resources(paths, {});
  std::vector<double> seconds(paths.link_count(), 0);
  Route route;
  StepActions actions;
  const auto add = [&](Rank from, Rank to, Bytes bytes) {
    const std::uint32_t parts = resources.part_count(from, to, bytes);
    for (std::uint32_t part = 0; part < parts; ++part) {
      resources.find_route(from, to, bytes, part, route);
      const auto flowing = static_cast<double>(bytes_of_part(bytes, parts, part));
      for (const Constraint link : route.path.links) seconds[link] += flowing / resources.capacity()[link];
    }
  };
  for (std::uint32_t stream = 0; stream < schedule.stream_count(); ++stream) {
    for (std::size_t step = 0; step < schedule.step_count(stream); ++step) {
      for (Rank from = 0; from < schedule.participant_count(); ++from) {
        schedule.actions(from, stream, step, actions);
        for (const Transfer& send : actions.sends) add(from, send.peer, bytes_of(schedule, from, actions, send));
      }
    }
  }
  return seconds;
}

}  // namespace ayatori
