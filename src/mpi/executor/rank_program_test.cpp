#include "ayatori/executor/rank_program.hpp"

#include <gtest/gtest.h>

#include "written_schedule_fixtures.hpp"

namespace ayatori {
namespace {

/// Two ranks, slots of 1, 2, 4, 8 and 0 bytes, two steps on one stream and one on another.
WrittenSchedule two_streams() {
  WrittenSchedule schedule({Collective::barrier, 2, 0, 0}, {1, 2, 4, 8, 0}, 1, 2, 2);
  const SlotRange ranges[] = {{0, 2}, {3, 2}};
  schedule.at(0, 0, 0).send(1, ranges);
  schedule.at(0, 0, 0).receive(1, SlotRange{2, 1});
  schedule.at(0, 0, 0).reduce({0, 1}, 1);
  schedule.at(0, 1, 1).send(1, SlotRange{});
  return schedule;
}

TEST(RankProgram, MessagesAreContiguousPieces) {
  const auto program = RankProgram::compile(two_streams(), 0).value();
  ASSERT_EQ(program.messages().size(), 3U);
  const RankProgram::Message& send = program.messages()[1];
  EXPECT_EQ(send.peer, 1U);
  EXPECT_EQ(send.bytes, 11U);
  ASSERT_EQ(send.piece_count, 2U) << "slots 0 and 1 follow each other, and slot 4 has no bytes";
  EXPECT_EQ(program.pieces()[send.first_piece].offset, 0U);
  EXPECT_EQ(program.pieces()[send.first_piece].bytes, 3U);
  EXPECT_EQ(program.pieces()[send.first_piece + 1].offset, 7U);
  EXPECT_EQ(program.pieces()[send.first_piece + 1].bytes, 8U);
  EXPECT_EQ(program.max_pieces(), 2U);
  EXPECT_EQ(program.max_message_bytes(), 11U);
  EXPECT_EQ(program.region_bytes().front(), 15U);
}

TEST(RankProgram, IdleStepsAreLeftOut) {
  const auto program = RankProgram::compile(two_streams(), 0).value();
  ASSERT_EQ(program.steps(0).size(), 1U);
  EXPECT_EQ(program.steps(0)[0].receive_count, 1U);
  EXPECT_EQ(program.steps(0)[0].send_count, 1U);
  EXPECT_EQ(program.steps(0)[0].local_count, 1U);
  ASSERT_EQ(program.steps(1).size(), 1U);
  EXPECT_EQ(program.steps(1)[0].message_count(), 1U) << "a message without bytes is a message";
  EXPECT_EQ(program.first_request(1), 2U);
  EXPECT_EQ(program.max_open_messages(), 3U);
  EXPECT_TRUE(RankProgram::compile(two_streams(), 1).value().steps(0).empty());
}

TEST(RankProgram, RegionsCutMessages) {
  ProgramOptions options;
  options.region_starts = {0, 1, 4};
  const auto program = RankProgram::compile(two_streams(), 0, options).value();
  const RankProgram::Message& send = program.messages()[1];
  ASSERT_EQ(send.piece_count, 3U);
  const auto pieces = program.pieces().subspan(send.first_piece, send.piece_count);
  EXPECT_EQ(pieces[0].region, 0U);
  EXPECT_EQ(pieces[1].region, 1U);
  EXPECT_EQ(pieces[1].offset, 0U);
  EXPECT_EQ(pieces[2].offset, 6U);
  EXPECT_EQ(std::vector<Bytes>(program.region_bytes().begin(), program.region_bytes().end()),
            (std::vector<Bytes>{1, 14, 0}));
}

TEST(RankProgram, LengthsAreMultiplesOfTheElement) {
  ProgramOptions options;
  options.element_bytes = 8;
  const auto program = RankProgram::compile(two_streams(), 0, options).value();
  EXPECT_EQ(program.max_message_bytes(), 88U);
  EXPECT_EQ(program.region_bytes().front(), 120U);
  EXPECT_EQ(program.messages()[0].bytes, 32U);
}

TEST(RankProgram, TimingOnlyHasOnePieceAMessageAndNoLocalOperations) {
  ProgramOptions options;
  options.timing_only = true;
  const auto program = RankProgram::compile(two_streams(), 0, options).value();
  const RankProgram::Message& send = program.messages()[1];
  EXPECT_EQ(send.bytes, 11U);
  ASSERT_EQ(send.piece_count, 1U);
  EXPECT_EQ(program.pieces()[send.first_piece].offset, 0U);
  EXPECT_EQ(program.pieces()[send.first_piece].bytes, 11U);
  EXPECT_EQ(program.messages()[2].piece_count, 0U);
  EXPECT_TRUE(program.locals().empty());
}

TEST(RankProgram, RefusesWhatDoesNotFit) {
  const auto error_of = [](Rank participant, const ProgramOptions& options) {
    const auto program = RankProgram::compile(two_streams(), participant, options);
    return program ? "no error" : program.error().message;
  };
  ProgramOptions no_element, no_region, late_region, falling_regions;
  no_element.element_bytes = 0;
  no_region.region_starts = {};
  late_region.region_starts = {1};
  falling_regions.region_starts = {0, 2, 2};
  EXPECT_EQ(error_of(2, {}), "participant 2 of a schedule of 2 participants");
  EXPECT_EQ(error_of(0, no_element), "an element needs at least one byte");
  for (const ProgramOptions& options : {no_region, late_region, falling_regions}) {
    EXPECT_EQ(error_of(0, options), "regions of memory must begin at slot 0 and at rising slots after it");
  }
}

}  // namespace
}  // namespace ayatori
