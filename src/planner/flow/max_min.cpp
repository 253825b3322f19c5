#include "max_min.hpp"

#include <limits>

#include "fair_rates.hpp"
#include "head_of_line.hpp"

namespace ayatori {

namespace {

std::vector<double> rates_of(FairRates allocation, std::span<const std::vector<std::uint32_t>> paths) {
  std::vector<FlowId> flows;
  for (const auto& path : paths) flows.push_back(path.empty() ? no_id : allocation.add(path));
  allocation.update();
  std::vector<double> rates;
  for (const FlowId flow : flows) {
    rates.push_back(flow == no_id ? std::numeric_limits<double>::infinity() : allocation.rate(flow));
  }
  return rates;
}

}  // namespace

std::vector<double> max_min_fair_rates(std::span<const double> capacity,
                                       std::span<const std::vector<std::uint32_t>> paths) {
  return rates_of(FairRates({capacity.begin(), capacity.end()}), paths);
}

std::vector<double> head_of_line_rates(std::span<const double> capacity,
                                       std::span<const std::vector<std::uint32_t>> paths) {
  return rates_of(FairRates({capacity.begin(), capacity.end()}, static_cast<std::uint32_t>(capacity.size())), paths);
}

}  // namespace ayatori
