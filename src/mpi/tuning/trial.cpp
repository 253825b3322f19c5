#include "ayatori/tuning/trial.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace ayatori {

namespace {

/// So much faster than the incumbent must a candidate be: less may be noise.
constexpr double clearly_faster = 0.97;

constexpr double block_seconds = 300e-6;
constexpr double max_calls_per_block = 32;
/// For calls up to hopeless_seconds, among oversubscribed ranks up to longest_waiting: in a single call some ranks
/// still come from the previous candidate.
constexpr double least_calls_per_block = 3;
constexpr double longer_if_oversubscribed = 4;
/// Of each candidate at first: a single call shows how long ranks still spin that come from the previous candidate.
constexpr std::size_t first_calls_if_spinning = 4;

/// Of the time of all calls, that calls on trial may take longer.
constexpr double max_share_lost = 0.1;
constexpr double max_pause = 1e6;

/// A candidate whose first call takes longer than both is eliminated: MPI libraries that wait without giving their core
/// to others take 10 to 100 ms for a call where ranks share cores.
constexpr double hopeless_seconds = 2e-3;
constexpr double longest_waiting = 100e-3;
constexpr double hopeless_share = 10;

/// A candidate is eliminated if the better of its first two calls takes so many times as long as another candidate's,
/// and is long enough for its time to be significant.
constexpr double slow_call_seconds = 300e-6;
constexpr double slow_call_share = 3;

/// A candidate is eliminated if it was so many times as slow as the best in each of so many rounds, or in six of seven
/// where there are as many. Among oversubscribed ranks any block may take twice as long as the previous one.
struct Margin {
  std::size_t rounds;
  double share;
  double share_if_oversubscribed;
};
constexpr Margin margins[] = {{7, 1.05, 1.1}, {4, 1.15, 1.3}, {2, 1.4, 2}, {1, 2, 4}};
/// The incumbent is eliminated only after as many.
constexpr std::size_t least_rounds_of_incumbent = 4;
constexpr std::size_t least_rounds_of_incumbent_if_oversubscribed = 7;
/// One delayed block must not be enough: after a single round the first calls must have shown the same.
constexpr double least_share_of_first_calls = 1.5;

/// Of all time, for the trials after the first.
constexpr double max_share_of_trials = 0.01;

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// By round, the time of `candidate` as a share of that of `other`.
std::vector<double> ratios_of(const std::vector<double>& times, std::size_t candidates, std::size_t candidate,
                              std::size_t other) {
  std::vector<double> ratios;
  for (std::size_t round = 0; round + candidates <= times.size(); round += candidates) {
    const double of_other = times[round + other];
    ratios.push_back(of_other > 0 ? times[round + candidate] / of_other : 1);
  }
  return ratios;
}

bool wins(double ratio) { return ratio < 1; }

std::size_t wins_in(const std::vector<double>& ratios) {
  return static_cast<std::size_t>(std::ranges::count_if(ratios, wins));
}

}  // namespace

void CallsBeforeTrial::note(double seconds) {
  if (calls_++ > 0) seconds_ += seconds;
}

bool CallsBeforeTrial::ranks_spin(double mean, bool oversubscribed) {
  return oversubscribed && mean > hopeless_seconds;
}

std::uint64_t CallsBeforeTrial::calls_until_trial(double mean, bool oversubscribed) {
  constexpr double seconds = 300e-6;
  constexpr double least_calls = 128 - timed;
  constexpr double max_calls = 10'000;
  if (ranks_spin(mean, oversubscribed)) {
    return static_cast<std::uint64_t>(std::clamp(longest_waiting / mean, 0.0, least_calls));
  }
  return static_cast<std::uint64_t>(std::clamp(seconds / std::max(mean, 1e-9), least_calls, max_calls));
}

Trial::Trial(std::size_t candidates, std::size_t incumbent, std::size_t rounds, std::uint64_t calls_before, bool spins)
    : candidates_(candidates),
      incumbent_(incumbent),
      rounds_of_a_part_(rounds),
      calls_(calls_before),
      numbers_(candidates),
      last_time_(candidates),
      eliminated_(candidates),
      calls_per_block_(spins ? first_calls_if_spinning : 1),
      best_(incumbent) {}

std::size_t Trial::candidates_left() const { return static_cast<std::size_t>(std::ranges::count(eliminated_, false)); }

void Trial::note(double seconds) {
  const bool may_wait_for_others = block_calls_ == 0 && calls_per_block_ > 1;
  if (!may_wait_for_others) block_seconds_ += seconds;
  if (++block_calls_ < calls_per_block_) return;
  const std::size_t counted = calls_per_block_ > 1 ? calls_per_block_ - 1 : 1;
  numbers_[(round_ - agreed_rounds_) * candidates_ + current()] = block_seconds_ / static_cast<double>(counted);
  block_calls_ = 0;
  block_seconds_ = 0;
  ++position_;
  if (first_calls_are_over()) {
    next_block();
  } else {
    next_first_calls();
  }
}

void Trial::next_first_calls() {
  while (position_ < candidates_ && eliminated_[position_]) ++position_;
  if (position_ < candidates_) return;
  position_ = 0;
  needs_agreement_ = true;
}

/// From this position on, to the first candidate that is not eliminated; after the last one of a round whose times are
/// compared, to the agreement.
void Trial::next_block() {
  for (;; ++position_) {
    if (position_ == candidates_) {
      position_ = 0;
      ++round_;
      needs_agreement_ = std::has_single_bit(round_) || round_ % rounds_of_a_part_ == 0;
      if (needs_agreement_) return;
      numbers_.resize((round_ + 1 - agreed_rounds_) * candidates_);
    }
    if (!eliminated_[current()]) return;
  }
}

void Trial::agree(const std::vector<double>& of_slowest, bool oversubscribed) {
  needs_agreement_ = false;
  oversubscribed_ = oversubscribed;
  if (first_calls_are_over()) {
    agree_on_rounds(of_slowest);
  } else {
    agree_on_first_calls(of_slowest);
  }
  numbers_.assign(candidates_, 0);
  if (candidates_left() == 1) {
    over_ = true;
    best_ = static_cast<std::size_t>(std::ranges::find(eliminated_, false) - eliminated_.begin());
  }
  if (over_) return;
  choose_pause();
  if (first_calls_are_over()) {
    next_block();
  } else {
    while (eliminated_[position_]) ++position_;
  }
}

void Trial::agree_on_first_calls(const std::vector<double>& times) {
  for (std::size_t candidate = 0; candidate < candidates_; ++candidate) {
    if (eliminated_[candidate]) continue;
    last_time_[candidate] = passes_ == 0 ? times[candidate] : std::min(last_time_[candidate], times[candidate]);
    count_cost(times[candidate], eliminated_[incumbent_] ? last_time_[incumbent_] : times[incumbent_],
               calls_per_block_);
  }
  ++passes_;
  const double shortest = *std::ranges::min_element(last_time_);
  const bool is_first = passes_ < first_passes;
  const double hopeless = std::max(hopeless_seconds, hopeless_share * shortest);
  const double slow = is_first || oversubscribed_ ? hopeless : std::max(slow_call_seconds, slow_call_share * shortest);
  for (std::size_t candidate = 0; candidate < candidates_; ++candidate) {
    if (last_time_[candidate] > (candidate == incumbent_ ? hopeless : slow)) eliminated_[candidate] = true;
  }
  if (!is_first) choose_block_size();
}

void Trial::choose_block_size() {
  double longest = 1e-9;
  for (std::size_t candidate = 0; candidate < candidates_; ++candidate) {
    if (!eliminated_[candidate]) longest = std::max(longest, last_time_[candidate]);
  }
  const double longer = oversubscribed_ ? longer_if_oversubscribed : 1;
  const double calls = longer * block_seconds / longest;
  const double least = longest <= (oversubscribed_ ? longest_waiting : hopeless_seconds) ? least_calls_per_block : 1.0;
  calls_per_block_ = static_cast<std::size_t>(std::clamp(calls, least, longer * max_calls_per_block));
}

void Trial::agree_on_rounds(const std::vector<double>& times) {
  const std::size_t first = times_.size();
  times_.insert(times_.end(), times.begin(),
                times.begin() + static_cast<std::ptrdiff_t>((round_ - agreed_rounds_) * candidates_));
  agreed_rounds_ = round_;
  for (std::size_t at = first; at < times_.size(); ++at) {
    if (eliminated_[at % candidates_]) times_[at] = last_time_[at % candidates_];
  }
  for (std::size_t at = first; at < times_.size(); ++at) {
    if (!eliminated_[at % candidates_])
      count_cost(times_[at], times_[at - at % candidates_ + incumbent_], calls_per_block_);
  }
  eliminate_slow();
  end_if_decided();
}

void Trial::count_cost(double seconds, double seconds_of_incumbent, std::size_t calls) {
  calls_ += calls;
  seconds_ += seconds * static_cast<double>(calls);
  lost_ += (seconds - seconds_of_incumbent) * static_cast<double>(calls);
}

void Trial::eliminate_slow() {
  const std::vector<double> of_candidates = medians();
  std::size_t best = candidates_;
  for (std::size_t candidate = 0; candidate < candidates_; ++candidate) {
    if (!eliminated_[candidate] && (best == candidates_ || of_candidates[candidate] < of_candidates[best]))
      best = candidate;
  }
  for (std::size_t candidate = 0; candidate < candidates_; ++candidate) {
    if (eliminated_[candidate] || candidate == best || !is_slow(candidate, best)) continue;
    eliminated_[candidate] = true;
    last_time_[candidate] = of_candidates[candidate];
  }
}

bool Trial::is_slow(std::size_t candidate, std::size_t best) const {
  const std::size_t least = oversubscribed_ ? least_rounds_of_incumbent_if_oversubscribed : least_rounds_of_incumbent;
  if (candidate == incumbent_ && round_ < least) return false;
  if (round_ == 1 && last_time_[candidate] < least_share_of_first_calls * last_time_[best]) return false;
  const Margin& margin = *std::ranges::find_if(margins, [&](const Margin& one) { return one.rounds <= round_; });
  const double share = oversubscribed_ ? margin.share_if_oversubscribed : margin.share;
  const std::vector<double> ratios = ratios_of(times_, candidates_, candidate, best);
  const auto slow =
      static_cast<std::size_t>(std::ranges::count_if(ratios, [&](double ratio) { return ratio > share; }));
  return round_ < margins[0].rounds ? slow == ratios.size() : 7 * slow >= 6 * ratios.size();
}

void Trial::end_if_decided() {
  if (round_ % rounds_of_a_part_ != 0) return;
  best_ = better_candidate(times_, candidates_, incumbent_);
  over_ = round_ == max_parts * rounds_of_a_part_ || is_clear(times_, candidates_, incumbent_, best_);
}

void Trial::choose_pause() {
  pause_ = 0;
  const double of_a_call = first_calls_are_over() && !times_.empty() ? medians()[incumbent_] : last_time_[incumbent_];
  const double may_be_lost = max_share_lost * std::max(of_a_call, 1e-9);
  const double calls = lost_ / may_be_lost - static_cast<double>(calls_);
  if (calls < 1) return;
  pause_ = static_cast<std::uint64_t>(std::min(std::ceil(calls), max_pause));
  calls_ += pause_;
}

std::vector<double> Trial::medians() const { return times_.empty() ? last_time_ : medians_of(times_, candidates_); }

std::uint64_t Trial::calls_until_next() const {
  constexpr double max_calls = 1e15;
  const double calls = seconds_ / max_share_of_trials / std::max(medians()[best_], 1e-9);
  return static_cast<std::uint64_t>(std::clamp(calls, 1.0, max_calls));
}

std::vector<double> medians_of(const std::vector<double>& times, std::size_t candidates) {
  std::vector<double> medians;
  for (std::size_t candidate = 0; candidate < candidates; ++candidate) {
    std::vector<double> of_candidate;
    for (std::size_t at = candidate; at < times.size(); at += candidates) of_candidate.push_back(times[at]);
    medians.push_back(median_of(std::move(of_candidate)));
  }
  return medians;
}

std::size_t better_candidate(const std::vector<double>& times, std::size_t candidates, std::size_t incumbent) {
  std::size_t best = incumbent;
  double best_ratio = 1;
  for (std::size_t candidate = 0; candidate < candidates; ++candidate) {
    if (candidate == incumbent) continue;
    const std::vector<double> ratios = ratios_of(times, candidates, candidate, incumbent);
    const double ratio = median_of(ratios);
    const bool is_faster = ratio < (candidate == 0 ? 1 : clearly_faster) && 3 * wins_in(ratios) > 2 * ratios.size();
    if (!is_faster || ratio >= best_ratio) continue;
    best = candidate;
    best_ratio = ratio;
  }
  return best;
}

bool is_clear(const std::vector<double>& times, std::size_t candidates, std::size_t incumbent, std::size_t better) {
  if (better != incumbent) {
    const std::vector<double> ratios = ratios_of(times, candidates, better, incumbent);
    return 7 * wins_in(ratios) >= 6 * ratios.size();
  }
  for (std::size_t candidate = 0; candidate < candidates; ++candidate) {
    if (candidate == incumbent) continue;
    const std::vector<double> ratios = ratios_of(times, candidates, candidate, incumbent);
    if (2 * wins_in(ratios) > ratios.size()) return false;
  }
  return true;
}

}  // namespace ayatori
