#pragma once
/// \file
/// The steps of an all-to-all that were made for the paths of one job, as a table: in every step each rank sends to at
/// most one other rank, and receives from at most one. Over all steps each rank sends to each other rank once.
/// `ayatori/planning/make_steps.hpp` makes them; the algorithm "path-aware" is their schedule.

#include <cstddef>
#include <memory>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/network/step.hpp"

namespace ayatori {

/// Immutable; safe to read from many threads. Takes 8 bytes a rank and step.
class PlannedSteps final : public StepSequence {
 public:
  /// `destinations[step · ranks + from]` is the rank that `from` sends to in that step, no_id if it sends nothing.
  /// Errors: a table whose size is not a multiple of `ranks`; a rank that does not exist; a rank that sends to itself,
  /// receives twice in a step, or sends to another rank twice or never (names both).
  [[nodiscard]] static Result<PlannedSteps> of(Rank ranks, std::vector<Rank> destinations);

  /// The same from any steps, such as those of a pattern file. Errors: those of of(), and a rank that sends twice in a
  /// step. Bytes of messages do not count.
  [[nodiscard]] static Result<PlannedSteps> of(const StepSequence& steps);

  [[nodiscard]] Rank rank_count() const override { return ranks_; }
  [[nodiscard]] std::size_t step_count() const override { return ranks_ == 0 ? 0 : to_.size() / ranks_; }
  void step(std::size_t index, std::vector<Message>& messages) const override;

  /// The rank that `from` sends to, and the rank that `to` receives from, in a step; no_id if there is none.
  [[nodiscard]] Rank destination(std::size_t step, Rank from) const { return to_[step * ranks_ + from]; }
  [[nodiscard]] Rank source(std::size_t step, Rank to) const { return from_[step * ranks_ + to]; }

 private:
  PlannedSteps(Rank ranks, std::vector<Rank> destinations) : ranks_(ranks), to_(std::move(destinations)) {}

  Result<> find_sources();
  [[nodiscard]] Result<> check_pairs() const;

  Rank ranks_ = 0;
  std::vector<Rank> to_;    // by step and sender
  std::vector<Rank> from_;  // by step and receiver
};

}  // namespace ayatori
