#include "library.hpp"

#include <pthread.h>

#include <atomic>
#include <cerrno>

#include "ayatori/base/random.hpp"

namespace ayatori::acp {

namespace {

/// The process between acp_init and acp_finalize; owned. Exiting does not destroy it, since other threads may be in it.
std::atomic<Process*> the_process = nullptr;

/// The placement when the library was opened last: a launcher is asked only once.
std::optional<launch::Placement> known_placement;

/// In a child of fork: the process that the parent had opened.
Process* left_to_parent = nullptr;

/// Removes the names of files when the program exits.
struct AtExit {
  ~AtExit() {
    if (Process* process = the_process) process->withdraw();
  }
} at_exit;

/// Closes the library in a child of fork, which has only the forking thread: what others had begun is never finished.
void leave_to_parent() {
  Process* process = the_process.exchange(nullptr);
  if (!process) return;
  process->disown();
  left_to_parent = process;
}

/// After acp_finalize or acp_reset, late packets of the time before must not be accepted: all processes derive the same
/// next key.
std::uint64_t next_key(std::uint64_t key) { return Random(key)(); }

Result<launch::Placement> next_placement() {
  if (!known_placement) return read_placement();
  launch::Placement next = *known_placement;
  next.job_key = next_key(next.job_key);
  return next;
}

int open(Result<Setup> setup) {
  if (!setup) {
    refuse(setup.error());
    return -1;
  }
  known_placement = setup->placement;
  auto process = Process::start(*setup);
  if (!process) {
    refuse(process.error());
    return -1;
  }
  static const int watched = pthread_atfork(nullptr, nullptr, leave_to_parent);
  (void)watched;
  the_process = process->release();
  return 0;
}

Result<Setup> at_first() {
  auto setup = read_setup();
  if (!setup) return setup;
  auto placement = next_placement();
  if (!placement) return Failure(placement.error());
  setup->placement = std::move(*placement);
  return setup;
}

Result<Setup> after_reset(Setup setup, int rank) {
  launch::Placement& placement = setup.placement;
  if (rank < 0 || static_cast<Rank>(rank) >= placement.procs) return fail("there is no rank {}", rank);
  if (static_cast<Rank>(rank) / placement.ranks_per_host != placement.rank / placement.ranks_per_host) {
    return fail("rank {} belongs to another host than rank {}", rank, placement.rank);
  }
  placement.rank = static_cast<Rank>(rank);
  placement.job_key = next_key(placement.job_key);
  return setup;
}

}  // namespace

Process* opened() {
  Process* process = the_process.load(std::memory_order_acquire);
  if (!process) refuse(EPERM, "acp_init was not called, or did not succeed");
  return process;
}

int open_library() {
  if (!the_process && !left_to_parent) return open(at_first());
  refuse(EPERM, the_process ? "acp_init was called already" : "a child of fork does not belong to its parent's job");
  return -1;
}

int close_library() {
  if (!opened()) return -1;
  const std::unique_ptr<Process> process(the_process);
  const auto finished = process->finish();
  the_process = nullptr;
  if (finished) return 0;
  refuse(finished.error());
  return -1;
}

int reopen_library(int rank) {
  const Process* process = opened();
  if (!process) return -1;
  auto next = after_reset(process->setup(), rank);
  if (next && close_library() != 0) return -1;
  return open(std::move(next));
}

}  // namespace ayatori::acp
