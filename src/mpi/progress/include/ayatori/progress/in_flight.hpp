#pragma once
/// \file
/// The requests of a program that were begun and not seen to be over: all that a progress thread must know of them is
/// whether there are any.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_set>

namespace ayatori {

/// Safe for concurrent use. A request that is added twice is there once: a library gives the handle of a request that
/// is over to another one, and its end may not have been seen.
class InFlight {
 public:
  using Key = std::uint64_t;

  /// True if there was none before.
  bool add(Key request);
  void remove(Key request);

  [[nodiscard]] std::size_t count() const { return count_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::size_t> count_{0};
  std::mutex mutex_;
  std::unordered_set<Key> requests_;
};

}  // namespace ayatori
