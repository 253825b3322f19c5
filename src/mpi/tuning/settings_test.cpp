#include "ayatori/tuning/settings.hpp"

#include <gtest/gtest.h>

#include "ayatori/schedule/algorithms.hpp"

namespace ayatori {
namespace {

TEST(ParseForcedChoice, ReadsAlgorithmAndChunk) {
  EXPECT_EQ(*parse_forced_choice(MpiCall::allreduce, "trinaryx3:chunk=16KiB"), (ForcedChoice{"trinaryx3", 16384}));
  EXPECT_EQ(*parse_forced_choice(MpiCall::bcast, "chain:chunk=1000"), (ForcedChoice{"chain", 1000}));
  EXPECT_EQ(*parse_forced_choice(MpiCall::alltoall, "two-level-ring"), (ForcedChoice{"two-level-ring", 0}));
  EXPECT_EQ(*parse_forced_choice(MpiCall::barrier, "mpi"), (ForcedChoice{"", 0}));
}

TEST(ParseForcedChoice, TakesEveryAlgorithmOfACallWhoseBlocksHaveOneSize) {
  for (const Algorithm& algorithm : algorithms()) {
    for (const MpiCallNames& call : mpi_calls()) {
      if (call.collective != algorithm.collective || call.sized_by_rank || algorithm.name == "in-network") continue;
      EXPECT_TRUE(parse_forced_choice(call.call, algorithm.name)) << call.name << " " << algorithm.name;
    }
  }
}

TEST(ParseForcedChoice, NamesWhatIsWrong) {
  const auto message = [](MpiCall call, const char* text) {
    const auto choice = parse_forced_choice(call, text);
    return choice ? "" : choice.error().message;
  };
  EXPECT_EQ(message(MpiCall::bcast, ""), "expected the name of an algorithm, or mpi");
  EXPECT_EQ(message(MpiCall::bcast, "recursive-doubling"), "MPI_Bcast has no algorithm 'recursive-doubling'");
  EXPECT_EQ(message(MpiCall::allreduce, "in-network"), "MPI_Allreduce has no algorithm 'in-network'");
  EXPECT_EQ(message(MpiCall::gatherv, "binomial"), "MPI_Gatherv has no algorithm 'binomial'");
  EXPECT_EQ(message(MpiCall::bcast, "chain:width=3"), "no option 'width=3'; there is chunk=SIZE");
  EXPECT_EQ(message(MpiCall::bcast, "chain:chunk=some"), "'chunk=some' is not a size; 16KiB is one");
  EXPECT_EQ(message(MpiCall::bcast, "chain:chunk"), "'chunk' is not a size; 16KiB is one");
}

TEST(ParseForcedChoice, TakesAlgorithmsOfOthersWithoutLoadingThem) {
  EXPECT_EQ(*parse_forced_choice(MpiCall::allreduce, "file:/a:b"), (ForcedChoice{"file:/a:b", 0}));
  EXPECT_EQ(*parse_forced_choice(MpiCall::bcast, "library:./l.so:mine:chunk=16KiB"),
            (ForcedChoice{"library:./l.so:mine", 16384}));
  EXPECT_EQ(*parse_forced_choice(MpiCall::bcast, "file:chunk=1"), (ForcedChoice{"file:chunk=1", 0})) << "a file's name";
  EXPECT_FALSE(parse_forced_choice(MpiCall::bcast, "file:f:chunk=0"));
  EXPECT_FALSE(parse_forced_choice(MpiCall::bcast, "file:"));
  EXPECT_FALSE(parse_forced_choice(MpiCall::bcast, "library::mine"));
  EXPECT_FALSE(parse_forced_choice(MpiCall::gatherv, "file:f")) << "sizes by rank";
}

TEST(ParseSettings, UsesWhatItKnowsAndComplainsOfTheRest) {
  const Settings settings = parse_settings(
      "AYATORI_VERBOSE=1\nAYATORI_VETO=off\nAYATORI_BCAST=chain\nAYATORI_REDUCE=best\nHOME=/root\nnothing\n");
  EXPECT_TRUE(settings.verbose);
  EXPECT_FALSE(settings.veto);
  EXPECT_EQ(settings.forced[static_cast<std::size_t>(MpiCall::bcast)], (ForcedChoice{"chain", 0}));
  EXPECT_EQ(settings.forced[static_cast<std::size_t>(MpiCall::reduce)], std::nullopt);
  ASSERT_EQ(settings.complaints.size(), 1U);
  EXPECT_EQ(settings.complaints[0].rfind("AYATORI_REDUCE=best is not used: MPI_Reduce has no algorithm 'best'", 0), 0U);
}

TEST(ParseSettings, FormsThatDoNotBlockHaveVariablesOfTheirOwn) {
  const Settings settings = parse_settings("AYATORI_IBCAST=chain:chunk=1000\nAYATORI_REDUCE=binomial\n");
  EXPECT_EQ(settings.forced_nonblocking[static_cast<std::size_t>(MpiCall::bcast)], (ForcedChoice{"chain", 1000}));
  EXPECT_EQ(settings.forced[static_cast<std::size_t>(MpiCall::bcast)], std::nullopt);
  EXPECT_EQ(settings.forced_nonblocking[static_cast<std::size_t>(MpiCall::reduce)], std::nullopt);
  EXPECT_TRUE(settings.forces_nonblocking());
  EXPECT_FALSE(parse_settings("AYATORI_BCAST=chain\nAYATORI_IBCAST=mpi\n").forces_nonblocking());
}

TEST(ParseSettings, ReadsWhoMovesOperationsAndOnWhichCores) {
  EXPECT_EQ(parse_settings("AYATORI_PROGRESS=thread\n").progress, ProgressMode::thread);
  EXPECT_EQ(parse_settings("AYATORI_PROGRESS=calls\n").progress, ProgressMode::calls);
  EXPECT_EQ(parse_settings("AYATORI_PROGRESS=off\n").progress, ProgressMode::off);
  EXPECT_EQ(parse_settings("AYATORI_PROGRESS_CPU=2,31\n").progress_cpus, (std::vector<std::uint32_t>{2, 31}));
  for (const char* wrong : {"AYATORI_PROGRESS=threads\n", "AYATORI_PROGRESS_CPU=2,\n", "AYATORI_PROGRESS_CPU=all\n"}) {
    const Settings settings = parse_settings(wrong);
    EXPECT_EQ(settings.progress, ProgressMode::off) << wrong;
    EXPECT_TRUE(settings.progress_cpus.empty()) << wrong;
    EXPECT_EQ(settings.complaints.size(), 1U) << wrong;
  }
}

TEST(ParseSettings, ReadsHowManyBytesACountOfTheMpiStandsFor) {
  EXPECT_EQ(parse_settings("AYATORI_MAX_COUNT=4KiB\n").max_count, 4096U);
  for (const char* wrong : {"AYATORI_MAX_COUNT=0\n", "AYATORI_MAX_COUNT=2GiB\n", "AYATORI_MAX_COUNT=many\n"}) {
    EXPECT_EQ(parse_settings(wrong).max_count, Settings().max_count) << wrong;
    EXPECT_EQ(parse_settings(wrong).complaints.size(), 1U) << wrong;
  }
}

TEST(ParseSettings, ComplainsOfWhatIsNeitherOnNorOffAndOfNamesThatNobodyReads) {
  for (const char* right : {"AYATORI_VETO=off\n", "AYATORI_SOCKETS=1\n", "AYATORI_VERBOSE=\n", "AYATORI_MPI=on\n",
                            "AYATORI_PLAN=plan.json\n", "AYATORI_PROGRESS=0\n"}) {
    EXPECT_TRUE(parse_settings(right).complaints.empty()) << right;
  }
  for (const char* wrong : {"AYATORI_VETO=perhaps\n", "AYATORI_NODE_MEMORY=2\n", "AYATORI_SOCKETS=maybe\n",
                            "AYATORI_VERBOSE=perhaps\n", "AYATORI_MPI=perhaps\n", "AYATORI_RANKS_PER_MACHINE=0\n",
                            "AYATORI_RANKS_PER_MACHINE=abc\n", "AYATORI_ALLREDUCEE=ring\n", "AYATORI_SCAN=ring\n"}) {
    const Settings settings = parse_settings(wrong);
    ASSERT_EQ(settings.complaints.size(), 1U) << wrong;
    EXPECT_FALSE(settings.verbose || settings.sockets || settings.executes_anything()) << wrong;
    EXPECT_TRUE(settings.veto && settings.node_memory && settings.ranks_per_machine == 0) << wrong;
  }
  EXPECT_EQ(parse_settings("AYATORI_SCAN=ring\n").complaints[0],
            "AYATORI_SCAN=ring is not used: Ayatori has no variable of this name");
}

TEST(ParseSettings, WithoutAnythingNothingIsForcedAndTheVetoIsOn) {
  const Settings settings = parse_settings("");
  EXPECT_FALSE(settings.verbose);
  EXPECT_TRUE(settings.veto);
  EXPECT_FALSE(settings.executes_anything());
  EXPECT_TRUE(parse_settings("AYATORI_IBCAST=mpi\n").executes_anything());
  for (const auto& forced : settings.forced) EXPECT_EQ(forced, std::nullopt);
}

}  // namespace
}  // namespace ayatori
