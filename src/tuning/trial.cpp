#include "ayatori/tuning/trial.hpp"

#include <algorithm>

namespace ayatori {

namespace {

/// So much faster must a way be than the MPI's own: less may be noise.
constexpr double clearly_faster = 0.97;

}  // namespace

Trial::Trial(std::size_t ways, std::size_t rounds) : rounds_(rounds), times_(ways) {
  for (auto& times : times_) times.reserve(rounds);
}

void Trial::note(double seconds) {
  if (calls_ >= times_.size()) times_[turn()].push_back(seconds);
  ++calls_;
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
