#include "ayatori/tuning/trial.hpp"

#include <algorithm>

namespace ayatori {

namespace {

/// So much faster must a way be than the MPI's own: less may be noise.
constexpr double clearly_faster = 0.97;

constexpr double seconds_of_a_turn = 50e-6;
constexpr double max_calls_of_a_turn = 16;

}  // namespace

Trial::Trial(std::size_t ways, std::size_t rounds) : rounds_(rounds), times_(ways) {
  for (auto& times : times_) times.reserve(rounds);
}

void Trial::note(double seconds) {
  if (!counts_) {
    first_time_ = std::max(first_time_, seconds);
    next_way();
    counts_ = needs_agreement_ = way_ == 0;
    return;
  }
  seconds_ += seconds;
  if (++calls_ < calls_of_a_turn_) return;
  times_[way_].push_back(seconds_ / static_cast<double>(calls_of_a_turn_));
  calls_ = 0;
  seconds_ = 0;
  next_way();
  if (way_ == 0) ++round_;
}

void Trial::next_way() { way_ = (way_ + 1) % times_.size(); }

void Trial::agree(double first_time_of_all) {
  needs_agreement_ = false;
  const double calls = seconds_of_a_turn / std::max(first_time_of_all, 1e-9);
  calls_of_a_turn_ = static_cast<std::size_t>(std::clamp(calls, 1.0, max_calls_of_a_turn));
}

std::vector<double> Trial::medians() const {
  std::vector<double> found;
  for (std::vector<double> times : times_) {
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::ranges::nth_element(times, middle);
    found.push_back(*middle);
  }
  return found;
}

std::size_t fastest_way(const std::vector<double>& medians) {
  const auto best = std::ranges::min_element(medians);
  return *best < clearly_faster * medians.front() ? static_cast<std::size_t>(best - medians.begin()) : 0;
}

}  // namespace ayatori
