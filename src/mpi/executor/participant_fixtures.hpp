#pragma once
/// \file
/// For tests that execute a schedule by all of its participants with sample data: what each of them needs, and the
/// check.

#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "ayatori/executor/executor.hpp"
#include "ayatori/executor/sample_data.hpp"

namespace ayatori {

/// One participant with its slots.
struct Participant {
  Participant(const Schedule& schedule, Rank self, Carrier& carrier, Combine combine = add_bytes)
      : memory(schedule, self),
        program(RankProgram::compile(schedule, self).value()),
        executor(program, carrier, std::move(combine)) {
    fill_with_sample_data(schedule, self, memory);
  }

  Result<> start() {
    std::byte* const regions[] = {memory.data()};
    return executor.start(regions);
  }

  /// From the first message to the last; `whole_steps`: by Executor::execute().
  Result<> execute(bool whole_steps) {
    std::byte* const regions[] = {memory.data()};
    if (whole_steps) return executor.execute(regions);
    const auto begun = executor.start(regions);
    return begun ? executor.finish() : begun;
  }

  SlotMemory memory;
  RankProgram program;
  Executor executor;
  bool started = false;
  bool done = false;
};

using Participants = std::vector<std::unique_ptr<Participant>>;

template <typename Network>
Participants participants_of(const Schedule& schedule, Network& network, const Combine& combine = add_bytes) {
  Participants participants;
  for (Rank self = 0; self < schedule.participant_count(); ++self) {
    participants.push_back(std::make_unique<Participant>(schedule, self, network.carrier(self), combine));
  }
  return participants;
}

inline Result<> check_postcondition(const Schedule& schedule, const Participants& participants) {
  for (Rank rank = 0; rank < schedule.call().ranks; ++rank) {
    if (auto ok = check_sample_data(schedule, rank, participants[rank]->memory); !ok) return ok;
  }
  return {};
}

/// Each participant by a thread of its own. `whole_steps(rank)` says who executes by Executor::execute().
template <typename Network>
Result<> execute_by_threads(
    const Schedule& schedule, Network& network,
    const std::function<bool(std::size_t)>& whole_steps = [](std::size_t) { return false; }) {
  const Participants participants = participants_of(schedule, network);
  std::vector<Result<>> outcomes(participants.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < participants.size(); ++i) {
      threads.emplace_back([&, i] { outcomes[i] = participants[i]->execute(whole_steps(i)); });
    }
  }
  for (const auto& outcome : outcomes) {
    if (!outcome) return outcome;
  }
  return check_postcondition(schedule, participants);
}

}  // namespace ayatori
