#include "ayatori/loaded/loaded_algorithm.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "ayatori/artefacts/schedule_file.hpp"
#include "ayatori/base/files.hpp"
#include "ayatori/schedule/verify.hpp"
#include "concrete_run_fixtures.hpp"

namespace ayatori {
namespace {

constexpr CollectiveCall allreduce_of_two{Collective::allreduce, 2, 0, 8};

std::string outcome_of(const LoadedAlgorithm& algorithm, const CollectiveCall& call, const Placement& placement,
                       const AlgorithmOptions& options = {}) {
  const auto made = algorithm.make(call, placement, options);
  if (!made) return "error: " + made.error().message;
  return made->schedule ? "schedule" : "none: " + made->reason;
}

// --- libraries ------------------------------------------------------------------------------------------------------

/// What becomes of an algorithm of library_fixture.c, with the path of the library left out.
std::string outcome(const std::string& name, const CollectiveCall& call = allreduce_of_two,
                    const Placement& placement = {}, const AlgorithmOptions& options = {}) {
  const std::string file = AYATORI_LIBRARY_FIXTURE;
  const auto algorithm = load_algorithm("library:" + file + ":" + name);
  if (!algorithm) return algorithm.error().message;
  const Placement where = placement.machine.empty() ? placement_of_ranks(call.ranks) : placement;
  std::string text = outcome_of(**algorithm, call, where, options);
  if (const auto at = text.find(file + ":"); at != std::string::npos) text.erase(at, file.size() + 1);
  return text;
}

TEST(LibraryAlgorithm, MakesAScheduleThatIsVerified) {
  EXPECT_EQ(outcome("right"), "schedule");
  EXPECT_EQ(outcome("nothing"),
            "error: nothing: at the end, slot 0 of rank 0 holds slot 0 of rank 0 instead of slot 0 of ranks 0 ... 1");
  EXPECT_EQ(outcome("twice"),
            "error: twice: at the end, slot 0 of rank 1 holds slot 0 of rank 0 2 times, slot 0 of rank 1 instead of "
            "slot 0 of ranks 0 ... 1");
}

TEST(LibraryAlgorithm, SaysWhyThereIsNoSchedule) {
  EXPECT_EQ(outcome("none"), "none: there is none of this name");
  EXPECT_EQ(outcome("silent"), "none: it does not say why");
  EXPECT_EQ(outcome("null"), "none: it does not say why");
  EXPECT_EQ(outcome("control"), "none: two?lines?[31m");
  EXPECT_EQ(outcome("right", {Collective::halo, 2, 0, 8}), "none: libraries make no halo");
}

TEST(LibraryAlgorithm, WhatCannotBeWrittenIsRefused) {
  EXPECT_EQ(outcome("no-scratch"), "error: no-scratch: slots 1 ... 1, but there are 1");
  EXPECT_EQ(outcome("late-scratch"), "error: late-scratch: ayatori_scratch after the first step");
  EXPECT_EQ(outcome("no-step"), "error: no-step: a message without a step");
  EXPECT_EQ(outcome("many-streams"), "error: many-streams: 1000 streams; expected 1 to 64");
  EXPECT_EQ(outcome("forever"),
            "error: forever: more than 16777216 steps, messages, ranges of slots and local operations");
}

TEST(LibraryAlgorithm, GetsTheCallAndThePlacementOfRanks) {
  const std::uint32_t lengths[] = {3};
  const bool periodic[] = {true};
  AlgorithmOptions options;
  options.chunk_bytes = 10;
  EXPECT_EQ(outcome("call", {Collective::broadcast, 6, 2, 100}, placement_on_grid(lengths, periodic, 2), options),
            "none: all is as it should be");
  options = {};
  options.pair_sizes = table_of_sizes(2, {0, 7, 1, 2});
  EXPECT_EQ(outcome("pairs", {Collective::alltoallv, 2, 0, 0}, {}, options), "none: 7 from 0 to 1");
}

TEST(LoadAlgorithm, SaysWhatIsWrongWithALibrary) {
  const auto missing = load_algorithm("library:/nowhere/at-all.so:ring");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, "can't load the library /nowhere/at-all.so");
  EXPECT_NE(missing.error().cause.find("No such file"), std::string::npos) << missing.error().cause;
  const auto other = load_algorithm("library:libm.so.6");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message, "libm.so.6 has no function ayatori_make_schedule");
  EXPECT_EQ(load_algorithm("ring").error().message, "'ring' names neither a file nor a library");
}

TEST(ExampleAlgorithm, IsRightForAllRanksRootsAndPlacements) {
  const std::string file = std::string("library:") + AYATORI_EXAMPLE_ALGORITHM;
  const auto broadcast = load_algorithm(file + ":two-level").value();
  const auto allreduce = load_algorithm(file + ":doubling").value();
  for (Rank ranks = 1; ranks <= 20; ++ranks) {
    for (const std::uint32_t per_machine : {1U, 3U, 4U}) {
      const Placement placement = placement_of_ranks(ranks, per_machine);
      const Rank root = (ranks * 7 + per_machine) % ranks;
      const auto made = broadcast->make({Collective::broadcast, ranks, root, 100}, placement).value();
      ASSERT_NE(made.schedule, nullptr) << made.reason;
      ASSERT_TRUE(runs_right(*made.schedule, ranks)) << ranks << " ranks, root " << root;
      const auto sum = outcome_of(*allreduce, {Collective::allreduce, ranks, 0, 100}, placement);
      EXPECT_EQ(sum, (ranks & (ranks - 1)) == 0 ? "schedule" : "none: the number of ranks is no power of two");
    }
  }
}

TEST(LibraryAlgorithm, ServesManyThreads) {
  const auto algorithm = load_algorithm(std::string("library:") + AYATORI_EXAMPLE_ALGORITHM + ":doubling").value();
  std::vector<std::jthread> threads;
  std::vector<int> made(4);
  for (std::size_t i = 0; i < made.size(); ++i) {
    threads.emplace_back([&, i] {
      for (int k = 0; k < 20; ++k) {
        const CollectiveCall call{Collective::allreduce, Rank{1} << (k % 5), 0, 100};
        made[i] += outcome_of(*algorithm, call, placement_of_ranks(call.ranks)) == "schedule" ? 1 : 0;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(made, (std::vector<int>{20, 20, 20, 20}));
}

// --- files ----------------------------------------------------------------------------------------------------------

class FileAlgorithm : public testing::Test {
 protected:
  void SetUp() override {
    const auto schedule = make_schedule("ring", {Collective::allreduce, 4, 0, 400}, placement_of_ranks(4)).value();
    ASSERT_TRUE(write_schedule_file({"ring", {written_out(*schedule).value()}}, path_));
  }
  void TearDown() override { std::filesystem::remove(path_); }

  [[nodiscard]] std::string name() const { return "file:" + path_.string(); }

  std::filesystem::path path_ = std::filesystem::temp_directory_path() / "ayatori-loaded-algorithm-test.json";
};

TEST_F(FileAlgorithm, HasTheSchedulesThatFit) {
  const auto algorithm = load_algorithm(name()).value();
  const auto outcome_for = [&](const CollectiveCall& call) {
    return outcome_of(*algorithm, call, placement_of_ranks(call.ranks));
  };
  EXPECT_EQ(outcome_for({Collective::allreduce, 4, 0, 400}), "schedule");
  EXPECT_EQ(outcome_for({Collective::allreduce, 4, 0, 8}), "schedule");
  EXPECT_EQ(outcome_for({Collective::allreduce, 4, 0, 7}),
            "none: " + path_.string() + " has no schedule for allreduce of 7 bytes among 4 ranks");
  EXPECT_EQ(outcome_for({Collective::barrier, 5, 0, 0}),
            "none: " + path_.string() + " has no schedule for barrier among 5 ranks");
  EXPECT_EQ(outcome_for({Collective::reduce, 4, 3, 8}),
            "none: " + path_.string() + " has no schedule for reduce of 8 bytes among 4 ranks from root 3");
  EXPECT_EQ(outcome_of(*algorithm, {Collective::allreduce, 4, 0, 8}, placement_of_ranks(3)),
            "error: the call has 4 ranks, their placement has 3");
}

TEST_F(FileAlgorithm, IsOneOfTheNamesThatMakeNamedScheduleKnows) {
  const CollectiveCall call{Collective::allreduce, 4, 0, 400};
  EXPECT_TRUE(make_named_schedule("ring", call, placement_of_ranks(4)));
  const auto made = make_named_schedule(name(), call, placement_of_ranks(4));
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_TRUE(runs_right(**made, 1));
  EXPECT_EQ(make_named_schedule(name(), {Collective::allreduce, 3, 0, 8}, placement_of_ranks(3)).error().message,
            name() + " makes no such schedule: " + path_.string() +
                " has no schedule for allreduce of 8 bytes among 3 ranks");
  ASSERT_TRUE(write_file(path_, "{}"));
  EXPECT_EQ(make_named_schedule(name(), call, placement_of_ranks(4)).error().message,
            path_.string() + ": /: expected a file of schedules: an object with the format \"ayatori-schedule\"");
}

}  // namespace
}  // namespace ayatori
