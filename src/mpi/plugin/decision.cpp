#include "decision.hpp"

#include "ayatori/artefacts/choice_table.hpp"
#include "ayatori/schedule/algorithms.hpp"
#include "ayatori/tuning/candidates.hpp"
#include "communicator.hpp"
#include "process.hpp"

namespace ayatori::plugin {

Decision decide(const Communicator& on, MpiCall call, Bytes bytes, bool exact, bool blocks) {
  const Settings& settings = process().settings;
  if (const auto& forced = (blocks ? settings.forced : settings.forced_nonblocking)[static_cast<std::size_t>(call)]) {
    Decision by{.why = "forced by ", .variable = blocks ? names_of(call).variable : nonblocking_variable(call)};
    // All ranks of an allreduce must get the same bits, which nobody has checked of an algorithm of others.
    const bool may_differ = call == MpiCall::allreduce && !exact && names_loaded_algorithm(forced->algorithm);
    if (!forced->algorithm.empty() && !may_differ) by.choices = {*forced};
    return by;
  }
  const bool is_measured = process().table && process().table->measured;
  const bool may_round = exact || is_measured;        // a run's clock or a model must not decide on digits
  const bool is_comparable = blocks || !is_measured;  // calls that block were measured
  if (const SizeInterval* const found = may_round && is_comparable ? on.by_table(call, bytes) : nullptr) {
    Decision by{.from = found->first, .why = "by the choice table"};
    if (found->algorithm != the_mpis_own) by.choices = {{found->algorithm, found->chunk_bytes}};
    by.may_be_vetoed = blocks && exact && process().may_veto;
    return by;
  }
  if (on.mpi_is_elsewhere()) {
    return {.choices = candidates(call, bytes, on.placement()), .why = "as the MPI's own would take other networks"};
  }
  return {.why = exact ? "without a choice table for it" : "without a measured choice table, as it rounds"};
}

}  // namespace ayatori::plugin
