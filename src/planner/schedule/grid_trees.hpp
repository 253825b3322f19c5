#pragma once
/// \file
/// Trees that follow the cables of a torus or mesh. They count machines; tree_on_machines makes them trees of ranks.

#include "tree.hpp"

namespace ayatori {

/// Colour `colour` of Trinaryx3 (Matsumoto et al., MPI_Allreduce on the K computer, 2011) for any number D of
/// dimensions longer than 1. Colour c takes the axes in the order c, c + 1, … (mod D): the root sends upwards along
/// axis c; every machine of that line along axis c + 1, and so on. The machines with the root's coordinate on axis c
/// ("ghosts") receive last, from the machine one above, downwards along axis c. Colours D … 2D − 1 are the same with
/// all signs changed. So on a torus each edge is one hop; no two colours below D share a directed link, nor do any two
/// of all 2D if every dimension is ≥ 3 long. On a mesh, what would go over its end goes back along the whole line, and
/// both may be untrue. At most max(3, D) children, depth max(Σ (length − 1), 2 + Σ without axis c).
[[nodiscard]] TreePtr trinary_tree(std::shared_ptr<const MachineRanks> ranks, std::uint32_t root_machine,
                                   std::uint32_t colour);
/// D: dimensions longer than 1, at least 1.
[[nodiscard]] std::uint32_t colours_of(const Placement& placement);

/// A binary tree mapped on the grid (paper 2, figure 2): at most two children a machine, no cable used twice in
/// either direction, no edge of more than two hops. Built by growing from the root, level by level, each machine
/// taking those free neighbours that have fewest free neighbours themselves; machines that are left are reached over
/// two hops of unused cables. If even that leaves some, the tree is a line that winds through the grid. This tree is
/// stored.
[[nodiscard]] TreePtr mapped_binary_tree(const MachineRanks& ranks, std::uint32_t root_machine);

/// `inner` is a tree over machines: its messages go between one rank of each machine, the root or else the machine's
/// first; the others follow that one in a chain.
[[nodiscard]] TreePtr tree_on_machines(TreePtr inner, std::shared_ptr<const MachineRanks> ranks, Rank root);

}  // namespace ayatori
