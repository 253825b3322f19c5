#pragma once
/// \file
/// The token buckets of NICs whose rate is limited by one (MessageCosts::burst): how many bytes of a message pass at
/// once? One bucket for what leaves a NIC, and one for what enters it.

#include <algorithm>
#include <vector>

#include "ayatori/base/ids.hpp"

namespace ayatori {

/// Not safe for concurrent use.
class Buckets {
 public:
  /// Full ones of `burst` bytes, filled at `rate` bytes a second; a burst or rate of 0: none, and nothing passes at
  /// once.
  Buckets(std::size_t nics, Bytes burst, double rate)
      : burst_(static_cast<double>(burst)), rate_(rate), buckets_(burst > 0 && rate > 0 ? 2 * nics : 0) {
    for (Bucket& bucket : buckets_) bucket.level = burst_;
  }

  /// A message begins to flow between these NICs; `no_id`: a router, which has none. Returns how many bytes are left of
  /// it when some have passed at once. If it is not 0, they flow until end() is called with the same NICs.
  double begin(std::uint32_t from_nic, std::uint32_t to_nic, Bytes bytes, double now) {
    const auto whole = static_cast<double>(bytes);
    if (buckets_.empty() || from_nic == no_id || to_nic == no_id) return whole;
    Bucket* const both[] = {&buckets_[2 * from_nic], &buckets_[2 * to_nic + 1]};
    double passing = whole;
    for (Bucket* bucket : both) {
      if (bucket->flows == 0) bucket->level = std::min(burst_, bucket->level + (now - bucket->since) * rate_);
      bucket->since = now;
      passing = std::min(passing, bucket->level);
    }
    constexpr double rounding = 1e-6;  // bytes
    const bool all = whole - passing < rounding;
    for (Bucket* bucket : both) {
      bucket->level = std::max(0.0, bucket->level - passing);
      if (!all) ++bucket->flows;
    }
    return all ? 0 : whole - passing;
  }

  void end(std::uint32_t from_nic, std::uint32_t to_nic, double now) {
    if (buckets_.empty() || from_nic == no_id || to_nic == no_id) return;
    for (Bucket* bucket : {&buckets_[2 * from_nic], &buckets_[2 * to_nic + 1]}) {
      if (--bucket->flows == 0) bucket->since = now;
    }
  }

 private:
  struct Bucket {
    double level = 0;  // bytes, at `since`; while something flows it is not filled
    double since = 0;
    std::uint32_t flows = 0;
  };

  double burst_;
  double rate_;
  std::vector<Bucket> buckets_;  // by NIC: what leaves it, what enters it
};

}  // namespace ayatori
