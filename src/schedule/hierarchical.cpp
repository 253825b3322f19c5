// Inside first, then among one leader of each unit, then inside again. The unit is a node; where only some nodes reach
// the network between groups, it is a group, and its leader stands on a gateway.
#include "families.hpp"
#include "hierarchical_tree.hpp"
#include "rings.hpp"

namespace ayatori {

namespace {

struct Leaders {
  Leaders(const Places& places, Rank root)
      : ranks(std::make_shared<const NodeRanks>(places)),
        scope(ranks->needs_gateways() ? TreeScope::groups : TreeScope::nodes),
        tree(std::make_shared<const HierarchicalTree>(ranks, root, scope)) {}

  std::shared_ptr<const NodeRanks> ranks;
  TreeScope scope;
  std::shared_ptr<const HierarchicalTree> tree;

  [[nodiscard]] Rank count() const { return scope == TreeScope::groups ? ranks->group_count() : ranks->node_count(); }
  [[nodiscard]] Rank rank(Rank member) const {
    return scope == TreeScope::groups ? tree->leader_of_group(member) : tree->leader_of_node(member);
  }
  [[nodiscard]] Rank member(Rank r) const {
    const std::uint32_t node = ranks->node(r);
    const std::uint32_t unit = scope == TreeScope::groups ? ranks->group(node) : node;
    return rank(unit) == r ? unit : no_id;
  }
};

PhasePtr among(const Leaders& leaders, PhasePtr inner) {
  return std::make_unique<Among<Leaders>>(std::move(inner), leaders);
}

}  // namespace

Result<SchedulePtr> make_hierarchical_allreduce(const CollectiveCall& call, const Places& places,
                                                const AlgorithmOptions&) {
  const Leaders leaders(places, 0);
  const Rank n = leaders.count();
  const SlotLayout layout{call.bytes, n, 2, 1};
  const Segments whole_vector{0, 1, n};
  auto program = std::make_shared<PhasedSchedule>(call, layout);
  program->then(reduce_up(leaders.tree, whole_vector, layout, call.ranks));
  program->then(among(leaders, ring_reduce_scatter(n, layout)));
  program->then(among(leaders, ring_allgather(n)));
  program->then(broadcast_down(leaders.tree, whole_vector));
  return program;
}

Result<SchedulePtr> make_hierarchical_allgather(const CollectiveCall& call, const Places& places,
                                                const AlgorithmOptions&) {
  const Leaders leaders(places, 0);
  const Rank n = leaders.count();
  auto program = std::make_shared<PhasedSchedule>(call, SlotLayout{call.bytes, 1, call.ranks, 0});
  program->then(gather_up(leaders.tree));
  program->then(among(leaders, phase(n - 1, [leaders, n](Rank v, std::size_t step, StepActions& actions) {
                        const auto s = static_cast<Rank>(step);
                        const auto unit = [&](Rank member) { return slots_below(*leaders.tree, leaders.rank(member)); };
                        actions.send((v + 1) % n, unit((v + n - s) % n));
                        actions.receive((v + n - 1) % n, unit((v + 2 * n - 1 - s) % n));
                      })));
  program->then(broadcast_down(leaders.tree, {0, 1, call.ranks}));
  return program;
}

}  // namespace ayatori
