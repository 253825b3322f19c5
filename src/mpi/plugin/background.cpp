#include "background.hpp"

#include <fmt/core.h>
#include <sys/sysinfo.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <ctime>
#include <mutex>
#include <utility>

#include "ayatori/progress/in_flight.hpp"
#include "ayatori/progress/progress_thread.hpp"
#include "calls.hpp"
#include "last_of.hpp"
#include "own_progress.hpp"

namespace ayatori::plugin {

namespace {

InFlight in_flight;

/// MPI_Comm_idup of Open MPI 4.1 is itself a sequence of collectives on the communicator. It posts each when somebody
/// polls, though ranks that poll at different times then post them in different orders among the program's own. So
/// the plug-in does not poll while a duplication is under way.
InFlight duplications;
std::atomic<int> beginning_duplications{0};
std::mutex polling;  // held in a poll of the thread

ProgressThread* thread = nullptr;  // ended in MPI_Finalize, and not by a child of fork() that exits

bool is_anything_under_way() { return in_flight.count() > 0 || process().outstanding.count() > 0; }

bool may_poll() { return beginning_duplications == 0 && duplications.count() == 0; }

void poll_by_thread() {
  const std::lock_guard lock(polling);
  if (may_poll()) let_mpi_progress();
}

InFlight::Key key_of(MPI_Request request) {
  InFlight::Key key = 0;
  std::memcpy(&key, &request, sizeof request);
  return key;
}

/// MPI_Wtime begins when each process does: this clock is about the same on all nodes.
double seconds_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::int64_t nanoseconds_on_core() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

void report_outcome(const ProgressTrial::Outcome& outcome) {
  if (outcome.with == 0) return;
  explain(fmt::format("the progress thread is {}: a cycle of the program takes {:.1f} us with it, {:.1f} us without",
                      outcome.pays ? "on" : "off", outcome.with * 1e6, outcome.without * 1e6));
}

std::optional<std::uint32_t> core_of_thread() {
  const auto& cores = process().settings.progress_cpus;
  if (cores.empty()) return std::nullopt;
  const std::uint32_t core = cores[process().node_self % cores.size()];
  if (core < static_cast<std::uint32_t>(get_nprocs_conf())) return core;
  report_here(
      fmt::format("rank {}: the progress thread runs on any core, since there is no core {}", process().rank, core));
  return std::nullopt;
}

void start_thread() {
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  if (level != MPI_THREAD_MULTIPLE) {
    report(
        "there is no progress thread: the MPI grants no MPI_THREAD_MULTIPLE (is AYATORI_PROGRESS set for all "
        "processes?)");
    return;
  }
  ProgressThreadOptions options;
  options.poll = poll_by_thread;
  options.has_work = is_anything_under_way;
  options.now = seconds_now;
  options.time_on_core = nanoseconds_on_core;
  options.is_oversubscribed = more_threads_than_cores;
  options.core = core_of_thread();
  options.tried = report_outcome;
  thread = new ProgressThread(std::move(options));
}

/// What the program's calls reached before they were seen here: the plug-in's functions, or the MPI's own.
ayatori_mpi_calls beneath;

/// A function that begins a request, its last argument: the request is noted.
template <auto Member>
struct Begins;
template <typename... Arguments, int (*ayatori_mpi_calls::*Member)(Arguments...)>
struct Begins<Member> {
  static int call(Arguments... arguments) {
    const int code = (beneath.*Member)(arguments...);
    if (code == MPI_SUCCESS) note_begun(last_of(arguments...));
    return code;
  }
};

/// A function that duplicates a communicator, and begins a request, its last argument.
template <auto Member>
struct Duplicates;
template <typename... Arguments, int (*ayatori_mpi_calls::*Member)(Arguments...)>
struct Duplicates<Member> {
  static int call(Arguments... arguments) {
    {
      const std::lock_guard lock(polling);
      ++beginning_duplications;
    }
    const int code = (beneath.*Member)(arguments...);
    const MPI_Request* const request = last_of(arguments...);
    if (code == MPI_SUCCESS && *request != MPI_REQUEST_NULL) duplications.add(key_of(*request));
    --beginning_duplications;
    return code;
  }
};

/// Any function: after it, what is under way may move.
template <auto Member>
struct Moves;
template <typename... Arguments, int (*ayatori_mpi_calls::*Member)(Arguments...)>
struct Moves<Member> {
  static int call(Arguments... arguments) {
    move_by_call();
    return (beneath.*Member)(arguments...);
  }
};

void see_requests(ayatori_mpi_calls& calls) {
#define AYATORI_BEGINS(name, parameters, arguments) \
  if (calls.name != nullptr) calls.name = &Begins<&ayatori_mpi_calls::name>::call;
  AYATORI_REQUESTING_CALLS(AYATORI_BEGINS)
#undef AYATORI_BEGINS
  calls.Comm_idup = &Duplicates<&ayatori_mpi_calls::Comm_idup>::call;
#if AYATORI_HAS_LARGE_COUNTS
  if (calls.Comm_idup_with_info != nullptr) {
    calls.Comm_idup_with_info = &Duplicates<&ayatori_mpi_calls::Comm_idup_with_info>::call;
  }
#endif
  see_ends_of_requests(calls);
}

/// MPICH stops to lock and to unlock as soon as its MPI_Finalize begins: a thread that is in the MPI at this moment
/// would leave its lock locked, and the program would end with "pthread_mutex_destroy: Device or resource busy".
int finalize() {
  end_background();
  return beneath.Finalize();
}

}  // namespace

void begin_background(ayatori_mpi_calls& calls) {
  const ProgressMode mode = process().settings.progress;
  beneath = calls;
  if (mode == ProgressMode::thread) start_thread();
  if (mode == ProgressMode::calls) {
    calls.Comm_rank = &Moves<&ayatori_mpi_calls::Comm_rank>::call;
    calls.Comm_size = &Moves<&ayatori_mpi_calls::Comm_size>::call;
    calls.Get_count = &Moves<&ayatori_mpi_calls::Get_count>::call;
  }
  if (mode == ProgressMode::calls || thread != nullptr) see_requests(calls);
  if (thread != nullptr) calls.Finalize = &finalize;
}

void end_background() { delete std::exchange(thread, nullptr); }

/// A request that is over at once (a small message, say) is nothing to wait for.
void note_begun(const MPI_Request* request) {
  if (request == nullptr || *request == MPI_REQUEST_NULL) return;
  int is_over = 0;
  if (may_poll() && PMPI_Request_get_status(*request, &is_over, MPI_STATUS_IGNORE) == MPI_SUCCESS && is_over != 0) {
    return;
  }
  const bool is_first = in_flight.add(key_of(*request));
  if (thread != nullptr) thread->poll_soon();
  if (is_first && thread != nullptr) thread->wake();
  move_by_call();
}

void note_ended(MPI_Request request) {
  if (request == MPI_REQUEST_NULL) return;
  in_flight.remove(key_of(request));
  duplications.remove(key_of(request));
}

InsideMpi::InsideMpi() {
  if (thread != nullptr) thread->enter();
}

InsideMpi::~InsideMpi() {
  if (thread != nullptr) thread->leave();
}

void move_by_call() {
  if (process().settings.progress != ProgressMode::calls || !is_anything_under_way() || !may_poll()) return;
  constexpr double seconds_between = 10e-6;
  thread_local double last = 0;
  const double now = PMPI_Wtime();
  if (now < last + seconds_between) return;
  last = now;
  let_mpi_progress();
}

}  // namespace ayatori::plugin
