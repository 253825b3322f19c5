#pragma once
/// \file
/// For tests: all participants of a schedule execute in one thread, in an order drawn from a seed.

#include <algorithm>
#include <utility>

#include "carrier_fixtures.hpp"
#include "participant_fixtures.hpp"

namespace ayatori {

inline bool all_done(const Participants& participants) {
  return std::all_of(participants.begin(), participants.end(), [](const auto& each) { return each->done; });
}

/// One participant starts or goes on.
inline Result<> advance_one(Participant& participant) {
  if (!participant.started) {
    participant.started = true;
    return participant.start();
  }
  const auto done = participant.executor.advance();
  if (!done) return Failure(done.error());
  participant.done = *done;
  return {};
}

/// Participants start and go on, and messages are delivered, in an order drawn from `seed`.
inline Result<Participants> execute_in_random_order(const Schedule& schedule, std::uint64_t seed,
                                                    const Combine& combine = add_bytes) {
  RandomNetwork network(schedule.participant_count(), seed);
  Participants participants = participants_of(schedule, network, combine);
  std::size_t started = 0;
  std::uint64_t events = 0;
  const std::size_t max_idle_calls = 1000 + 100 * participants.size();
  for (std::size_t idle_calls = 0; !all_done(participants); ++idle_calls) {
    if (network.random().below(2) == 0) network.deliver();
    Participant& next = *participants[network.random().below(participants.size())];
    if (!next.started) ++started;
    if (auto ok = advance_one(next); !ok) return Failure(ok.error());
    if (next.done && started < participants.size() && schedule.call().collective == Collective::barrier) {
      return fail("a participant left the barrier before all had entered it");
    }
    if (network.sizes_differed()) return fail("the two ends of a message differ in size");
    if (std::exchange(events, network.events()) != network.events()) idle_calls = 0;
    if (idle_calls > max_idle_calls) return fail("no message is under way, but a participant waits for one");
  }
  return participants;
}

}  // namespace ayatori
