#include "ayatori/schedule/rank_order.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "symbolic_execution.hpp"

namespace ayatori {

namespace {

using Kind = LocalOperation::Kind;

/// The order of operands in all reductions of one stream of one participant.
struct ReductionOrders {
  std::vector<std::uint32_t> begin_of_step;  ///< the first of each step that was begun, in `kinds`
  std::vector<Kind> kinds;                   ///< append or prepend

  void note(std::size_t step, Kind kind) {
    begin_of_step.resize(std::max(begin_of_step.size(), step + 1), static_cast<std::uint32_t>(kinds.size()));
    kinds.push_back(kind);
  }
};

class OrderedSchedule final : public Schedule {
 public:
  OrderedSchedule(SchedulePtr base, std::vector<ReductionOrders> orders)
      : base_(std::move(base)), streams_(base_->stream_count()), orders_(std::move(orders)) {}

  [[nodiscard]] const CollectiveCall& call() const override { return base_->call(); }
  [[nodiscard]] Rank participant_count() const override { return base_->participant_count(); }
  [[nodiscard]] std::uint32_t stream_count() const override { return streams_; }
  [[nodiscard]] std::size_t step_count(std::uint32_t stream) const override { return base_->step_count(stream); }
  [[nodiscard]] std::uint32_t block_count() const override { return base_->block_count(); }
  [[nodiscard]] Slot slot_count() const override { return base_->slot_count(); }
  [[nodiscard]] Bytes slot_bytes(Rank participant, Slot slot) const override {
    return base_->slot_bytes(participant, slot);
  }

  void actions(Rank participant, std::uint32_t stream, std::size_t step, StepActions& actions) const override {
    base_->actions(participant, stream, step, actions);
    const ReductionOrders& orders = orders_[std::size_t{participant} * streams_ + stream];
    if (step >= orders.begin_of_step.size()) return;
    std::size_t next = orders.begin_of_step[step];
    for (LocalOperation& operation : actions.locals) {
      if (operation.kind != Kind::copy) operation.kind = orders.kinds[next++];
    }
  }

 private:
  SchedulePtr base_;
  std::size_t streams_;
  std::vector<ReductionOrders> orders_;  ///< by participant and stream
};

/// What `operation` must be to combine these values in the order of the ranks.
Result<Kind> order_of(const LocalOperation& operation, const Contributions& contributions, Value to, Value from) {
  const auto [first_of_to, last_of_to] = contributions.ranks_of(to);
  const auto [first_of_from, last_of_from] = contributions.ranks_of(from);
  const bool appends = last_of_to < first_of_from;
  if (!appends && last_of_from >= first_of_to) {
    return fail("ranks {} ... {} are combined with ranks {} ... {}", first_of_to, last_of_to, first_of_from,
                last_of_from);
  }
  const Kind kind = appends ? Kind::append : Kind::prepend;
  if (operation.kind != Kind::reduce && operation.kind != kind) {
    return fail("ranks {} ... {} are combined before ranks {} ... {}", std::max(first_of_to, first_of_from),
                std::max(last_of_to, last_of_from), std::min(first_of_to, first_of_from),
                std::min(last_of_to, last_of_from));
  }
  return kind;
}

}  // namespace

Result<SchedulePtr> in_rank_order(SchedulePtr schedule, const VerificationLimits& limits) {
  if (auto ok = check_slot_limit(*schedule, limits); !ok) return Failure(ok.error());
  std::vector<ReductionOrders> orders(std::size_t{schedule->participant_count()} * schedule->stream_count());
  SymbolicExecution execution(*schedule, limits);
  execution.watch_reductions([&](std::size_t thread, std::size_t step, const LocalOperation& operation,
                                 std::span<const Value> to, std::span<const Value> from) -> Result<> {
    std::optional<Kind> kind;
    for (std::size_t slot = 0; slot < to.size(); ++slot) {
      const auto found = order_of(operation, execution.contributions(), to[slot], from[slot]);
      if (!found) return Failure(found.error());
      if (kind && *kind != *found) return fail("blocks are combined in two orders in one operation");
      kind = *found;
    }
    orders[thread].note(step, kind.value_or(Kind::append));
    return {};
  });
  if (auto ok = execution.run(); !ok) return Failure(ok.error());
  return std::make_shared<OrderedSchedule>(std::move(schedule), std::move(orders));
}

}  // namespace ayatori
