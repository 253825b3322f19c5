#include "hierarchical_tree.hpp"

#include <algorithm>
#include <bit>

namespace ayatori {

namespace {

std::size_t binomial_rounds(std::uint32_t members) { return std::bit_width(members - 1); }

}  // namespace

HierarchicalTree::HierarchicalTree(std::shared_ptr<const NodeRanks> ranks, Rank root, TreeScope scope)
    : ranks_(std::move(ranks)), root_(root), scope_(scope), rank_rounds_(binomial_rounds(ranks_->max_ranks())) {
  if (scope_ != TreeScope::nodes) node_rounds_ = binomial_rounds(ranks_->max_nodes());
  if (scope_ != TreeScope::all) return;
  group_rounds_ = binomial_rounds(ranks_->group_count());
  hand_over_ = leader_of_group(ranks_->group(ranks_->node(root_))) != root_;
}

std::size_t HierarchicalTree::rounds() const {
  return (hand_over_ ? 1U : 0U) + group_rounds_ + node_rounds_ + rank_rounds_;
}

std::uint32_t HierarchicalTree::leading_node(std::uint32_t group) const {
  const std::uint32_t home = ranks_->node(root_);
  return ranks_->group(home) == group && ranks_->places().gateway[home] ? home : ranks_->gateway(group);
}

Rank HierarchicalTree::leader_of_node(std::uint32_t node) const {
  return node == ranks_->node(root_) ? root_ : ranks_->ranks(node).front();
}

Rank HierarchicalTree::leader_of_group(std::uint32_t group) const { return leader_of_node(leading_node(group)); }

bool HierarchicalTree::leads_group(Rank r) const { return r == leader_of_group(ranks_->group(ranks_->node(r))); }

KnomialTree HierarchicalTree::among_groups() const {
  return {ranks_->group_count(), ranks_->group(ranks_->node(root_)), 2};
}

KnomialTree HierarchicalTree::among_nodes(std::uint32_t group) const {
  const auto nodes = static_cast<std::uint32_t>(ranks_->nodes(group).size());
  return {nodes, ranks_->local_node(leading_node(group)), 2};
}

KnomialTree HierarchicalTree::among_ranks(std::uint32_t node) const {
  const auto ranks = static_cast<std::uint32_t>(ranks_->ranks(node).size());
  return {ranks, ranks_->local(leader_of_node(node)), 2};
}

Rank HierarchicalTree::parent(Rank r) const {
  if (scope_ == TreeScope::all && r == root_) return no_id;
  const std::uint32_t node = ranks_->node(r);
  if (!leads_node(r)) return ranks_->rank(node, among_ranks(node).parent(ranks_->local(r)));
  if (scope_ == TreeScope::nodes) return no_id;
  const std::uint32_t group = ranks_->group(node);
  if (!leads_group(r)) {
    return leader_of_node(ranks_->nodes(group)[among_nodes(group).parent(ranks_->local_node(node))]);
  }
  if (scope_ == TreeScope::groups) return no_id;
  const std::uint32_t above = among_groups().parent(group);
  return above == no_id ? root_ : leader_of_group(above);
}

std::vector<Rank> HierarchicalTree::children(Rank r) const {
  std::vector<Rank> found;
  const std::uint32_t node = ranks_->node(r);
  const std::uint32_t group = ranks_->group(node);
  if (scope_ == TreeScope::all && hand_over_ && r == root_) found.push_back(leader_of_group(group));
  if (scope_ == TreeScope::all && leads_group(r)) {
    for (const std::uint32_t child : among_groups().children(group)) found.push_back(leader_of_group(child));
  }
  if (scope_ != TreeScope::nodes && leads_node(r)) {
    for (const std::uint32_t child : among_nodes(group).children(ranks_->local_node(node))) {
      found.push_back(leader_of_node(ranks_->nodes(group)[child]));
    }
  }
  for (const std::uint32_t child : among_ranks(node).children(ranks_->local(r))) {
    found.push_back(ranks_->rank(node, child));
  }
  if (scope_ == TreeScope::all) std::erase(found, root_);
  return found;
}

std::size_t HierarchicalTree::arrival(Rank r) const {
  const std::uint32_t node = ranks_->node(r);
  const std::uint32_t group = ranks_->group(node);
  const std::size_t groups_from = hand_over_ ? 1 : 0;
  const std::size_t nodes_from = groups_from + group_rounds_;
  if (!leads_node(r)) return nodes_from + node_rounds_ + among_ranks(node).arrival(ranks_->local(r));
  if (!leads_group(r)) return nodes_from + among_nodes(group).arrival(ranks_->local_node(node));
  const bool after_hand_over = group == ranks_->group(ranks_->node(root_));
  return after_hand_over ? 0 : groups_from + among_groups().arrival(group);
}

}  // namespace ayatori
