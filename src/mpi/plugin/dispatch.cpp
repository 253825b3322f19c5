#include "dispatch.hpp"

#include <fmt/core.h>
#include <sys/resource.h>

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

/// How often another process has taken the core of this thread.
long preemptions() {
  rusage used{};
  getrusage(RUSAGE_THREAD, &used);
  return used.ru_nivcsw;
}

}  // namespace

Dispatch::Dispatch(MPI_Comm comm, MpiCall call, Bytes bytes, const CallShape& shape, MPI_Request* request, bool exact)
    : on_(Communicator::find(comm)), request_(request) {
  if (on_ == nullptr || shape.root >= on_->ranks()) return;
  if (request != nullptr) {
    take_nonblocking(call, bytes, shape, exact);
    return;
  }
  const CallKey key{
      comm, call, shape.root, bytes, shape.elements, shape.element_bytes, shape.by_slot, shape.in_rank_order, exact};
  CachedCall& place = cached_call(key);
  if (is_cached(place, key)) {
    call_ = place.call;
    return;
  }
  // All ranks are in this call, and may wait for each other, as they may not in one that does not block.
  if ((process().executes_nonblocking || process().collectives_are_apart) && !on_->prepare()) return;
  const Decision decision = decide(*on_, call, bytes, exact, true);
  if (!decision.choices.empty() && !on_->prepare()) return;
  for (const ForcedChoice& choice : decision.choices) {
    if (const auto chosen = with_choice(call, choice, shape)) call_ = on_->compiled(*chosen);
    if (call_ != nullptr) break;
  }
  explain_choice(decision, call);
  if (call_ == nullptr || !decision.may_be_vetoed || !compare(call, bytes)) cache_call(place, key, call_);
}

/// The last word of a table that says "ours". False: it is spoken.
bool Dispatch::compare(MpiCall call, Bytes bytes) {
  CallVeto& veto = on_->veto(call, bytes);
  if (veto.is_vetoed) call_ = nullptr;
  if (veto.comparison.over()) return false;
  veto_ = &veto;
  if (!veto.comparison.is_ours()) call_ = nullptr;
  PMPI_Barrier(on_->comm());
  preemptions_ = preemptions();
  begin_ = PMPI_Wtime();
  return true;
}

void Dispatch::note_time() {
  const double end = PMPI_Wtime();
  Veto& comparison = veto_->comparison;
  comparison.note(begin_, end, preemptions() != preemptions_);
  if (!comparison.over()) return;
  std::vector<double> largest = comparison.numbers();
  PMPI_Allreduce(MPI_IN_PLACE, largest.data(), static_cast<int>(largest.size()), MPI_DOUBLE, MPI_MAX, on_->comm());
  veto_->is_vetoed = Veto::is_slower(largest, on_->placement().machine_count() == 1);
  explain(fmt::format("{} of about {} bytes on {} ranks: {}, by the first {} pairs of calls",
                      names_of(veto_->call).name, veto_->bytes, on_->ranks(),
                      veto_->is_vetoed ? "the MPI's own is faster" : "the table stays", Veto::pairs));
}

/// There is no comparison: the time of a nonblocking call is not comparable.
void Dispatch::take_nonblocking(MpiCall call, Bytes bytes, const CallShape& shape, bool exact) {
  if (!process().executes_nonblocking || !on_->is_ready()) return;
  free_deferred_communicators();
  const Decision decision = decide(*on_, call, bytes, exact, false);
  for (const ForcedChoice& choice : decision.choices) {
    if (const auto chosen = with_choice(call, choice, shape)) lent_ = on_->lend(*chosen);
    call_ = lent_.get();
    if (call_ == nullptr) continue;
    explain_choice(decision, call);
    return;
  }
}

void Dispatch::explain_choice(const Decision& decision, MpiCall call) const {
  if (!process().settings.verbose) return;  // or each call would make this line
  explain(fmt::format(
      "{}{} on {} ranks{}: {}, {}{}", names_of(call).name, request_ == nullptr ? "" : " without blocking", on_->ranks(),
      decision.from == 0 ? "" : fmt::format(" from {} bytes on", decision.from),
      call_ == nullptr ? "the MPI's own" : call_->shape().choice.algorithm, decision.why, decision.variable));
}

}  // namespace ayatori::plugin
