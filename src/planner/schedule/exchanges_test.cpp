// The messages of alltoalls and allreduces, compared with the literature.
#include <gtest/gtest.h>

#include <bit>
#include <map>

#include "ayatori/schedule/pattern.hpp"
#include "schedule_fixtures.hpp"

namespace ayatori {
namespace exchanges_test {

TEST(AlltoallShift, HasTheStepsOfThePatternOfThatName) {
  const auto steps = steps_of(made("shift", {Collective::alltoall, 7, 0, 5}, placement_of_ranks(7)));
  const auto pattern = shift_all_to_all(7);
  ASSERT_EQ(steps->step_count(), pattern->step_count());
  for (std::size_t s = 0; s < steps->step_count(); ++s) {
    const auto ours = step_of(*steps, s);
    const auto theirs = step_of(*pattern, s);
    ASSERT_EQ(ours.size(), theirs.size());
    for (std::size_t i = 0; i < ours.size(); ++i) {
      EXPECT_EQ(ours[i].from, theirs[i].from);
      EXPECT_EQ(ours[i].to, theirs[i].to);
      EXPECT_EQ(ours[i].bytes, 5U);
    }
  }
}

std::vector<Rank> receivers_of(const StepSequence& steps, std::size_t step, Rank from) {
  std::vector<Rank> receivers;
  for (const Message& message : step_of(steps, step)) {
    if (message.from == from) receivers.push_back(message.to);
  }
  return receivers;
}

TEST(AlltoallTwoLevelRing, HasTheMessagesOfFigure7OfPaper1) {
  constexpr Rank machines = 5;
  constexpr Rank local = 3;
  constexpr CollectiveCall call = {Collective::alltoall, machines * local, 0, 1};
  const auto a_machine_at_a_time = steps_of(made("two-level-ring", call, placement_of_ranks(machines * local, local)));
  const auto a_rank_at_a_time =
      steps_of(made("two-level-ring-blocking", call, placement_of_ranks(machines * local, local)));
  ASSERT_EQ(a_machine_at_a_time->step_count(), machines);
  ASSERT_EQ(a_rank_at_a_time->step_count(), machines * local);
  for (Rank r = 0; r < machines * local; ++r) {
    for (Rank j = 0; j < machines; ++j) {
      std::vector<Rank> inner_loop;
      for (Rank k = 0; k < local; ++k) {
        std::vector<Rank> comm = {(r / local + j) % machines * local + (r % local + k) % local};
        if (comm.front() == r) comm.clear();  // what a rank has for itself is not sent
        EXPECT_EQ(receivers_of(*a_rank_at_a_time, j * local + k, r), comm);
        inner_loop.insert(inner_loop.end(), comm.begin(), comm.end());
      }
      EXPECT_EQ(receivers_of(*a_machine_at_a_time, j, r), inner_loop);
    }
  }
}

TEST(AlltoallRing, SendsToTheNextRankOnly) {
  const auto steps = steps_of(made("ring", {Collective::alltoall, 9, 0, 10}, placement_of_ranks(9)));
  Bytes bytes = 0;
  for (std::size_t s = 0; s < steps->step_count(); ++s) {
    for (const Message& message : step_of(*steps, s)) {
      EXPECT_EQ(message.to, (message.from + 1) % 9);
      bytes += message.bytes;
    }
  }
  EXPECT_EQ(bytes, 9 * 10 * (8 * 9 / 2)) << "each of 9 ranks has a message for distance 1, 2, ... 8";
}

TEST(AlltoallBruck, TakesLog2OfTheRanksSteps) {
  for (const Rank n : {2U, 5U, 8U, 13U, 64U}) {
    const auto schedule = made("bruck", {Collective::alltoall, n, 0, 1}, placement_of_ranks(n));
    EXPECT_EQ(schedule->step_count(0), std::bit_width(n - 1));
  }
}

TEST(Alltoallv, SendsEachPairItsBytesInTheOrderOfAlltoall) {
  constexpr Rank n = 12;
  const Placement placement = placement_of_ranks(n, 3);
  AlgorithmOptions options;
  options.pair_sizes = {n, [](Rank from, Rank to) { return Bytes{from} * to % 7; }};
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective != Collective::alltoallv) continue;
    const auto even = steps_of(made(algorithm.name, {Collective::alltoall, n, 0, 1}, placement));
    const auto uneven = steps_of(made(algorithm.name, {Collective::alltoallv, n, 0, 0}, placement, options));
    ASSERT_EQ(even->step_count(), uneven->step_count());
    for (std::size_t s = 0; s < even->step_count(); ++s) {
      auto expected = step_of(*even, s);
      for (Message& message : expected) message.bytes = options.pair_sizes.bytes(message.from, message.to);
      std::erase_if(expected, [](const Message& message) { return message.bytes == 0; });
      const auto found = step_of(*uneven, s);
      ASSERT_EQ(found.size(), expected.size()) << algorithm.name << ", step " << s;
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(found[i].from, expected[i].from);
        EXPECT_EQ(found[i].to, expected[i].to);
        EXPECT_EQ(found[i].bytes, expected[i].bytes);
      }
    }
  }
}

TEST(AllreduceRingAndRabenseifner, MoveAsFewBytesAsPossible) {
  for (const std::string_view name : {"ring", "rabenseifner", "bine", "swing"}) {
    constexpr Rank n = 16;
    constexpr Bytes bytes = 1600;
    const auto steps = steps_of(made(name, {Collective::allreduce, n, 0, bytes}, placement_of_ranks(n)));
    std::map<Rank, Bytes> sent;
    for (std::size_t s = 0; s < steps->step_count(); ++s) {
      for (const Message& message : step_of(*steps, s)) sent[message.from] += message.bytes;
    }
    for (const auto& [rank, total] : sent) EXPECT_EQ(total, 2 * bytes * (n - 1) / n) << name << " rank " << rank;
  }
}

/// Peer and bytes of each message that r sends on a stream, step by step.
std::vector<std::pair<Rank, Bytes>> sends_of(const Schedule& schedule, std::uint32_t stream, Rank r) {
  std::vector<std::pair<Rank, Bytes>> found;
  StepActions actions;
  for (std::size_t step = 0; step < schedule.step_count(stream); ++step) {
    schedule.actions(r, stream, step, actions);
    for (const Transfer& send : actions.sends) found.emplace_back(send.peer, bytes_of(schedule, r, actions, send));
  }
  return found;
}

/// Both papers' peer on a ring of p, a power of two, in step s: r + ρ(s) if r is even, r − ρ(s) if it is odd (mod p),
/// ρ(s) = Σ (−2)^i over i = 0 … s. Mirrored, the signs change places.
Rank negabinary_peer(Rank r, std::size_t s, Rank p, bool mirrored) {
  std::int64_t rho = 0;
  for (std::int64_t i = 0, power = 1; i <= static_cast<std::int64_t>(s); ++i, power *= -2) rho += power;
  const bool plus = (r % 2 == 0) != mirrored;
  return static_cast<Rank>((std::int64_t{r} + (plus ? rho : -rho) + std::int64_t{p} * p) % p);
}

/// Half of the rest goes to one peer after the other, and back again in the opposite order.
TEST(AllreduceBineAndSwing, HaveThePeersOfTheirPapersOnARing) {
  for (const Rank p : {2U, 4U, 8U, 32U, 128U}) {
    const auto levels = static_cast<std::size_t>(std::bit_width(p) - 1);
    const Bytes vector = 12 * p;
    const CollectiveCall call{Collective::allreduce, p, 0, vector};
    for (const std::string_view name : {"bine", "swing"}) {
      const auto schedule = made(name, call, placement_of_ranks(p));
      ASSERT_EQ(schedule->stream_count(), name == "bine" ? 1U : 2U) << "swing uses both ports of a ring";
      for (std::uint32_t stream = 0; stream < schedule->stream_count(); ++stream) {
        ASSERT_EQ(schedule->step_count(stream), 2 * levels);
        for (Rank r = 0; r < p; ++r) {
          std::vector<std::pair<Rank, Bytes>> expected;
          for (std::size_t s = 0; s < levels; ++s) {
            const Bytes half = vector / schedule->stream_count() >> (s + 1);
            expected.emplace_back(negabinary_peer(r, s, p, stream == 1), half);
          }
          for (std::size_t s = levels; s-- > 0;) expected.push_back(expected[s]);
          EXPECT_EQ(sends_of(*schedule, stream, r), expected) << name << ", rank " << r << " of " << p;
        }
      }
    }
  }
}

/// Section 4 of Swing's paper: 2D allreduces on a torus of D dimensions, one for each port, which begin with different
/// dimensions and take them cyclically; the second D are mirrored.
TEST(AllreduceSwing, HasThePeersOfItsPaperOnATorus) {
  for (const std::vector<std::uint32_t>& lengths : {std::vector{8U, 8U}, {4U, 4U, 4U}}) {
    const Placement placement = torus(lengths);
    const auto n = static_cast<Rank>(placement.machine.size());
    const auto axes = static_cast<std::uint32_t>(lengths.size());
    const Bytes vector = Bytes{n} * 2 * axes * 3;
    const auto schedule = made("swing", {Collective::allreduce, n, 0, vector}, placement);
    const auto levels = static_cast<std::size_t>(std::bit_width(n) - 1);
    ASSERT_EQ(schedule->stream_count(), 2 * axes);
    for (std::uint32_t stream = 0; stream < 2 * axes; ++stream) {
      for (Rank r = 0; r < n; ++r) {
        std::vector<std::pair<Rank, Bytes>> expected;
        for (std::size_t s = 0; s < levels; ++s) {
          const std::size_t axis = (stream + s) % axes;
          auto at = coordinates(r, lengths);
          at[axis] = negabinary_peer(at[axis], s / axes, lengths[axis], stream >= axes);
          Rank peer = 0;
          for (std::size_t i = 0; i < axes; ++i) peer = peer * lengths[i] + at[i];
          expected.emplace_back(peer, vector / (2 * axes) >> (s + 1));
        }
        for (std::size_t s = levels; s-- > 0;) expected.push_back(expected[s]);
        ASSERT_EQ(sends_of(*schedule, stream, r), expected) << "rank " << r << ", stream " << stream;
      }
    }
  }
}

/// Eight ranks of a machine have 8 × 8 blocks for those of another: one message between leaders.
TEST(AlltoallHierarchical, SendsOneMessageBetweenTwoMachines) {
  const Placement placement = placement_of_ranks(24, 8);
  const auto schedule = made("hierarchical", {Collective::alltoall, 24, 0, 10}, placement);
  EXPECT_EQ(schedule->step_count(0), 1U + 2 + 1) << "gather, exchange with two other machines, scatter";
  std::map<Edge, Bytes> between;
  const auto steps = steps_of(schedule);
  for (std::size_t s = 0; s < steps->step_count(); ++s) {
    for (const Message& message : step_of(*steps, s)) {
      const Edge machines{placement.machine[message.from], placement.machine[message.to]};
      if (machines.first == machines.second) continue;
      EXPECT_TRUE(between.emplace(machines, message.bytes).second) << "more than one message";
    }
  }
  EXPECT_EQ(between.size(), 6U);
  for (const auto& [machines, bytes] : between) EXPECT_EQ(bytes, 8U * 8 * 10);
}

}  // namespace exchanges_test
}  // namespace ayatori
