#pragma once
/// \file
/// Rates of flows whose packets take any of several paths, each by load: the ideal of adaptive routing.
///
/// Whenever flows come or go, everything is computed anew. Let C_l be the capacity of constraint l (a link, a NIC, a
/// bus), P_f the paths of flow f, and w_fp ≥ 0 the share of its packets on path p, Σ_p w_fp = 1.
///
///   1. What a flow offers is its max-min fair rate d_f over those constraints alone that all of its paths have: its
///      NICs and the cables of its hosts, where there is nothing to choose.
///   2. The shares minimise how unevenly the offered load lies on what can be chosen,
///
///          Σ_l C_l u_l^(k+1),    u_l = (1 / C_l) Σ_f d_f Σ_{p ∋ l} w_fp,    k = 32,
///
///      which is convex. Its minimum is the equilibrium of packets that take the path of least Σ_{l ∈ p} u_l^k:
///      every path that a flow uses costs the same, and no other costs less (Wardrop 1952; Beckmann, McGuire and
///      Winsten 1956). For k → ∞ it minimises the most loaded link, then the next one, and so on; at k = 32 the most
///      loaded of m links that matter is above the least possible by a factor of at most m^(1/33), if their capacities
///      are equal.
///   3. The rates x_f are max-min fair at these shares: raise all together; when a constraint is full,
///
///          Σ_f x_f Σ_{p ∋ l} w_fp = C_l,
///
///      the flows that use it keep their rate, and the others go on.
///
/// The minimum is found by moving packets of one flow from its dearest path to its cheapest until both cost the same,
/// flow after flow, first at k = 4. Shares begin equal: where equal shares are the minimum already, as in trees that
/// nothing is missing of, they stay so exactly, and equal flows keep equal rates.

#include <cstdint>
#include <span>
#include <vector>

#include "fair_rates.hpp"

namespace ayatori {

/// Not safe for concurrent use.
class AdaptiveRates {
 public:
  explicit AdaptiveRates(std::vector<double> capacity);

  /// A flow that may take any of these paths; each has at least one constraint, each constraint at most once. It has no
  /// rate before the next update().
  FlowId add(std::vector<std::vector<Constraint>> paths);
  /// Its id may be given to another flow afterwards.
  void remove(FlowId flow);

  /// Brings all rates up to date. The flows whose rate is another one than before, new ones included; valid until the
  /// next call.
  std::span<const FlowId> update();
  [[nodiscard]] bool needs_update() const { return changed_since_update_; }
  [[nodiscard]] double rate(FlowId flow) const { return flows_[flow].rate; }
  /// The share of each of its paths.
  [[nodiscard]] std::span<const double> shares(FlowId flow) const { return flows_[flow].shares; }

  /// Whether it is the bottleneck of at least one flow.
  [[nodiscard]] bool limits(Constraint constraint) const { return states_[constraint].limits; }
  /// All constraints for which limits() may have changed in the last update.
  [[nodiscard]] std::span<const Constraint> touched() const { return touched_; }

  /// Adds the bytes that flow in `seconds` at the present rates to `bytes`, by constraint.
  void carry(double seconds, std::vector<double>& bytes) const;

 private:
  /// A constraint of some of a flow's paths, and the share of its packets that meet it.
  struct Use {
    Constraint constraint;
    double share;
  };
  struct Flow {
    std::vector<std::vector<Constraint>> paths = {};
    std::vector<double> shares = {};
    std::vector<Constraint> common = {};  // of all paths
    double offered = 0;
    double rate = 0;
    bool alive = false;
  };
  struct State {
    double capacity = 0;
    double load = 0;  // offered; then what frozen flows take
    double open = 0;  // shares of the flows that still grow
    bool active = false;
    bool limits = false;
  };

  void gather();
  [[nodiscard]] std::vector<double> filled(const std::vector<std::vector<Use>>& uses);
  void offer();
  void balance();
  void add_load(const std::vector<Constraint>& path, double load);
  double balance_flow(Flow& flow, unsigned doublings);
  double shift(Flow& flow, std::size_t from, std::size_t to, unsigned doublings);
  [[nodiscard]] double cost(const std::vector<Constraint>& path, const std::vector<Constraint>& other, double more,
                            unsigned doublings) const;
  void fill();
  [[nodiscard]] static std::vector<Use> uses_of(const Flow& flow);

  std::vector<State> states_;
  std::vector<Flow> flows_;
  std::vector<FlowId> free_;
  std::vector<FlowId> alive_;
  std::vector<Constraint> touched_;  // active now, or before the last update
  std::vector<FlowId> changed_;
  bool changed_since_update_ = false;
};

}  // namespace ayatori
