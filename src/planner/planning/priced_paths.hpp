#pragma once
/// \file
/// Paths for the messages of one step on links that have prices.

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "ayatori/base/random.hpp"
#include "ayatori/contention/job_endpoints.hpp"
#include "job_paths.hpp"
#include "step_paths.hpp"

namespace ayatori {

/// The cost of paths is the sum of the prices of the links that they use, each once, and more than all prices for every
/// link that takes longer than the step's time: hot · e · (e + 1) / 2 with e the time beyond it. Not safe for
/// concurrent use.
class PricedPaths {
 public:
  /// More than any sum of prices should be.
  static constexpr double hot = 1000;

  PricedPaths(const JobPaths& paths, const LinkWeights& weights);

  /// Begins a step with these paths. `prices` (by link) must live until the next start().
  void start(std::vector<StepMessage> messages, double time, std::span<const double> prices);

  [[nodiscard]] const std::vector<StepMessage>& messages() const { return messages_; }
  [[nodiscard]] double cost() const { return cost_; }
  /// Choices that all steps so far have looked at.
  [[nodiscard]] std::uint64_t looked_at() const { return looked_at_; }

  /// Gives messages the cheapest choices one after the other, as if none had a path yet.
  void choose_cheapest();

  /// Gives all messages these choices.
  void choose(std::span<const std::uint32_t> choices);

  /// Looks for cheaper paths: threshold accepting (Dueck and Scheuer, 1990) with chains of moves, in which a message
  /// that takes a full link drives another one from it. Looks at `effort` choices, about. Ends with the best found.
  void improve(std::uint64_t effort, double first_threshold, Random& random);

 private:
  using Move = std::pair<std::uint32_t, std::uint32_t>;  ///< message, and the choice that it had

  [[nodiscard]] std::span<const LinkIndex> route(std::uint32_t message, std::uint32_t choice) const {
    return paths_.route(messages_[message].leaf, messages_[message].endpoint, choice);
  }
  [[nodiscard]] double price(LinkIndex link, std::size_t load) const;
  [[nodiscard]] std::uint32_t choices(std::uint32_t message) const {
    return paths_.choice_count(messages_[message].endpoint);
  }
  void put(std::uint32_t message);
  void take(std::uint32_t message);
  void move(std::uint32_t message, std::uint32_t choice);
  [[nodiscard]] std::uint32_t cheapest_choice(std::uint32_t message, std::uint32_t except);
  [[nodiscard]] std::uint32_t driven_away_by(std::uint32_t message, Random& random) const;
  void move_in_chain(std::uint32_t message, std::uint32_t choice, Random& random);
  void undo();

  const JobPaths& paths_;
  std::vector<double> weight_;  // by link
  std::span<const double> prices_;
  std::vector<std::uint32_t> room_;  // by link: messages that it carries in the step's time
  double time_ = -1;
  std::vector<StepMessage> messages_;
  std::vector<std::uint32_t> movable_;                   // messages that are not fixed and have several choices
  std::vector<std::vector<std::uint32_t>> messages_on_;  // by link
  double cost_ = 0;
  std::vector<Move> trail_;
  std::uint64_t looked_at_ = 0;  // choices
};

}  // namespace ayatori
