#include "machine_ranks.hpp"

#include <algorithm>

namespace ayatori {

Bins::Bins(std::span<const std::uint32_t> bin_of_item, std::uint32_t bins)
    : first_(bins + 1, 0), items_(bin_of_item.size()) {
  for (const std::uint32_t bin : bin_of_item) largest_ = std::max(largest_, ++first_[bin + 1]);
  for (std::uint32_t bin = 0; bin < bins; ++bin) first_[bin + 1] += first_[bin];
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (std::uint32_t item = 0; item < bin_of_item.size(); ++item) items_[next[bin_of_item[item]]++] = item;
}

std::uint32_t Bins::position(std::uint32_t item, std::uint32_t bin) const {
  const auto items = (*this)[bin];
  return static_cast<std::uint32_t>(std::lower_bound(items.begin(), items.end(), item) - items.begin());
}

namespace {

std::uint32_t bins_in(std::span<const std::uint32_t> bin_of_item) {
  return bin_of_item.empty() ? 0 : *std::max_element(bin_of_item.begin(), bin_of_item.end()) + 1;
}

}  // namespace

MachineRanks::MachineRanks(const Placement& placement)
    : placement_(placement),
      by_machine_(placement_.machine, bins_in(placement_.machine)),
      by_group_(placement_.group, bins_in(placement_.group)),
      machine_at_(placement_.point.size()) {
  for (std::uint32_t machine = 0; machine < machine_at_.size(); ++machine)
    machine_at_[placement_.point[machine]] = machine;
}

std::uint32_t MachineRanks::gateway(std::uint32_t group) const {
  for (const std::uint32_t machine : machines(group)) {
    if (placement_.gateway[machine]) return machine;
  }
  return machines(group).front();
}

bool MachineRanks::needs_gateways() const {
  return std::find(placement_.gateway.begin(), placement_.gateway.end(), false) != placement_.gateway.end();
}

}  // namespace ayatori
