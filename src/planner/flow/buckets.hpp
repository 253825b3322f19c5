#pragma once
/// \file
/// The token buckets of NICs whose rate is limited by one (MessageCosts::burst): how many bytes of a message pass at
/// once? One bucket for what leaves a NIC, and one for what enters it.

#include <algorithm>
#include <vector>

#include "ayatori/base/ids.hpp"

namespace ayatori {

/// Of one message's costs: a bucket has at most `burst` bytes, and `rate` bytes a second fill it. Where either is 0
/// there is no bucket. A packet of `packet` bytes passes as soon as the bucket owes nothing; 0: each byte by itself.
struct BucketSize {
  Bytes burst = 0;
  Bytes packet = 0;
  double rate = 0;

  [[nodiscard]] bool exists() const { return burst > 0 && rate > 0; }
  /// Of a message's bytes: those for which the bucket must have had enough when the last of them passes.
  [[nodiscard]] double needed(Bytes bytes) const {
    return static_cast<double>(packet == 0 || bytes == 0 ? bytes : (bytes - 1) / packet * packet);
  }
};

/// Full in the beginning. Not safe for concurrent use.
class Buckets {
 public:
  explicit Buckets(std::size_t nics) : buckets_(2 * nics) {}

  /// A message begins to flow between these NICs, of which each has buckets of one size; `no_id`: a router, which has
  /// none. Returns how many bytes have to flow until all of it has passed: 0 if it passes at once. Otherwise they flow
  /// until end() is called with the same NICs.
  double begin(std::uint32_t from_nic, std::uint32_t to_nic, Bytes bytes, const BucketSize& size, double now) {
    const auto whole = static_cast<double>(bytes);
    if (!size.exists() || from_nic == no_id || to_nic == no_id) return whole;
    Bucket* const both[] = {&buckets_[2 * from_nic], &buckets_[2 * to_nic + 1]};
    double left = 0;
    for (Bucket* bucket : both) {
      if (bucket->flows == 0) bucket->taken = std::max(0.0, bucket->taken - (now - bucket->since) * size.rate);
      bucket->since = now;
      left = std::max(left, size.needed(bytes) + bucket->taken - static_cast<double>(size.burst));
    }
    constexpr double rounding = 1e-6;  // bytes
    if (left < rounding) left = 0;
    for (Bucket* bucket : both) {
      bucket->taken += whole - left;
      if (left > 0) ++bucket->flows;
    }
    return left;
  }

  void end(std::uint32_t from_nic, std::uint32_t to_nic, const BucketSize& size, double now) {
    if (!size.exists() || from_nic == no_id || to_nic == no_id) return;
    for (Bucket* bucket : {&buckets_[2 * from_nic], &buckets_[2 * to_nic + 1]}) {
      if (--bucket->flows == 0) bucket->since = now;
    }
  }

 private:
  struct Bucket {
    double taken = 0;  // bytes, at `since`; more than it had: it owes them. While something flows it is not filled
    double since = 0;
    std::uint32_t flows = 0;
  };

  std::vector<Bucket> buckets_;  // by NIC: what leaves it, what enters it
};

}  // namespace ayatori
