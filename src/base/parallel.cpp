#include "ayatori/base/parallel.hpp"

#include <sched.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace ayatori {

namespace {

/// Of loops that this thread starts; 0: as many as there are cores.
thread_local std::size_t thread_limit = 0;

/// Those that the process may use: a batch system gives a job some of its machine's.
std::size_t core_count() {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) == 0) return static_cast<std::size_t>(CPU_COUNT(&cores));
  return std::max(1U, std::thread::hardware_concurrency());  // more than a cpu_set_t has
}

std::size_t threads_for(const Loop& loop) {
  const std::size_t pieces = (loop.count + loop.piece - 1) / loop.piece;
  if (!loop.worth_threads || pieces < 2) return 1;
  return std::min(pieces, thread_limit != 0 ? thread_limit : core_count());
}

}  // namespace

void Iterations::take_piece() {
  iteration_ = std::min(next_.fetch_add(loop_.piece, std::memory_order_relaxed), loop_.count);
  end_ = std::min(iteration_ + loop_.piece, loop_.count);
}

ThreadLimit::ThreadLimit(std::size_t threads) : outer_(thread_limit) { thread_limit = threads; }

ThreadLimit::~ThreadLimit() { thread_limit = outer_; }

void run_on_threads(const Loop& loop, const std::function<void(Iterations&)>& work) {
  std::atomic<std::size_t> next{0};
  const std::size_t threads = threads_for(loop);
  if (threads < 2) {
    Iterations all(loop, next);
    return work(all);
  }
  std::mutex mutex;
  std::exception_ptr failure;
  const auto take_part = [&] {
    const ThreadLimit within_an_iteration(1);
    Iterations mine(loop, next);
    try {
      work(mine);
    } catch (...) {
      next.store(loop.count, std::memory_order_relaxed);
      const std::scoped_lock lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    others.reserve(threads - 1);
    try {
      while (others.size() + 1 < threads) others.emplace_back(take_part);
    } catch (const std::system_error&) {
      // A limit of processes: those that run do all.
    }
    take_part();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace ayatori
