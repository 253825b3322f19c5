#include "ayatori/progress/progress_thread.hpp"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>

#include <csignal>
#include <cstdio>
#include <ctime>

#include "ayatori/base/time_slices.hpp"

namespace ayatori {

namespace {

constexpr long pause_until_later_ns = 5'000'000;
constexpr std::uint32_t polls_between_checks = 64;
constexpr int idle_pauses_before_sleep = 10;  ///< a program that begins something again soon need not wake us

void sleep_ns(std::int64_t nanoseconds) {
  const timespec time{0, nanoseconds};
  ppoll(nullptr, 0, &time, nullptr);
}

}  // namespace

ProgressThread::ProgressThread(ProgressThreadOptions options) : options_(std::move(options)) {
  // Signals are the program's: its own threads take them.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

ProgressThread::~ProgressThread() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  woken_.notify_one();
  thread_.join();
}

void ProgressThread::wake() {
  std::optional<ProgressTrial::Outcome> outcome;
  bool is_asleep = false;
  {
    const std::lock_guard lock(mutex_);
    const double now = options_.now();
    outcome = trial_.begin_cycle(now);
    is_woken_ = is_woken_ || trial_.on(now) || trial_.on_trial();
    is_asleep = asleep_ && is_woken_;
  }
  if (is_asleep) woken_.notify_one();
  if (outcome && options_.tried) options_.tried(*outcome);
}

void ProgressThread::stay_on_core() const {
  pthread_setname_np(pthread_self(), "ayatori");
  prctl(PR_SET_TIMERSLACK, 1000UL);
  request_short_time_slices();
  if (!options_.core) return;
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(*options_.core, &cores);
  sched_setaffinity(0, sizeof cores, &cores);
}

/// Whether something is under way, and is to be moved now or in another slice of a trial.
ProgressThread::Work ProgressThread::work() {
  if (!options_.has_work()) return Work::none;
  const std::lock_guard lock(mutex_);
  if (trial_.on(options_.now())) return Work::now;
  return trial_.on_trial() ? Work::later : Work::none;
}

void ProgressThread::pause() {
  if (polls_until_asked_-- == 0) {
    polls_until_asked_ = polls_between_checks;
    oversubscribed_ = options_.is_oversubscribed && options_.is_oversubscribed();
  }
  if (begun_.exchange(false, std::memory_order_relaxed)) pace_.begin();
  sleep_ns(pace_.pause(oversubscribed_));
}

void ProgressThread::poll() {
  const std::int64_t before = options_.time_on_core();
  options_.poll();
  pace_.polled(options_.time_on_core() - before);
  polls_.fetch_add(1, std::memory_order_relaxed);
}

void ProgressThread::sleep() {
  std::unique_lock lock(mutex_);
  asleep_ = true;
  woken_.wait(lock, [&] { return is_woken_ || stop_; });
  asleep_ = false;
  is_woken_ = false;
}

void ProgressThread::run() {
  stay_on_core();
  for (int idle = idle_pauses_before_sleep;;) {
    if (idle >= idle_pauses_before_sleep) sleep();
    {
      const std::lock_guard lock(mutex_);
      if (stop_) return;
    }
    pause();
    const Work found = work();
    idle = found == Work::none ? idle + 1 : 0;
    if (found == Work::later) sleep_ns(pause_until_later_ns);
    if (found == Work::now && inside_.load(std::memory_order_relaxed) == 0) {
      poll();
    } else {
      pace_.idled();
    }
  }
}

bool more_threads_than_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof cores, &cores) != 0) return false;
  std::FILE* const file = std::fopen("/proc/loadavg", "r");
  if (file == nullptr) return false;
  int runnable = 0;
  const int read = std::fscanf(file, "%*f %*f %*f %d/", &runnable);
  std::fclose(file);
  return read == 1 && runnable > CPU_COUNT(&cores);
}

}  // namespace ayatori
