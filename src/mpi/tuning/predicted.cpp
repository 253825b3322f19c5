#include "ayatori/tuning/predicted.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "ayatori/flow/simulate.hpp"
#include "ayatori/schedule/algorithms.hpp"
#include "ayatori/schedule/same_messages.hpp"

namespace ayatori {

namespace {

/// Tried in addition to an algorithm's own choice.
constexpr std::array<Bytes, 2> chunk_sizes = {Bytes{8} << 10, Bytes{64} << 10};

/// "path-aware" needs paths, and is "shift" without them; "in-network" needs routers that reduce.
bool is_for(const Algorithm& algorithm, const Placement& placement) {
  if (algorithm.of_an_mpi || algorithm.name == "path-aware" || algorithm.name == "in-network") return false;
  if (algorithm.needs_grid && placement.dimensions.empty()) return false;
  if (algorithm.within_a_node && placement.machine_count() > 1) return false;
  const bool several_of_several = placement.machine_count() > 1 && placement.machine_count() < placement.machine.size();
  return algorithm.name != "hierarchical" || several_of_several;
}

std::unique_ptr<Paths> paths_of(const Placement& placement, const CostModel& model) {
  const LinkDefaults links{model.link_bytes_per_second, model.link_latency};
  if (placement.dimensions.empty()) return switched_paths(placement.machine, placement.group, links);
  return grid_paths(placement.dimensions, placement.periodic, placement.machine, placement.point, links);
}

/// What it takes to simulate a schedule: its messages, and each participant in each step. Counted until it is more than
/// `max`. An alltoall may send all its messages in one step.
std::uint64_t effort_of(const Schedule& schedule, std::uint64_t max) {
  std::uint64_t effort = 0;
  for (std::uint32_t stream = 0; stream < schedule.stream_count(); ++stream) {
    effort += schedule.step_count(stream) * schedule.participant_count();
  }
  StepActions actions;
  for (std::uint32_t stream = 0; stream < schedule.stream_count(); ++stream) {
    for (std::size_t step = 0; step < schedule.step_count(stream); ++step) {
      for (Rank rank = 0; rank < schedule.participant_count(); ++rank) {
        if (effort > max) return effort;
        schedule.actions(rank, stream, step, actions);
        if (actions.sends.size() > 1) effort += actions.sends.size() - 1;
      }
    }
  }
  return effort;
}

class Ranking {
 public:
  Ranking(const CollectiveCall& call, const Placement& placement, const CostModel& model, std::uint64_t max_messages)
      : call_(call),
        placement_(placement),
        paths_(paths_of(placement, model)),
        eliminated_(max_messages),
        max_of_one_(std::max(max_messages / 5, std::uint64_t{4000})) {
    options_.costs = model.costs;
  }

  void add(const Algorithm& algorithm) {
    std::optional<Found> best;
    for (const Bytes chunk : {Bytes{0}, chunk_sizes[0], chunk_sizes[1]}) {
      if (chunk > 0 && (!algorithm.pipelined || chunk >= call_.bytes)) break;
      std::optional<Found> found = predict(algorithm, chunk);
      if (!found) break;
      if (!best || found->predicted.seconds < best->predicted.seconds) best = std::move(found);
    }
    if (best && !is_known(*best)) found_.push_back(std::move(*best));
  }

  [[nodiscard]] std::vector<PredictedChoice> sorted() && {
    std::vector<PredictedChoice> predicted;
    for (Found& one : found_) predicted.push_back(std::move(one.predicted));
    std::ranges::stable_sort(predicted, {}, &PredictedChoice::seconds);
    return predicted;
  }

 private:
  struct Found {
    PredictedChoice predicted;
    SchedulePtr schedule;
  };

  /// What sends the same messages takes the same time to the last bit, so few are compared.
  [[nodiscard]] bool is_known(const Found& one) const {
    return std::ranges::any_of(found_, [&](const Found& other) {
      return other.predicted.seconds == one.predicted.seconds && send_the_same_messages(*other.schedule, *one.schedule);
    });
  }

  std::optional<Found> predict(const Algorithm& algorithm, Bytes chunk) {
    AlgorithmOptions options;
    options.chunk_bytes = chunk;
    const auto schedule = algorithm.make(call_, placement_, options);
    if (!schedule) return std::nullopt;
    const std::uint64_t effort = effort_of(**schedule, std::min(eliminated_, max_of_one_));
    if (effort > std::min(eliminated_, max_of_one_)) return std::nullopt;
    eliminated_ -= effort;
    const auto predicted = simulate(**schedule, *paths_, options_);
    if (!predicted) return std::nullopt;
    return Found{{{std::string(algorithm.name), chunk}, predicted->seconds}, *schedule};
  }

  CollectiveCall call_;
  const Placement& placement_;
  std::unique_ptr<Paths> paths_;
  FlowOptions options_;
  std::uint64_t eliminated_;
  /// Of one schedule: with the messages that are under way at once, the simulator's time grows faster than they do.
  std::uint64_t max_of_one_;
  std::vector<Found> found_;
};

}  // namespace

std::vector<PredictedChoice> predicted_choices(MpiCall call, Bytes bytes, const Placement& placement,
                                               const CostModel& model, std::uint64_t max_messages) {
  const auto ranks = static_cast<Rank>(placement.machine.size());
  if (names_of(call).sized_by_rank || ranks < 2) return {};
  const auto checked = checked_call({names_of(call).collective, ranks, 0, bytes}, {});
  if (!checked) return {};
  std::vector<const Algorithm*> known;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective == checked->collective && is_for(algorithm, placement)) known.push_back(&algorithm);
  }
  Ranking ranking(*checked, placement, model, max_messages);
  for (const Algorithm* const algorithm : known) ranking.add(*algorithm);
  return std::move(ranking).sorted();
}

}  // namespace ayatori
