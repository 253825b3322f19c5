#pragma once
/// \file
/// The processes of a benchmark on one machine: started together, synchronised by barriers, and ended together. The one
/// place in bench/ that calls fork().

#include <fmt/core.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <fstream>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include "ayatori/base/error.hpp"

namespace ayatori::bench {

/// Ends the process with status 2, and with it the whole run.
[[noreturn]] inline void give_up(const std::string& why) {
  fmt::print(stderr, "error: {}\n", why);
  _exit(2);
}

template <typename T>
T need(Result<T> result) {
  if (!result) give_up(result.error().message + ": " + result.error().cause);
  return std::move(*result);
}

/// The largest number of bytes that this process has had in memory. getrusage() would count what the process had
/// before it executed this program.
inline std::uint64_t peak_resident_bytes() {
  std::ifstream file("/proc/self/status");
  std::uint64_t kilobytes = 0;
  for (std::string word; file >> word;) {
    if (word == "VmHWM:" && file >> kilobytes) return kilobytes * 1024;
  }
  give_up("/proc/self/status has no VmHWM");
}

/// A T in memory that all processes share that are started from now on. It is never freed.
template <typename T>
T& shared() {
  void* memory = mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) give_up("mmap failed: no memory");
  return *new (memory) T();
}

/// A barrier for a fixed number of processes; lies in shared() memory.
class Barrier {
 public:
  /// Returns when `processes` processes have called it once more.
  void wait(std::uint32_t processes) {
    const std::uint32_t arrival = arrived_++;
    while (arrived_ < (arrival / processes + 1) * processes) sched_yield();
  }

  /// How often a process has called wait().
  [[nodiscard]] std::uint32_t arrived() const { return arrived_; }

 private:
  std::atomic<std::uint32_t> arrived_ = 0;
};

/// Keeps the calling process on one core.
inline void run_on(int core) {
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(core, &only);
  sched_setaffinity(0, sizeof only, &only);
}

/// A process that runs `body` and does not outlive this one.
inline pid_t start(const std::function<void()>& body) {
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) give_up("fork failed");
  if (child > 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(2);
  body();
  std::fflush(stdout);
  _exit(0);
}

/// Waits for all of them. If one fails, the others are ended and the result is false.
inline bool all_succeed(std::vector<pid_t> children) {
  bool good = true;
  while (!children.empty()) {
    int status = 0;
    const pid_t ended = wait(&status);
    std::erase(children, ended);
    if (status == 0 || !good) continue;
    good = false;
    for (const pid_t child : children) kill(child, SIGKILL);
  }
  return good;
}

/// Runs `first` and `second` in a process each, on cores 0 and 1; the exit status of the program.
inline int run_pair(const std::function<void()>& first, const std::function<void()>& second, unsigned max_seconds) {
  alarm(max_seconds);
  const pid_t one = start([&] {
    run_on(0);
    first();
  });
  const pid_t other = start([&] {
    run_on(1);
    second();
  });
  return all_succeed({one, other}) ? 0 : 2;
}

}  // namespace ayatori::bench
