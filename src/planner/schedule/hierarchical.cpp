// Inside first, then among one leader of each unit, then inside again. The unit is a machine; where only some machines
// reach the network between groups, it is a group, and its leader stands on a gateway.
#include <limits>

#include "families.hpp"
#include "hierarchical_tree.hpp"
#include "rings.hpp"

namespace ayatori {

namespace {

struct Leaders {
  Leaders(const Placement& placement, Rank root)
      : ranks(std::make_shared<const MachineRanks>(placement)),
        scope(ranks->needs_gateways() ? TreeScope::groups : TreeScope::machines),
        tree(std::make_shared<const HierarchicalTree>(ranks, root, scope)) {}

  std::shared_ptr<const MachineRanks> ranks;
  TreeScope scope;
  std::shared_ptr<const HierarchicalTree> tree;

  [[nodiscard]] Rank count() const {
    return scope == TreeScope::groups ? ranks->group_count() : ranks->machine_count();
  }
  [[nodiscard]] Rank rank(Rank member) const {
    return scope == TreeScope::groups ? tree->leader_of_group(member) : tree->leader_of_machine(member);
  }
  [[nodiscard]] Rank member(Rank r) const { return leads(r) ? unit(r) : no_id; }
  [[nodiscard]] bool leads(Rank r) const { return rank(unit(r)) == r; }
  [[nodiscard]] std::uint32_t unit(Rank r) const {
    const std::uint32_t machine = ranks->machine(r);
    return scope == TreeScope::groups ? ranks->group(machine) : machine;
  }
};

/// An alltoall in which only leaders talk to other units. Of the blocks that cross, those of member i for rank d wait
/// at its leader in slot leaving_from(i, d), those that rank s has for member k in arriving_for(k, s), both after the
/// alltoall's own 2n slots; a leader's own blocks are there already. Nobody else has bytes in these slots.
class LeaderExchange {
 public:
  LeaderExchange(const Placement& placement, Bytes bytes) : leaders_(placement, 0), bytes_(bytes) {
    std::vector<std::uint32_t> unit_of_rank;
    for (Rank r = 0; r < ranks(); ++r) unit_of_rank.push_back(leaders_.unit(r));
    members_ = Bins(unit_of_rank, leaders_.count());
  }

  [[nodiscard]] std::uint32_t units() const { return leaders_.count(); }
  [[nodiscard]] std::uint64_t vectors() const { return 2 + 2 * std::uint64_t{width()}; }

  [[nodiscard]] Bytes slot_bytes(Rank r, Slot slot) const {
    if (slot < 2 * ranks()) return bytes_;
    const std::uint32_t member = (slot / ranks() - 2) % width();
    const Rank other = slot % ranks();
    const auto members = members_[leaders_.unit(r)];
    const bool waits_here = leaders_.leads(r) && member < members.size() && members[member] != r;
    return waits_here && leaders_.unit(other) != leaders_.unit(r) ? bytes_ : 0;
  }

  /// Members of a unit exchange their own blocks, and send their leader the blocks for other units.
  void gather(Rank r, StepActions& actions) const {
    for (const Rank other : members_[leaders_.unit(r)]) {
      if (other == r) continue;
      std::vector<SlotRange> leaving{{other, 1}};
      std::vector<SlotRange> arriving{{ranks() + other, 1}};
      if (leaders_.leads(other)) append_outside(r, 0, leaving);
      if (leaders_.leads(r)) append_outside(r, leaving_from(other, 0), arriving);
      actions.send(other, leaving);
      actions.receive(other, arriving);
    }
  }

  /// A leader sends all blocks for the unit `distance` further on as one message, and receives those for its own unit.
  void exchange(Rank r, std::uint32_t distance, StepActions& actions) const {
    if (!leaders_.leads(r)) return;
    const std::uint32_t unit = leaders_.unit(r);
    const std::uint32_t to = (unit + distance) % units();
    const std::uint32_t from = (unit + units() - distance) % units();
    std::vector<SlotRange> leaving;
    std::vector<SlotRange> arriving;
    for (const Rank source : members_[unit]) {
      for (const Rank target : members_[to]) append_slots(leaving, {leaving_from(source, target), 1});
    }
    for (const Rank source : members_[from]) {
      for (const Rank target : members_[unit]) append_slots(arriving, {arriving_for(target, source), 1});
    }
    actions.send(leaders_.rank(to), leaving);
    actions.receive(leaders_.rank(from), arriving);
  }

  void scatter(Rank r, StepActions& actions) const {
    const Rank leader = leaders_.rank(leaders_.unit(r));
    if (r != leader) {
      std::vector<SlotRange> arriving;
      append_outside(r, ranks(), arriving);
      actions.receive(leader, arriving);
      return;
    }
    for (const Rank other : members_[leaders_.unit(r)]) {
      if (other == r) continue;
      std::vector<SlotRange> leaving;
      append_outside(r, arriving_for(other, 0), leaving);
      actions.send(other, leaving);
    }
  }

 private:
  [[nodiscard]] Rank ranks() const { return leaders_.ranks->rank_count(); }
  [[nodiscard]] std::uint32_t width() const { return members_.largest(); }
  [[nodiscard]] std::uint32_t index(Rank r) const { return members_.position(r, leaders_.unit(r)); }
  [[nodiscard]] Slot leaving_from(Rank source, Rank target) const {
    return leaders_.leads(source) ? target : (2 + index(source)) * ranks() + target;
  }
  [[nodiscard]] Slot arriving_for(Rank target, Rank source) const {
    return leaders_.leads(target) ? ranks() + source : (2 + width() + index(target)) * ranks() + source;
  }

  /// The slots first … first + n − 1, without those of r's own unit.
  void append_outside(Rank r, Slot first, std::vector<SlotRange>& ranges) const {
    Rank begin = 0;
    for (const Rank insider : members_[leaders_.unit(r)]) {
      if (insider > begin) append_slots(ranges, {first + begin, insider - begin});
      begin = insider + 1;
    }
    if (begin < ranks()) append_slots(ranges, {first + begin, ranks() - begin});
  }

  Leaders leaders_;
  Bytes bytes_;
  Bins members_;  // ranks by unit
};

}  // namespace

// Gather, exchange, scatter: a unit's messages to another travel as one. Inside a unit no block goes through the
// leader, and members hand theirs over directly: a tree would only carry some of it twice.
Result<SchedulePtr> make_hierarchical_alltoall(const CollectiveCall& call, const Placement& placement,
                                               const AlgorithmOptions&) {
  const Rank n = call.ranks;
  const auto among_leaders = std::make_shared<const LeaderExchange>(placement, call.bytes);
  const std::uint32_t units = among_leaders->units();
  if (among_leaders->vectors() * n > std::numeric_limits<Slot>::max()) {
    return fail("a leader among {} ranks would hold more messages than can be numbered", n);
  }
  const auto vectors = static_cast<std::uint32_t>(among_leaders->vectors());
  auto program = std::make_shared<PhasedSchedule>(call, SlotLayout{call.bytes, 1, vectors * n, 0});
  program->set_slot_sizes([among_leaders](Rank r, Slot slot) { return among_leaders->slot_bytes(r, slot); });
  program->then(phase(1, [among_leaders, n](Rank r, std::size_t, StepActions& actions) {
    actions.copy({r, 1}, n + r);
    among_leaders->gather(r, actions);
  }));
  program->then(phase(units - 1, [among_leaders](Rank r, std::size_t step, StepActions& actions) {
    among_leaders->exchange(r, static_cast<std::uint32_t>(step) + 1, actions);
  }));
  program->then(phase(units > 1 ? 1 : 0, [among_leaders](Rank r, std::size_t, StepActions& actions) {
    among_leaders->scatter(r, actions);
  }));
  return program;
}

Result<SchedulePtr> make_hierarchical_reduce_scatter(const CollectiveCall& call, const Placement& placement,
                                                     const AlgorithmOptions&) {
  const Leaders leaders(placement, 0);
  const Rank n = leaders.count();
  const SlotLayout layout{call.bytes * call.ranks, call.ranks, 2, 0};
  auto program = std::make_shared<PhasedSchedule>(call, layout);
  program->then(reduce_up(leaders.tree, {0, 1, call.ranks}, layout, call.ranks));
  program->then(
      among(leaders, phase(n - 1, [leaders, n, ranks = call.ranks](Rank v, std::size_t step, StepActions& actions) {
              const auto s = static_cast<Rank>(step);
              const auto unit = [&](Rank member) { return slots_below(*leaders.tree, leaders.rank(member)); };
              actions.send((v + 1) % n, unit((v + 2 * n - 1 - s) % n));
              auto arriving = unit((v + 2 * n - 2 - s) % n);
              for (SlotRange& range : arriving) {
                actions.reduce({ranks + range.first, range.count}, range.first);
                range.first += ranks;
              }
              actions.receive((v + n - 1) % n, arriving);
            })));
  program->then(scatter_down(leaders.tree));
  return program;
}

Result<SchedulePtr> make_hierarchical_allreduce(const CollectiveCall& call, const Placement& placement,
                                                const AlgorithmOptions&) {
  const Leaders leaders(placement, 0);
  const Rank n = leaders.count();
  const SlotLayout layout{call.bytes, n, 2, 1};
  const Chunks whole_vector{0, 1, n};
  return one_by_one(call, layout, reduce_up(leaders.tree, whole_vector, layout, call.ranks),
                    among(leaders, ring_reduce_scatter(n, layout)), among(leaders, ring_allgather(n)),
                    broadcast_down(leaders.tree, whole_vector));
}

Result<SchedulePtr> make_hierarchical_allgather(const CollectiveCall& call, const Placement& placement,
                                                const AlgorithmOptions&) {
  const Leaders leaders(placement, 0);
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
