/// The simulator against one that keeps no state between events: at every instant it works out all rates from nothing,
/// by the definition, and goes to the next end.

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <optional>

#include "ayatori/flow/simulate.hpp"
#include "flow_fixtures.hpp"
#include "head_of_line.hpp"
#include "max_min.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

namespace ayatori {
namespace {

using test::ListedPaths;
using test::ListedSchedule;
using test::RankStep;

/// The model of simulate.hpp without any shortcut; its time grows with the square of the number of messages.
class SlowDrift {
 public:
  SlowDrift(const Schedule& schedule, const Paths& paths, const FlowOptions& options)
      : schedule_(schedule), paths_(paths), options_(options) {
    for (Rank p = 0; p < schedule.participant_count(); ++p) {
      for (std::uint32_t s = 0; s < schedule.stream_count(); ++s) programs_.push_back({p, s});
    }
  }

  /// When each rank is done; nothing in a deadlock.
  std::optional<std::vector<double>> run() {
    while (true) {
      while (move()) {
      }
      if (std::all_of(programs_.begin(), programs_.end(), [](const Program& p) { return p.done; })) break;
      if (!advance_to_next_event()) return std::nullopt;
    }
    std::vector<double> ends(schedule_.call().ranks, 0);
    for (const Program& program : programs_) ends[program.rank] = std::max(ends[program.rank], program.end);
    return ends;
  }

 private:
  struct Program {
    Rank rank;
    std::uint32_t stream;
    std::size_t step = 0;
    bool begun = false;
    double local_until = -1;
    bool done = false;
    double end = 0;
  };
  struct InFlight {
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

  [[nodiscard]] bool eager(const InFlight& message) const { return message.bytes <= options_.eager_limit; }

  [[nodiscard]] double delay(const InFlight& message) const {
    double delay = options_.overhead;
    if (paths_.machine(message.from) == paths_.machine(message.to)) return delay + options_.bus_latency;
    std::vector<std::uint32_t> links;
    paths_.path(message.from, message.to, links);
    for (const auto link : links) delay += paths_.latency(link);
    return delay;
  }

  [[nodiscard]] std::vector<std::uint32_t> constraints(const InFlight& message) const {
    const auto links = static_cast<std::uint32_t>(paths_.link_count());
    const std::uint32_t a = paths_.machine(message.from);
    const std::uint32_t b = paths_.machine(message.to);
    if (a == b) return options_.bus > 0 ? std::vector<std::uint32_t>{links + 3 * a} : std::vector<std::uint32_t>{};
    std::vector<std::uint32_t> path;
    paths_.path(message.from, message.to, path);
    if (options_.injection > 0) {
      path.push_back(links + 3 * paths_.nic(message.from) + 1);
      path.push_back(links + 3 * paths_.nic(message.to) + 2);
    }
    return path;
  }

  [[nodiscard]] std::vector<double> capacities() const {
    std::vector<double> capacity;
    for (std::uint32_t link = 0; link < paths_.link_count(); ++link) capacity.push_back(paths_.bytes_per_second(link));
    for (std::uint32_t nic = 0; nic < 2 * paths_.participant_count(); ++nic) {
      capacity.insert(capacity.end(), {options_.bus, options_.injection, options_.injection});
    }
    return capacity;
  }

  template <typename Lacks>
  InFlight& find_or_make(Rank from, Rank to, std::uint32_t stream, Lacks lacks) {
    for (InFlight& message : messages_) {
      if (message.from == from && message.to == to && message.stream == stream && lacks(message)) return message;
    }
    messages_.push_back({from, to, stream});
    return messages_.back();
  }

  void begin(Program& program) {
    StepActions actions;
    schedule_.actions(program.rank, program.stream, program.step, actions);
    for (const Transfer& send : actions.sends) {
      InFlight& message =
          find_or_make(program.rank, send.peer, program.stream, [](const InFlight& m) { return !m.sender_step; });
      message.sender_step = program.step;
      message.bytes = bytes_of(schedule_, program.rank, actions, send);
      message.left = static_cast<double>(message.bytes);
    }
    for (const Transfer& receive : actions.receives) {
      InFlight& message =
          find_or_make(receive.peer, program.rank, program.stream, [](const InFlight& m) { return !m.receiver_step; });
      message.receiver_step = program.step;
    }
    program.begun = true;
  }

  [[nodiscard]] bool step_is_over(const Program& program) const {
    return std::none_of(messages_.begin(), messages_.end(), [&](const InFlight& message) {
      if (message.stream != program.stream || message.arrived) return false;
      const bool sends = message.from == program.rank && message.sender_step == program.step && !eager(message);
      return sends || (message.to == program.rank && message.receiver_step == program.step);
    });
  }

  [[nodiscard]] double local_time(const Program& program) const {
    StepActions actions;
    schedule_.actions(program.rank, program.stream, program.step, actions);
    double seconds = 0;
    for (const auto& local : actions.locals) {
      const bool copies = local.kind == LocalOperation::Kind::copy;
      const double rate = copies ? options_.copy_bytes_per_second : options_.reduce_bytes_per_second;
      const auto bytes = static_cast<double>(schedule_.slot_bytes(program.rank, local.from.first));
      if (rate > 0) seconds += bytes / rate;
    }
    return seconds;
  }

  /// Whatever can happen at this instant; false if nothing.
  bool move() {
    bool moved = false;
    for (Program& program : programs_) {
      if (program.done) continue;
      if (program.step == schedule_.step_count(program.stream)) {
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
    const auto rates =
        options_.head_of_line ? head_of_line_rates(capacities(), paths) : max_min_fair_rates(capacities(), paths);
    for (std::size_t i = 0; i < flowing.size(); ++i) next = std::min(next, now_ + flowing[i]->left / rates[i]);
    if (next == INFINITY) return false;
    for (std::size_t i = 0; i < flowing.size(); ++i) flowing[i]->left -= rates[i] * (next - now_);
    now_ = next;
    return true;
  }

  const Schedule& schedule_;
  const Paths& paths_;
  const FlowOptions& options_;
  std::deque<InFlight> messages_;
  std::vector<Program> programs_;
  double now_ = 0;
};

/// Random links and random loop-free paths over them; some ranks share a machine, and then perhaps its NIC.
ListedPaths random_paths(Random& random, Rank ranks) {
  std::vector<double> rates;
  std::vector<double> latencies;
  const std::size_t links = 2 + random.below(8);
  for (std::size_t link = 0; link < links; ++link) {
    rates.push_back(100.0 * static_cast<double>(1 + random.below(4)));
    latencies.push_back(random.below(2) == 0 ? 0 : 0.1 * static_cast<double>(random.below(10)));
  }
  std::vector<std::uint32_t> machines;
  for (Rank r = 0; r < ranks; ++r) machines.push_back(static_cast<std::uint32_t>(random.below(ranks)));
  std::map<std::pair<Rank, Rank>, std::vector<std::uint32_t>> paths;
  for (Rank a = 0; a < ranks; ++a) {
    for (Rank b = 0; b < ranks; ++b) {
      if (machines[a] == machines[b]) continue;
      std::vector<std::uint32_t> path(links);
      std::iota(path.begin(), path.end(), 0U);
      random.shuffle(std::span(path));
      path.resize(1 + random.below(std::min<std::size_t>(4, links)));
      paths[{a, b}] = path;
    }
  }
  ListedPaths listed(rates, machines, paths, latencies);
  for (const std::uint32_t machine : machines)
    listed.nics.push_back(2 * machine + static_cast<std::uint32_t>(random.below(2)));
  return listed;
}

/// Random messages, whose send and receive stand in the same step; sometimes a receive comes a step later.
ListedSchedule random_schedule(Random& random, Rank ranks) {
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

FlowOptions random_options(Random& random) {
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

TEST(Simulate, DriftEqualsASlowReferenceForRandomSchedules) {
  std::size_t deadlocks = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto ranks = static_cast<Rank>(2 + random.below(7));
    const ListedPaths paths = random_paths(random, ranks);
    const ListedSchedule schedule = random_schedule(random, ranks);
    FlowOptions options = random_options(random);
    // With head-of-line blocking the position of a constraint in the route matters, and here injection limits have
    // another position than in the simulator.
    options.head_of_line = options.injection == 0 && random.below(3) == 0;
    const auto expected = SlowDrift(schedule, paths, options).run();
    const auto prediction = simulate(schedule, paths, options);
    ASSERT_EQ(prediction.has_value(), expected.has_value());
    deadlocks += !prediction;
    if (!prediction) continue;
    for (Rank rank = 0; rank < ranks; ++rank) {
      EXPECT_NEAR(prediction->rank_seconds[rank], (*expected)[rank], 1e-9 * (1 + prediction->seconds)) << rank;
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(deadlocks, 0U);
  EXPECT_LT(deadlocks, 200U);
}

/// A step of a synchronous run is a schedule of one step that drifts: counting loads is exact whenever it is used.
TEST(Simulate, ASynchronousRunIsTheSumOfItsSteps) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto ranks = static_cast<Rank>(2 + random.below(7));
    const ListedPaths paths = random_paths(random, ranks);
    const bool one_size = random.below(2) == 0;
    std::vector<std::map<Rank, RankStep>> steps(1 + random.below(4));
    double sum = 0;
    FlowOptions options = random_options(random);
    options.head_of_line = random.below(3) == 0;
    for (auto& step : steps) {
      for (std::uint64_t messages = random.below(3 * ranks); messages > 0; --messages) {
        const Rank from = static_cast<Rank>(random.below(ranks));
        const Rank to = static_cast<Rank>(random.below(ranks));
        if (from == to) continue;
        step[from].sends.emplace_back(to, one_size ? 300 : random.below(5) * 100);
        step[to].receives.push_back(from);
      }
      options.steps = StepMode::drift;
      const ListedSchedule alone(ranks, {step});
      // The receiver of the last message waits for it, whether it is eager or not.
      sum += simulate(alone, paths, options).value().seconds;
    }
    options.steps = StepMode::synchronous;
    EXPECT_NEAR(simulate(ListedSchedule(ranks, steps), paths, options).value().seconds, sum, 1e-9 * (1 + sum));
    if (HasFailure()) return;
  }
}

TEST(Simulate, LinksCarryTheBytesOfTheMessagesOverThem) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Rank ranks = 6;
    ListedPaths paths = random_paths(random, ranks);
    std::iota(paths.machines.begin(), paths.machines.end(), 0U);
    paths.nics.clear();
    std::map<std::uint32_t, Bytes> expected;
    Bytes network_bytes = 0;
    for (Rank a = 0; a < ranks; ++a) {
      for (Rank b = 0; b < ranks; ++b) {
        if (a == b) continue;
        network_bytes += 777;
        for (const auto link : paths.paths[{a, b}]) expected[link] += 777;
      }
    }
    for (const StepMode mode : {StepMode::drift, StepMode::synchronous}) {
      FlowOptions options;
      options.steps = mode;
      const Prediction prediction = simulate(test::shift_schedule(ranks, 777), paths, options).value();
      EXPECT_EQ(prediction.network_bytes, network_bytes);
      EXPECT_EQ(prediction.messages, ranks * (ranks - 1));
      std::map<std::uint32_t, Bytes> carried;
      for (const HotLinkTime& link : prediction.hot_links) {
        carried[link.link] = link.bytes;
        EXPECT_LE(link.busy, 1 + 1e-9);
        EXPECT_LE(link.saturated, 1 + 1e-9);
        if (mode == StepMode::drift) {
          EXPECT_GE(link.busy, link.saturated - 1e-9);
        }
      }
      EXPECT_EQ(carried, expected);
    }
  }
}

#ifdef _OPENMP
TEST(Simulate, SynchronousPredictionsAreTheSameForAnyNumberOfThreads) {
  Random random(5);
  const Rank ranks = 300;
  ListedPaths paths = test::one_switch(ranks, 1e9, 1e-7);
  for (double& rate : paths.rates) rate *= 0.5 + random.fraction();
  FlowOptions options;
  options.steps = StepMode::synchronous;
  const ListedSchedule schedule = test::shift_schedule(ranks, 1000);
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const Prediction one = simulate(schedule, paths, options).value();
  omp_set_num_threads(4);
  const Prediction four = simulate(schedule, paths, options).value();
  omp_set_num_threads(threads);
  EXPECT_EQ(one.seconds, four.seconds);
  EXPECT_EQ(one.rank_seconds, four.rank_seconds);
  ASSERT_EQ(one.hot_links.size(), four.hot_links.size());
  for (std::size_t i = 0; i < one.hot_links.size(); ++i) {
    EXPECT_EQ(one.hot_links[i].link, four.hot_links[i].link);
    EXPECT_EQ(one.hot_links[i].busy, four.hot_links[i].busy);
    EXPECT_EQ(one.hot_links[i].saturated, four.hot_links[i].saturated);
  }
}
#endif

}  // namespace
}  // namespace ayatori
