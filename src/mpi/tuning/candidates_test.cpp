#include "ayatori/tuning/candidates.hpp"

#include <gtest/gtest.h>

namespace ayatori {
namespace {

TEST(Candidates, CanBeExecutedForEveryCallAndSize) {
  for (const MpiCallNames& call : mpi_calls()) {
    for (const Bytes bytes : {Bytes{0}, Bytes{1}, Bytes{16384}, Bytes{16385}, Bytes{1} << 40}) {
      for (const Placement& placement : {placement_of_ranks(6, 1), placement_of_ranks(6, 2)}) {
        const auto found = candidates(call.call, bytes, placement);
        EXPECT_GE(found.size(), 1U) << call.name;
        EXPECT_LE(found.size(), 3U) << call.name;
        for (const ForcedChoice& choice : found)
          EXPECT_TRUE(parse_forced_choice(call.call, choice.algorithm)) << call.name << " " << choice.algorithm;
      }
    }
  }
}

TEST(Candidates, OfSeveralMachinesWithSeveralRanksAreHierarchicalFirst) {
  EXPECT_EQ(candidates(MpiCall::allreduce, 8, placement_of_ranks(6, 2))[0].algorithm, "hierarchical");
  EXPECT_NE(candidates(MpiCall::allreduce, 8, placement_of_ranks(6, 1))[0].algorithm, "hierarchical");
}

TEST(Candidates, GoThroughGatewaysWhereOnlySomeMachinesReachOtherGroups) {
  Placement placement = placement_of_ranks(6, 1);
  placement.group = {0, 0, 0, 1, 1, 1};
  EXPECT_NE(candidates(MpiCall::bcast, 1 << 20, placement)[0].algorithm, "gateways");
  placement.gateway = {false, true, true, false, true, true};
  for (const MpiCall call : {MpiCall::bcast, MpiCall::reduce, MpiCall::allreduce}) {
    EXPECT_EQ(candidates(call, 1 << 20, placement)[0], (ForcedChoice{"gateways", 8192}));
    EXPECT_EQ(candidates(call, 8, placement)[0], (ForcedChoice{"gateways", 0}));
  }
  EXPECT_EQ(candidates(MpiCall::alltoall, 8, placement)[0].algorithm, "gateways-mixed");
  for (const MpiCallNames& call : mpi_calls()) {
    for (const ForcedChoice& choice : candidates(call.call, 100'000, placement)) {
      EXPECT_TRUE(parse_forced_choice(call.call, choice.algorithm)) << call.name << " " << choice.algorithm;
    }
  }
}

}  // namespace
}  // namespace ayatori
