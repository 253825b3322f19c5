// What flows along a tree: broadcast, reduce, and both for an allreduce or a barrier.
#include <algorithm>

#include "families.hpp"
#include "gateway_trees.hpp"
#include "grid_trees.hpp"
#include "hierarchical_tree.hpp"

namespace ayatori {

namespace {

/// Down, up, or up and down, as the call needs it, on one stream. An allreduce's first chunks come down while
/// its last ones still go up: a chunk can come down once the root has it, which is `rounds` steps after its start.
void add_stream(PhasedSchedule& program, std::uint32_t stream, const TreePtr& tree, const Chunks& chunks,
                const SlotLayout& layout, std::uint32_t first_pair) {
  const CollectiveCall& call = program.call();
  std::size_t down_at = 0;
  if (call.collective != Collective::broadcast) {
    program.at(stream, 0, reduce_up(tree, chunks, layout, call.ranks, first_pair));
    down_at = tree->rounds();
  }
  if (call.collective != Collective::reduce) program.at(stream, down_at, broadcast_down(tree, chunks));
}

/// One tree a stream, each for its share of the vector in as many chunks.
std::shared_ptr<PhasedSchedule> along(const CollectiveCall& call, const std::vector<TreePtr>& trees,
                                      std::uint32_t chunks) {
  const auto colours = static_cast<std::uint32_t>(trees.size());
  SlotLayout layout{call.bytes, colours * chunks, 1, 0};
  if (call.collective != Collective::broadcast) {
    for (const TreePtr& tree : trees) layout.pairs += tree->fan();
  }
  auto program = std::make_shared<PhasedSchedule>(call, layout);
  std::uint32_t first_pair = 0;
  for (std::uint32_t c = 0; c < colours; ++c) {
    add_stream(*program, c, trees[c], {c * chunks, chunks}, layout, first_pair);
    first_pair += trees[c]->fan();
  }
  return program;
}

std::shared_ptr<PhasedSchedule> signals_along(const CollectiveCall& call, const TreePtr& tree) {
  const SlotLayout nothing{0, 1, 0, 0};
  auto program = std::make_shared<PhasedSchedule>(call, nothing);
  add_stream(*program, 0, tree, {0, 1, 0}, nothing, 0);
  return program;
}

SchedulePtr whole(const CollectiveCall& call, const TreePtr& tree) {
  return call.collective == Collective::barrier ? signals_along(call, tree) : along(call, {tree}, 1);
}

SchedulePtr pipelined(const CollectiveCall& call, const std::vector<TreePtr>& trees, const AlgorithmOptions& options) {
  return along(call, trees, chunk_count(call.bytes / trees.size(), *trees.front(), options.chunk_bytes));
}

std::shared_ptr<const MachineRanks> ranks_of(const Placement& placement) {
  return std::make_shared<const MachineRanks>(placement);
}

SchedulePtr coloured(const CollectiveCall& call, const Placement& placement, std::uint32_t colours,
                     const AlgorithmOptions& options) {
  const auto ranks = ranks_of(placement);
  std::vector<TreePtr> trees;
  for (std::uint32_t colour = 0; colour < colours; ++colour) {
    trees.push_back(tree_on_machines(trinary_tree(ranks, ranks->machine(call.root), colour), ranks, call.root));
  }
  return pipelined(call, trees, options);
}

/// Ranks of a machine form a chain to its first; these send to their group's router, and routers to the one above.
class AggregationTree final : public SpanningTree {
 public:
  explicit AggregationTree(std::shared_ptr<const MachineRanks> ranks) : ranks_(std::move(ranks)) {}

  [[nodiscard]] Rank participants() const { return first_router() + groups() + (has_top() ? 1 : 0); }

  [[nodiscard]] Rank parent(Rank r) const override {
    if (r >= first_router()) return has_top() && r != top() ? top() : no_id;
    const std::uint32_t machine = ranks_->machine(r);
    const std::uint32_t local = ranks_->local(r);
    return local > 0 ? ranks_->rank(machine, local - 1) : first_router() + ranks_->group(machine);
  }

  [[nodiscard]] std::vector<Rank> children(Rank r) const override {
    std::vector<Rank> found;
    if (r < first_router()) {
      const Rank next = ranks_->rank(ranks_->machine(r), ranks_->local(r) + 1);
      if (next != no_id) found.push_back(next);
    } else if (has_top() && r == top()) {
      for (std::uint32_t group = 0; group < groups(); ++group) found.push_back(first_router() + group);
    } else {
      for (const std::uint32_t machine : ranks_->machines(r - first_router()))
        found.push_back(ranks_->ranks(machine).front());
    }
    return found;
  }

  [[nodiscard]] std::size_t arrival(Rank r) const override {
    if (r >= first_router()) return 0;
    return (has_top() ? 1U : 0U) + ranks_->local(r);
  }

  [[nodiscard]] std::size_t rounds() const override { return (has_top() ? 1U : 0U) + ranks_->max_ranks(); }
  [[nodiscard]] std::uint32_t fan() const override { return std::max(groups(), ranks_->max_machines()); }

 private:
  [[nodiscard]] Rank first_router() const { return ranks_->rank_count(); }
  [[nodiscard]] std::uint32_t groups() const { return ranks_->group_count(); }
  [[nodiscard]] bool has_top() const { return groups() > 1; }
  [[nodiscard]] Rank top() const { return first_router() + groups(); }

  std::shared_ptr<const MachineRanks> ranks_;
};

}  // namespace

Result<SchedulePtr> make_binomial(const CollectiveCall& call, const Placement&, const AlgorithmOptions&) {
  return whole(call, std::make_shared<KnomialTree>(call.ranks, call.root, 2));
}

Result<SchedulePtr> make_knomial(const CollectiveCall& call, const Placement&, const AlgorithmOptions& options) {
  const std::uint32_t radix = options.radix == 0 ? 4 : options.radix;
  if (radix < 2) return fail("a k-nomial tree needs a radix of at least 2");
  return whole(call, std::make_shared<KnomialTree>(call.ranks, call.root, std::min(radix, std::max(2U, call.ranks))));
}

Result<SchedulePtr> make_linear_tree(const CollectiveCall& call, const Placement&, const AlgorithmOptions&) {
  return whole(call, std::make_shared<KnomialTree>(call.ranks, call.root, std::max(2U, call.ranks)));
}

Result<SchedulePtr> make_chain(const CollectiveCall& call, const Placement&, const AlgorithmOptions& options) {
  return pipelined(call, {chain_tree(call.ranks, call.root)}, options);
}

Result<SchedulePtr> make_binary(const CollectiveCall& call, const Placement&, const AlgorithmOptions& options) {
  return pipelined(call, {binary_tree(call.ranks, call.root)}, options);
}

Result<SchedulePtr> make_mapped_binary(const CollectiveCall& call, const Placement& placement,
                                       const AlgorithmOptions& options) {
  const auto ranks = ranks_of(placement);
  const TreePtr among_machines = mapped_binary_tree(*ranks, ranks->machine(call.root));
  return pipelined(call, {tree_on_machines(among_machines, ranks, call.root)}, options);
}

Result<SchedulePtr> make_trinaryx1(const CollectiveCall& call, const Placement& placement,
                                   const AlgorithmOptions& options) {
  return coloured(call, placement, 1, options);
}

Result<SchedulePtr> make_trinaryx3(const CollectiveCall& call, const Placement& placement,
                                   const AlgorithmOptions& options) {
  return coloured(call, placement, colours_of(placement), options);
}

Result<SchedulePtr> make_sixcolour(const CollectiveCall& call, const Placement& placement,
                                   const AlgorithmOptions& options) {
  return coloured(call, placement, 2 * colours_of(placement), options);
}

Result<SchedulePtr> make_hierarchical_tree(const CollectiveCall& call, const Placement& placement,
                                           const AlgorithmOptions&) {
  return whole(call, std::make_shared<HierarchicalTree>(ranks_of(placement), call.root, TreeScope::all));
}

Result<SchedulePtr> make_gateway_trees(const CollectiveCall& call, const Placement& placement,
                                       const AlgorithmOptions& options) {
  const auto ranks = ranks_of(placement);
  std::vector<TreePtr> trees = gateway_trees(*ranks, ranks->machine(call.root));
  for (TreePtr& tree : trees) tree = tree_on_machines(tree, ranks, call.root);
  return pipelined(call, trees, options);
}

Result<SchedulePtr> make_in_network(const CollectiveCall& call, const Placement& placement,
                                    const AlgorithmOptions& options) {
  const auto tree = std::make_shared<const AggregationTree>(ranks_of(placement));
  auto program = call.collective == Collective::barrier
                     ? signals_along(call, tree)
                     : along(call, {tree}, chunk_count(call.bytes, *tree, options.chunk_bytes));
  program->set_participants(tree->participants());
  return program;
}

}  // namespace ayatori
