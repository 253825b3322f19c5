#include "ayatori/tuning/veto.hpp"

namespace ayatori {

namespace {

constexpr double error_rate = 0.01;
constexpr std::size_t numbers_of_a_call = 4;

}  // namespace

bool is_significant(std::size_t more, std::size_t less) {
  const std::size_t all = more + less;
  double chance = 1;  // of exactly `k` of `all`
  double sum = 0;
  for (std::size_t i = 0; i < all; ++i) chance /= 2;
  for (std::size_t k = 0; k <= less; ++k) {
    sum += chance;
    chance *= static_cast<double>(all - k) / static_cast<double>(k + 1);
  }
  return sum <= error_rate;
}

void Veto::note(double begin, double end, bool disturbed) {
  if (++calls_ > 2) numbers_.insert(numbers_.end(), {begin, end, end - begin, disturbed ? 1.0 : 0.0});
}

bool Veto::is_slower(const std::vector<double>& largest, bool one_clock) {
  std::size_t slower = 0;
  std::size_t faster = 0;
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    const double* const first = &largest[2 * pair * numbers_of_a_call];
    const double* const second = first + numbers_of_a_call;
    if (first[3] != 0 || second[3] != 0) continue;
    const auto seconds = [&](const double* call) { return one_clock ? call[1] - call[0] : call[2]; };
    const bool ours_is_first = pair % 2 == 1;  // the pair before the first one was not noted
    const double ours = seconds(ours_is_first ? first : second);
    const double other = seconds(ours_is_first ? second : first);
    if (ours > other) ++slower;
    if (ours < other) ++faster;
  }
  return is_significant(slower, faster);
}

}  // namespace ayatori
