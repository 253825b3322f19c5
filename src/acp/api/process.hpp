#pragma once
/// \file
/// This process in its job: its wires, its global memory, and the threads that make progress.
///
/// A thread that calls and waits makes progress itself, so no other thread stands between it and the wire. So does, now
/// and then, one that calls again and again what need not wait, such as copies within the host. The progress thread
/// checks every 0.5 to 2 milliseconds whether any thread has called since; if none has, it serves peers until nothing
/// comes, and sleeps until something arrives. With ACP_PROGRESS=poll there is no progress thread, and the requests of
/// peers are served only during calls.
///
/// Any number of threads may call at the same time, but sync() and finish() only one.

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "ayatori/base/descriptor.hpp"
#include "ayatori/driver/driver.hpp"
#include "ayatori/joining/job.hpp"
#include "ayatori/onesided/global_memory.hpp"
#include "ayatori/pollable/pollable_wire.hpp"
#include "starter_memory.hpp"

namespace ayatori::acp {

using onesided::GlobalMemory;

struct Setup : JobSetup {
  std::uint32_t connections = 32;  ///< of an adapter, by which it reaches peers' memory without their processes
  bool adapter_atomics = false;    ///< see onesided::Settings
  bool progress_thread = true;
  Bytes starter_bytes = 1 << 20;  ///< rounded up to whole pages
};

class Process {
 public:
  /// Returns when all processes of the job have called it. Errors: no such wire, an address that is in use, a peer that
  /// is lost, and those of open_network().
  [[nodiscard]] static Result<std::unique_ptr<Process>> start(Setup setup);
  ~Process();

  [[nodiscard]] const Setup& setup() const { return setup_; }

  [[nodiscard]] std::uint64_t starter_key() const { return starter_key_; }

  /// Calls `query(memory)`, which starts nothing that has to be sent.
  template <typename Query>
  auto query(Query query) {
    const Lock lock(*this);
    serve_now_and_then();
    return query(*memory_);
  }

  /// Calls `use(memory, now)` and sends what it started. No reference to `memory` may be kept.
  template <typename Use>
  auto use(Use use) {
    const Lock lock(*this);
    auto result = use(*memory_, clock_.now());
    round();
    return result;
  }

  /// Makes a round, and calls `test(memory)`. A program that does nothing but calling it yields its core.
  template <typename Test>
  auto poll(Test test) {
    Lock lock(*this);
    const bool begun = std::exchange(last_polled_, memory_->latest()) != memory_->latest();
    if (round() || begun) polls_in_vain_since_ = driver_->now();
    auto result = test(*memory_);
    stand_back(lock);
    return result;
  }

  /// Waits until there is room for an operation, then does what use() does.
  template <typename Use>
  auto start_operation(Use use) {
    Lock lock(*this);
    if (memory_->full()) wait(lock, [this] { return !memory_->full(); });
    auto result = use(*memory_, clock_.now());
    round();
    return result;
  }

  template <typename Condition>
  void wait_until(Condition condition) {
    Lock lock(*this);
    wait(lock, [&] { return condition(*memory_); });
  }

  /// A barrier of all processes. `last`: this process ends after it. Error: a peer is lost.
  [[nodiscard]] Result<> sync(bool last = false);

  /// Completes everything in all processes. Error: a peer is lost.
  [[nodiscard]] Result<> finish();

  /// The directory of another rank of this host, which this process is to have after this one ends. Error: a peer that
  /// is lost.
  [[nodiscard]] Result<std::optional<Directory>> directory_of(Rank rank);

  /// For a program that exits without finish(), perhaps while other threads are in here: removes the files of this
  /// process.
  void withdraw();

  /// In a child of fork(2): leaves everything to the parent, except the memory. The object must not be used or
  /// destroyed after that.
  void disown();

 private:
  explicit Process(Setup setup) : setup_(std::move(setup)) {}

  [[nodiscard]] Result<> open();
  [[nodiscard]] Result<> make_starter_memory();
  [[nodiscard]] Result<> make_wire();

  /// Holds the mutex of everything below, and counts the call.
  class Lock {
   public:
    explicit Lock(Process& process);
    ~Lock();
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

    void unlock();  ///< lets other threads in
    void lock();

   private:
    Process& process_;
  };
  friend class Lock;

  template <typename Condition>
  void wait(Lock& lock, Condition condition) {
    if (condition()) return serve_now_and_then();
    ++waiters_;
    Time since = clock_.now();
    while (!condition()) {
      if (round()) {
        since = driver_->now();
      } else {
        idle(lock, since);
      }
      if (lock_waiters_ > 0) {
        lock.unlock();
        std::this_thread::yield();
        lock.lock();
      }
    }
    --waiters_;
  }

  /// For calls that need no round themselves: a program that polls by them is in the library all the time, and the
  /// progress thread stands back. A round takes several times as long as such a call, and the clock half as long.
  void serve_now_and_then() {
    if (--calls_before_clock_ == 0) serve_if_due();
  }
  [[gnu::cold, gnu::noinline]] void serve_if_due();
  bool round();
  void idle(Lock& lock, Time since);
  void stand_back(Lock& lock);
  void yield(Lock& lock);
  [[nodiscard]] Duration prepare_to_sleep(Duration timeout, std::vector<pollfd>& polled);
  void sleep(Lock& lock, Duration timeout);
  void wake_up();
  void run_progress_thread();
  void progress_until_idle();
  [[nodiscard]] Time yield(Time stays_until);
  void wake_progress_thread() const;

  Setup setup_;
  wires::SteadyClock clock_;
  StarterMemory starter_;  // outlives the wire, whose adapter may reach it
  std::unique_ptr<wires::PollableWire> wire_;
  wires::AddressLookup* lookup_ = nullptr;  // of the wire; nullptr: it has none
  std::unique_ptr<GlobalMemory> memory_;
  std::optional<wires::Driver> driver_;
  std::uint64_t starter_key_ = 0;

  std::mutex mutex_;
  std::atomic<std::uint32_t> lock_waiters_ = 0;  // threads that wait for the mutex
  std::atomic<std::uint32_t> waiters_ = 0;       // … and for a condition
  std::atomic<std::uint64_t> calls_ = 0;         // made so far
  std::uint32_t calls_before_clock_ = 1;         // at the clock
  Time core_shared_until_{};                     // with other programs …
  Time core_taken_until_{};                      // … that do not yield it
  bool yielded_in_vain_ = false;                 // the last yield let nobody run
  Time polls_in_vain_since_{};                   // the program does nothing but polling …
  Time last_poll_{};                             // … and nothing has arrived
  onesided::Handle last_polled_ = 0;             // the latest operation then
  bool armed_ = false;  // prepare_to_sleep() was called: datagrams that arrive wake the thread that sleeps
  bool progress_thread_asleep_ = false;
  std::thread::id first_caller_ = std::this_thread::get_id();
  bool several_threads_ = false;  // have called
  std::atomic<bool> closing_ = false;
  Descriptor wake_event_;
  std::thread progress_thread_;
};

}  // namespace ayatori::acp
