#include "ayatori/schedule/verify.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "../../base/thoroughness_fixtures.hpp"
#include "ayatori/schedule/algorithms.hpp"
#include "case_fixtures.hpp"
#include "concrete_run_fixtures.hpp"
#include "written_schedule_fixtures.hpp"

namespace ayatori {
namespace verify_test {

std::string verdict(const Schedule& schedule) {
  const auto ok = verify(schedule);
  return ok ? "right" : ok.error().message;
}

constexpr CollectiveCall broadcast_to_two{Collective::broadcast, 2, 0, 4};
constexpr CollectiveCall allreduce_of_two{Collective::allreduce, 2, 0, 4};

WrittenSchedule right_broadcast() {
  WrittenSchedule schedule(broadcast_to_two, {4}, 1, 1);
  schedule.at(0, 0).send(1, SlotRange{0, 1});
  schedule.at(1, 0).receive(0, SlotRange{0, 1});
  return schedule;
}

/// Slot 1 is scratch.
WrittenSchedule right_allreduce() {
  WrittenSchedule schedule(allreduce_of_two, {4, 4}, 1, 1);
  for (const Rank r : {0U, 1U}) {
    schedule.at(r, 0).send(1 - r, SlotRange{0, 1});
    schedule.at(r, 0).receive(1 - r, SlotRange{1, 1});
    schedule.at(r, 0).reduce({1, 1}, 0);
  }
  return schedule;
}

TEST(Verify, AcceptsACorrectBroadcast) {
  EXPECT_EQ(verdict(right_broadcast()), "right");
  EXPECT_EQ(verdict(right_allreduce()), "right");
}

TEST(Verify, RejectsAResultThatIsMissing) {
  EXPECT_EQ(verdict(WrittenSchedule(broadcast_to_two, {4}, 1, 1)),
            "at the end, slot 0 of rank 1 holds nothing instead of slot 0 of rank 0");
}

TEST(Verify, RejectsAResultOfTheWrongContribution) {
  WrittenSchedule schedule({Collective::allgather, 2, 0, 4}, {4, 4}, 1, 1);
  schedule.at(0, 0).send(1, SlotRange{0, 1});
  schedule.at(1, 0).receive(0, SlotRange{0, 1});
  schedule.at(0, 0).copy({0, 1}, 1);
  EXPECT_EQ(verdict(schedule), "at the end, slot 1 of rank 0 holds slot 0 of rank 0 instead of slot 1 of rank 1");
}

TEST(Verify, RejectsAContributionThatIsCombinedTwice) {
  auto schedule = right_allreduce();
  schedule.at(1, 0).reduce({1, 1}, 0);
  EXPECT_EQ(
      verdict(schedule),
      "at the end, slot 0 of rank 1 holds slot 0 of rank 0 2 times, slot 0 of rank 1 instead of slot 0 of ranks 0 "
      "... 1");
}

TEST(Verify, RejectsADeadlock) {
  WrittenSchedule single_receive(broadcast_to_two, {4}, 1, 1);
  single_receive.at(1, 0).receive(0, SlotRange{0, 1});
  EXPECT_EQ(verdict(single_receive),
            "participant 1, stream 0, step 0: deadlock: waits for a message that 0 does not send");

  WrittenSchedule single_send(broadcast_to_two, {4}, 1, 1);
  single_send.at(0, 0).send(1, SlotRange{0, 1});
  EXPECT_EQ(verdict(single_send), "participant 0, stream 0, step 0: deadlock: sends a message that 1 does not receive");
}

TEST(Verify, RejectsWhatWorksOnlyIfSendsAreBuffered) {
  // Both send first and receive then: this works only as long as messages are eager.
  WrittenSchedule schedule(allreduce_of_two, {4, 4}, 1, 2);
  for (const Rank r : {0U, 1U}) {
    schedule.at(r, 0).send(1 - r, SlotRange{0, 1});
    schedule.at(r, 1).receive(1 - r, SlotRange{1, 1});
    schedule.at(r, 1).reduce({1, 1}, 0);
  }
  EXPECT_EQ(verdict(schedule), "participant 0, stream 0, step 0: deadlock: sends a message that 1 does not receive");
}

TEST(Verify, RejectsEndsOfAMessageThatDifferInSize) {
  WrittenSchedule of_slots(broadcast_to_two, {2, 2}, 2, 1);
  of_slots.at(0, 0).send(1, SlotRange{0, 2});
  of_slots.at(1, 0).receive(0, SlotRange{0, 1});
  EXPECT_EQ(verdict(of_slots), "participant 1, stream 0, step 0: expects 1 slots from 0, which sends 2 in its step 0");

  WrittenSchedule of_bytes(broadcast_to_two, {4, 3}, 1, 1);
  of_bytes.at(0, 0).send(1, SlotRange{0, 1});
  of_bytes.at(1, 0).receive(0, SlotRange{1, 1});
  EXPECT_EQ(verdict(of_bytes),
            "participant 1, stream 0, step 0: slot 1 of 3 bytes gets slot 0 of 0, which has 4 bytes");

  WrittenSchedule scratch(broadcast_to_two, {4, 9}, 1, 1);
  scratch.slot_bytes(1, 1) = 4;
  scratch.at(0, 0).send(1, SlotRange{0, 1});
  scratch.at(1, 0).receive(0, SlotRange{1, 1});
  scratch.at(1, 0).copy({1, 1}, 0);
  EXPECT_EQ(verdict(scratch), "right") << "participants need not have slots of the same sizes, messages must";
  scratch.slot_bytes(1, 1) = 9;
  EXPECT_EQ(verdict(scratch), "participant 1, stream 0, step 0: slot 1 of 9 bytes gets slot 0 of 0, which has 4 bytes");

  WrittenSchedule of_the_call(broadcast_to_two, {2}, 1, 1);
  EXPECT_EQ(verdict(of_the_call), "slots 0 ... 0 hold 2 bytes, the broadcast has 4");
}

TEST(Verify, RejectsAnAlltoallvOfOtherSizesThanItsCall) {
  // 3 bytes from 0 to 1; the slots of the others are empty.
  WrittenSchedule schedule({Collective::alltoallv, 2, 0, 3}, {0, 0, 0, 0}, 1, 1);
  schedule.slot_bytes(0, 1) = schedule.slot_bytes(1, 2) = 3;
  EXPECT_EQ(verdict(schedule), "at the end, slot 2 of rank 1 holds nothing instead of slot 1 of rank 0");
  schedule.at(0, 0).send(1, SlotRange{1, 1});
  schedule.at(1, 0).receive(0, SlotRange{2, 1});
  EXPECT_EQ(verdict(schedule), "right");
  schedule.slot_bytes(1, 2) = 4;
  EXPECT_EQ(verdict(schedule), "the ranks' slots hold 4 bytes, the alltoallv has 3");
}

TEST(Verify, RejectsASlotThatIsWrittenWhileItIsSent) {
  WrittenSchedule into_what_is_sent(allreduce_of_two, {4}, 1, 1);
  for (const Rank r : {0U, 1U}) {
    into_what_is_sent.at(r, 0).send(1 - r, SlotRange{0, 1});
    into_what_is_sent.at(r, 0).receive(1 - r, SlotRange{0, 1});
  }
  EXPECT_EQ(verdict(into_what_is_sent), "participant 0, stream 0, step 0: slot 0 is sent and received into at once");

  auto twice = right_broadcast();
  twice.at(0, 0).send(1, SlotRange{0, 1});
  twice.at(1, 0).receive(0, SlotRange{0, 1});
  EXPECT_EQ(verdict(twice), "participant 1, stream 0, step 0: slot 0 is received into twice");

  WrittenSchedule onto_itself({Collective::allgather, 1, 0, 4}, {4, 4, 4}, 1, 1);
  onto_itself.at(0, 0).copy({0, 1}, 1);
  onto_itself.at(0, 0).copy({0, 2}, 1);
  EXPECT_EQ(verdict(onto_itself), "participant 0, stream 0, step 0: slots 0 and 1 overlap in a local operation");
}

TEST(Verify, RejectsStreamsThatWriteTheSameSlot) {
  WrittenSchedule schedule(broadcast_to_two, {4, 4}, 1, 1, 2);
  schedule.at(0, 0, 0).send(1, SlotRange{0, 1});
  schedule.at(1, 0, 0).receive(0, SlotRange{0, 1});
  schedule.at(0, 0, 1).send(1, SlotRange{0, 1});
  schedule.at(1, 0, 1).receive(0, SlotRange{1, 1});
  EXPECT_EQ(verdict(schedule), "right") << "both streams may read a slot that none writes";
  WrittenSchedule racing = schedule;
  racing.at(0, 0, 1).copy({0, 1}, 1);
  EXPECT_EQ(verdict(racing), "right");
  racing.at(0, 0, 1).copy({1, 1}, 0);
  EXPECT_EQ(verdict(racing), "participant 0, stream 1, step 0: slot 0 is written here and read by another stream");
}

TEST(Verify, RejectsReadingASlotThatNothingWasWrittenTo) {
  WrittenSchedule sends(broadcast_to_two, {4, 4}, 1, 1);
  sends.at(0, 0).send(1, SlotRange{1, 1});
  sends.at(1, 0).receive(0, SlotRange{0, 1});
  EXPECT_EQ(verdict(sends), "participant 0, stream 0, step 0: slot 1 is read, but nothing was written to it");

  WrittenSchedule into_nothing(allreduce_of_two, {4, 4}, 1, 1);
  into_nothing.at(0, 0).reduce({0, 1}, 1);
  EXPECT_EQ(verdict(into_nothing), "participant 0, stream 0, step 0: slot 1 is read, but nothing was written to it");
}

TEST(Verify, RejectsPeersAndSlotsThatDoNotExist) {
  auto beyond = right_broadcast();
  beyond.at(0, 0).send(2, SlotRange{0, 1});
  EXPECT_EQ(verdict(beyond), "participant 0, stream 0, step 0: a message with 2, which does not take part");
  auto itself = right_broadcast();
  itself.at(0, 0).send(0, SlotRange{0, 1});
  EXPECT_EQ(verdict(itself), "participant 0, stream 0, step 0: a message with itself");
  auto no_slot = right_broadcast();
  no_slot.at(0, 0).send(1, SlotRange{0, 2});
  EXPECT_EQ(verdict(no_slot), "participant 0, stream 0, step 0: slots 0 ... 1, but there are 1");
}

TEST(Verify, RejectsABarrierThatARankCanLeaveEarly) {
  WrittenSchedule schedule({Collective::barrier, 3, 0, 0}, {}, 1, 1);
  for (const Rank r : {0U, 1U, 2U}) {
    schedule.at(r, 0).send((r + 1) % 3, SlotRange{});
    schedule.at(r, 0).receive((r + 2) % 3, SlotRange{});
  }
  EXPECT_EQ(verdict(schedule), "rank 0 can leave the barrier before rank 1 has begun");
}

/// A line of ranks in one dimension: side 0 leads to rank + 1, side 1 to rank − 1.
WrittenSchedule halo_on_a_line(Rank ranks) {
  WrittenSchedule schedule({Collective::halo, ranks, 0, 4}, {4, 4, 4, 4}, 2, 1);
  for (Rank below = 0; below + 1 < ranks; ++below) {
    schedule.set_neighbour(below, 0, below + 1);
    schedule.set_neighbour(below + 1, 1, below);
    schedule.at(below, 0).send(below + 1, SlotRange{0, 1});
    schedule.at(below, 0).receive(below + 1, SlotRange{2, 1});
    schedule.at(below + 1, 0).send(below, SlotRange{1, 1});
    schedule.at(below + 1, 0).receive(below, SlotRange{3, 1});
  }
  return schedule;
}

TEST(Verify, AcceptsAHaloOnALine) { EXPECT_EQ(verdict(halo_on_a_line(4)), "right"); }

TEST(Verify, RejectsAFaceFromTheWrongSideOfANeighbour) {
  WrittenSchedule schedule = halo_on_a_line(2);
  schedule.at(1, 0).ranges[0] = {0, 1};
  EXPECT_EQ(verdict(schedule), "at the end, slot 2 of rank 0 holds slot 0 of rank 1 instead of slot 1 of rank 1");
}

TEST(Verify, RejectsAFaceThatIsMissing) {
  WrittenSchedule schedule = halo_on_a_line(3);
  schedule.at(2, 0).clear();
  std::erase_if(schedule.at(1, 0).sends, [](const Transfer& send) { return send.peer == 2; });
  std::erase_if(schedule.at(1, 0).receives, [](const Transfer& receive) { return receive.peer == 2; });
  EXPECT_EQ(verdict(schedule), "at the end, slot 2 of rank 1 holds nothing instead of slot 1 of rank 2");
}

TEST(Verify, RejectsAFaceBeyondTheEndOfTheGrid) {
  WrittenSchedule schedule = halo_on_a_line(2);
  schedule.at(0, 0).send(1, SlotRange{1, 1});
  schedule.at(1, 0).receive(0, SlotRange{2, 1});
  EXPECT_EQ(verdict(schedule), "at the end, slot 2 of rank 1 holds slot 1 of rank 0 instead of nothing");
}

TEST(Verify, RejectsNeighboursThatDoNotNameEachOther) {
  WrittenSchedule schedule = halo_on_a_line(2);
  schedule.set_neighbour(0, 0, no_id);
  schedule.at(0, 0).clear();
  schedule.at(0, 0).send(1, SlotRange{0, 1});
  schedule.at(1, 0).clear();
  schedule.at(1, 0).receive(0, SlotRange{3, 1});
  schedule.set_neighbour(0, 1, 1);
  schedule.at(0, 0).receive(1, SlotRange{3, 1});
  schedule.at(1, 0).send(0, SlotRange{0, 1});
  EXPECT_EQ(verdict(schedule),
            "rank 0 has the neighbour 1 on side 1, which has another neighbour on the opposite side");
}

TEST(Verify, RejectsAHaloThatLeavesARankOut) {
  WrittenSchedule schedule({Collective::halo, 3, 0, 4}, {4, 4, 4, 4}, 2, 1);
  const WrittenSchedule two = halo_on_a_line(2);
  for (const Rank r : {0U, 1U}) {
    two.actions(r, 0, 0, schedule.at(r, 0));
    schedule.set_neighbour(r, r, 1 - r);
  }
  EXPECT_EQ(verdict(schedule), "no chain of neighbours leads from rank 0 to rank 2");
}

TEST(Verify, EndsWithAnErrorAtTheLimitsThatItIsGiven) {
  const auto verdict_with = [](const Schedule& schedule, const VerificationLimits& limits) {
    const auto ok = verify(schedule, limits);
    return ok ? "right" : ok.error().message;
  };
  EXPECT_EQ(verdict_with(right_allreduce(), {4, 1000}), "right");
  EXPECT_EQ(verdict_with(right_allreduce(), {3, 1000}),
            "2 participants with 2 slots and 1 streams each are more than the 3 slots that can be verified");
  EXPECT_EQ(verdict_with(right_allreduce(), {4, 10}),
            "more than 10 actions would have to be followed to verify this schedule");
  const WrittenSchedule wide_barrier({Collective::barrier, 1000, 0, 0}, {}, 1, 0);
  EXPECT_EQ(verdict_with(wide_barrier, {15'000, 1000}),
            "1000 participants with 0 slots and 1 streams each are more than the 15000 slots that can be verified");
}

TEST(Verify, RejectsAMessageThatListsMoreSlotsThanThereAre) {
  auto schedule = right_allreduce();
  const SlotRange again[] = {{0, 1}, {0, 1}, {0, 1}};
  schedule.at(0, 0).sends.clear();
  schedule.at(0, 0).send(1, again);
  EXPECT_EQ(verdict(schedule), "participant 0, stream 0, step 0: a message of more than the 2 slots that there are");
}

// Mutations
// ------------------------------------------------------------------------------------------------------------

/// Changes one thing, and says which; empty if the step that was drawn has nothing to change.
std::string break_something(WrittenSchedule& schedule, Random& random) {
  const auto stream = static_cast<std::uint32_t>(random.below(schedule.stream_count()));
  if (schedule.step_count(stream) == 0) return {};
  const std::size_t step = random.below(schedule.step_count(stream));
  const auto r = static_cast<Rank>(random.below(schedule.participant_count()));
  StepActions& actions = schedule.at(r, step, stream);
  const auto where = fmt::format(" of participant {}, stream {}, step {}", r, stream, step);
  const auto one_of = [&](auto& list) { return list.begin() + static_cast<std::ptrdiff_t>(random.below(list.size())); };
  const auto other = [&](Rank peer) {
    return static_cast<Rank>((peer + 1 + random.below(7)) % schedule.participant_count());
  };
  const auto move = [&](Slot& slot) { slot = static_cast<Slot>((slot + 1 + random.below(7)) % schedule.slot_count()); };
  switch (random.below(9)) {
    case 0:
      if (actions.sends.empty()) return {};
      actions.sends.erase(one_of(actions.sends));
      return "dropped a send" + where;
    case 1:
      if (actions.receives.empty()) return {};
      actions.receives.erase(one_of(actions.receives));
      return "dropped a receive" + where;
    case 2:
      if (actions.locals.empty()) return {};
      actions.locals.erase(one_of(actions.locals));
      return "dropped a local operation" + where;
    case 3: {
      if (actions.locals.empty()) return {};
      const LocalOperation again = *one_of(actions.locals);
      actions.locals.push_back(again);
      return "did a local operation twice" + where;
    }
    case 4: {
      if (actions.sends.empty()) return {};
      const auto send = one_of(actions.sends);
      send->peer = other(send->peer);
      return "sent to another peer" + where;
    }
    case 5: {
      if (actions.receives.empty()) return {};
      const auto receive = one_of(actions.receives);
      receive->peer = other(receive->peer);
      return "received from another" + where;
    }
    case 6:
      if (actions.ranges.empty()) return {};
      move(one_of(actions.ranges)->first);
      return "sent or received another slot" + where;
    case 7:
      if (actions.locals.empty()) return {};
      move(random.below(2) == 0 ? one_of(actions.locals)->to : one_of(actions.locals)->from.first);
      return "took another slot for a local operation" + where;
    default: {
      const std::size_t next = (step + 1) % schedule.step_count(stream);
      if (next == step || (actions.idle() && schedule.at(r, next, stream).idle())) return {};
      std::swap(actions, schedule.at(r, next, stream));
      return "swapped a step with the next" + where;
    }
  }
}

class VerifyMutations : public testing::TestWithParam<Collective> {};

/// A mutation that the verifier accepts must run correctly in any order of execution. Most mutations must be rejected.
TEST_P(VerifyMutations, AreRejectedOrHarmless) {
  constexpr std::uint64_t seed = 20240917;
  Random random(seed);
  int tried = 0;
  int rejected = 0;
  const auto count = std::ranges::count(algorithms(), GetParam(), &Algorithm::collective);
  const std::int64_t of_each = test::tries<std::int64_t>(std::clamp<std::int64_t>(240 / count, 15, 60), 60);
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective != GetParam()) continue;
    for (std::int64_t i = 0; i < of_each; ++i) {
      const std::uint32_t lengths[] = {3, static_cast<std::uint32_t>(2 + random.below(2))};
      const bool periodic[] = {true, true};
      const Placement placement = placement_on_grid(lengths, periodic, static_cast<std::uint32_t>(1 + random.below(2)));
      const auto n = static_cast<Rank>(placement.machine.size());
      const CollectiveCall call{algorithm.collective, n, static_cast<Rank>(random.below(n)), 3 * n + 1};
      AlgorithmOptions options;
      options.chunk_bytes = n;
      if (algorithm.collective == Collective::alltoallv) {
        options.pair_sizes = {n, [](Rank from, Rank to) -> Bytes { return (from + 3 * to) % 5; }};
      }
      const auto made = make_schedule(algorithm.name, call, placement, options);
      ASSERT_TRUE(made) << made.error().message;
      WrittenSchedule schedule(**made);
      const bool is_barrier = algorithm.collective == Collective::barrier;
      ASSERT_TRUE(is_barrier || runs_right(schedule, seed)) << algorithm.name;
      const std::string change = break_something(schedule, random);
      if (change.empty()) continue;
      ++tried;
      if (!verify(schedule)) {
        ++rejected;
      } else if (!is_barrier) {
        for (std::uint64_t order = 0; order < 5; ++order) {
          ASSERT_TRUE(runs_right(schedule, order)) << algorithm.name << ", " << change << ", seed " << seed;
        }
      }
    }
  }
  EXPECT_GT(tried, 20);
  // Some can do no harm: a copy that is made twice, a step swapped with one in which there is nothing to do.
  EXPECT_GT(rejected, tried * 7 / 10) << "of " << tried;
}

INSTANTIATE_TEST_SUITE_P(Of, VerifyMutations, testing::ValuesIn(every_collective), name_of_collective);

}  // namespace verify_test
}  // namespace ayatori
