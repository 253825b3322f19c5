#pragma once
/// \file
/// What is measured of an incast's messages when they arrive.

#include <functional>
#include <vector>

#include "ayatori/simulated/incast.hpp"

namespace ayatori::simulated {

class Arrivals {
 public:
  explicit Arrivals(std::size_t clients) : of_client_(clients) {}

  void note(std::size_t client, Duration took) {
    ++of_client_[client];
    took_.push_back(took);
  }
  [[nodiscard]] std::uint64_t count() const { return took_.size(); }

  /// Lets virtual time go on until a condition holds, and returns it.
  using RunUntil = std::function<Time(const std::function<bool()>&)>;

  /// Lets `wanted` messages arrive; rates, fairness and latencies of them.
  [[nodiscard]] IncastResult measure(std::uint64_t wanted, const RunUntil& run_until);

 private:
  std::vector<std::uint64_t> of_client_;
  std::vector<Duration> took_;
};

}  // namespace ayatori::simulated
