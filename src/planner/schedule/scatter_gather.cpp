// Slot j is rank j's, on its way down a tree or up.
#include <algorithm>

#include "families.hpp"
#include "hierarchical_tree.hpp"
#include "rings.hpp"

namespace ayatori {

namespace {

SchedulePtr along(const CollectiveCall& call, TreePtr tree) {
  const bool down = call.collective == Collective::scatter;
  return one_by_one(call, SlotLayout{call.bytes, 1, call.ranks, 0},
                    down ? scatter_down(std::move(tree)) : gather_up(std::move(tree)));
}

}  // namespace

Result<SchedulePtr> make_binomial_scatter_gather(const CollectiveCall& call, const Placement&,
                                                 const AlgorithmOptions&) {
  return along(call, std::make_shared<KnomialTree>(call.ranks, call.root, 2));
}

Result<SchedulePtr> make_linear_scatter_gather(const CollectiveCall& call, const Placement&, const AlgorithmOptions&) {
  return along(call, std::make_shared<KnomialTree>(call.ranks, call.root, std::max(2U, call.ranks)));
}

Result<SchedulePtr> make_hierarchical_scatter_gather(const CollectiveCall& call, const Placement& placement,
                                                     const AlgorithmOptions&) {
  const auto ranks = std::make_shared<const MachineRanks>(placement);
  return along(call, std::make_shared<HierarchicalTree>(ranks, call.root, TreeScope::all));
}

// Van de Geijn's broadcast (Barnett et al., 1994): scatter blocks, then let them go round.
Result<SchedulePtr> make_scatter_allgather(const CollectiveCall& call, const Placement&, const AlgorithmOptions&) {
  return one_by_one(call, SlotLayout{call.bytes, call.ranks, 1, 0},
                    scatter_down(std::make_shared<KnomialTree>(call.ranks, call.root, 2)), ring_allgather(call.ranks));
}

}  // namespace ayatori
