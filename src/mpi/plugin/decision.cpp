#include "decision.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "ayatori/schedule/algorithms.hpp"
#include "cached_calls.hpp"
#include "model.hpp"

namespace ayatori::plugin {

Decision::Decision(MpiCall call, Bytes bytes, bool exact, bool apart, Rank ranks)
    : call_(call), bytes_(bytes), apart_(apart), candidates_(1) {
  const Settings& settings = process().settings;
  if (const auto& forced = settings.forced[static_cast<std::size_t>(call)]) {
    candidates_.push_back(*forced);
    incumbent_ = forced->algorithm.empty() || may_differ(*forced, exact) ? 0 : 1;
    explain(fmt::format("{} on {} ranks: {}, forced by {}", names_of(call).name, ranks,
                        incumbent_ == 0 ? "the MPI's own" : forced->algorithm, names_of(call).variable));
    return;
  }
  if (!exact && !apart && settings.guard) {
    explain(fmt::format("{} of operations that round: the MPI's own, so that results do not depend on the time",
                        names_of(call).name));
  }
  may_try_ = settings.guard && exact;
  undecided_ = may_try_ || apart;
  on_trial_ = may_try_;
  if (may_try_) before_.emplace();
}

/// All ranks of an allreduce must get the same bits, which nobody has checked of an algorithm of others.
bool Decision::may_differ(const ForcedChoice& choice, bool exact) const {
  return call_ == MpiCall::allreduce && !exact && names_loaded_algorithm(choice.algorithm);
}

void Decision::prepare(const Placement& placement, MPI_Comm comm, Rank rank) {
  if (!undecided_ || (before_ && !apart_)) return;
  undecided_ = false;
  for (ForcedChoice& one : worth_a_trial(call_, bytes_, placement, comm, rank)) candidates_.push_back(std::move(one));
  if (apart_) leave_out_the_mpi();
  if (before_) return;
  on_trial_ = may_try_ && candidates_.size() > 1;
  if (on_trial_) begin_trial();
}

/// Until there is a trial, the first of ours executes: what the model predicts does not depend on the times of this
/// run.
void Decision::leave_out_the_mpi() {
  if (candidates_.size() > 1) candidates_.erase(candidates_.begin());
  explain(fmt::format("{} of about {} bytes: {}", names_of(call_).name, bytes_,
                      candidates_[0].algorithm.empty()
                          ? "the MPI's own, as none of ours can be executed"
                          : candidates_[0].algorithm + (may_try_ ? " until there is a trial" : "")));
}

void Decision::begin_trial() {
  trial_.emplace(candidates_.size(), incumbent_, Trial::default_rounds, calls_before_trial_, spins_);
}

void Decision::go_on_trial() {
  on_trial_ = true;
  if (!undecided_ && !trial_) begin_trial();
}

const ForcedChoice* Decision::next() const {
  const ForcedChoice& candidate = candidates_[on_trial_ && trial_ ? trial_->current() : incumbent_];
  return candidate.algorithm.empty() ? nullptr : &candidate;
}

void Decision::drop(const ForcedChoice& choice) {
  std::erase(candidates_, ForcedChoice(choice));
  if (apart_ && candidates_.empty()) {
    candidates_.emplace_back();
    explain(fmt::format("{} of about {} bytes: the MPI's own, over other networks: none of ours can be executed",
                        names_of(call_).name, bytes_));
  }
  incumbent_ = 0;
  calls_until_trial_ = 0;
  forget_cached_calls();
  if (candidates_.size() == 1) trial_.reset();
  if (trial_) begin_trial();
  on_trial_ = trial_ || before_;
}

void Decision::note(double seconds, MPI_Comm comm) {
  if (before_) {
    note_before_trial(seconds, comm);
    return;
  }
  trial_->note(seconds);
  if (!trial_->needs_agreement()) return;
  std::vector<double> longest = trial_->numbers();
  longest.push_back(process().is_oversubscribed() ? 1 : 0);
  PMPI_Allreduce(MPI_IN_PLACE, longest.data(), static_cast<int>(longest.size()), MPI_DOUBLE, MPI_MAX, comm);
  const bool is_oversubscribed_anywhere = longest.back() != 0;
  longest.pop_back();
  trial_->agree(longest, is_oversubscribed_anywhere);
  if (trial_->over()) {
    end_trial();
  } else if (trial_->pause() > 0) {
    on_trial_ = false;
    calls_until_trial_ = trial_->pause() + 1;
  }
}

void Decision::note_before_trial(double seconds, MPI_Comm comm) {
  before_->note(seconds);
  if (!before_->needs_agreement()) return;
  std::array<double, 2> slowest{before_->mean(), process().is_oversubscribed() ? 1.0 : 0.0};
  PMPI_Allreduce(MPI_IN_PLACE, slowest.data(), slowest.size(), MPI_DOUBLE, MPI_MAX, comm);
  const double mean = slowest[0];
  const bool is_oversubscribed_anywhere = slowest[1] != 0;
  spins_ = CallsBeforeTrial::ranks_spin(mean, is_oversubscribed_anywhere);
  before_.reset();
  on_trial_ = false;
  if (!undecided_ && candidates_.size() == 1) return;  // there is nothing to compare
  calls_until_trial_ = CallsBeforeTrial::calls_until_trial(mean, is_oversubscribed_anywhere) + 1;
  calls_before_trial_ = CallsBeforeTrial::timed + calls_until_trial_ - 1;
}

void Decision::end_trial() {
  const std::size_t before = std::exchange(incumbent_, trial_->best());
  // Of calls with other roots, too, which ranks may not remember alike.
  if (incumbent_ != before) forget_cached_calls();
  // Each is twice as far away as the one before, so that their number grows as the logarithm of the calls.
  calls_until_trial_ = trial_->calls_until_next() << std::min<std::uint64_t>(trials_, 10);
  calls_before_trial_ = calls_until_trial_;
  ++trials_;
  explain_outcome(trial_->medians(), trials_ == 1);
  on_trial_ = false;
  trial_.reset();
}

void Decision::explain_outcome(const std::vector<double>& seconds, bool is_first) const {
  std::string times;
  for (std::size_t candidate = 0; candidate < candidates_.size(); ++candidate) {
    times += fmt::format("{}{} {:.2f} us", candidate == 0 ? "" : ", ",
                         candidates_[candidate].algorithm.empty() ? "the MPI's own" : candidates_[candidate].algorithm,
                         seconds[candidate] * 1e6);
  }
  explain(fmt::format("{} of about {} bytes{}: {} ({})", names_of(call_).name, bytes_, is_first ? "" : ", tried again",
                      candidates_[incumbent_].algorithm.empty() ? "the MPI's own" : candidates_[incumbent_].algorithm,
                      times));
}

}  // namespace ayatori::plugin
