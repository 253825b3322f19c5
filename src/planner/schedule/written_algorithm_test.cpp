#include "ayatori/schedule/written_algorithm.hpp"

#include <gtest/gtest.h>

#include "case_fixtures.hpp"
#include "concrete_run_fixtures.hpp"

namespace ayatori {
namespace written_algorithm_test {

constexpr WrittenHead allreduce_of_two{Collective::allreduce, 2, 0, 2, 1, 1, {}, {}};

WrittenHead with_scratch(WrittenHead head, std::vector<std::uint32_t> scratch) {
  head.scratch = std::move(scratch);
  return head;
}

/// Both send the blocks 0 … B − 1 into the other's scratch slots and add what arrives.
std::shared_ptr<const WrittenAlgorithm> exchange_of_two(std::uint32_t blocks, std::vector<std::uint32_t> scratch) {
  WrittenHead head = with_scratch(allreduce_of_two, std::move(scratch));
  head.blocks = blocks;
  AlgorithmWriter writer = AlgorithmWriter::begin(head).value();
  const SlotRange all{0, blocks};
  const SlotRange theirs{blocks, blocks};
  for (const Rank r : {0U, 1U}) {
    EXPECT_TRUE(writer.step(r, 0));
    EXPECT_TRUE(writer.send(1 - r, {&all, 1}));
    EXPECT_TRUE(writer.receive(1 - r, {&theirs, 1}));
    EXPECT_TRUE(writer.local({LocalOperation::Kind::reduce, theirs, 0}));
  }
  return writer.finish();
}

WrittenSizes multiples_of(Bytes blocks) { return {0, std::nullopt, blocks}; }

std::string verdict(const std::shared_ptr<const WrittenAlgorithm>& algorithm, const WrittenSizes& sizes) {
  const auto ok = verify_written(algorithm, sizes);
  return ok ? "right" : ok.error().message;
}

TEST(VerifyWritten, ScratchThatFitsItsBlockIsRightForAnySize) {
  EXPECT_EQ(verdict(exchange_of_two(3, {0, 1, 2}), {}), "right");
}

TEST(VerifyWritten, ScratchOfAnotherBlockIsRightOnlyWhereBlocksAreEquallyLarge) {
  const auto algorithm = exchange_of_two(3, {0, 0, 0});
  EXPECT_EQ(verdict(algorithm, {}),
            "participant 0, stream 0, step 0: slot 4 of 1 bytes gets slot 1 of 1, which has 2 bytes");
  EXPECT_EQ(verdict(algorithm, multiples_of(2)),
            "participant 0, stream 0, step 0: slot 4 of 1 bytes gets slot 1 of 1, which has 2 bytes");
  EXPECT_EQ(verdict(algorithm, multiples_of(6)), "right");
  EXPECT_EQ(verdict(algorithm, WrittenSizes{9, 9, 1}), "right");
  EXPECT_EQ(verdict(algorithm, WrittenSizes{10, 10, 1}),
            "participant 0, stream 0, step 0: slot 4 of 4 bytes gets slot 1 of 1, which has 3 bytes");
}

TEST(ScheduleOf, RefusesCallsThatTheAlgorithmIsNotFor) {
  const auto algorithm = exchange_of_two(1, {0});
  const auto refusal = [&](const CollectiveCall& call) {
    const auto schedule = schedule_of(algorithm, call);
    return schedule ? "none" : schedule.error().message;
  };
  EXPECT_EQ(refusal({Collective::allreduce, 2, 1, 10}), "none") << "an allreduce has no root";
  EXPECT_EQ(refusal({Collective::reduce, 2, 0, 10}), "a schedule of allreduce, not of reduce");
  EXPECT_EQ(refusal({Collective::allreduce, 3, 0, 10}), "a schedule of 2 ranks, not of 3");
}

TEST(ScheduleOf, ScratchThatAParticipantDoesNotUseTakesNoMemory) {
  AlgorithmWriter writer =
      AlgorithmWriter::begin(with_scratch({Collective::reduce, 2, 0, 2, 1, 1, {}, {}}, {0})).value();
  const SlotRange vector{0, 1};
  const SlotRange scratch{1, 1};
  ASSERT_TRUE(writer.step(1, 0) && writer.send(0, {&vector, 1}));
  ASSERT_TRUE(writer.step(0, 0) && writer.receive(1, {&scratch, 1}));
  ASSERT_TRUE(writer.local({LocalOperation::Kind::reduce, scratch, 0}));
  const auto schedule = schedule_of(writer.finish(), {Collective::reduce, 2, 0, 100}).value();
  EXPECT_TRUE(verify(*schedule));
  EXPECT_EQ(schedule->slot_bytes(0, 1), 100U);
  EXPECT_EQ(schedule->slot_bytes(1, 1), 0U);
}

TEST(AlgorithmWriter, RefusesWhatCannotBe) {
  const auto refusal = [](const WrittenHead& head) {
    const auto writer = AlgorithmWriter::begin(head);
    return writer ? "none" : writer.error().message;
  };
  WrittenHead head = allreduce_of_two;
  EXPECT_EQ(refusal(head), "none");
  head.ranks = 0;
  EXPECT_EQ(refusal(head), "0 ranks; expected 1 to 16777216");
  head = allreduce_of_two;
  head.root = 2;
  EXPECT_EQ(refusal(head), "root 2 of 2 ranks (they count from 0)");
  head = allreduce_of_two;
  head.participants = 1;
  EXPECT_EQ(refusal(head), "1 participants, but 2 ranks");
  head = allreduce_of_two;
  head.streams = 65;
  EXPECT_EQ(refusal(head), "65 streams; expected 1 to 64");
  head = allreduce_of_two;
  head.blocks = 4'000'000'000;
  EXPECT_EQ(refusal(head), "2 participants with 4000000000 slots each are more than 2097152 slots");
  EXPECT_EQ(refusal(with_scratch(allreduce_of_two, {1})), "a scratch slot as large as block 1, but there are 1");
  EXPECT_EQ(refusal(with_scratch({Collective::barrier, 2, 0, 2, 1, 1, {}, {}}, {0})), "barrier has no scratch slots");
  EXPECT_EQ(refusal({Collective::gather, 2, 0, 2, 1, 2, {}, {}}), "2 blocks of gather");
  EXPECT_EQ(refusal({Collective::halo, 2, 0, 2, 1, 2, {}, {0, 1}}),
            "a halo needs as many neighbours for each rank, two in each dimension");

  AlgorithmWriter writer = AlgorithmWriter::begin(allreduce_of_two).value();
  const SlotRange slot{0, 1};
  const SlotRange none{1, 1};
  const SlotRange around{0xFFFFFFFF, 2};
  EXPECT_EQ(writer.send(1, {&slot, 1}).error().message, "a message without a step");
  EXPECT_EQ(writer.local({}).error().message, "a local operation without a step");
  EXPECT_EQ(writer.step(2, 0).error().message, "a step of participant 2 of 2");
  EXPECT_EQ(writer.step(0, 1).error().message, "a step of stream 1 of 1");
  ASSERT_TRUE(writer.step(0, 0));
  EXPECT_EQ(writer.append(slot).error().message, "more slots of a message, but there is no message");
  EXPECT_EQ(writer.send(1, {&none, 1}).error().message, "slots 1 ... 1, but there are 1");
  EXPECT_EQ(writer.receive(1, {&around, 1}).error().message, "slots 4294967295 ... 4294967296, but there are 1");
}

TEST(VerifyWritten, ACountOfContributionsDoesNotGoRound) {
  // Slot 1 is doubled 32 times: 2^32 times the contribution must not be taken for none.
  AlgorithmWriter writer = AlgorithmWriter::begin(with_scratch(allreduce_of_two, {0, 0})).value();
  ASSERT_TRUE(writer.step(0, 0));
  ASSERT_TRUE(writer.local({LocalOperation::Kind::copy, {0, 1}, 1}));
  for (int i = 0; i < 32; ++i) {
    ASSERT_TRUE(writer.local({LocalOperation::Kind::copy, {1, 1}, 2}));
    ASSERT_TRUE(writer.local({LocalOperation::Kind::reduce, {2, 1}, 1}));
  }
  EXPECT_EQ(verdict(writer.finish(), {}),
            "participant 0, stream 0, step 0: slot 1 combines a contribution more than 1048576 times");
}

// --- every algorithm ------------------------------------------------------------------------------------------------

void expect_same_actions(const Schedule& a, const Schedule& b) {
  ASSERT_EQ(a.participant_count(), b.participant_count());
  ASSERT_EQ(a.stream_count(), b.stream_count());
  StepActions left;
  StepActions right;
  for (std::uint32_t stream = 0; stream < a.stream_count(); ++stream) {
    ASSERT_EQ(a.step_count(stream), b.step_count(stream));
    for (std::size_t step = 0; step < a.step_count(stream); ++step) {
      for (Rank r = 0; r < a.participant_count(); ++r) {
        a.actions(r, stream, step, left);
        b.actions(r, stream, step, right);
        ASSERT_EQ(left.sends.size(), right.sends.size());
        ASSERT_EQ(left.receives.size(), right.receives.size());
        ASSERT_EQ(left.locals.size(), right.locals.size());
        for (std::size_t i = 0; i < left.sends.size(); ++i) {
          ASSERT_EQ(left.sends[i].peer, right.sends[i].peer);
          ASSERT_EQ(bytes_of(a, r, left, left.sends[i]), bytes_of(b, r, right, right.sends[i]));
        }
      }
    }
  }
}

/// Another size that the sizes admit, or the same.
Bytes other_size(const WrittenSizes& sizes, Bytes bytes, Random& random) {
  if (sizes.to) return bytes;
  return sizes.multiple_of * random.below(5000);
}

class WrittenOut : public testing::TestWithParam<Collective> {
 protected:
  static void expect_same(const Algorithm& algorithm, Rank ranks, std::uint64_t seed) {
    ScheduleCase drawn = CaseDraw(seed, 400).of(algorithm, ranks);
    if (algorithm.collective == Collective::alltoallv) {
      // Pairs without bytes have no messages, so they cannot be written out.
      const auto sizes = drawn.options.pair_sizes;
      drawn.options.pair_sizes.bytes = [sizes](Rank from, Rank to) { return 1 + sizes.bytes(from, to); };
    }
    const auto schedule = make_schedule(algorithm.name, drawn.call, drawn.placement, drawn.options).value();
    const auto written = written_out(*schedule);
    if (!written && algorithm.within_a_node && drawn.call.bytes % schedule->block_count() != 0) return;
    if (!written && algorithm.of_an_mpi && written.error().message.contains("as equally as can be")) return;
    ASSERT_TRUE(written) << written.error().message << "\n" << drawn.describe() << ", seed " << seed;
    ASSERT_TRUE(written->sizes.admit(drawn.call.bytes)) << drawn.describe();
    const auto again = schedule_of(written->algorithm, drawn.call, drawn.options.pair_sizes).value();
    ASSERT_NO_FATAL_FAILURE(expect_same_actions(*schedule, *again)) << drawn.describe();
    if (algorithm.collective == Collective::barrier) return;
    Random random(seed);
    drawn.call.bytes = other_size(written->sizes, drawn.call.bytes, random);
    const auto of_other_size = schedule_of(written->algorithm, drawn.call, drawn.options.pair_sizes).value();
    ASSERT_TRUE(verify(*of_other_size)) << drawn.describe() << ", seed " << seed;
    ASSERT_TRUE(runs_right(*of_other_size, seed)) << drawn.describe() << ", seed " << seed;
  }
};

TEST_P(WrittenOut, DoesTheSameAndIsRightForTheOtherSizesThatItNames) {
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective != GetParam()) continue;
    for (Rank ranks = 1; ranks <= 16; ++ranks) ASSERT_NO_FATAL_FAILURE(expect_same(algorithm, ranks, 300 + ranks));
    ASSERT_NO_FATAL_FAILURE(expect_same(algorithm, 37, 400));
  }
}

INSTANTIATE_TEST_SUITE_P(Of, WrittenOut, testing::ValuesIn(every_collective), name_of_collective);

}  // namespace written_algorithm_test
}  // namespace ayatori
