#pragma once
/// \file
/// The token buckets of NICs whose rate is limited by one (MessageCosts::burst): how many bytes of a message pass at
/// once? One bucket for what leaves a NIC, and one for what enters it.

#include <algorithm>
#include <vector>

#include "ayatori/base/ids.hpp"

namespace ayatori {

/// Of one message's costs: a bucket has at most `burst` bytes, and `rate` bytes a second fill it. Where either is 0
/// there is no bucket.
struct BucketSize {
  Bytes burst = 0;
  double rate = 0;

  [[nodiscard]] bool exists() const { return burst > 0 && rate > 0; }
};

/// Full in the beginning. Not safe for concurrent use.
class Buckets {
 public:
  explicit Buckets(std::size_t nics) : buckets_(2 * nics) {}

  /// A message begins to flow between these NICs, of which each has buckets of one size; `no_id`: a router, which has
  /// none. Returns how many bytes are left of it when some have passed at once. If it is not 0, they flow until end()
  /// is called with the same NICs.
  double begin(std::uint32_t from_nic, std::uint32_t to_nic, Bytes bytes, const BucketSize& size, double now) {
    const auto whole = static_cast<double>(bytes);
    if (!size.exists() || from_nic == no_id || to_nic == no_id) return whole;
    Bucket* const both[] = {&buckets_[2 * from_nic], &buckets_[2 * to_nic + 1]};
    double passing = whole;
    for (Bucket* bucket : both) {
      if (bucket->flows == 0) bucket->taken = std::max(0.0, bucket->taken - (now - bucket->since) * size.rate);
      bucket->since = now;
      passing = std::min(passing, std::max(0.0, static_cast<double>(size.burst) - bucket->taken));
    }
    constexpr double rounding = 1e-6;  // bytes
    const bool all = whole - passing < rounding;
    for (Bucket* bucket : both) {
      bucket->taken += passing;
      if (!all) ++bucket->flows;
    }
    return all ? 0 : whole - passing;
  }

  void end(std::uint32_t from_nic, std::uint32_t to_nic, const BucketSize& size, double now) {
    if (!size.exists() || from_nic == no_id || to_nic == no_id) return;
    for (Bucket* bucket : {&buckets_[2 * from_nic], &buckets_[2 * to_nic + 1]}) {
      if (--bucket->flows == 0) bucket->since = now;
    }
  }

 private:
  struct Bucket {
    double taken = 0;  // bytes, at `since`; while something flows it is not filled
    double since = 0;
    std::uint32_t flows = 0;
  };

  std::vector<Bucket> buckets_;  // by NIC: what leaves it, what enters it
};

}  // namespace ayatori
