#pragma once
/// \file
/// Paths for the messages of one step: loads of links, and moving messages off those that are too busy.

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "ayatori/contention/job_endpoints.hpp"
#include "job_paths.hpp"
#include "leaf_bound.hpp"

namespace ayatori {

/// A message between sites. `choice` is one of its node's (see JobPaths).
struct Passenger {
  std::uint32_t site = 0;
  std::uint32_t node = 0;
  std::uint32_t choice = 0;
  bool fixed = false;  ///< its path was decided in an earlier step
};

class StepPaths {
 public:
  StepPaths(const JobPaths& paths, const LinkWeights& weights);

  /// Starts a step: fixed messages take their choice, the others wait for one.
  void start(std::vector<Passenger> passengers);
  [[nodiscard]] const std::vector<Passenger>& passengers() const { return passengers_; }

  /// Gives one message the choice that it finds emptiest: least time on the busiest link, then the least sum.
  void give_emptiest(std::uint32_t passenger);
  void move(std::uint32_t passenger, std::uint32_t choice);

  /// Time of the step on its busiest link.
  [[nodiscard]] double time() const;
  /// Links that are busier than `time`.
  [[nodiscard]] std::vector<LinkIndex> busier_than(double time) const;

  /// Moves messages so that fewer links are busier than `time`, and no other gets so. A message may take a full link if
  /// another one leaves that in turn, and so on: chains of moves, searched breadth first, each message once. In a
  /// bipartite multigraph these chains contain the alternating paths of König's theorem; in irregular fabrics they
  /// are a heuristic. Looks at no more than `effort` messages and takes from it what it used.
  void relieve(double time, const LeafBound& bound, std::uint64_t& effort);

 private:
  /// A message that leaves its path, because the one of state `cause` wants to make `wanted` its choice.
  struct State {
    std::uint32_t passenger = 0;
    std::uint32_t cause = no_id;
    std::uint32_t wanted = 0;
  };

  [[nodiscard]] std::span<const LinkIndex> route(std::uint32_t passenger, std::uint32_t choice) const {
    return paths_.route(passengers_[passenger].site, passengers_[passenger].node, choice);
  }
  [[nodiscard]] double time_of(LinkIndex link, std::uint32_t load) const { return load * weight_[link]; }
  using Crowding = std::pair<double, double>;
  [[nodiscard]] Crowding crowding_with(std::uint32_t passenger, std::uint32_t choice) const;
  [[nodiscard]] std::uint32_t load(LinkIndex link) const { return static_cast<std::uint32_t>(riders_[link].size()); }
  void ride(std::uint32_t passenger);
  void leave(std::uint32_t passenger);
  bool make_room(LinkIndex link, double time, std::uint64_t& effort);
  bool find_chain(std::uint32_t passenger, double time, std::uint64_t& effort);
  bool try_choice(std::uint32_t state, std::uint32_t choice, double time);
  void pretend(std::uint32_t state, int sign);
  void apply_chain(std::uint32_t state, std::uint32_t choice);
  bool visit(std::uint32_t passenger);

  const JobPaths& paths_;
  std::vector<double> weight_;  // by link
  std::vector<Passenger> passengers_;
  std::vector<bool> rides_;                         // by passenger
  std::vector<std::vector<std::uint32_t>> riders_;  // by link
  std::vector<std::int32_t> pretended_;             // by link: changes of load along the chain that is looked at
  std::vector<std::uint32_t> visited_;              // by passenger: number of the search
  std::uint32_t search_ = 0;
  std::vector<State> states_;
};

}  // namespace ayatori
