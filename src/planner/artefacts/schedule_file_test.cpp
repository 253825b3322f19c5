#include "ayatori/artefacts/schedule_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "../../base/thoroughness_fixtures.hpp"
#include "artefact_fixtures.hpp"
#include "ayatori/base/files.hpp"
#include "case_fixtures.hpp"

namespace ayatori {
namespace schedule_file_test {

/// Two ranks add up their vectors of one block, each receiving the other's into slot 1.
constexpr std::string_view exchange = R"({"format":"ayatori-schedule",
 "version":1,
 "name":"exchange",
 "schedules":[
  {"collective":"allreduce","ranks":2,"blocks":1,"scratch":[0],"sizes":{"from":0,"to":null,"multiple_of":1},
   "participants":[
   [[
     {"send":[{"to":1,"slots":[[0,1]]}],"receive":[{"from":1,"slots":[[1,1]]}],"then":[{"do":"reduce","slots":[1,1],"into":0}]}]],
   [[
     {"send":[{"to":0,"slots":[[0,1]]}],"receive":[{"from":0,"slots":[[1,1]]}],"then":[{"do":"reduce","slots":[1,1],"into":0}]}]]
  ]}
 ]}
)";

std::string refusal(std::string_view text) { return refusal_of(parse_schedule_file, text); }

/// The refusal of the file above with one change.
std::string refusal_with(std::string_view from, std::string_view to) {
  return refusal(replaced(std::string(exchange), from, to));
}

TEST(ParseScheduleFile, ReadsWhatTheFormatSays) {
  const auto file = parse_schedule_file(exchange, "f.json");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->name, "exchange");
  ASSERT_EQ(file->schedules.size(), 1U);
  const CollectiveCall call{Collective::allreduce, 2, 0, 10};
  EXPECT_EQ(find_schedule(*file, call), &file->schedules[0]);
  const auto schedule = schedule_of(file->schedules[0].algorithm, call).value();
  StepActions actions;
  schedule->actions(1, 0, 0, actions);
  ASSERT_EQ(actions.sends.size(), 1U);
  EXPECT_EQ(actions.sends[0].peer, 0U);
  EXPECT_EQ(bytes_of(*schedule, 1, actions, actions.receives[0]), 10U);
  EXPECT_EQ(schedule_file_text(*file), exchange);
}

TEST(FindSchedule, TakesTheFirstThatFitsTheCall) {
  const auto file = parse_schedule_file(exchange, "f.json").value();
  ScheduleFile two{"", {{file.schedules[0].algorithm, {100, 199, 2}}, file.schedules[0]}};
  const auto found = [&](Bytes bytes) { return find_schedule(two, {Collective::allreduce, 2, 0, bytes}); };
  EXPECT_EQ(found(100), &two.schedules[0]);
  EXPECT_EQ(found(101), &two.schedules[1]);
  EXPECT_EQ(found(200), &two.schedules[1]);
  EXPECT_EQ(find_schedule(two, {Collective::allreduce, 3, 0, 100}), nullptr);
  EXPECT_EQ(find_schedule(two, {Collective::reduce, 2, 0, 100}), nullptr);
}

TEST(ParseScheduleFile, RefusesAWrongScheduleAndSaysWhatIsWrongAndWhere) {
  EXPECT_EQ(refusal_with("\"slots\":[1,1],\"into\":0}]}]],",
                         "\"slots\":[1,1],\"into\":0},"
                         "{\"do\":\"reduce\",\"slots\":[1,1],\"into\":0}]}]],"),
            "f.json: /schedules/0: at the end, slot 0 of rank 0 holds slot 0 of rank 0, slot 0 of rank 1 2 times "
            "instead of slot 0 of ranks 0 ... 1");
  EXPECT_EQ(refusal_with("\"receive\":[{\"from\":0,\"slots\":[[1,1]]}],", ""),
            "f.json: /schedules/0: participant 1, stream 0, step 0: slot 1 is read, but nothing was written to it");
  EXPECT_EQ(refusal_with("{\"to\":1", "{\"to\":2"),
            "f.json: /schedules/0: participant 0, stream 0, step 0: a message with 2, which does not take part");
  EXPECT_EQ(refusal_with("\"from\":1,\"slots\":[[1,1]]", "\"from\":1,\"slots\":[[0,1]]"),
            "f.json: /schedules/0: participant 0, stream 0, step 0: slot 0 is sent and received into at once");
}

TEST(ParseScheduleFile, NamesThePlaceOfWhatItCannotRead) {
  EXPECT_EQ(refusal("{}"), "f.json: /: expected a file of schedules: an object with the format \"ayatori-schedule\"");
  EXPECT_EQ(refusal_with("\"version\":1", "\"version\":2"),
            "f.json: /: version 2 of the format ayatori-schedule; this program reads version 1");
  EXPECT_EQ(refusal_with("\"collective\":\"allreduce\"", "\"collective\":\"sum\""),
            "f.json: /schedules/0/collective: no collective has this name");
  EXPECT_EQ(refusal_with("\"ranks\":2", "\"ranks\":3"),
            "f.json: /schedules/0/participants: 2 participants, but 3 ranks and routers");
  EXPECT_EQ(refusal_with("\"ranks\":2", "\"ranks\":-2"),
            "f.json: /schedules/0/ranks: expected a whole number from 0 to 4294967294");
  EXPECT_EQ(refusal_with("\"ranks\":2", "\"ranks\":2,\"root\":0"),
            "f.json: /schedules/0/root: a collective without a root");
  EXPECT_EQ(refusal_with("\"blocks\":1", "\"blocks\":9000000"),
            "f.json: /schedules/0: 2 participants with 9000001 slots each are more than 2097152 slots");
  EXPECT_EQ(refusal_with("\"scratch\":[0]", "\"scratch\":[1]"),
            "f.json: /schedules/0: a scratch slot as large as block 1, but there are 1");
  EXPECT_EQ(refusal_with("\"multiple_of\":1", "\"multiple_of\":0"),
            "f.json: /schedules/0/sizes/multiple_of: expected a whole number, 1 or more");
  EXPECT_EQ(refusal_with("\"send\"", "\"sends\""),
            "f.json: /schedules/0/participants/0/0/0/sends: no member of a step");
  EXPECT_EQ(
      refusal_with("[[0,1]]", "[[0]]"),
      "f.json: /schedules/0/participants/0/0/0/send/0/slots/0: expected two numbers: the first slot, and how many "
      "there are");
  EXPECT_EQ(refusal_with("[[0,1]]", "[[0,3]]"),
            "f.json: /schedules/0/participants/0/0/0/send/0/slots/0: slots 0 ... 2, but there are 2");
  EXPECT_EQ(refusal_with("\"do\":\"reduce\"", "\"do\":\"add\""),
            "f.json: /schedules/0/participants/0/0/0/then/0/do: expected copy or reduce");
  EXPECT_EQ(refusal("{\"format\":\"ayatori-schedule\",\"version\":1,\"name\":\"\",\"schedules\":[]}"),
            "f.json: /schedules: expected 1 to 64 schedules");
  EXPECT_EQ(refusal_with("{\"send\"", "{[\"send\""),
            "f.json:8: not valid JSON: syntax error while parsing object key - unexpected '['; expected string "
            "literal");
}

TEST(ReadScheduleFile, RefusesAFileThatIsTooLargeBeforeReadingIt) {
  const auto path = std::filesystem::temp_directory_path() / "ayatori-schedule-file-test-large.json";
  ASSERT_TRUE(write_file(path, "{"));
  std::filesystem::resize_file(path, max_schedule_file_bytes + 1);  // with holes
  const auto file = read_schedule_file(path);
  std::filesystem::remove(path);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().message, path.string() + ": more than 64 MiB");
}

TEST(ReadScheduleFile, ReadsWhatWasWrittenOfEveryAlgorithm) {
  const auto path = std::filesystem::temp_directory_path() / "ayatori-schedule-file-test.json";
  for (const Algorithm& algorithm : algorithms()) {
    for (const Rank ranks : {1U, 2U, 7U, 12U}) {
      if (ranks > 7 && !test::all_is_tried()) continue;
      const std::uint64_t seed = 40 + ranks;
      ScheduleCase drawn = CaseDraw(seed, 400).of(algorithm, ranks);
      if (algorithm.collective == Collective::alltoallv) {
        drawn.options.pair_sizes.bytes = [](Rank from, Rank to) { return 1 + (from * 31 + to * 7) % 50; };
      }
      const auto schedule = make_schedule(algorithm.name, drawn.call, drawn.placement, drawn.options).value();
      const auto written = written_out(*schedule);
      if (!written && algorithm.within_a_node && drawn.call.bytes % schedule->block_count() != 0) continue;
      if (!written && algorithm.of_an_mpi && written.error().message.contains("as equally as can be")) continue;
      ASSERT_TRUE(written) << written.error().message << "\n" << drawn.describe() << ", seed " << seed;
      const ScheduleFile file{std::string(algorithm.name), {*written}};
      ASSERT_TRUE(write_schedule_file(file, path));
      const auto again = read_schedule_file(path);
      ASSERT_TRUE(again) << again.error().message << "\n" << drawn.describe() << ", seed " << seed;
      EXPECT_EQ(again->schedules[0].sizes, written->sizes);
      EXPECT_EQ(again->schedules[0].algorithm->head(), written->algorithm->head());
      ASSERT_EQ(schedule_file_text(*again), schedule_file_text(file)) << drawn.describe();
      ASSERT_NE(find_schedule(*again, drawn.call), nullptr) << drawn.describe();
    }
  }
  std::filesystem::remove(path);
}

}  // namespace schedule_file_test
}  // namespace ayatori
