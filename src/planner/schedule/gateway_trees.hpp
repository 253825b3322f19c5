#pragma once
/// \file
/// Trees over machines of which only some reach the network between groups, several gateways a group sharing the load.

#include <vector>

#include "tree.hpp"

namespace ayatori {

/// Of each group the machines through which its messages to other groups go: its gateways, or its first machine if it
/// has none.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> gateways_of_groups(const MachineRanks& ranks);

/// Trees over machines from `root_machine` on, as many as the groups have gateways, at most 4. Tree c goes from the
/// root to gateway c of its group, from there to gateway c of each other group, as a binary tree, and from each of
/// these to the other machines of its group: to the gateways of the other trees directly, to the rest in as many chains
/// as there are trees. So each gateway forwards its share only, and a machine that is no gateway sends what it receives
/// on at most once in each tree.
[[nodiscard]] std::vector<TreePtr> gateway_trees(const MachineRanks& ranks, std::uint32_t root_machine);

}  // namespace ayatori
