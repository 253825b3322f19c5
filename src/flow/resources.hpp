#pragma once
/// \file
/// What flows share: the constraints of simulate.hpp in one numbering. First the directed links, then two for each NIC
/// (what leaves it and what enters it), then the bus of each machine. NICs and buses without a limit are left out.

#include <vector>

#include "ayatori/flow/paths.hpp"
#include "ayatori/flow/simulate.hpp"
#include "fair_rates.hpp"

namespace ayatori {

/// What lies between the two ends of a message.
struct Route {
  bool within_machine = false;          ///< both ends are on one machine
  double delay = 0;                     ///< seconds before it flows
  std::vector<Constraint> links = {};   ///< of the network
  std::vector<Constraint> shared = {};  ///< all constraints, in the order in which the message meets them
};

/// Immutable; safe to read from many threads.
class Resources {
 public:
  Resources(const Paths& paths, const FlowOptions& options);

  [[nodiscard]] const std::vector<double>& capacity() const { return capacity_; }
  [[nodiscard]] std::size_t link_count() const { return latency_.size(); }

  /// Used by messages within a machine, and by no others.
  [[nodiscard]] bool is_bus(Constraint constraint) const { return constraint >= first_bus_; }

  /// Replaces `route`. Routers have no NIC: what they send and receive is limited by their links only.
  void find_route(Rank from, Rank to, Route& route) const;

 private:
  [[nodiscard]] Constraint out_of(std::uint32_t nic) const { return first_nic_ + 2 * nic; }
  [[nodiscard]] Constraint into(std::uint32_t nic) const { return first_nic_ + 2 * nic + 1; }
  [[nodiscard]] Constraint bus_of(std::uint32_t machine) const { return first_bus_ + machine; }

  const Paths& paths_;
  FlowOptions options_;
  Constraint first_nic_;
  Constraint first_bus_;
  std::vector<double> capacity_;
  std::vector<double> latency_;  // by link
};

}  // namespace ayatori
