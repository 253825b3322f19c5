#pragma once
/// \file
/// Benchmarks of several processes on one machine.

#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include "ayatori/base/error.hpp"

namespace ayatori::bench {

/// Ends the process, and with it the whole run.
[[noreturn]] inline void give_up(const std::string& why) {
  fmt::print(stderr, "{}\n", why);
  _exit(2);
}

template <typename T>
T need(Result<T> result) {
  if (!result) give_up(result.error().message + ": " + result.error().cause);
  return std::move(*result);
}

/// Bytes that this process has had in memory at most. getrusage() would count what it was before it became this
/// program.
inline std::uint64_t peak_resident() {
  std::ifstream file("/proc/self/status");
  std::uint64_t kilobytes = 0;
  for (std::string word; file >> word;) {
    if (word == "VmHWM:" && file >> kilobytes) return kilobytes * 1024;
  }
  give_up("/proc/self/status tells of no VmHWM");
}

/// A T that all processes see that are made from now on; never freed.
template <typename T>
T& shared() {
  void* place = mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) give_up("no memory");
  return *new (place) T();
}

/// A process that does not outlive this one.
inline pid_t start(const std::function<void()>& body) {
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) give_up("no further process");
  if (child > 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(2);
  body();
  _exit(0);
}

/// Waits for all; if one fails, the others are ended.
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

}  // namespace ayatori::bench
