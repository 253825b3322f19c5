#include "dispatch.hpp"

#include <fmt/core.h>
#include <sys/resource.h>

#include <ctime>

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

/// In seconds, by a clock that the processes of a machine share: that of PMPI_Wtime() begins with the process.
double now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
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
  const CallKey key{
      comm, call, shape.root, bytes, shape.elements, shape.element_bytes, shape.by_slot, shape.in_rank_order, exact};
  if (request != nullptr) {
    if (!process().executes_nonblocking || !on_->is_ready()) return;
    free_deferred_communicators();
  } else if (CompiledCall* const* const known = find_cached_call(key)) {
    call_ = *known;
    return;
  }
  // In a call that blocks, all ranks may wait for each other.
  if ((process().executes_nonblocking || process().collectives_are_apart) && !on_->prepare()) return;
  const Decision decision = decide(*on_, call, bytes, exact, request == nullptr);
  if (!decision.choices.empty() && !on_->prepare()) return;
  for (auto choice = decision.choices.begin(); call_ == nullptr && choice != decision.choices.end(); ++choice) {
    const auto chosen = with_choice(call, *choice, shape);
    if (chosen && request != nullptr) lent_ = on_->lend(*chosen);
    if (chosen) call_ = request != nullptr ? lent_.get() : on_->compiled(*chosen);
  }
  explain_choice(decision, call);
  if (request != nullptr) return;
  if (call_ == nullptr || !decision.may_be_vetoed || !compare(call, bytes)) cache_call(key, call_);
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
  begin_ = now();
  return true;
}

void Dispatch::note_time() {
  const double end = now();
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

/// A line of its own says if the choice can't be executed for this call.
void Dispatch::explain_choice(const Decision& decision, MpiCall call) const {
  if (!process().settings.verbose) return;  // or each call would make this line
  std::string_view who = "the MPI's own";
  if (!decision.choices.empty()) who = (call_ ? call_->shape().choice : decision.choices.front()).algorithm;
  explain(fmt::format(
      "{}{} on {} ranks{}: {}, {}{}", names_of(call).name, request_ == nullptr ? "" : " without blocking", on_->ranks(),
      decision.from == 0 ? "" : fmt::format(" from {} bytes on", decision.from), who, decision.why, decision.variable));
}

}  // namespace ayatori::plugin
