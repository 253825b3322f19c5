#include "ayatori/progress/progress_trial.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

namespace ayatori {

namespace {

constexpr std::size_t least_cycles = 8;    ///< with, and as many without
constexpr std::size_t many_cycles = 64;    ///< are compared as they are
constexpr double least_gain = 0.01;        ///< less may be chance
constexpr double seconds_without_end = 8;  ///< of a trial of which nothing is to be learnt
/// A program may have changed: there is another trial after so many times the length of one. Sooner where the first
/// ones said that progress does not pay, for programs begin with something else than they go on with.
constexpr double trials_between = 30;
constexpr double after_first_no = 3;
constexpr double longest_slice = 4;
constexpr double cycles_in_slice = 4;  ///< at least: those that are not within one slice don't count

struct Mean {
  double seconds = 0;
  double variance = 0;  ///< of the mean
};

/// Without the longest tenth, in which something else took the core.
Mean mean_of(std::vector<double>& seconds) {
  std::ranges::sort(seconds);
  const std::span counted(seconds.data(), seconds.size() - seconds.size() / 10);
  const auto count = static_cast<double>(counted.size());
  const double mean = std::accumulate(counted.begin(), counted.end(), 0.0) / count;
  double squares = 0;
  for (const double one : counted) squares += (one - mean) * (one - mean);
  return {mean, squares / (count - 1) / count};
}

/// Whether the difference is not likely to be chance, or is known well enough to see that there is none.
bool is_clear(const Mean& with, const Mean& without) {
  const double error = std::sqrt(with.variance + without.variance);
  return std::abs(with.seconds - without.seconds) > 2 * error || error < least_gain / 2 * without.seconds;
}

/// Which of the two slices of a pair is with progress: drawn, so that no rhythm of the program meets it.
bool is_with(std::uint64_t slice) {
  std::uint64_t bits = (slice / 2 + 1) * 0x9e3779b97f4a7c15U;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9U;
  return (slice + (bits >> 40)) % 2 == 1;
}

}  // namespace

bool ProgressTrial::on(double now) const { return on_trial_ ? is_with(slice_of(now)) : pays_; }

void ProgressTrial::begin_trial(double now) {
  on_trial_ = true;
  slice_ = first_slice;
  too_long_ = 0;
  begin_ = now;
  with_.clear();
  without_.clear();
}

void ProgressTrial::make_room_for(double cycle) {
  if (cycles_in_slice * cycle <= slice_) return;
  // A single one may be an exception.
  const double shorter = std::min(cycle, std::exchange(too_long_, cycle));
  while (slice_ < longest_slice && slice_ < cycles_in_slice * shorter) slice_ *= 2;
}

bool ProgressTrial::can_compare() const { return std::min(with_.size(), without_.size()) >= least_cycles; }

bool ProgressTrial::is_enough() {
  return can_compare() &&
         (std::min(with_.size(), without_.size()) >= many_cycles || is_clear(mean_of(with_), mean_of(without_)));
}

ProgressTrial::Outcome ProgressTrial::compare() {
  Outcome outcome;
  if (!can_compare()) return outcome;
  outcome.with = mean_of(with_).seconds;
  outcome.without = mean_of(without_).seconds;
  outcome.pays = outcome.with < outcome.without * (1 - least_gain);
  return outcome;
}

std::optional<ProgressTrial::Outcome> ProgressTrial::begin_cycle(double now) {
  if (!on_trial_) {
    if (settled_ && now < again_at_) return std::nullopt;
    begin_trial(now);
    last_ = now;
    return std::nullopt;
  }
  if (slice_of(last_) == slice_of(now)) (is_with(slice_of(now)) ? with_ : without_).push_back(now - last_);
  make_room_for(now - last_);
  last_ = now;
  if (now < begin_ + seconds_of_trial) return std::nullopt;
  if (!is_enough() && now < begin_ + seconds_without_end) return std::nullopt;
  const Outcome outcome = compare();
  on_trial_ = false;
  settled_ = true;
  pays_ = outcome.pays;
  wait_ = pays_ ? trials_between : std::min(trials_between, after_first_no * wait_);
  again_at_ = now + wait_ * (now - begin_);
  return outcome;
}

}  // namespace ayatori
