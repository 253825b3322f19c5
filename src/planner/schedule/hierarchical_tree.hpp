#pragma once
/// \file
/// Trees that follow groups, machines and ranks.

#include "tree.hpp"

namespace ayatori {

/// How much of the job one HierarchicalTree spans.
enum class TreeScope : std::uint8_t { all, groups, machines };

/// Binomial trees among groups, in each group among its machines, on each machine among its ranks. A scope of groups
/// (or machines) gives a forest, one tree a group (or machine), rooted at leader_of_group (leader_of_machine).
class HierarchicalTree final : public SpanningTree {
 public:
  HierarchicalTree(std::shared_ptr<const MachineRanks> ranks, Rank root, TreeScope scope);
  [[nodiscard]] Rank parent(Rank r) const override;
  [[nodiscard]] std::vector<Rank> children(Rank r) const override;
  [[nodiscard]] std::size_t arrival(Rank r) const override;
  [[nodiscard]] std::size_t rounds() const override;
  [[nodiscard]] std::uint32_t fan() const override { return 1; }

  /// The root on its own machine, elsewhere the machine's first rank.
  [[nodiscard]] Rank leader_of_machine(std::uint32_t machine) const;
  /// On the root's machine if it may be, otherwise on the group's gateway. If the root's machine is not a gateway, the
  /// root hands over to its group's leader before anything else.
  [[nodiscard]] Rank leader_of_group(std::uint32_t group) const;

 private:
  [[nodiscard]] std::uint32_t leading_machine(std::uint32_t group) const;
  [[nodiscard]] KnomialTree among_groups() const;
  [[nodiscard]] KnomialTree among_machines(std::uint32_t group) const;
  [[nodiscard]] KnomialTree among_ranks(std::uint32_t machine) const;
  [[nodiscard]] bool leads_machine(Rank r) const { return r == leader_of_machine(ranks_->machine(r)); }
  [[nodiscard]] bool leads_group(Rank r) const;

  std::shared_ptr<const MachineRanks> ranks_;
  Rank root_;
  TreeScope scope_;
  bool hand_over_ = false;
  std::size_t group_rounds_ = 0;
  std::size_t machine_rounds_ = 0;
  std::size_t rank_rounds_ = 0;
};

}  // namespace ayatori
