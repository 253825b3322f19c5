#pragma once
/// \file
/// A step: messages that are sent at the same time. A communication pattern or a collective's schedule implements
/// StepSequence; contention is counted, and the flow simulator runs, step by step.

#include <cstddef>
#include <vector>

#include "ayatori/base/ids.hpp"

namespace ayatori {

/// A message of a step; sizes in bytes.
struct Message {
  Rank from = 0;
  Rank to = 0;
  Bytes bytes = 1;
};

/// The steps of a pattern or schedule, generated on demand. Immutable: any number of threads may ask for steps.
class StepSequence {
 public:
  virtual ~StepSequence() = default;

  [[nodiscard]] virtual Rank rank_count() const = 0;
  [[nodiscard]] virtual std::size_t step_count() const = 0;

  /// Replaces `messages` with those of step `index`. Thread-safe: steps are generated, not stored.
  virtual void step(std::size_t index, std::vector<Message>& messages) const = 0;
};

}  // namespace ayatori
