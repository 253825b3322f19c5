#pragma once
/// \file
/// Tests over real wires, whose ranks are threads or processes.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/base/ids.hpp"

namespace ayatori::wires {

/// Runs `body(rank)` in one thread a rank; what it throws fails the test.
inline void in_threads(Rank procs, const std::function<void(Rank)>& body) {
  std::vector<std::string> problems(procs);
  std::vector<std::jthread> threads;
  for (Rank rank = 0; rank < procs; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        body(rank);
      } catch (const std::exception& problem) {
        problems[rank] = problem.what();
      }
    });
  }
  threads.clear();
  for (const std::string& problem : problems) EXPECT_EQ(problem, "");
}

/// A child process, which ends with what `body` throws, if it does. It is killed and waited for at the latest when its
/// owner ends.
class Child {
 public:
  explicit Child(const std::function<void()>& body) : pid_(fork()) {
    if (pid_ != 0) return;
    try {
      body();
      _exit(0);
    } catch (const std::exception& problem) {
      fmt::print(stderr, "child: {}\n", problem.what());
      _exit(1);
    }
  }
  Child(Child&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}
  Child& operator=(Child&&) = delete;
  ~Child() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    wait();
  }

  void signal(int number) const { kill(pid_, number); }

  /// The exit code, or minus the signal that ended it.
  int wait() {
    int status = 0;
    waitpid(std::exchange(pid_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

 private:
  pid_t pid_;
};

inline void in_processes(Rank procs, const std::function<void(Rank)>& body) {
  std::vector<Child> children;
  for (Rank rank = 0; rank < procs; ++rank) children.emplace_back([&body, rank] { body(rank); });
  for (Child& child : children) EXPECT_EQ(child.wait(), 0);
}

/// The value, or an exception with the error's message.
template <typename T>
T need(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message + ": " + result.error().cause);
  return std::move(*result);
}

}  // namespace ayatori::wires
