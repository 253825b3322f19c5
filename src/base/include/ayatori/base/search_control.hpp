#pragma once
/// \file
/// Progress of a long search, and a request to stop it.

#include <atomic>
#include <cstdint>
#include <memory>

namespace ayatori {

/// How far a search is, and whether it should end now with the best that it has. The core reads no clock: whoever waits
/// says when that is. A copy is the same control, and any thread may use it at any moment.
class SearchControl {
 public:
  /// From whoever waits: the search ends soon. What it returns then depends on the moment.
  void stop() const { state_->stopped.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool stopped() const { return state_->stopped.load(std::memory_order_relaxed); }

  /// From the search: so many pieces of work are added to the total. It may end before all are done.
  void expect(std::uint64_t pieces) const { state_->total.fetch_add(pieces, std::memory_order_relaxed); }
  void did(std::uint64_t pieces = 1) const { state_->done.fetch_add(pieces, std::memory_order_relaxed); }

  [[nodiscard]] std::uint64_t done() const { return state_->done.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t total() const { return state_->total.load(std::memory_order_relaxed); }

 private:
  struct State {
    std::atomic<bool> stopped{false};
    std::atomic<std::uint64_t> done{0};
    std::atomic<std::uint64_t> total{0};
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace ayatori
