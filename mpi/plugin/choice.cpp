#include <fmt/format.h>

#include "calls.hpp"

namespace ayatori::plugin {

namespace {

/// The choice, compiled; nullptr if it can't be played, as all ranks find alike.
CompiledCall* compiled(Communicator& on, MpiCall call, const ForcedChoice& choice, CallShape shape) {
  if (shape.by_slot && !takes_sizes_by_rank(call, choice.algorithm)) return nullptr;
  shape.collective = names_of(call).collective;
  shape.choice = choice;
  return on.compiled(shape);
}

}  // namespace

Turn::Turn(MPI_Comm comm, MpiCall call, Bytes bytes, CallShape shape, bool exact) : on_(Communicator::find(comm)) {
  if (on_ == nullptr || shape.root >= on_->ranks()) return;
  if (!process().settings.forced[static_cast<std::size_t>(call)] && take_from_table(call, bytes, shape)) return;
  Decision& decision = on_->decision(call, bytes, exact);
  if (decision.next() == nullptr && !decision.on_trial()) return;
  if (!on_->prepare()) return;
  while (const ForcedChoice* const choice = decision.next()) {
    if (CompiledCall* const ready = compiled(*on_, call, *choice, shape)) {
      part_.emplace(*on_, *ready);
      break;
    }
    decision.drop(*choice);
  }
  if (!decision.on_trial()) return;
  decision_ = &decision;
  begin_ = PMPI_Wtime();
}

bool Turn::take_from_table(MpiCall call, Bytes bytes, const CallShape& shape) {
  const SizeInterval* const interval = on_->by_table(call, bytes);
  if (interval == nullptr || !on_->prepare()) return false;
  CompiledCall* const ready = compiled(*on_, call, {interval->algorithm, interval->chunk_bytes}, shape);
  if (ready == nullptr) return false;
  if (process().settings.verbose) {  // or each call of the program would make this line
    explain(fmt::format("{} on {} ranks from {} bytes on: {}, by the choice table", names_of(call).name, on_->ranks(),
                        interval->first, interval->algorithm));
  }
  part_.emplace(*on_, *ready);
  return true;
}

Turn::~Turn() {
  if (decision_ != nullptr) decision_->note(PMPI_Wtime() - begin_, on_->own());
}

}  // namespace ayatori::plugin
