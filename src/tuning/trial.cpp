#include "ayatori/tuning/trial.hpp"

#include <algorithm>
#include <utility>

namespace ayatori {

namespace {

/// So much faster must a way be than the one that plays already: less may be noise.
constexpr double clearly_faster = 0.97;

constexpr double seconds_of_a_turn = 300e-6;
constexpr double max_calls_of_a_turn = 32;
/// Of calls up to hopeless_seconds: of a single one it counts that some ranks still come from the way before.
constexpr double least_calls_of_a_turn = 3;
constexpr double longer_if_crowded = 4;

/// A trial goes on while it has taken less: programs whose calls take longer than milliseconds should not make many of
/// them the slow way.
constexpr double max_seconds_before_going_on = 20e-3;

/// A way that takes longer than both is not tried further.
constexpr double hopeless_seconds = 2e-3;
constexpr double hopeless_share = 10;

/// Of all time, for the trials after the first.
constexpr double max_share_of_trials = 0.01;

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// By round, the time of `way` as a share of that of `other`.
std::vector<double> ratios_of(const std::vector<double>& times, std::size_t ways, std::size_t way, std::size_t other) {
  std::vector<double> ratios;
  for (std::size_t round = 0; round + ways <= times.size(); round += ways) {
    const double of_other = times[round + other];
    ratios.push_back(of_other > 0 ? times[round + way] / of_other : 1);
  }
  return ratios;
}

bool wins(double ratio) { return ratio < 1; }

std::size_t wins_in(const std::vector<double>& ratios) {
  return static_cast<std::size_t>(std::ranges::count_if(ratios, wins));
}

}  // namespace

Trial::Trial(std::size_t ways, std::size_t rounds)
    : ways_(ways), rounds_of_a_part_(rounds), rounds_(rounds), times_(ways * rounds), first_times_(ways) {}

void Trial::note(double seconds) {
  seconds_of_all_ += seconds;
  if (!counts_) {
    double& first = first_times_[place_];
    first = first_calls_ < ways_ ? seconds : std::min(first, seconds);
    place_ = (place_ + 1) % ways_;
    counts_ = needs_agreement_ = ++first_calls_ == 2 * ways_;
    return;
  }
  const bool may_wait_for_others = calls_ == 0 && calls_of_a_turn_ > 1;
  if (!may_wait_for_others) seconds_ += seconds;
  if (++calls_ < calls_of_a_turn_) return;
  const std::size_t counted = calls_of_a_turn_ > 1 ? calls_of_a_turn_ - 1 : 1;
  times_[round_ * ways_ + turn()] = seconds_ / static_cast<double>(counted);
  calls_ = 0;
  seconds_ = 0;
  ++place_;
  go_to_turn();
}

/// From this place on, to the first way that still plays.
void Trial::go_to_turn() {
  for (; !over(); ++place_) {
    if (place_ == ways_) {
      place_ = 0;
      ++round_;
    }
    if (over() || !is_left_out(turn())) return;
    times_[round_ * ways_ + turn()] = first_times_[turn()];
  }
}

bool Trial::may_go_on(double seconds_of_all_ranks) const {
  return round_ < max_parts * rounds_of_a_part_ && seconds_of_all_ranks < longer_ * max_seconds_before_going_on;
}

void Trial::go_on() {
  rounds_ += rounds_of_a_part_;
  times_.resize(ways_ * rounds_);
  go_to_turn();
}

void Trial::agree(std::vector<double> first_times_of_all, bool crowded) {
  needs_agreement_ = false;
  if (crowded) longer_ = longer_if_crowded;
  first_times_ = std::move(first_times_of_all);
  const double hopeless = std::max(hopeless_seconds, hopeless_share * *std::ranges::min_element(first_times_));
  double longest = 1e-9;
  for (const double seconds : first_times_) {
    left_out_.push_back(seconds > hopeless);
    if (!left_out_.back()) longest = std::max(longest, seconds);
  }
  const double calls = longer_ * seconds_of_a_turn / longest;
  const double least = longest <= hopeless_seconds ? least_calls_of_a_turn : 1.0;
  calls_of_a_turn_ = static_cast<std::size_t>(std::clamp(calls, least, longer_ * max_calls_of_a_turn));
  go_to_turn();
}

std::uint64_t Trial::calls_until_next(const std::vector<double>& times, std::size_t settled) const {
  constexpr double max_calls = 1e15;
  const std::vector<double> medians = medians_of(times, ways_);
  double seconds = 0;
  for (std::size_t way = 0; way < ways_; ++way) {
    seconds += medians[way] * static_cast<double>(2 + (is_left_out(way) ? 0 : rounds_ * calls_of_a_turn_));
  }
  const double calls = seconds / max_share_of_trials / std::max(medians[settled], 1e-9);
  return static_cast<std::uint64_t>(std::clamp(calls, 1.0, max_calls));
}

std::vector<double> medians_of(const std::vector<double>& times, std::size_t ways) {
  std::vector<double> medians;
  for (std::size_t way = 0; way < ways; ++way) {
    std::vector<double> of_way;
    for (std::size_t at = way; at < times.size(); at += ways) of_way.push_back(times[at]);
    medians.push_back(median_of(std::move(of_way)));
  }
  return medians;
}

std::size_t better_way(const std::vector<double>& times, std::size_t ways, std::size_t settled) {
  std::size_t best = settled;
  double best_ratio = 1;
  for (std::size_t way = 0; way < ways; ++way) {
    if (way == settled) continue;
    const std::vector<double> ratios = ratios_of(times, ways, way, settled);
    const double ratio = median_of(ratios);
    const bool is_faster = ratio < (way == 0 ? 1 : clearly_faster) && 3 * wins_in(ratios) > 2 * ratios.size();
    if (!is_faster || ratio >= best_ratio) continue;
    best = way;
    best_ratio = ratio;
  }
  return best;
}

bool is_clear(const std::vector<double>& times, std::size_t ways, std::size_t settled, std::size_t better) {
  if (better != settled) {
    const std::vector<double> ratios = ratios_of(times, ways, better, settled);
    return 7 * wins_in(ratios) >= 6 * ratios.size();
  }
  for (std::size_t way = 0; way < ways; ++way) {
    if (way == settled) continue;
    const std::vector<double> ratios = ratios_of(times, ways, way, settled);
    if (2 * wins_in(ratios) > ratios.size()) return false;
  }
  return true;
}

}  // namespace ayatori
