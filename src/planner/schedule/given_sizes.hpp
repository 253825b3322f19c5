#pragma once
/// \file
/// Steps whose messages may have sizes of their own, as those of a pattern file.

#include <cstddef>
#include <vector>

#include "ayatori/base/ids.hpp"

namespace ayatori {

/// Sizes for a StepSequence, whose messages have 1 byte where no size is given.
class GivenSizes {
 public:
  virtual ~GivenSizes() = default;

  /// Replaces `sizes` with those of the messages of step `index`, in their order; 0: not given.
  virtual void given_sizes(std::size_t index, std::vector<Bytes>& sizes) const = 0;
};

}  // namespace ayatori
