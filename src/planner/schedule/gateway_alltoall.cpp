// An alltoall in which what crosses from group to group goes through the groups' gateways, all of them at once.
#include <limits>

#include "families.hpp"
#include "gateway_trees.hpp"

namespace ayatori {

namespace {

/// A block from s to d of another group goes from s to a gateway of its group, from there to a gateway of the other
/// group, and to d; s or d may be a gateway itself. Which of a group's gateways takes a block depends on s and d, so
/// that they share the load. With `mixed` blocks between two ranks that are no gateways go directly, on whichever
/// network both are on: where that is slow, half of the load of the gateways is taken from them.
///
/// At a gateway, what rank s of its group has for rank d of another one waits in slot leaving(s, d), and what such an s
/// has for a rank d of its group in arriving(d, s), both after the alltoall's own 2n slots. Nobody else has bytes
/// there.
class RelayedExchange {
 public:
  RelayedExchange(const Placement& placement, Bytes bytes, bool mixed)
      : ranks_(placement), bytes_(bytes), mixed_(mixed) {
    std::vector<std::uint32_t> group_of_rank;
    for (Rank r = 0; r < n(); ++r) group_of_rank.push_back(group(r));
    members_ = Bins(group_of_rank, ranks_.group_count());
    is_relay_.resize(n());
    for (const auto& machines : gateways_of_groups(ranks_)) {
      auto& relays = relays_.emplace_back();
      for (const std::uint32_t machine : machines) {
        for (const Rank r : ranks_.ranks(machine)) {
          relays.push_back(r);
          is_relay_[r] = true;
        }
      }
    }
    for (Rank r = 0; r < n(); ++r) index_.push_back(members_.position(r, group(r)));
  }

  [[nodiscard]] std::uint32_t groups() const { return ranks_.group_count(); }
  [[nodiscard]] std::uint64_t vectors() const { return 2 + 2 * std::uint64_t{members_.largest()}; }

  [[nodiscard]] Bytes slot_bytes(Rank r, Slot slot) const {
    if (slot < 2 * n()) return bytes_;
    const std::uint32_t row = slot / n() - 2;
    const std::uint32_t member = row % members_.largest();
    const auto members = members_[group(r)];
    const Rank other = slot % n();
    if (!is_relay_[r] || member >= members.size() || is_relay_[members[member]] || group(other) == group(r)) return 0;
    const bool leaves = row < members_.largest();
    const bool waits = leaves ? is_relayed(members[member], other) && relay_out(members[member], other) == r
                              : is_relayed(other, members[member]) && relay_in(other, members[member]) == r;
    return waits ? bytes_ : 0;
  }

  /// What does not cross, and what crosses directly.
  void exchange_directly(Rank r, StepActions& actions) const {
    for (Rank distance = 1; distance < n(); ++distance) {
      const Rank to = (r + distance) % n();
      const Rank from = (r + n() - distance) % n();
      if (!is_relayed(r, to)) actions.send(to, SlotRange{to, 1});
      if (!is_relayed(from, r)) actions.receive(from, SlotRange{n() + from, 1});
    }
  }

  /// Ranks hand their gateways what they have for the group `distance` further on.
  void gather(Rank r, std::uint32_t distance, StepActions& actions) const {
    const std::uint32_t to = further(r, distance);
    if (!is_relay_[r]) {
      for (const Rank relay : relays_[group(r)]) {
        std::vector<SlotRange> leaving;
        for (const Rank d : members_[to]) {
          if (is_relayed(r, d) && relay_out(r, d) == relay) append_slots(leaving, {d, 1});
        }
        if (!leaving.empty()) actions.send(relay, leaving);
      }
      return;
    }
    for (const Rank s : members_[group(r)]) {
      std::vector<SlotRange> arriving;
      for (const Rank d : members_[to]) {
        if (!is_relay_[s] && is_relayed(s, d) && relay_out(s, d) == r) append_slots(arriving, {leaving_slot(s, d), 1});
      }
      if (!arriving.empty()) actions.receive(s, arriving);
    }
  }

  /// Gateways send each gateway of the group `distance` further on what is for it or goes through it.
  void cross(Rank r, std::uint32_t distance, StepActions& actions) const {
    if (!is_relay_[r]) return;
    const std::uint32_t to = further(r, distance);
    const std::uint32_t from = further(r, groups() - distance);
    for (const Rank peer : relays_[to]) {
      std::vector<SlotRange> leaving;
      visit_crossing(r, peer, [&](Rank s, Rank d) { append_slots(leaving, {leaving_slot(s, d), 1}); });
      if (!leaving.empty()) actions.send(peer, leaving);
    }
    for (const Rank peer : relays_[from]) {
      std::vector<SlotRange> arriving;
      visit_crossing(peer, r, [&](Rank s, Rank d) { append_slots(arriving, {arriving_slot(d, s), 1}); });
      if (!arriving.empty()) actions.receive(peer, arriving);
    }
  }

  /// Gateways hand the ranks of their group what came from the group `distance` before.
  void scatter(Rank r, std::uint32_t distance, StepActions& actions) const {
    const std::uint32_t from = further(r, groups() - distance);
    if (is_relay_[r]) {
      for (const Rank d : members_[group(r)]) {
        std::vector<SlotRange> leaving;
        for (const Rank s : members_[from]) {
          if (!is_relay_[d] && is_relayed(s, d) && relay_in(s, d) == r) append_slots(leaving, {arriving_slot(d, s), 1});
        }
        if (!leaving.empty()) actions.send(d, leaving);
      }
      return;
    }
    for (const Rank relay : relays_[group(r)]) {
      std::vector<SlotRange> arriving;
      for (const Rank s : members_[from]) {
        if (is_relayed(s, r) && relay_in(s, r) == relay) append_slots(arriving, {n() + s, 1});
      }
      if (!arriving.empty()) actions.receive(relay, arriving);
    }
  }

 private:
  [[nodiscard]] Rank n() const { return ranks_.rank_count(); }
  [[nodiscard]] std::uint32_t group(Rank r) const { return ranks_.group(ranks_.machine(r)); }
  [[nodiscard]] std::uint32_t further(Rank r, std::uint32_t distance) const { return (group(r) + distance) % groups(); }

  [[nodiscard]] bool is_relayed(Rank s, Rank d) const {
    return group(s) != group(d) && (!mixed_ || is_relay_[s] || is_relay_[d]);
  }
  [[nodiscard]] Rank relay_of(std::uint32_t of_group, Rank s, Rank d) const {
    return relays_[of_group][(index_[s] + index_[d]) % relays_[of_group].size()];
  }
  [[nodiscard]] Rank relay_out(Rank s, Rank d) const { return is_relay_[s] ? s : relay_of(group(s), s, d); }
  [[nodiscard]] Rank relay_in(Rank s, Rank d) const { return is_relay_[d] ? d : relay_of(group(d), s, d); }

  [[nodiscard]] Slot leaving_slot(Rank s, Rank d) const { return is_relay_[s] ? d : (2 + index_[s]) * n() + d; }
  [[nodiscard]] Slot arriving_slot(Rank d, Rank s) const {
    return is_relay_[d] ? n() + s : (2 + members_.largest() + index_[d]) * n() + s;
  }

  /// Calls each(s, d) for the blocks that go from one gateway to another one.
  template <typename Each>
  void visit_crossing(Rank out, Rank in, Each each) const {
    for (const Rank s : members_[group(out)]) {
      for (const Rank d : members_[group(in)]) {
        if (is_relayed(s, d) && relay_out(s, d) == out && relay_in(s, d) == in) each(s, d);
      }
    }
  }

  MachineRanks ranks_;
  Bytes bytes_;
  bool mixed_;
  Bins members_;  // ranks by group
  std::vector<std::vector<Rank>> relays_;
  std::vector<bool> is_relay_;
  std::vector<std::uint32_t> index_;  // of a rank in its group
};

/// While the blocks for one group cross, those for the next are gathered, and those that came before are handed out. On
/// a stream of its own, what is sent directly does not wait for them, nor they for it.
Result<SchedulePtr> relayed(const CollectiveCall& call, const Placement& placement, bool mixed) {
  const Rank n = call.ranks;
  const auto exchange = std::make_shared<const RelayedExchange>(placement, call.bytes, mixed);
  if (exchange->vectors() * n > std::numeric_limits<Slot>::max()) {
    return fail("a gateway among {} ranks would hold more messages than can be numbered", n);
  }
  const auto vectors = static_cast<std::uint32_t>(exchange->vectors());
  auto program = std::make_shared<PhasedSchedule>(call, SlotLayout{call.bytes, 1, vectors * n, 0});
  program->set_slot_sizes([exchange](Rank r, Slot slot) { return exchange->slot_bytes(r, slot); });
  const auto add = [&](std::size_t first_step, void (RelayedExchange::*part)(Rank, std::uint32_t, StepActions&) const) {
    program->at(first_step,
                phase(exchange->groups() - 1, [exchange, part](Rank r, std::size_t step, StepActions& actions) {
                  (*exchange.*part)(r, static_cast<std::uint32_t>(step) + 1, actions);
                }));
  };
  add(0, &RelayedExchange::gather);
  add(1, &RelayedExchange::cross);
  add(2, &RelayedExchange::scatter);
  program->at(1, 0, phase(1, [exchange, n](Rank r, std::size_t, StepActions& actions) {
                actions.copy({r, 1}, n + r);
                exchange->exchange_directly(r, actions);
              }));
  return program;
}

}  // namespace

Result<SchedulePtr> make_gateway_alltoall(const CollectiveCall& call, const Placement& placement,
                                          const AlgorithmOptions&) {
  return relayed(call, placement, false);
}

Result<SchedulePtr> make_mixed_gateway_alltoall(const CollectiveCall& call, const Placement& placement,
                                                const AlgorithmOptions&) {
  return relayed(call, placement, true);
}

}  // namespace ayatori
