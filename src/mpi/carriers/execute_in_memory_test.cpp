// Every algorithm, executed with real data through shared memory: by threads, and by processes.
#include <gtest/gtest.h>

#include "../../base/thoroughness_fixtures.hpp"
#include "case_fixtures.hpp"
#include "memory_fixtures.hpp"
#include "participant_fixtures.hpp"

namespace ayatori {
namespace {

/// Drawn like those of the executor's own tests; sizes for inline, eager and rendezvous messages.
std::vector<SchedulePtr> schedules_of(Collective collective, Rank ranks, std::uint64_t seed, Bytes max_bytes) {
  std::vector<SchedulePtr> schedules;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective != collective) continue;
    const ScheduleCase drawn = CaseDraw(seed, max_bytes).of(algorithm, ranks);
    SchedulePtr schedule = make_schedule(algorithm.name, drawn.call, drawn.placement, drawn.options).value();
    // Routers are no processes.
    if (schedule->participant_count() == drawn.call.ranks) schedules.push_back(std::move(schedule));
  }
  return schedules;
}

/// Of one call: all kinds of messages for 5 ranks, and one kind for each other number, or all for each.
std::vector<Bytes> most_bytes(Rank ranks) {
  const Bytes many = ranks > 5 ? 10'000 : 80'000;
  if (ranks == 5 || test::all_is_tried()) return {30, 4000, many};
  return {ranks == 1 ? Bytes{30} : ranks == 2 ? Bytes{4000} : many};
}

class ExecuteInMemory : public testing::TestWithParam<Collective> {
 protected:
  static void expect_postcondition_by_threads(const NodeMemoryOptions& options) {
    for (const Rank ranks : {1U, 2U, 5U, 8U}) {
      for (const Bytes max_bytes : most_bytes(ranks)) {
        for (const SchedulePtr& schedule : schedules_of(GetParam(), ranks, 100 + ranks, max_bytes)) {
          MemoryNetwork network(ranks, options);
          // Several times, so that all that is used again is: message by message, by whole steps, and some of each.
          for (std::size_t round = 0; round < 4; ++round) {
            const auto whole_steps = [round](std::size_t rank) {
              return round == 1 || (round > 1 && rank % 2 == round - 2);
            };
            const Result<> executed = execute_by_threads(*schedule, network, whole_steps);
            ASSERT_TRUE(executed) << executed.error().message << "\n"
                                  << ranks << " ranks, up to " << max_bytes << " bytes";
          }
        }
      }
    }
  }
};

TEST_P(ExecuteInMemory, ByThreadsFulfilsThePostcondition) { expect_postcondition_by_threads({}); }

TEST_P(ExecuteInMemory, InFragmentsFulfilsThePostcondition) {
  expect_postcondition_by_threads({.while_waiting = nullptr, .eager_limit = 2000, .read_peers = false});
}

int execute(const Schedule& schedule, Rank self, Carrier& carrier) {
  Participant participant(schedule, self, carrier);
  if (!participant.execute(true)) return 1;
  return check_sample_data(schedule, self, participant.memory) ? 0 : 2;
}

TEST_P(ExecuteInMemory, ByProcessesThatJoinFulfilsThePostcondition) {
  constexpr Rank ranks = 4;
  const auto schedules = schedules_of(GetParam(), ranks, 9, 100'000);
  const auto segment = NodeSegment::create(ranks).value();
  const NodeInvitation invitation = segment->invitation();
  const int failures = count_failures(ranks, [&](Rank self) {
    MemoryEnd end(NodeSegment::join(invitation).value(), self);
    for (const SchedulePtr& schedule : schedules) {
      if (const int status = execute(*schedule, self, end.carrier); status != 0) return status;
    }
    return 0;
  });
  EXPECT_EQ(failures, 0);
}

INSTANTIATE_TEST_SUITE_P(Of, ExecuteInMemory,
                         testing::Values(Collective::alltoall, Collective::alltoallv, Collective::broadcast,
                                         Collective::reduce, Collective::allreduce, Collective::reduce_scatter,
                                         Collective::allgather, Collective::gather, Collective::scatter,
                                         Collective::barrier, Collective::halo),
                         [](const auto& test) { return std::string(to_word(test.param)); });

}  // namespace
}  // namespace ayatori
