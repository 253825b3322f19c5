#pragma once
/// \file
/// The operations of a process that are not over. They go on whenever somebody calls advance(): the communication
/// library from its own progress, a thread, a call of the program.

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "ayatori/progress/operation.hpp"

namespace ayatori {

/// Safe for concurrent use, also from within an operation.
class Outstanding {
 public:
  Outstanding() = default;
  Outstanding(const Outstanding&) = delete;
  Outstanding& operator=(const Outstanding&) = delete;
  /// Operations that are not over are destroyed. Nobody may be in advance().
  ~Outstanding() = default;

  void add(std::unique_ptr<Operation> operation);

  /// Advances each operation once, in the order in which they were added, destroys those that are over, and returns
  /// their number. Returns 0 at once where another thread is at it, or a caller of this function: an operation that
  /// calls the communication library may well come here again.
  std::size_t advance();

  /// Operations that are not over. Cheap enough to ask at every call of the communication library.
  [[nodiscard]] std::size_t count() const { return count_.load(std::memory_order_acquire); }

 private:
  void take_added();

  std::atomic<std::size_t> count_{0};
  std::atomic<bool> advancing_{false};
  std::mutex mutex_;                                 ///< of added_
  std::vector<std::unique_ptr<Operation>> added_;    ///< since the last advance()
  std::vector<std::unique_ptr<Operation>> running_;  ///< belongs to whoever has set advancing_
};

}  // namespace ayatori
