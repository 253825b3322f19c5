#pragma once
/// \file
/// This process in its job: its wires, its global memory, and who moves them on.
///
/// Whoever calls in moves everything on while it waits, so no other thread stands between it and the wire. The progress
/// thread steps aside meanwhile: it looks every half millisecond, and takes over when nobody has called since. Then it
/// sleeps until something arrives. In polling mode there is no such thread, and peers' requests are served only by
/// calls.
///
/// Any number of threads may call, but sync() and finish() only one at a time.

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "ayatori/driver/driver.hpp"
#include "ayatori/launch/placement.hpp"
#include "ayatori/onesided/global_memory.hpp"
#include "ayatori/pollable/pollable_wire.hpp"
#include "starter_memory.hpp"

namespace ayatori::acp {

using onesided::GlobalMemory;
using transport::Duration;
using transport::Time;

enum class WireChoice : std::uint8_t {
  automatic,  ///< shared memory within a host, UDP between hosts
  shm,
  udp,
};

struct Setup {
  launch::Placement placement;
  WireChoice wires = WireChoice::automatic;
  bool progress_thread = true;
  Bytes starter_bytes = 1 << 20;  ///< at least; rounded up to whole pages
  Duration give_up_after = std::chrono::seconds(30);
  std::optional<std::uint32_t> first_host;  ///< IPv4 address of rank 0's host; nothing: all are on this one
};

class Process {
 public:
  /// Returns when all processes have come so far. Errors: no such wire, an address that is in use, a peer that is lost.
  [[nodiscard]] static Result<std::unique_ptr<Process>> start(const Setup& setup);
  ~Process();

  [[nodiscard]] const Setup& setup() const { return setup_; }

  [[nodiscard]] std::uint64_t starter_key() const { return starter_key_; }

  /// Calls `look(memory)`, which asks for nothing that has to be sent.
  template <typename Look>
  auto look(Look look) {
    const Turn turn(*this);
    return look(*memory_);
  }

  /// Calls `use(memory, now)` and sends what it asked for. A reference to `memory` must not leave it.
  template <typename Use>
  auto use(Use use) {
    const Turn turn(*this);
    auto result = use(*memory_, clock_.now());
    round();
    return result;
  }

  /// As use(), when there is room for an operation.
  template <typename Use>
  auto start_operation(Use use) {
    Turn turn(*this);
    if (memory_->full()) wait(turn, [this] { return !memory_->full(); });
    auto result = use(*memory_, clock_.now());
    round();
    return result;
  }

  template <typename Condition>
  void wait_until(Condition condition) {
    Turn turn(*this);
    wait(turn, [&] { return condition(*memory_); });
  }

  /// Error: a peer is lost.
  [[nodiscard]] Result<> sync();

  /// Completes everything here and at all others; then the wires are closed.
  [[nodiscard]] Result<> finish();

  /// Before the program exits without finish(), other threads maybe in here: leaves nothing behind on this host.
  void withdraw() { wire_->withdraw(); }

  /// In a child of fork(2): leaves everything to the parent but the memory. Never to be used or destroyed after that.
  void disown();

 private:
  explicit Process(const Setup& setup) : setup_(setup) {}

  [[nodiscard]] Result<> open();
  [[nodiscard]] Result<> make_starter_memory();
  [[nodiscard]] Result<std::unique_ptr<wires::PollableWire>> make_wire() const;

  /// A thread's time with everything below.
  class Turn {
   public:
    explicit Turn(Process& process);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    void pause();  ///< lets others have theirs
    void resume();

   private:
    Process& process_;
  };
  friend class Turn;

  template <typename Condition>
  void wait(Turn& turn, Condition condition) {
    if (condition()) return;
    ++waiters_;
    Time since = clock_.now();
    while (!condition()) {
      if (round()) {
        since = driver_->now();
      } else {
        idle(turn, since);
      }
      if (wanting_ > 0) {
        turn.pause();
        std::this_thread::yield();
        turn.resume();
      }
    }
    --waiters_;
  }

  bool round();
  void idle(Turn& turn, Time since);
  [[nodiscard]] Duration prepare_to_sleep(Duration longest, std::vector<pollfd>& polled);
  void sleep(Turn& turn, Duration longest);
  void wake_up();
  void serve();
  void take_over();
  [[nodiscard]] Time yield(Time stays_until);
  void nudge() const;

  Setup setup_;
  wires::SteadyClock clock_;
  std::unique_ptr<wires::PollableWire> wire_;
  std::unique_ptr<GlobalMemory> memory_;
  std::optional<wires::Driver> driver_;
  StarterMemory starter_;
  std::uint64_t starter_key_ = 0;

  std::mutex mutex_;
  std::atomic<std::uint32_t> wanting_ = 0;  // threads that wait for the mutex
  std::atomic<std::uint32_t> waiters_ = 0;  // … and for a condition
  std::atomic<std::uint64_t> turns_ = 0;    // of callers, ever
  bool armed_ = false;                      // whoever sleeps is woken by what arrives
  bool server_asleep_ = false;
  std::thread::id first_caller_ = std::this_thread::get_id();
  bool several_threads_ = false;  // have called
  std::atomic<bool> ending_ = false;
  wires::Descriptor nudge_;
  std::thread server_;
};

}  // namespace ayatori::acp
