#include "dispatch.hpp"

#include <fmt/core.h>

#include "ayatori/tuning/candidates.hpp"
#include "cached_calls.hpp"

namespace ayatori::plugin {

namespace {

/// The shape with the choice in it; nothing if that can't be executed, as all ranks find alike.
std::optional<CallShape> with_choice(MpiCall call, const ForcedChoice& choice, CallShape shape) {
  if (shape.by_slot && !takes_sizes_by_rank(call, choice.algorithm)) return std::nullopt;
  shape.collective = names_of(call).collective;
  shape.choice = choice;
  return shape;
}

CompiledCall* compiled(Communicator& on, MpiCall call, const ForcedChoice& choice, const CallShape& shape) {
  const auto chosen = with_choice(call, choice, shape);
  return chosen ? on.compiled(*chosen) : nullptr;
}

}  // namespace

Dispatch::Dispatch(MPI_Comm comm, MpiCall call, Bytes bytes, CallShape shape, MPI_Request* request, Rank exact_up_to)
    : on_(Communicator::find(comm)), request_(request) {
  if (on_ == nullptr || shape.root >= on_->ranks()) return;
  if (request != nullptr) {
    take_nonblocking(call, bytes, shape);
    return;
  }
  // All ranks are in this call, and may wait for each other, as they may not in one that does not block.
  if ((process().executes_nonblocking || process().collectives_are_apart) && !on_->prepare()) return;
  if (!process().settings.forced[static_cast<std::size_t>(call)] && take_from_table(call, bytes, shape)) return;
  Decision& decision = on_->decision(call, bytes, on_->ranks() <= exact_up_to, shape.in_rank_order);
  settled_ = &decision;
  if (!was_counted(decision)) decision.count();
  if (!decision.begins_apart()) {
    if (decision.next() == nullptr && !decision.on_trial()) return;
    if (!decision.is_prepared() && !on_->is_used_for_long()) return;
  }
  if (!on_->prepare()) return;
  if (!decision.is_prepared()) decision.prepare(on_->placement(), on_->comm(), on_->rank());
  while (const ForcedChoice* const choice = decision.next()) {
    call_ = compiled(*on_, call, *choice, shape);
    if (call_ != nullptr) break;
    decision.drop(*choice);
  }
  if (!decision.on_trial()) return;
  decision_ = &decision;
  begin_ = PMPI_Wtime();
}

bool Dispatch::take_from_table(MpiCall call, Bytes bytes, const CallShape& shape) {
  const SizeInterval* const interval = on_->by_table(call, bytes);
  if (interval == nullptr || !on_->prepare()) return false;
  call_ = compiled(*on_, call, {interval->algorithm, interval->chunk_bytes}, shape);
  if (call_ == nullptr) return false;
  if (process().settings.verbose) {  // or each call of the program would make this line
    explain(fmt::format("{} on {} ranks from {} bytes on: {}, by the choice table", names_of(call).name, on_->ranks(),
                        interval->first, interval->algorithm));
  }
  return true;
}

/// Forced by the user, from a table, or generally good where the MPI's own is to be avoided. There is no trial: the
/// time of a nonblocking call is not comparable.
void Dispatch::take_nonblocking(MpiCall call, Bytes bytes, const CallShape& shape) {
  if (!process().executes_nonblocking || !on_->is_ready()) return;
  free_deferred_communicators();
  const auto& forced = process().settings.forced_nonblocking[static_cast<std::size_t>(call)];
  const SizeInterval* const interval = forced ? nullptr : on_->by_table(call, bytes);
  std::vector<ForcedChoice> choices;
  std::string why = "by the choice table";
  if (forced) {
    choices = {*forced};
    why = fmt::format("forced by {}", nonblocking_variable(call));
  } else if (interval != nullptr) {
    choices = {{interval->algorithm, interval->chunk_bytes}};
  } else if (const Placement placement = on_->placement(); process().mpi_is_elsewhere(placement)) {
    // Not by the model: its times may differ in the last bit between ranks, which can't agree here on one choice.
    choices = candidates(call, bytes, placement);
    why = "as the MPI's own would take other networks";
  }
  for (const ForcedChoice& choice : choices) {
    const auto chosen = choice.algorithm.empty() ? std::nullopt : with_choice(call, choice, shape);
    if (chosen) lent_ = on_->lend(*chosen);
    call_ = lent_.get();
    if (call_ == nullptr) continue;
    if (process().settings.verbose) {
      explain(fmt::format("{} without blocking on {} ranks: {}, {}", names_of(call).name, on_->ranks(),
                          choice.algorithm, why));
    }
    return;
  }
}

Dispatch::~Dispatch() {
  if (decision_ != nullptr) {
    decision_->note(PMPI_Wtime() - begin_, on_->comm());
  } else if (request_ == nullptr) {
    note_executor(on_, call_, settled_);
  }
}

}  // namespace ayatori::plugin
