#pragma once
/// \file
/// Schedules and paths for tests, written out by hand or drawn at random. Header only; tests include it.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ayatori/base/random.hpp"
#include "ayatori/flow/paths.hpp"
#include "ayatori/flow/simulate.hpp"
#include "ayatori/schedule/schedule.hpp"
#include "wrapped_paths.hpp"

namespace ayatori::test {

/// What one participant does in one step.
struct RankStep {
  std::vector<std::pair<Rank, Bytes>> sends = {};
  std::vector<Rank> receives = {};
  Bytes reduces = 0;
  Bytes copies = 0;
  Slot reduced = 0;  ///< the slot that a reduction replaces; slot B is what messages of B bytes send
};

/// Steps that are listed: by stream, step, participant. Every message has its size as a slot of its own.
class ListedSchedule final : public Schedule {
 public:
  using Steps = std::vector<std::vector<std::map<Rank, RankStep>>>;

  ListedSchedule(Rank ranks, Steps streams) : streams_(std::move(streams)) { call_.ranks = ranks; }
  ListedSchedule(Rank ranks, std::vector<std::map<Rank, RankStep>> steps)
      : ListedSchedule(ranks, Steps{std::move(steps)}) {}

  [[nodiscard]] const CollectiveCall& call() const override { return call_; }
  [[nodiscard]] std::uint32_t stream_count() const override { return static_cast<std::uint32_t>(streams_.size()); }
  [[nodiscard]] std::size_t step_count(std::uint32_t stream) const override { return streams_[stream].size(); }
  [[nodiscard]] Slot slot_count() const override { return 1U << 30; }
  [[nodiscard]] Bytes slot_bytes(Rank, Slot slot) const override { return slot; }

  void actions(Rank participant, std::uint32_t stream, std::size_t step, StepActions& actions) const override {
    actions.clear();
    const auto at = streams_[stream][step].find(participant);
    if (at == streams_[stream][step].end()) return;
    for (const auto& [to, bytes] : at->second.sends) actions.send(to, SlotRange{static_cast<Slot>(bytes), 1});
    for (const Rank from : at->second.receives) actions.receive(from, SlotRange{0, 1});
    if (at->second.copies != 0) actions.copy(SlotRange{static_cast<Slot>(at->second.copies), 1}, 0);
    if (at->second.reduces != 0)
      actions.reduce(SlotRange{static_cast<Slot>(at->second.reduces), 1}, at->second.reduced);
  }

 private:
  CollectiveCall call_;
  Steps streams_;
};

/// In every step rank r sends to `to(r, step)` if that is another rank, and receives from the ranks that send to it.
inline std::vector<std::map<Rank, RankStep>> exchanges(Rank ranks, std::size_t steps, Bytes bytes,
                                                       const std::function<Rank(Rank, std::size_t)>& to) {
  std::vector<std::map<Rank, RankStep>> listed(steps);
  for (std::size_t step = 0; step < steps; ++step) {
    for (Rank from = 0; from < ranks; ++from) {
      const Rank peer = to(from, step);
      if (peer == from) continue;
      listed[step][from].sends.emplace_back(peer, bytes);
      listed[step][peer].receives.push_back(from);
    }
  }
  return listed;
}

inline ListedSchedule shift_schedule(Rank ranks, Bytes bytes) {
  return {ranks, exchanges(ranks, ranks - 1, bytes,
                           [ranks](Rank r, std::size_t s) { return static_cast<Rank>((r + s + 1) % ranks); })};
}

/// Links that are listed, and the path of each pair; those not listed take no link.
struct ListedPaths final : Paths {
  std::vector<double> rates = {};
  std::vector<std::uint32_t> machines = {};
  std::map<std::pair<Rank, Rank>, std::vector<std::uint32_t>> paths = {};
  std::vector<double> latencies = {};                                 ///< empty: 0
  std::vector<std::uint32_t> nics = {};                               ///< empty: one a machine
  std::map<std::pair<Rank, Rank>, std::vector<PartPath>> parts = {};  ///< of pairs whose messages are cut

  ListedPaths(std::vector<double> link_rates, std::vector<std::uint32_t> machine_of_rank,
              std::map<std::pair<Rank, Rank>, std::vector<std::uint32_t>> listed,
              std::vector<double> link_latencies = {})
      : rates(std::move(link_rates)),
        machines(std::move(machine_of_rank)),
        paths(std::move(listed)),
        latencies(std::move(link_latencies)) {}

  [[nodiscard]] std::size_t link_count() const override { return rates.size(); }
  [[nodiscard]] double bytes_per_second(std::uint32_t link) const override { return rates[link]; }
  [[nodiscard]] double latency(std::uint32_t link) const override { return latencies.empty() ? 0 : latencies[link]; }
  [[nodiscard]] std::string name(std::uint32_t link) const override { return fmt::format("link {}", link); }
  [[nodiscard]] Rank participant_count() const override { return static_cast<Rank>(machines.size()); }
  [[nodiscard]] std::uint32_t machine(Rank participant) const override { return machines[participant]; }
  [[nodiscard]] std::uint32_t nic(Rank rank) const override { return nics.empty() ? machines[rank] : nics[rank]; }
  [[nodiscard]] std::uint32_t machine_count() const override { return count(machines); }
  [[nodiscard]] std::uint32_t nic_count() const override {
    std::vector<std::uint32_t> all = nics.empty() ? machines : nics;
    for (const auto& [pair, of_pair] : parts) {
      for (const PartPath& part : of_pair) all.insert(all.end(), {part.from_nic, part.to_nic});
    }
    return count(all);
  }
  void path(Rank from, Rank to, std::vector<std::uint32_t>& links) const override {
    const auto at = paths.find({from, to});
    links = at == paths.end() ? std::vector<std::uint32_t>{} : at->second;
  }
  [[nodiscard]] std::uint32_t part_count(Rank from, Rank to, Bytes /*bytes*/ = large_message) const override {
    const auto at = parts.find({from, to});
    return at == parts.end() ? 1 : static_cast<std::uint32_t>(at->second.size());
  }
  void part(std::uint32_t number, Rank from, Rank to, PartPath& path, Bytes bytes = large_message) const override {
    const auto at = parts.find({from, to});
    if (at == parts.end()) return Paths::part(number, from, to, path, bytes);
    path = at->second[number];
  }

 private:
  static std::uint32_t count(const std::vector<std::uint32_t>& numbers) {
    return numbers.empty() ? 0 : *std::ranges::max_element(numbers) + 1;
  }
};

/// One non-blocking switch: link 2n leaves machine n, link 2n + 1 enters it.
inline ListedPaths one_switch(Rank machines, double rate, double latency = 0) {
  std::vector<std::uint32_t> machine_of_rank(machines);
  std::iota(machine_of_rank.begin(), machine_of_rank.end(), 0U);
  std::map<std::pair<Rank, Rank>, std::vector<std::uint32_t>> paths;
  for (Rank a = 0; a < machines; ++a) {
    for (Rank b = 0; b < machines; ++b) {
      if (a != b) paths[{a, b}] = {2 * a, 2 * b + 1};
    }
  }
  return {std::vector<double>(std::size_t{machines} * 2, rate), machine_of_rank, paths,
          std::vector<double>(std::size_t{machines} * 2, latency)};
}

inline Prediction run(const Schedule& schedule, const Paths& paths, const FlowOptions& options = {}) {
  auto prediction = simulate(schedule, paths, options);
  EXPECT_TRUE(prediction) << prediction.error().message;
  return prediction.value_or(Prediction{});
}

inline void expect_seconds(const Prediction& prediction, double seconds) {
  EXPECT_NEAR(prediction.seconds, seconds, 1e-9 * seconds);
}

inline SizeCost bytes_a_second(double rate) { return {{0, 0, 1 / rate}}; }

/// What both modes say.
inline void expect_both(const Schedule& schedule, const Paths& paths, FlowOptions options, double seconds) {
  options.steps = StepMode::drift;
  expect_seconds(run(schedule, paths, options), seconds);
  options.steps = StepMode::synchronous;
  expect_seconds(run(schedule, paths, options), seconds);
}

/// Messages that all begin at once.
inline ListedSchedule at_once(Rank ranks, const std::vector<std::tuple<Rank, Rank, Bytes>>& messages) {
  std::map<Rank, RankStep> step;
  for (const auto& [from, to, bytes] : messages) {
    step[from].sends.emplace_back(to, bytes);
    step[to].receives.push_back(from);
  }
  return {ranks, {step}};
}

/// Ranks 0 and 1 talk on plane 1, all others on plane 0.
class PathsOnPlanes final : public WrappedPaths {
 public:
  using WrappedPaths::WrappedPaths;
  [[nodiscard]] std::uint32_t plane(Rank from, Rank to, Bytes /*bytes*/) const override {
    return from < 2 && to < 2 ? 1 : 0;
  }
};

}  // namespace ayatori::test
