#include "ayatori/network/interval.hpp"

namespace ayatori {

Interval shortest_around(const std::vector<bool>& used, bool ring) {
  std::vector<std::uint32_t> places;
  const auto length = static_cast<std::uint32_t>(used.size());
  for (std::uint32_t i = 0; i < length; ++i) {
    if (used[i]) places.push_back(i);
  }
  Interval best{places.front(), places.back() - places.front() + 1};
  if (!ring) return best;
  for (std::size_t i = 1; i < places.size(); ++i) {
    const std::uint32_t gap = places[i] - places[i - 1] - 1;
    if (length - gap < best.length) best = {places[i], length - gap};
  }
  return best;
}

}  // namespace ayatori
