#pragma once
/// \file
/// For tests: the rates of flows that are all there at once. Header only; tests include it.

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "fair_rates.hpp"

namespace ayatori::test {

/// `paths[f]` are the constraints of flow f; each at most once. A flow over no constraint gets infinity.
inline std::vector<double> rates_at_once(FairRates allocation, std::span<const std::vector<std::uint32_t>> paths) {
  std::vector<FlowId> flows;
  for (const auto& path : paths) flows.push_back(path.empty() ? no_id : allocation.add(path));
  allocation.update();
  std::vector<double> rates;
  for (const FlowId flow : flows) {
    rates.push_back(flow == no_id ? std::numeric_limits<double>::infinity() : allocation.rate(flow));
  }
  return rates;
}

inline std::vector<double> max_min_fair_rates(std::span<const double> capacity,
                                              std::span<const std::vector<std::uint32_t>> paths) {
  return rates_at_once(FairRates({capacity.begin(), capacity.end()}), paths);
}

/// All constraints are links with one queue each, and paths have them in the order in which they take them.
inline std::vector<double> head_of_line_rates(std::span<const double> capacity,
                                              std::span<const std::vector<std::uint32_t>> paths) {
  const auto queues = static_cast<std::uint32_t>(capacity.size());
  return rates_at_once(FairRates({capacity.begin(), capacity.end()}, queues), paths);
}

}  // namespace ayatori::test
