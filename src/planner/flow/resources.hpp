#pragma once
/// \file
/// What flows share: the constraints of simulate.hpp in one numbering. First the directed links, then two for each NIC
/// (what leaves it and what enters it), one for each flow of the background, then the bus of each machine. NICs and
/// buses without a limit are left out.

#include <algorithm>
#include <string>
#include <vector>

#include "ayatori/flow/paths.hpp"
#include "ayatori/flow/simulate.hpp"
#include "buckets.hpp"
#include "fair_rates.hpp"

namespace ayatori {

/// What lies between the two ends of a part of a message.
struct Route {
  bool within_machine = false;          ///< both ends are on one machine
  double delay = 0;                     ///< seconds before an eager message flows
  PartPath path = {};                   ///< its links are constraints, too
  std::vector<Constraint> shared = {};  ///< all constraints, in the order in which it meets them
};

/// The bytes of a part of a message: equal, but for the first parts, which have what does not divide.
[[nodiscard]] inline Bytes bytes_of_part(Bytes bytes, std::uint32_t parts, std::uint32_t number) {
  return bytes / parts + (number < bytes % parts ? 1 : 0);
}

/// Immutable; safe to read from many threads.
class Resources {
 public:
  Resources(const Paths& paths, const FlowOptions& options);

  [[nodiscard]] const std::vector<double>& capacity() const { return capacity_; }
  [[nodiscard]] std::size_t link_count() const { return latency_.size(); }
  [[nodiscard]] std::string name(std::uint32_t link) const { return paths_.name(link); }

  /// Used by messages within a machine, and by no others.
  [[nodiscard]] bool is_bus(Constraint constraint) const { return constraint >= first_bus_; }

  [[nodiscard]] bool splits_by_load() const { return paths_.splits_by_load(); }
  /// Whether a connection carries its messages one after the other.
  [[nodiscard]] bool in_order() const { return options_.in_order; }

  [[nodiscard]] Rank participant_count() const { return paths_.participant_count(); }
  /// Routers have neither a processor nor a NIC.
  [[nodiscard]] bool has_processor(Rank participant) const { return paths_.nic(participant) != no_id; }
  [[nodiscard]] bool within_machine(Rank from, Rank to) const { return paths_.machine(from) == paths_.machine(to); }
  /// What messages of so many bytes between the two participants cost.
  [[nodiscard]] const MessageCosts& costs(Rank from, Rank to, Bytes bytes) const {
    if (within_machine(from, to)) return options_.costs.inside;
    if (options_.on_planes.empty()) return options_.costs.between;
    const std::uint32_t plane = paths_.plane(from, to, bytes);
    if (plane >= options_.on_planes.size() || !options_.on_planes[plane]) return options_.costs.between;
    return *options_.on_planes[plane];
  }
  /// Seconds by which a message flows later than Route::delay says: a rendezvous, in which routers don't take part.
  [[nodiscard]] double rendezvous_delay(Rank from, Rank to, Bytes bytes) const {
    const MessageCosts& costs = this->costs(from, to, bytes);
    return bytes > costs.eager_limit && has_processor(from) && has_processor(to) ? costs.rendezvous : 0;
  }
  /// Seconds of the processor of a message's sender and receiver: none of routers.
  [[nodiscard]] double send_seconds(Rank from, Rank to, Bytes bytes) const {
    return has_processor(from) ? seconds_of(costs(from, to, bytes).send, bytes) : 0;
  }
  [[nodiscard]] double receive_seconds(Rank from, Rank to, Bytes bytes) const {
    if (!has_processor(to)) return 0;
    const double seconds = seconds_of(costs(from, to, bytes).receive, bytes);
    if (!shares_core(to) || !within_machine(from, to)) return seconds;
    return seconds + pairs_[paths_.machine(to)] * seconds_of(options_.costs.oversubscription, bytes);
  }
  /// Whether some machine has more ranks than cores; whether this rank's machine has.
  [[nodiscard]] bool ranks_share_cores() const { return !pairs_.empty(); }
  [[nodiscard]] bool shares_core(Rank rank) const { return ranks_share_cores() && pairs_[paths_.machine(rank)] > 0; }
  /// Seconds until the core is scheduled to a rank that has a message; 0 for a router, or a rank with a core of its
  /// own.
  [[nodiscard]] double scheduling_delay(Rank rank, Bytes bytes) const {
    if (!has_processor(rank) || !shares_core(rank)) return 0;
    return pairs_[paths_.machine(rank)] * seconds_of(options_.costs.scheduling_delay, bytes);
  }
  /// How much later all ranks begin.
  [[nodiscard]] double start_skew() const {
    if (!ranks_share_cores()) return 0;
    return (2 * *std::max_element(pairs_.begin(), pairs_.end()) - 1) * options_.costs.start_skew;
  }
  [[nodiscard]] std::uint32_t machine(Rank rank) const { return paths_.machine(rank); }
  [[nodiscard]] std::uint32_t machine_count() const { return paths_.machine_count(); }
  /// Of each machine; only where ranks share cores.
  [[nodiscard]] std::uint32_t cores() const { return options_.costs.cores; }
  /// What messages leave one after the other: a number for each NIC, and for messages inside machines for each rank.
  [[nodiscard]] std::uint32_t outlet(Rank from, Rank to) const {
    return within_machine(from, to) ? paths_.nic_count() + from : paths_.nic(from);
  }
  [[nodiscard]] std::uint32_t outlet_count() const { return paths_.nic_count() + paths_.participant_count(); }
  /// Least seconds between two messages out of this outlet; 0 for what routers send, which have none.
  [[nodiscard]] double gap(Rank from, Rank to, Bytes bytes) const {
    return has_processor(from) ? costs(from, to, bytes).gap : 0;
  }

  /// By flow of the background its constraints.
  [[nodiscard]] const std::vector<std::vector<Constraint>>& background() const { return background_; }

  [[nodiscard]] std::uint32_t nic_count() const { return paths_.nic_count(); }
  /// Of the NICs that a message between these ranks leaves and enters.
  [[nodiscard]] BucketSize buckets(Rank from, Rank to, Bytes bytes) const {
    if (options_.steps != StepMode::drift || within_machine(from, to)) return {};
    const MessageCosts& costs = this->costs(from, to, bytes);
    return {costs.burst, costs.packet, costs.bandwidth};
  }

  /// Of a message of so many bytes between these ranks: what flows of a part of it that has `part` of them.
  [[nodiscard]] Bytes flowing(Rank from, Rank to, Bytes bytes, Bytes part) const {
    return part == 0 || within_machine(from, to) ? part : part + costs(from, to, bytes).header;
  }

  /// Into how many parts a message is cut: at least 1, and at most as many as it has bytes; an empty one has 1.
  [[nodiscard]] std::uint32_t part_count(Rank from, Rank to, Bytes bytes) const;

  /// Replaces `route` by that of a part of a message of so many bytes. Routers have no NIC: what they send and receive
  /// is limited by their links only.
  void find_route(Rank from, Rank to, Bytes bytes, std::uint32_t part, Route& route) const;

 private:
  void count_pairs();
  [[nodiscard]] Constraint out_of(std::uint32_t nic) const { return first_nic_ + 2 * nic; }
  [[nodiscard]] Constraint into(std::uint32_t nic) const { return first_nic_ + 2 * nic + 1; }
  [[nodiscard]] Constraint bus_of(std::uint32_t machine) const { return first_bus_ + machine; }

  const Paths& paths_;
  FlowOptions options_;
  Constraint first_nic_;
  Constraint first_bus_;
  std::vector<double> capacity_;
  std::vector<std::vector<Constraint>> background_;
  std::vector<double> latency_;  // by link
  std::vector<double> pairs_;    // by machine: pairs of ranks for each core; 0: a core for each; empty: nowhere more
};

}  // namespace ayatori
