#pragma once
/// \file
/// For tests of what algorithms look like: schedules made, their messages, and distances on a torus.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "ayatori/schedule/algorithms.hpp"

namespace ayatori {

inline SchedulePtr made(std::string_view algorithm, const CollectiveCall& call, const Placement& placement,
                        const AlgorithmOptions& options = {}) {
  auto schedule = make_schedule(algorithm, call, placement, options);
  EXPECT_TRUE(schedule) << schedule.error().message;
  return *schedule;
}

inline std::vector<Message> step_of(const StepSequence& steps, std::size_t index) {
  std::vector<Message> messages;
  steps.step(index, messages);
  return messages;
}

inline Placement torus(std::vector<std::uint32_t> lengths, std::uint32_t ranks_per_machine = 1) {
  const bool periodic[] = {true, true, true, true};
  return placement_on_grid(lengths, std::span(periodic).first(lengths.size()), ranks_per_machine);
}

using Edge = std::pair<Rank, Rank>;

/// Parent and child, of one stream: each edge once, for any number of chunks.
inline std::set<Edge> edges_of(const Schedule& schedule, std::uint32_t stream) {
  std::set<Edge> edges;
  StepActions actions;
  for (std::size_t step = 0; step < schedule.step_count(stream); ++step) {
    for (Rank r = 0; r < schedule.participant_count(); ++r) {
      schedule.actions(r, stream, step, actions);
      for (const Transfer& send : actions.sends) edges.insert({r, send.peer});
    }
  }
  return edges;
}

inline std::vector<std::uint32_t> coordinates(std::uint32_t point, const std::vector<std::uint32_t>& lengths) {
  std::vector<std::uint32_t> found(lengths.size());
  for (std::size_t i = lengths.size(); i-- > 0; point /= lengths[i]) found[i] = point % lengths[i];
  return found;
}

inline std::uint32_t hops(Rank a, Rank b, const Placement& placement) {
  const auto from = coordinates(a, placement.dimensions);
  const auto to = coordinates(b, placement.dimensions);
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const std::uint32_t straight = from[i] > to[i] ? from[i] - to[i] : to[i] - from[i];
    sum += placement.periodic[i] ? std::min(straight, placement.dimensions[i] - straight) : straight;
  }
  return sum;
}

}  // namespace ayatori
