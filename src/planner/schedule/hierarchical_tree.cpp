#include "hierarchical_tree.hpp"

#include <algorithm>
#include <bit>

namespace ayatori {

namespace {

std::size_t binomial_rounds(std::uint32_t members) { return std::bit_width(members - 1); }

}  // namespace

HierarchicalTree::HierarchicalTree(std::shared_ptr<const MachineRanks> ranks, Rank root, TreeScope scope)
    : ranks_(std::move(ranks)), root_(root), scope_(scope), rank_rounds_(binomial_rounds(ranks_->max_ranks())) {
  if (scope_ != TreeScope::machines) machine_rounds_ = binomial_rounds(ranks_->max_machines());
  if (scope_ != TreeScope::all) return;
  group_rounds_ = binomial_rounds(ranks_->group_count());
  hand_over_ = leader_of_group(ranks_->group(ranks_->machine(root_))) != root_;
}

std::size_t HierarchicalTree::rounds() const {
  return (hand_over_ ? 1U : 0U) + group_rounds_ + machine_rounds_ + rank_rounds_;
}

std::uint32_t HierarchicalTree::leading_machine(std::uint32_t group) const {
  const std::uint32_t home = ranks_->machine(root_);
  return ranks_->group(home) == group && ranks_->placement().gateway[home] ? home : ranks_->gateway(group);
}

Rank HierarchicalTree::leader_of_machine(std::uint32_t machine) const {
  return machine == ranks_->machine(root_) ? root_ : ranks_->ranks(machine).front();
}

Rank HierarchicalTree::leader_of_group(std::uint32_t group) const { return leader_of_machine(leading_machine(group)); }

bool HierarchicalTree::leads_group(Rank r) const { return r == leader_of_group(ranks_->group(ranks_->machine(r))); }

KnomialTree HierarchicalTree::among_groups() const {
  return {ranks_->group_count(), ranks_->group(ranks_->machine(root_)), 2};
}

KnomialTree HierarchicalTree::among_machines(std::uint32_t group) const {
  const auto machines = static_cast<std::uint32_t>(ranks_->machines(group).size());
  return {machines, ranks_->local_machine(leading_machine(group)), 2};
}

KnomialTree HierarchicalTree::among_ranks(std::uint32_t machine) const {
  const auto ranks = static_cast<std::uint32_t>(ranks_->ranks(machine).size());
  return {ranks, ranks_->local(leader_of_machine(machine)), 2};
}

Rank HierarchicalTree::parent(Rank r) const {
  if (scope_ == TreeScope::all && r == root_) return no_id;
  const std::uint32_t machine = ranks_->machine(r);
  if (!leads_machine(r)) return ranks_->rank(machine, among_ranks(machine).parent(ranks_->local(r)));
  if (scope_ == TreeScope::machines) return no_id;
  const std::uint32_t group = ranks_->group(machine);
  if (!leads_group(r)) {
    return leader_of_machine(ranks_->machines(group)[among_machines(group).parent(ranks_->local_machine(machine))]);
  }
  if (scope_ == TreeScope::groups) return no_id;
  const std::uint32_t above = among_groups().parent(group);
  return above == no_id ? root_ : leader_of_group(above);
}

std::vector<Rank> HierarchicalTree::children(Rank r) const {
  std::vector<Rank> found;
  const std::uint32_t machine = ranks_->machine(r);
  const std::uint32_t group = ranks_->group(machine);
  if (scope_ == TreeScope::all && hand_over_ && r == root_) found.push_back(leader_of_group(group));
  if (scope_ == TreeScope::all && leads_group(r)) {
    for (const std::uint32_t child : among_groups().children(group)) found.push_back(leader_of_group(child));
  }
  if (scope_ != TreeScope::machines && leads_machine(r)) {
    for (const std::uint32_t child : among_machines(group).children(ranks_->local_machine(machine))) {
      found.push_back(leader_of_machine(ranks_->machines(group)[child]));
    }
  }
  for (const std::uint32_t child : among_ranks(machine).children(ranks_->local(r))) {
    found.push_back(ranks_->rank(machine, child));
  }
  if (scope_ == TreeScope::all) std::erase(found, root_);
  return found;
}

std::size_t HierarchicalTree::arrival(Rank r) const {
  const std::uint32_t machine = ranks_->machine(r);
  const std::uint32_t group = ranks_->group(machine);
  const std::size_t groups_from = hand_over_ ? 1 : 0;
  const std::size_t machines_from = groups_from + group_rounds_;
  if (!leads_machine(r)) return machines_from + machine_rounds_ + among_ranks(machine).arrival(ranks_->local(r));
  if (!leads_group(r)) return machines_from + among_machines(group).arrival(ranks_->local_machine(machine));
  const bool after_hand_over = group == ranks_->group(ranks_->machine(root_));
  return after_hand_over ? 0 : groups_from + among_groups().arrival(group);
}

}  // namespace ayatori
