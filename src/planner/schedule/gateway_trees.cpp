#include "gateway_trees.hpp"

#include <algorithm>

namespace ayatori {

namespace {

constexpr std::size_t max_trees = 4;

class GatewayTreeMaker {
 public:
  GatewayTreeMaker(const MachineRanks& ranks, std::uint32_t root)
      : ranks_(ranks), root_(root), home_(ranks.group(root)), gateways_(gateways_of_groups(ranks)) {
    for (auto& of_group : gateways_) {
      of_group.resize(std::min(of_group.size(), max_trees));
      trees_ = std::max(trees_, of_group.size());
    }
  }

  [[nodiscard]] std::size_t count() const { return trees_; }

  [[nodiscard]] TreePtr make(std::size_t colour) const {
    const auto tree = std::make_shared<TableTree>(ranks_.machine_count());
    const auto among_groups = binary_tree(ranks_.group_count(), home_);
    std::size_t step = 0;
    if (head(home_, colour) != root_) tree->add(root_, head(home_, colour), step++);
    for (std::uint32_t group = 0; group < ranks_.group_count(); ++group) {
      if (group == home_) continue;
      tree->add(head(among_groups->parent(group), colour), head(group, colour), step + among_groups->arrival(group));
    }
    step += among_groups->rounds();
    for (std::uint32_t group = 0; group < ranks_.group_count(); ++group) add_members(group, colour, step, *tree);
    return tree;
  }

 private:
  [[nodiscard]] std::uint32_t head(std::uint32_t group, std::size_t colour) const {
    return gateways_[group][colour % gateways_[group].size()];
  }

  void add_members(std::uint32_t group, std::size_t colour, std::size_t step, TableTree& tree) const {
    const std::uint32_t first = head(group, colour);
    std::vector<std::uint32_t> chains(trees_, first);
    std::size_t placed = 0;
    for (const std::uint32_t machine : ranks_.machines(group)) {
      if (machine == first || machine == root_) continue;
      if (std::ranges::find(gateways_[group], machine) != gateways_[group].end()) {
        tree.add(first, machine, step);
        continue;
      }
      tree.add(chains[placed % trees_], machine, step + placed / trees_);
      chains[placed % trees_] = machine;
      ++placed;
    }
  }

  const MachineRanks& ranks_;
  std::uint32_t root_;
  std::uint32_t home_;
  std::vector<std::vector<std::uint32_t>> gateways_;  // by group
  std::size_t trees_ = 1;
};

}  // namespace

std::vector<std::vector<std::uint32_t>> gateways_of_groups(const MachineRanks& ranks) {
  std::vector<std::vector<std::uint32_t>> found(ranks.group_count());
  for (std::uint32_t group = 0; group < found.size(); ++group) {
    for (const std::uint32_t machine : ranks.machines(group)) {
      if (ranks.placement().gateway[machine]) found[group].push_back(machine);
    }
    if (found[group].empty()) found[group].push_back(ranks.machines(group).front());
  }
  return found;
}

std::vector<TreePtr> gateway_trees(const MachineRanks& ranks, std::uint32_t root_machine) {
  const GatewayTreeMaker maker(ranks, root_machine);
  std::vector<TreePtr> trees;
  for (std::size_t colour = 0; colour < maker.count(); ++colour) trees.push_back(maker.make(colour));
  return trees;
}

}  // namespace ayatori
