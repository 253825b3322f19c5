#pragma once
/// \file
/// Trees that follow groups, nodes and ranks.

#include "tree.hpp"

namespace ayatori {

/// How much of the job one HierarchicalTree spans.
enum class TreeScope : std::uint8_t { all, groups, nodes };

/// Binomial trees among groups, in each group among its nodes, on each node among its ranks. A scope of groups (or
/// nodes) gives a forest, one tree a group (or node), rooted at leader_of_group (leader_of_node).
class HierarchicalTree final : public SpanningTree {
 public:
  HierarchicalTree(std::shared_ptr<const NodeRanks> ranks, Rank root, TreeScope scope);
  [[nodiscard]] Rank parent(Rank r) const override;
  [[nodiscard]] std::vector<Rank> children(Rank r) const override;
  [[nodiscard]] std::size_t arrival(Rank r) const override;
  [[nodiscard]] std::size_t rounds() const override;
  [[nodiscard]] std::uint32_t fan() const override { return 1; }

  /// The root on its own node, elsewhere the node's first rank.
  [[nodiscard]] Rank leader_of_node(std::uint32_t node) const;
  /// On the root's node if it may be, otherwise on the group's gateway. If the root's node is no gateway, the root
  /// hands over to its group's leader before anything else.
  [[nodiscard]] Rank leader_of_group(std::uint32_t group) const;

 private:
  [[nodiscard]] std::uint32_t leading_node(std::uint32_t group) const;
  [[nodiscard]] KnomialTree among_groups() const;
  [[nodiscard]] KnomialTree among_nodes(std::uint32_t group) const;
  [[nodiscard]] KnomialTree among_ranks(std::uint32_t node) const;
  [[nodiscard]] bool leads_node(Rank r) const { return r == leader_of_node(ranks_->node(r)); }
  [[nodiscard]] bool leads_group(Rank r) const;

  std::shared_ptr<const NodeRanks> ranks_;
  Rank root_;
  TreeScope scope_;
  bool hand_over_ = false;
  std::size_t group_rounds_ = 0;
  std::size_t node_rounds_ = 0;
  std::size_t rank_rounds_ = 0;
};

}  // namespace ayatori
