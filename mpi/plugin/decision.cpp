#include "decision.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ayatori/schedule/algorithms.hpp"
#include "model.hpp"
#include "quick_calls.hpp"

namespace ayatori::plugin {

namespace {

/// Of operations that round, who plays must not change while the program runs: so they have one trial, a longer one.
constexpr std::size_t rounds_of_only_trial = 15;

}  // namespace

Decision::Decision(MpiCall call, Bytes bytes, bool exact, Rank ranks)
    : call_(call), bytes_(bytes), ways_(1), may_change_(exact) {
  const Settings& settings = process().settings;
  if (const auto& forced = settings.forced[static_cast<std::size_t>(call)]) {
    ways_.push_back(*forced);
    settled_ = forced->algorithm.empty() || may_differ(*forced, exact) ? 0 : 1;
    explain(fmt::format("{} on {} ranks: {}, forced by {}", names_of(call).name, ranks,
                        settled_ == 0 ? "the MPI's own" : forced->algorithm, names_of(call).variable));
    return;
  }
  if (!settings.guard) return;
  if (!exact && settings.reproducible) {
    explain(fmt::format("{} of operations that round: the MPI's own, so that results do not depend on the time",
                        names_of(call).name));
    return;
  }
  undecided_ = true;
}

/// All ranks of an allreduce must get the same bits, which nobody has checked of an algorithm of others.
bool Decision::may_differ(const ForcedChoice& choice, bool exact) const {
  return call_ == MpiCall::allreduce && !exact && names_loaded_algorithm(choice.algorithm);
}

void Decision::prepare(const Places& places, MPI_Comm own, Rank rank) {
  if (!undecided_) return;
  undecided_ = false;
  for (ForcedChoice& one : worth_a_trial(call_, bytes_, places, own, rank)) ways_.push_back(std::move(one));
  if (ways_.size() > 1) trial_.emplace(ways_.size(), may_change_ ? Trial::default_rounds : rounds_of_only_trial);
}

const ForcedChoice* Decision::next() const {
  const ForcedChoice& way = ways_[trial_ ? trial_->turn() : settled_];
  return way.algorithm.empty() ? nullptr : &way;
}

void Decision::drop(const ForcedChoice& choice) {
  std::erase(ways_, ForcedChoice(choice));
  settled_ = 0;
  calls_until_trial_ = 0;
  forget_quick_calls();
  if (trial_) trial_.emplace(ways_.size());
  if (ways_.size() == 1) trial_.reset();
}

void Decision::note(double seconds, MPI_Comm own) {
  trial_->note(seconds);
  if (trial_->needs_agreement()) {
    std::vector<double> longest = trial_->first_times();
    longest.push_back(process().is_crowded() ? 1 : 0);
    PMPI_Allreduce(MPI_IN_PLACE, longest.data(), static_cast<int>(longest.size()), MPI_DOUBLE, MPI_MAX, own);
    const bool is_crowded_anywhere = longest.back() != 0;
    longest.pop_back();
    trial_->agree(std::move(longest), is_crowded_anywhere);
  }
  if (trial_->over()) end_trial(own);
}

void Decision::end_trial(MPI_Comm own) {
  std::vector<double> times = trial_->times();
  times.push_back(trial_->seconds());
  PMPI_Allreduce(MPI_IN_PLACE, times.data(), static_cast<int>(times.size()), MPI_DOUBLE, MPI_MAX, own);
  const double seconds_of_all = times.back();
  times.pop_back();
  const std::size_t before = settled_;
  const std::size_t better = better_way(times, ways_.size(), settled_);
  if (!is_clear(times, ways_.size(), settled_, better) && trial_->may_go_on(seconds_of_all)) {
    trial_->go_on();
    return;
  }
  settled_ = better;
  // Of calls with other roots, too, which ranks may not remember alike.
  if (settled_ != before) forget_quick_calls();
  if (may_change_) {
    // Each is twice as far away as the one before, so that their number grows as the logarithm of the calls.
    calls_until_trial_ = trial_->calls_until_next(times, settled_) << std::min<std::uint64_t>(trials_, 10);
  }
  ++trials_;
  explain_outcome(medians_of(times, ways_.size()), trials_ == 1);
  trial_.reset();
}

void Decision::explain_outcome(const std::vector<double>& seconds, bool is_first) const {
  std::string times;
  for (std::size_t way = 0; way < ways_.size(); ++way) {
    times += fmt::format("{}{} {:.2f} us", way == 0 ? "" : ", ", way == 0 ? "the MPI's own" : ways_[way].algorithm,
                         seconds[way] * 1e6);
  }
  explain(fmt::format("{} of about {} bytes{}: {} ({})", names_of(call_).name, bytes_, is_first ? "" : ", tried again",
                      settled_ == 0 ? "the MPI's own" : ways_[settled_].algorithm, times));
}

}  // namespace ayatori::plugin
