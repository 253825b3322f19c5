#pragma once
/// \file
/// The paths of one step that delay least: branch and bound.

#include <cstdint>
#include <span>
#include <vector>

#include "graph_colouring.hpp"
#include "joint_messages.hpp"
#include "other_steps.hpp"

namespace ayatori {

/// The messages of a step take paths so that no link carries two of them, and that what their links meet together
/// leaves all jobs the most bandwidth. Depth first; the message with the fewest paths left is next. What all paths that
/// a message has left meet is met for sure. A path that then leaves no more than the best choices known is
/// struck off.
class StepDelaySearch {
 public:
  struct Outcome {
    bool was_hot = false;  ///< a link carried two messages
    bool is_hot = false;   ///< and still does
  };

  /// `busy`: the job's steps that use the network. The others must outlive the search.
  StepDelaySearch(const JointMessages& messages, const OtherSteps& others, std::size_t busy)
      : messages_(messages), others_(others), busy_(busy) {}

  /// Looks for better choices than `choices`, which are those of the messages of one step, from `first` on, and puts
  /// them there. The job's other steps delay `rest`. `effort` is in words of OtherSteps that are looked at.
  Outcome improve(std::uint32_t first, std::span<std::uint32_t> choices, const Delays& rest, std::uint64_t effort);
  /// What a step with these choices delays.
  [[nodiscard]] Delays delays(std::uint32_t first, std::span<const std::uint32_t> choices) const;

 private:
  using Words = std::vector<std::uint64_t>;
  struct Branch {
    std::vector<ColourSet> paths;  ///< that each message of the step has left
    std::vector<bool> placed;      ///< messages with one path, which has its links
    std::vector<bool> occupied;    ///< by link
    Words met;                     ///< for sure
  };

  void collect_paths(std::uint32_t first, std::size_t messages);
  [[nodiscard]] Branch root() const;
  [[nodiscard]] std::size_t path_count(std::size_t message) const {
    return first_path_[message + 1] - first_path_[message];
  }
  [[nodiscard]] std::span<const LinkIndex> route(std::size_t message, std::size_t path) const {
    return messages_.route(first_ + static_cast<std::uint32_t>(message), static_cast<std::uint32_t>(path));
  }
  [[nodiscard]] std::span<const std::uint64_t> met_on(std::size_t message, std::size_t path) const {
    const std::size_t words = others_.word_count();
    return {met_.data() + (first_path_[message] + path) * words, words};
  }
  [[nodiscard]] double bandwidth(std::span<const std::uint64_t> met) const;
  [[nodiscard]] double bandwidth_with(const Branch& branch, std::size_t message, std::size_t path);
  [[nodiscard]] double bandwidth_of(std::span<const std::uint32_t> choices) const;
  [[nodiscard]] static bool is_free(const Branch& branch, std::span<const LinkIndex> route);
  [[nodiscard]] bool narrow(Branch& branch);
  [[nodiscard]] bool narrow(Branch& branch, std::size_t message, bool& changed);
  void place(Branch& branch, std::size_t message, std::size_t path) const;
  void descend(Branch branch);
  void keep(const Branch& branch);

  const JointMessages& messages_;
  const OtherSteps& others_;
  const std::size_t busy_;
  Delays rest_{};
  std::uint32_t first_ = 0;
  std::vector<std::size_t> first_path_;  // by message of the step, and the end: into met_
  Words met_;                            // by message and path
  Words united_;
  double most_ = 0;                  // bandwidth with the best choices
  std::vector<std::uint32_t> best_;  // by message; empty: those that were given
  std::uint64_t effort_left_ = 0;
};

}  // namespace ayatori
