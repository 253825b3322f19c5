#pragma once
/// \file
/// How the ranks of a test find each other's queue pairs.

#include <condition_variable>
#include <map>
#include <mutex>

#include "ayatori/verbs/verbs_wire.hpp"

namespace ayatori::wires {

/// What a launcher provides: every process publishes its address and can look up those of the others.
class Bootstrap {
 public:
  explicit Bootstrap(Rank procs) : procs_(procs) {}

  void publish(Rank rank, const UdAddress& address) {
    std::unique_lock lock(mutex_);
    addresses_[rank] = address;
    all_here_.notify_all();
    all_here_.wait(lock, [&] { return addresses_.size() == procs_; });
  }

  /// Without waiting for the others.
  void set(Rank rank, const UdAddress& address) {
    const std::lock_guard lock(mutex_);
    addresses_[rank] = address;
  }

  UdResolver resolver() {
    return [this](Rank rank) -> Result<UdAddress> {
      const std::lock_guard lock(mutex_);
      return addresses_.at(rank);
    };
  }

 private:
  Rank procs_;
  std::mutex mutex_;
  std::condition_variable all_here_;
  std::map<Rank, UdAddress> addresses_;
};

}  // namespace ayatori::wires
