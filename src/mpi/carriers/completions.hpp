#pragma once
/// \file
/// What has become complete for one carrier since its executor last asked.

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "ayatori/executor/carrier.hpp"

namespace ayatori {

class Completions {
 public:
  void add(RequestId request) { requests_.push_back(request); }
  void fail(Error error) {
    if (!error_) error_ = std::move(error);
  }

  [[nodiscard]] bool empty() const { return requests_.empty() && !error_; }

  /// How many are complete; an error counts as all.
  [[nodiscard]] std::size_t count() const {
    return error_ ? std::numeric_limits<std::size_t>::max() : requests_.size();
  }

  /// Forgets those that are complete. Error: as take().
  [[nodiscard]] Result<> clear() {
    if (error_) return Failure(*error_);
    requests_.clear();
    return {};
  }

  /// As many as fit, the latest first. An error is returned again by each further call.
  [[nodiscard]] Result<std::size_t> take(std::span<RequestId> out) {
    if (error_) return Failure(*error_);
    const std::size_t count = std::min(out.size(), requests_.size());
    for (std::size_t i = 0; i < count; ++i) {
      out[i] = requests_.back();
      requests_.pop_back();
    }
    return count;
  }

 private:
  std::vector<RequestId> requests_;
  std::optional<Error> error_;
};

/// A message of one carrier, as it was posted.
struct Posted {
  Completions* owner = nullptr;
  RequestId request = 0;
  std::uint64_t context = 0;
  CarriedMessage message;

  void complete() const { owner->add(request); }
};

}  // namespace ayatori
