// Reductions by an operation that does not commute, executed with real data.
#include <gtest/gtest.h>

#include <set>

#include "ayatori/schedule/rank_order.hpp"
#include "case_fixtures.hpp"
#include "random_execution_fixtures.hpp"

namespace ayatori {
namespace {

/// A byte is x → a·x + b modulo 16, and ∘ is one after the other: associative, and commutes hardly ever.
std::byte composed(std::byte outer, std::byte inner) {
  const auto a = [](std::byte map) { return std::to_integer<unsigned>(map) >> 4; };
  const auto b = [](std::byte map) { return std::to_integer<unsigned>(map) & 15U; };
  const unsigned slope = a(outer) * a(inner) % 16;
  const unsigned constant = (a(outer) * b(inner) + b(outer)) % 16;
  return static_cast<std::byte>(slope << 4 | constant);
}

void compose(std::byte* to, const std::byte* from, std::size_t bytes, OperandOrder order) {
  for (std::size_t i = 0; i < bytes; ++i) {
    to[i] = order == OperandOrder::from_first ? composed(from[i], to[i]) : composed(to[i], from[i]);
  }
}

std::byte composed_over_ranks(Rank ranks, Slot slot, std::size_t index) {
  std::byte all = sample_byte({0, slot}, index);
  for (Rank rank = 1; rank < ranks; ++rank) all = composed(all, sample_byte({rank, slot}, index));
  return all;
}

bool is_right(const Schedule& schedule, const Participants& participants) {
  for (Rank rank = 0; rank < schedule.call().ranks; ++rank) {
    const SlotRange result = slots_at_end(schedule, rank);
    for (Slot slot = result.first; slot < result.first + result.count; ++slot) {
      const auto found = participants[rank]->memory.slot(slot);
      for (std::size_t i = 0; i < found.size(); ++i) {
        const Slot contributed = content_at_end(schedule, rank, slot).contribution.slot;
        if (found[i] != composed_over_ranks(schedule.call().ranks, contributed, i)) return false;
      }
    }
  }
  return true;
}

bool reduces(Collective collective) {
  return collective == Collective::reduce || collective == Collective::allreduce ||
         collective == Collective::reduce_scatter;
}

/// What can be ordered comes out right, and what is refused is wrong if nobody minds the order.
TEST(InRankOrder, OperationsThatDoNotCommuteGiveTheRanksInTheirOrderOrAreRefused) {
  std::set<std::string> ordered;
  std::set<std::string> refused;
  for (const Algorithm& algorithm : algorithms()) {
    if (!reduces(algorithm.collective)) continue;
    for (const Rank ranks : {1U, 2U, 3U, 4U, 5U, 8U, 12U, 16U, 17U}) {
      ScheduleCase drawn = CaseDraw(4000 + ranks, 300).of(algorithm, ranks);
      drawn.call.bytes = std::max<Bytes>(drawn.call.bytes, 8 * drawn.call.ranks);
      const auto schedule = make_schedule(algorithm.name, drawn.call, drawn.placement, drawn.options).value();
      const auto in_order = in_rank_order(schedule);
      const std::string name = fmt::format("{} {}", to_word(algorithm.collective), algorithm.name);
      (in_order ? ordered : refused).insert(name);
      const auto executed = execute_in_random_order(in_order ? **in_order : *schedule, ranks, compose);
      ASSERT_TRUE(executed) << executed.error().message;
      ASSERT_EQ(is_right(*schedule, *executed), in_order.has_value()) << drawn.describe();
    }
  }
  for (const char* always : {"allreduce spread", "allreduce two-step", "reduce spread", "reduce_scatter spread"}) {
    EXPECT_TRUE(ordered.contains(always) && !refused.contains(always)) << always;
  }
  EXPECT_TRUE(ordered.contains("allreduce recursive-doubling"));
  EXPECT_TRUE(refused.contains("allreduce ring"));
}

TEST(InRankOrder, IsTheScheduleThatItWasButForTheOrder) {
  const auto schedule =
      make_schedule("two-step", {Collective::allreduce, 5, 0, 100}, placement_of_ranks(5), {}).value();
  const auto ordered = in_rank_order(schedule).value();
  EXPECT_TRUE(verify(*ordered));
  EXPECT_EQ(ordered->slot_count(), schedule->slot_count());
  EXPECT_EQ(totals_of(*ordered).bytes, totals_of(*schedule).bytes);
  EXPECT_EQ(totals_of(*ordered).messages, totals_of(*schedule).messages);
}

TEST(InRankOrder, SaysWhichRanksAreMissingAndWhenItIsTooMuch) {
  const auto ring = make_schedule("ring", {Collective::allreduce, 5, 0, 100}, placement_of_ranks(5), {}).value();
  const auto refused = in_rank_order(ring);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("are combined"), std::string::npos) << refused.error().message;
  EXPECT_FALSE(in_rank_order(ring, {.slots = 10, .work = 1000}));
  EXPECT_FALSE(in_rank_order(ring, {.slots = 1000, .work = 10}));
}

}  // namespace
}  // namespace ayatori
