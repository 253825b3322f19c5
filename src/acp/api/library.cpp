#include "library.hpp"

#include <fmt/core.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <utility>

#include "ayatori/base/random.hpp"
#include "ayatori/joining/network.hpp"
#include "ayatori/joining/variables.hpp"

namespace ayatori::acp {

namespace {

/// The process between acp_init and acp_finalize; owned. Exiting does not destroy it, since other threads may be in it.
std::atomic<Process*> the_process = nullptr;

/// What was found out when the library was opened last: a launcher is asked only once.
struct Known {
  launch::Placement placement;
  std::shared_ptr<launch::Launcher> launcher;
  std::optional<Directory> directory;
};
std::optional<Known> known;

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
/// next secret.
void begin_next_incarnation(launch::Placement& placement) {
  if (placement.secret) {
    set_secret(placement, next_secret(*placement.secret));
  } else {
    placement.job_key = Random(placement.job_key)();
  }
}

int open(Result<Setup> setup) {
  if (!setup) {
    refuse(setup.error());
    return -1;
  }
  warn_without_tags(*setup);
  known = {setup->placement, setup->launcher, setup->directory};
  auto process = Process::start(std::move(*setup));
  if (!process) {
    refuse(process.error());
    return -1;
  }
  known->launcher = (*process)->setup().launcher;
  known->directory = (*process)->setup().directory;
  static const int watched = pthread_atfork(nullptr, nullptr, leave_to_parent);
  (void)watched;
  the_process = process->release();
  return 0;
}

Result<Setup> at_first() {
  auto setup = read_setup();
  if (!setup) return setup;
  if (!known) {
    auto launcher = read_launcher();
    if (!launcher) return Failure(launcher.error());
    if (auto good = launch::check_in_order((*launcher)->placement); !good) return Failure(good.error());
    setup->launcher = std::move(*launcher);
    setup->placement = setup->launcher->placement;
    return setup;
  }
  setup->placement = known->placement;
  setup->launcher = known->launcher;
  setup->directory = known->directory;
  begin_next_incarnation(setup->placement);
  return setup;
}

Result<Setup> after_reset(Process& process, int rank) {
  Setup setup = process.setup();
  launch::Placement& placement = setup.placement;
  if (rank < 0 || static_cast<Rank>(rank) >= placement.procs) return fail("there is no rank {}", rank);
  if (!placement.is_near(static_cast<Rank>(rank))) {
    return fail("rank {} belongs to another host than rank {}", rank, placement.rank);
  }
  auto directory = process.directory_of(static_cast<Rank>(rank));
  if (!directory) return Failure(directory.error());
  setup.directory = std::move(*directory);
  placement.rank = static_cast<Rank>(rank);
  begin_next_incarnation(placement);
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
  std::unique_ptr<Process> process(the_process);
  const auto finished = process->finish();
  the_process = nullptr;
  process.reset();  // before errno is set
  if (finished) return 0;
  refuse(finished.error());
  return -1;
}

int reopen_library(int rank) {
  Process* process = opened();
  if (!process) return -1;
  auto next = after_reset(*process, rank);
  if (next && close_library() != 0) return -1;
  return open(std::move(next));
}

}  // namespace ayatori::acp
