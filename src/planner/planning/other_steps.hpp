#pragma once
/// \file
/// The steps of one or two running jobs, with the links on which a new job conflicts with them.
///
/// A *combination* is a step of each of these jobs; each job being in a step of its own that is drawn at random, all
/// combinations are equally likely. No job has two messages on a link in a step, so that in a combination a step of
/// the new job
///
///     waits          one message time if it shares a link with one of them, or with each of them another one, and two
///                    if all three meet on one link
///     makes wait     either of them, if it shares a link with it and these two did not meet anyway, and both of them,
///                    if all three meet on one link
///
/// Steps of the new job do this independently of each other: of each step the links alone decide, and the times of the
/// jobs are sums over its steps.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ayatori/contention/footprint.hpp"
#include "joint_messages.hpp"

namespace ayatori {

/// Message times, of the new job and of the two others, summed over combinations.
using Delays = std::array<double, 3>;

/// Bits of `words` are set in `united`, too. False if all were.
bool unite(std::vector<std::uint64_t>& united, std::span<const std::uint64_t> words);

class OtherSteps {
 public:
  /// Of the links that the one job of `messages` may take. Nothing if more than two of `others` use one of these
  /// links, or if the steps of one that does are not known.
  [[nodiscard]] static std::optional<OtherSteps> of(const Network& network, const JointMessages& messages,
                                                    std::span<const Footprint> others);

  /// The steps that conflict with a set of links, as bits: the union of its links' words.
  [[nodiscard]] std::size_t word_count() const { return words_; }
  [[nodiscard]] std::span<const std::uint64_t> met_on(LinkIndex link) const {
    return {met_.data() + link * words_, words_};
  }

  /// What a step of the new job with such links delays.
  [[nodiscard]] Delays delays(std::span<const std::uint64_t> met) const;

  /// The mean bandwidth of all jobs over all phases, if the `steps` of the new one, `busy` of which use the network,
  /// delay so much altogether.
  [[nodiscard]] double mean_bandwidth(const Delays& all, std::size_t busy, std::size_t steps) const;

 private:
  OtherSteps(const Network& network, const JointMessages& messages, std::span<const Footprint* const> others);
  void note_pairs(const Network& network, std::span<const Footprint* const> others);

  std::size_t jobs_;                             // 1 or 2
  std::array<std::uint64_t, 2> steps_{1, 1};     // of the other jobs; a job that is missing has one step, and no link
  std::array<std::uint64_t, 2> busy_{0, 0};      // of them, those with messages
  std::array<std::vector<double>, 2> alone_in_;  // by job and step: steps of the other one that it does not meet
  double pairs_that_meet_ = 0;
  std::size_t words_ = 0;
  std::vector<std::uint64_t> met_;  // by link: steps of the first, steps of the second, pairs of both
};

}  // namespace ayatori
