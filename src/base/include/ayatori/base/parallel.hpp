#pragma once
/// \file
/// Loops whose iterations are independent, on all cores that the process may use.

#include <atomic>
#include <cstddef>
#include <functional>
#include <type_traits>

namespace ayatori {

/// What a loop does: iterations 0 … count - 1, of which a thread takes `piece` consecutive ones at a time.
struct Loop {
  std::size_t count = 0;
  std::size_t piece = 1;
  /// False for less work than starting threads is: the caller takes all iterations.
  bool worth_threads = true;
};

/// The iterations that one thread takes, in rising order: for (const std::size_t iteration : iterations). Once only.
class Iterations {
 public:
  Iterations(const Loop& loop, std::atomic<std::size_t>& next) : loop_(loop), next_(next) {}

  struct End {};
  class Iterator {
   public:
    explicit Iterator(Iterations& iterations) : iterations_(iterations) { iterations_.take_piece(); }
    std::size_t operator*() const { return iterations_.iteration_; }
    Iterator& operator++() {
      if (++iterations_.iteration_ == iterations_.end_) iterations_.take_piece();
      return *this;
    }
    bool operator==(End) const { return iterations_.iteration_ == iterations_.end_; }

   private:
    Iterations& iterations_;
  };
  Iterator begin() { return Iterator(*this); }
  static End end() { return {}; }

 private:
  void take_piece();

  const Loop& loop_;
  std::atomic<std::size_t>& next_;
  std::size_t iteration_ = 0;
  std::size_t end_ = 0;
};

/// While it lives, loops that the calling thread starts have at most so many threads.
class ThreadLimit {
 public:
  explicit ThreadLimit(std::size_t threads);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  std::size_t outer_;
};

/// What parallel_for() does with a `work` that takes Iterations.
void run_on_threads(const Loop& loop, const std::function<void(Iterations&)>& work);

/// Calls body(iteration) for each iteration; or, for a body that takes Iterations&, calls it once on each thread: such
/// a body has memory that its iterations share, and adds it to the caller's, under a mutex, after the last.
///
/// Which thread takes which iteration differs from run to run: results are the same if iterations write only what is
/// theirs, and sums do not depend on order. A loop within an iteration runs on the thread of that iteration. The first
/// exception of a body ends the loop after the iterations that run, and reaches the caller. If no more threads can be
/// started, fewer do the work.
template <typename Body>
void parallel_for(const Loop& loop, const Body& body) {
  if constexpr (std::is_invocable_v<const Body&, std::size_t>) {
    run_on_threads(loop, [&body](Iterations& iterations) {
      for (const std::size_t iteration : iterations) body(iteration);
    });
  } else {
    run_on_threads(loop, std::cref(body));
  }
}

}  // namespace ayatori
