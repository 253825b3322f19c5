#include "decision.hpp"

#include "ayatori/artefacts/choice_table.hpp"
#include "ayatori/schedule/algorithms.hpp"
#include "ayatori/tuning/candidates.hpp"
#include "communicator.hpp"
#include "process.hpp"

namespace ayatori::plugin {

namespace {

Decision forced_by(std::string_view variable, const ForcedChoice& forced, MpiCall call, bool exact) {
  // All ranks of an allreduce must get the same bits, which nobody has checked of an algorithm of others.
  const bool may_differ = call == MpiCall::allreduce && !exact && names_loaded_algorithm(forced.algorithm);
  if (forced.algorithm.empty() || may_differ) return {.why = "forced by ", .variable = variable};
  return {.choices = {forced}, .why = "forced by ", .variable = variable};
}

}  // namespace

Decision decide(const Communicator& on, MpiCall call, Bytes bytes, bool exact, bool blocks) {
  const Settings& settings = process().settings;
  const auto& forced = (blocks ? settings.forced : settings.forced_nonblocking)[static_cast<std::size_t>(call)];
  if (forced) return forced_by(blocks ? names_of(call).variable : nonblocking_variable(call), *forced, call, exact);
  const bool is_measured = process().table && process().table->measured;
  const bool may_round = exact || is_measured;        // a run's clock or a model must not decide on digits
  const bool is_comparable = blocks || !is_measured;  // calls that block were measured
  if (const SizeInterval* const found = may_round && is_comparable ? on.by_table(call, bytes) : nullptr) {
    if (found->algorithm == the_mpis_own) return {.from = found->first, .why = "by the choice table"};
    return {.choices = {{found->algorithm, found->chunk_bytes}},
            .from = found->first,
            .why = "by the choice table",
            .may_be_vetoed = blocks && exact && process().may_veto};
  }
  if (on.mpi_is_elsewhere()) {
    return {.choices = candidates(call, bytes, on.placement()), .why = "as the MPI's own would take other networks"};
  }
  return {.why = exact ? "without a choice table for it" : "without a measured choice table, as it rounds"};
}

}  // namespace ayatori::plugin
