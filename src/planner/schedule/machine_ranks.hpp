#pragma once
/// \file
/// The placement inverted: which ranks are on a machine, which machines in a group.

#include <span>
#include <vector>

#include "ayatori/schedule/placement.hpp"

namespace ayatori {

/// Lists of items by the bin that each is in, in rising order.
class Bins {
 public:
  Bins() = default;
  Bins(std::span<const std::uint32_t> bin_of_item, std::uint32_t bins);
  [[nodiscard]] std::span<const std::uint32_t> operator[](std::uint32_t bin) const {
    return {items_.data() + first_[bin], items_.data() + first_[bin + 1]};
  }
  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(first_.size()) - 1; }
  [[nodiscard]] std::uint32_t largest() const { return largest_; }  ///< most items in one bin
  /// Position of an item in its bin.
  [[nodiscard]] std::uint32_t position(std::uint32_t item, std::uint32_t bin) const;

 private:
  std::vector<std::uint32_t> first_{0};
  std::vector<std::uint32_t> items_;
  std::uint32_t largest_ = 0;
};

class MachineRanks {
 public:
  explicit MachineRanks(const Placement& placement);

  [[nodiscard]] const Placement& placement() const { return placement_; }
  [[nodiscard]] Rank rank_count() const { return static_cast<Rank>(placement_.machine.size()); }
  [[nodiscard]] std::uint32_t machine_count() const { return placement_.machine_count(); }
  [[nodiscard]] std::uint32_t group_count() const { return by_group_.count(); }
  [[nodiscard]] std::uint32_t max_ranks() const { return by_machine_.largest(); }   ///< on one machine
  [[nodiscard]] std::uint32_t max_machines() const { return by_group_.largest(); }  ///< in one group
  [[nodiscard]] std::uint32_t machine(Rank rank) const { return placement_.machine[rank]; }
  [[nodiscard]] std::uint32_t group(std::uint32_t machine) const { return placement_.group[machine]; }
  [[nodiscard]] std::span<const Rank> ranks(std::uint32_t machine) const { return by_machine_[machine]; }
  [[nodiscard]] std::span<const std::uint32_t> machines(std::uint32_t group) const { return by_group_[group]; }
  /// A rank's number among those of its machine, and a machine's among those of its group.
  [[nodiscard]] std::uint32_t local(Rank rank) const { return by_machine_.position(rank, machine(rank)); }
  [[nodiscard]] std::uint32_t local_machine(std::uint32_t machine) const {
    return by_group_.position(machine, group(machine));
  }
  /// no_id if the machine has fewer ranks.
  [[nodiscard]] Rank rank(std::uint32_t machine, std::uint32_t local) const {
    return local < ranks(machine).size() ? ranks(machine)[local] : no_id;
  }
  /// The group's first gateway; its first machine if it has none.
  [[nodiscard]] std::uint32_t gateway(std::uint32_t group) const;
  /// The machine at a point of the placement's grid.
  [[nodiscard]] std::uint32_t machine_at(std::uint32_t point) const { return machine_at_[point]; }
  /// Messages between groups can't start at every machine.
  [[nodiscard]] bool needs_gateways() const;

 private:
  Placement placement_;
  Bins by_machine_;
  Bins by_group_;
  std::vector<std::uint32_t> machine_at_;
};

}  // namespace ayatori
