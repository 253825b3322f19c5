#pragma once
/// \file
/// A progress thread: it polls for operations while the program computes, and sleeps while there are none.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "ayatori/progress/poll_backoff.hpp"
#include "ayatori/progress/progress_trial.hpp"

namespace ayatori {

struct ProgressThreadOptions {
  std::function<void()> poll;                  ///< makes progress once on all outstanding operations
  std::function<bool()> has_work;              ///< whether operations are outstanding; called by any thread, often
  std::function<double()> now;                 ///< seconds, about the same in all processes of the job
  std::function<std::int64_t()> time_on_core;  ///< nanoseconds that the calling thread has had; asked at each poll
  std::function<bool()> is_oversubscribed;     ///< whether threads are waiting for a core; asked now and then
  std::optional<std::uint32_t> core;           ///< on which it runs; otherwise on those of the thread that makes it
  /// How a trial ended; called by the thread of the program.
  std::function<void(const ProgressTrial::Outcome&)> tried;
};

/// The thread polls every 100 to 600 µs while operations are outstanding (PollBackoff), and never spins: a program that
/// computes on all cores loses little to it. wake(), poll_soon(), enter() and leave() are safe for concurrent use.
class ProgressThread {
 public:
  explicit ProgressThread(ProgressThreadOptions options);
  ProgressThread(const ProgressThread&) = delete;
  ProgressThread& operator=(const ProgressThread&) = delete;
  /// Ends the thread, after its current poll.
  ~ProgressThread();

  /// An operation is outstanding, and none was before. Wakes the thread if it is asleep.
  void wake();

  /// One more operation is outstanding: the pause between polls is short again.
  void poll_soon() { begun_.store(true, std::memory_order_relaxed); }

  /// Between the two the program waits in the library itself, which makes progress: the thread does not poll.
  void enter() { inside_.fetch_add(1, std::memory_order_relaxed); }
  void leave() { inside_.fetch_sub(1, std::memory_order_relaxed); }

  /// Polls of the thread so far.
  [[nodiscard]] std::uint64_t polls() const { return polls_.load(std::memory_order_relaxed); }

 private:
  enum class Work : std::uint8_t { none, later, now };
  void run();
  [[nodiscard]] Work work();
  void sleep();
  void pause();
  void poll();
  void stay_on_core() const;

  ProgressThreadOptions options_;
  std::mutex mutex_;
  std::condition_variable woken_;
  ProgressTrial trial_;    ///< under mutex_
  bool stop_ = false;      ///< under mutex_
  bool is_woken_ = false;  ///< under mutex_
  bool asleep_ = false;    ///< under mutex_
  std::atomic<int> inside_{0};
  std::atomic<std::uint64_t> polls_{0};
  std::atomic<bool> begun_{false};
  // Of the thread alone:
  PollBackoff pace_;
  bool oversubscribed_ = false;
  std::uint32_t polls_until_asked_ = 0;
  std::thread thread_;  ///< the last: it uses all others
};

/// What the kernel says: whether more threads are runnable on this node than there are cores on which this process may
/// run. The kernel's count is of one moment.
[[nodiscard]] bool more_threads_than_cores();

}  // namespace ayatori
