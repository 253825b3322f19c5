#pragma once
/// \file
/// Paths for the messages of one step: counts the load of links, and moves messages off links that are too busy.

#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "ayatori/base/search_control.hpp"
#include "ayatori/contention/job_endpoints.hpp"
#include "job_paths.hpp"
#include "leaf_bound.hpp"

namespace ayatori {

/// A message between leaves.
struct StepMessage {
  std::uint32_t leaf = 0;      ///< where it comes from
  std::uint32_t endpoint = 0;  ///< where it goes to
  std::uint32_t choice = 0;    ///< of that endpoint (see JobPaths)
  bool fixed = false;          ///< its path was decided in an earlier step
};

class StepPaths {
 public:
  StepPaths(const JobPaths& paths, const LinkWeights& weights, const SearchControl& control);

  /// Begins a step. Fixed messages take their choice, the others have no path yet.
  void start(std::vector<StepMessage> messages);
  /// Begins the same step anew, as start() left it.
  void start_again();
  [[nodiscard]] const std::vector<StepMessage>& messages() const { return messages_; }

  /// The links of a message between routers, by one of its choices.
  [[nodiscard]] std::span<const LinkIndex> route(std::uint32_t message, std::uint32_t choice) const {
    const std::uint32_t route = first_route_[message] + choice;
    const std::uint32_t begin = route == 0 ? 0 : route_end_[route - 1];
    return {links_.data() + begin, route_end_[route] - begin};
  }

  /// Gives one message the least loaded choice: the least time on the busiest link, then the least sum of times, then
  /// the links that carried least in the steps that were kept.
  void choose_least_loaded(std::uint32_t message);
  /// Notes that these are the messages of the step, with their paths, so that later steps take other links.
  void keep(std::span<const StepMessage> messages);
  void move(std::uint32_t message, std::uint32_t choice);

  /// The time of the step: that of its busiest link.
  [[nodiscard]] double time() const;
  /// Links that are busier than `time`.
  [[nodiscard]] std::vector<LinkIndex> busier_than(double time) const;

  /// Moves messages so that fewer links are busier than `time`; no link becomes so that was not. A message may take a
  /// full link if another message leaves that link, and so on: chains of moves, searched breadth first, each
  /// message once. In a bipartite multigraph these chains contain the alternating paths of König's theorem; in
  /// irregular fabrics they are a heuristic. Looks at no more than `effort` messages, and subtracts from it how many it
  /// looked at; at none after the control stops it.
  void relieve(double time, const LeafBound& bound, std::uint64_t& effort);

 private:
  /// A message that leaves its path because the message of state `cause` wants `wanted` for its choice.
  struct State {
    std::uint32_t message = 0;
    std::uint32_t cause = no_id;
    std::uint32_t wanted = 0;
  };

  [[nodiscard]] double time_of(LinkIndex link, std::uint32_t load) const { return load * weight_[link]; }
  /// The longest time of a link, the sum of times, the messages of kept steps.
  using PathLoad = std::tuple<double, double, std::uint64_t>;
  [[nodiscard]] PathLoad load_with(std::uint32_t message, std::uint32_t choice) const;
  [[nodiscard]] std::uint32_t load(LinkIndex link) const { return load_[link]; }
  void clear_links();
  void collect_routes();
  void begin();
  void add_to_links(std::uint32_t message);
  void remove_from_links(std::uint32_t message);
  bool make_room(LinkIndex link, double time, std::uint64_t& effort);
  bool find_chain(std::uint32_t message, double time, std::uint64_t& effort);
  bool try_choice(std::uint32_t state, std::uint32_t choice, double time);
  void change_tentatively(std::uint32_t state, int sign);
  void apply_chain(std::uint32_t state, std::uint32_t choice);
  bool visit(std::uint32_t message);

  const JobPaths& paths_;
  const SearchControl& control_;
  std::vector<double> weight_;  // by link
  std::vector<StepMessage> messages_;
  // Routes of the messages of this step, copied from paths_: those of a large job are read from memory only once a
  // step.
  std::vector<std::uint32_t> first_route_;  // by message: into route_end_
  std::vector<std::uint32_t> route_end_;    // by message and choice: into links_
  std::vector<LinkIndex> links_;
  std::vector<bool> has_path_;                           // by message
  std::vector<std::vector<std::uint32_t>> messages_on_;  // by link
  std::vector<std::uint32_t> load_;                      // by link: the size of messages_on_
  std::vector<std::uint64_t> kept_;                      // by link: messages of the steps that were kept
  std::vector<std::int32_t> tentative_;                  // by link: changes of load along the chain that is looked at
  std::vector<std::uint32_t> visited_;                   // by message: number of the search
  std::uint32_t search_ = 0;
  std::vector<State> states_;
};

}  // namespace ayatori
