// Every algorithm, played with real data by all of its participants: in random orders, and by threads.
#include <gtest/gtest.h>

#include "carrier_fixtures.hpp"
#include "case_fixtures.hpp"
#include "participant_fixtures.hpp"

namespace ayatori {
namespace {

bool all_done(const Participants& participants) {
  return std::all_of(participants.begin(), participants.end(), [](const auto& each) { return each->done; });
}

/// One participant starts or goes on.
Result<> take_turn(Participant& participant) {
  if (!participant.started) {
    participant.started = true;
    return participant.start();
  }
  const auto done = participant.player.advance();
  if (!done) return Failure(done.error());
  participant.done = *done;
  return {};
}

/// Participants start and go on, and messages are delivered, in an order drawn from `seed`.
Result<Participants> play_in_random_order(const Schedule& schedule, std::uint64_t seed,
                                          const Combine& combine = add_bytes) {
  RandomNetwork network(schedule.participant_count(), seed);
  Participants participants = participants_of(schedule, network, combine);
  std::size_t started = 0;
  std::uint64_t events = 0;
  const std::size_t max_idle_turns = 1000 + 100 * participants.size();
  for (std::size_t idle_turns = 0; !all_done(participants); ++idle_turns) {
    if (network.random().below(2) == 0) network.deliver();
    Participant& next = *participants[network.random().below(participants.size())];
    if (!next.started) ++started;
    if (auto ok = take_turn(next); !ok) return Failure(ok.error());
    if (next.done && started < participants.size() && schedule.call().collective == Collective::barrier) {
      return fail("a participant left the barrier before all had entered it");
    }
    if (network.sizes_differed()) return fail("the two ends of a message differ in size");
    if (std::exchange(events, network.events()) != network.events()) idle_turns = 0;
    if (idle_turns > max_idle_turns) return fail("no message is under way, but a participant waits for one");
  }
  return participants;
}

Result<> play_and_check(const Schedule& schedule, std::uint64_t seed) {
  const auto participants = play_in_random_order(schedule, seed);
  if (!participants) return Failure(participants.error());
  return check_promise(schedule, *participants);
}

constexpr Bytes max_bytes = 400;

class PlayEveryAlgorithm : public testing::TestWithParam<Collective> {
 protected:
  template <typename Play>
  static void expect_promise(Rank ranks, std::uint64_t seed, Play play) {
    for (const Algorithm& algorithm : algorithms()) {
      if (algorithm.collective != GetParam()) continue;
      const ScheduleCase drawn = CaseDraw(seed, max_bytes).of(algorithm, ranks);
      const auto schedule = make_schedule(algorithm.name, drawn.call, drawn.places, drawn.options);
      ASSERT_TRUE(schedule) << schedule.error().message;
      const Result<> played = play(**schedule);
      ASSERT_TRUE(played) << played.error().message << "\n" << drawn.describe() << ", seed " << seed;
    }
  }
};

TEST_P(PlayEveryAlgorithm, InRandomOrdersEndsWithWhatTheCollectivePromises) {
  for (Rank ranks = 1; ranks <= 16; ++ranks) {
    const std::uint64_t seed = 7000 + ranks;
    ASSERT_NO_FATAL_FAILURE(
        expect_promise(ranks, seed, [&](const Schedule& schedule) { return play_and_check(schedule, seed); }));
  }
}

TEST_P(PlayEveryAlgorithm, ByThreadsEndsWithWhatTheCollectivePromises) {
  for (const Rank ranks : {2U, 5U, 8U, 12U}) {
    ASSERT_NO_FATAL_FAILURE(expect_promise(ranks, 8000 + ranks, [](const Schedule& schedule) {
      ThreadNetwork network(schedule.participant_count());
      return play_by_threads(schedule, network);
    }));
  }
}

INSTANTIATE_TEST_SUITE_P(Of, PlayEveryAlgorithm,
                         testing::Values(Collective::alltoall, Collective::alltoallv, Collective::broadcast,
                                         Collective::reduce, Collective::allreduce, Collective::reduce_scatter,
                                         Collective::allgather, Collective::gather, Collective::scatter,
                                         Collective::barrier, Collective::halo),
                         [](const auto& test) { return std::string(to_word(test.param)); });

/// Commutes as floating-point operations may: what comes out depends on the order, bit by bit.
void combine_in_order(std::byte* to, const std::byte* from, std::size_t bytes, OperandOrder order) {
  for (std::size_t i = 0; i < bytes; ++i) {
    const auto [first, second] =
        order == OperandOrder::from_first ? std::pair(from[i], to[i]) : std::pair(to[i], from[i]);
    to[i] = static_cast<std::byte>(std::to_integer<unsigned>(first) * 3 + std::to_integer<unsigned>(second) * 5);
  }
}

TEST(PlayAllreduce, AllRanksGetTheSameBitsWhateverTheOrderOfOperandsDoes) {
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective != Collective::allreduce || algorithm.name == "in-network") continue;
    for (Rank ranks = 2; ranks <= 17; ++ranks) {
      const ScheduleCase drawn = CaseDraw(9000 + ranks, max_bytes).of(algorithm, ranks);
      const auto schedule = make_schedule(algorithm.name, drawn.call, drawn.places, drawn.options).value();
      const auto participants = play_in_random_order(*schedule, ranks, combine_in_order);
      ASSERT_TRUE(participants) << participants.error().message;
      for (Slot slot = 0; slot < schedule->block_count(); ++slot) {
        const auto expected = (*participants)[0]->memory.slot(slot);
        for (Rank rank = 1; rank < drawn.call.ranks; ++rank) {
          ASSERT_TRUE(std::ranges::equal((*participants)[rank]->memory.slot(slot), expected))
              << drawn.describe() << ", rank " << rank;
        }
      }
    }
  }
}

/// The faces are compared with those of a grid that is walked here, not with the neighbours that the schedule names.
TEST(PlayHalo, FacesComeFromTheNeighboursOnTheGrid) {
  constexpr Rank rows = 3;
  constexpr Rank columns = 4;
  AlgorithmOptions options;
  options.stencil = {rows, columns};
  options.stencil_periodic = {true, false};
  const CollectiveCall call{Collective::halo, rows * columns, 0, 10};
  const auto schedule = make_schedule("halo", call, places_of_ranks(rows * columns), options).value();
  const auto participants = play_in_random_order(*schedule, 1);
  ASSERT_TRUE(participants) << participants.error().message;
  const auto expect_face = [&](Rank rank, Slot slot, Rank neighbour, Slot sent) {
    const auto bytes = (*participants)[rank]->memory.slot(slot);
    ASSERT_EQ(bytes.size(), 10U);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      EXPECT_EQ(bytes[i], sample_byte({neighbour, sent}, i)) << "rank " << rank << ", slot " << slot;
    }
  };
  for (Rank row = 0; row < rows; ++row) {
    for (Rank column = 0; column < columns; ++column) {
      const Rank rank = row * columns + column;
      expect_face(rank, 4, (row + 1) % rows * columns + column, 1);
      expect_face(rank, 5, (row + rows - 1) % rows * columns + column, 0);
      if (column + 1 < columns) expect_face(rank, 6, rank + 1, 3);
      if (column > 0) expect_face(rank, 7, rank - 1, 2);
    }
  }
}

}  // namespace
}  // namespace ayatori
