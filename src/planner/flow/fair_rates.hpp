#pragma once
/// \file
/// Max-min fair rates of flows that come and go. After a change only those rates are computed anew that it can reach:
///
///   1. The *members* are the new flows, and all flows whose bottleneck a flow joined or left.
///   2. Progressive filling gives the members new rates, while all others keep theirs.
///   3. An outsider joins the members where this breaks the definition of max-min fairness: its bottleneck is no longer
///      full, or carries a faster member now, or it is faster than the members that one of its full constraints
///      limits. If an outsider joined, back to 2.
///
/// Then every flow has a full constraint on which none is faster: that is the definition, and there is only one such
/// allocation (Bertsekas and Gallager, Data Networks, section 6.5.2).
///
/// Rates that agree to `rate_tolerance` are one: a rate that changes by less stays as it was. So equal flows keep equal
/// rates, bit for bit, in whatever order they were summed.
///
/// Head-of-line blocking, which max-min fair rates leave out.
///
/// A switch keeps the packets that arrive over a link in one queue and forwards them in their order. If the packet at
/// its head has to wait for a busy link, all packets after it wait as well, wherever they go (Karol, Hluchyj and
/// Morgan, IEEE Transactions on Communications 35, 1987). Packets of flows that share the link alternate in the queue,
/// so none of these flows can be faster than the one that waits.
///
/// Raise all rates together. At the level where link l becomes full
///
///   every flow over l keeps that rate, and *waits* at l, or beyond it;
///   if flow f waits at the k-th link of its path, every flow that shares one of f's links 1 … k − 1 and has not
///   stopped at a lower level keeps that rate too, and waits at the end of the link that they share:
///
///       x_g ≤ x_f    for all g over link i of f's path, i < k(f), that reach this level
///
/// and so on until no other flow has to; the remaining flows go on. A flow that waits for nothing beyond a link (its
/// bottleneck is the link itself or one before it) has nothing in that link's queue, and holds up no flow. Capacity may
/// stay unused: that is the loss.

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "ayatori/base/ids.hpp"

namespace ayatori {

using FlowId = std::uint32_t;
using Constraint = std::uint32_t;

/// Far above rounding (1e-16 an addition), far below what anybody measures.
inline constexpr double rate_tolerance = 1e-12;

/// Not safe for concurrent use.
class FairRates {
 public:
  /// Constraints 0 … queues − 1 are links with one queue at their end: flows that wait there hold up those that share
  /// the link (above). 0: no head-of-line blocking, and updates are as the file comment says; otherwise all
  /// flows that are connected with a change by shared constraints are computed anew.
  explicit FairRates(std::vector<double> capacity, std::uint32_t queues = 0);

  /// A flow over at least one constraint, in the order in which it meets them, each at most once. It has no rate before
  /// the next update().
  FlowId add(std::span<const Constraint> constraints);

  /// Its id may be given to another flow afterwards.
  void remove(FlowId flow);

  /// Brings all rates up to date. The flows whose rate is another one than before, new ones included; valid until the
  /// next call.
  std::span<const FlowId> update();

  [[nodiscard]] bool needs_update() const { return !added_.empty() || !relaxed_.empty(); }
  [[nodiscard]] double rate(FlowId flow) const { return flows_[flow].rate; }

  /// Whether it is the bottleneck of at least one flow.
  [[nodiscard]] bool limits(Constraint constraint) const { return constraints_[constraint].limited != 0; }
  /// All constraints for which limits() may have changed in the last update.
  [[nodiscard]] std::span<const Constraint> touched() const { return touched_; }

 private:
  static constexpr Constraint nothing = no_id;
  static constexpr double not_full = std::numeric_limits<double>::infinity();

  struct Use {
    Constraint constraint;
    std::uint32_t place;  // in State::users
  };
  struct Flow {
    std::vector<Use> uses;
    double rate = 0;
    double filled = 0;  // rate of the filling under way
    Constraint bottleneck = nothing;
    Constraint next_bottleneck = nothing;
    std::uint32_t held = 0;  // the flows on the links of its uses before this one are held up already
    bool alive = false;
    bool member = false;
    bool frozen = false;
  };
  struct User {
    FlowId flow;
    std::uint32_t use;  // in Flow::uses
  };
  struct State {
    double capacity = 0;
    std::vector<User> users;
    std::uint32_t limited = 0;  // flows whose bottleneck it is
    bool touched = false;
    bool relaxed = false;
    // Of the filling under way:
    double left = 0;
    double level = not_full;  // rate of the flows that it limits
    std::uint32_t open = 0;   // members that still grow
    std::uint32_t members = 0;
  };
  struct Candidate {
    double level;
    Constraint constraint;
    friend bool operator>(const Candidate& a, const Candidate& b) {
      return a.level != b.level ? a.level > b.level : a.constraint > b.constraint;
    }
  };
  struct Held {
    FlowId flow;
    std::uint32_t uses;
  };

  FlowId free_id();
  void relax(Constraint constraint);
  void touch(Constraint constraint);
  void join(FlowId flow);
  void gather_members();
  void gather_connected();
  void prepare(State& state);
  void fill();
  void saturate(Constraint constraint, double level);
  void freeze(Flow& flow, Constraint bottleneck, double level);
  void hold_up(double level);
  [[nodiscard]] bool grow();
  [[nodiscard]] bool grow_at(Constraint constraint);
  void commit();

  std::vector<State> constraints_;
  std::uint32_t queues_;
  std::vector<Flow> flows_;
  std::vector<FlowId> free_;
  std::vector<FlowId> added_;
  std::vector<Constraint> relaxed_;
  std::vector<FlowId> members_;
  std::vector<Constraint> touched_;
  std::vector<Candidate> candidates_;
  std::vector<Held> held_;
  std::vector<FlowId> changed_;
};

}  // namespace ayatori
