/// Executes schedules and prints what each took, under SimGrid's SMPI or a real MPI:
///
///     smpirun -np 64 -platform P.xml -hostfile H ./execute COLLECTIVE ALGORITHM BYTES [key=value …]
///     smpirun -np 64 -platform P.xml -hostfile H ./execute @FILE     one such call a line, one after the other
///
/// ALGORITHM is one of ours, or of others: file:F, library:L.so:NAME (docs/schedule-format.md); or `mpi`, the function
/// of the MPI itself, which chooses an algorithm of its own.
///
///     ppn=1           ranks on each machine
///     ranks=2,2,1     or: how many ranks there are on each machine
///     groups=0,0,1    the leaf or chassis that each machine is in
///     grid=4x4x4      the machines form a grid of this shape
///     rings=1,1,0     by dimension of the grid: a ring (1) or a line (0); default: all are rings
///     points=0,2,1    by machine: its point in the grid (row-major number); default: 0,1,2,…
///     root=0          the root's rank
///     chunk=0         bytes in a chunk of a pipeline; 0: the algorithm's own choice
///     seed=1          of alltoallv: each pair's bytes are drawn from 0 … BYTES, and one pair in four has none
///     steps=FILE      of planned: the steps that `ayatori plan --steps-out FILE` wrote
///     repeats=1       execute it so often, and print the median; times in which another process took a rank's core do
///     not
///                     count, unless too few are left
///     pace=0          nanoseconds that a cache line took between two cores when something else was measured
///                     (src/mpi/execute/pace_of_cores.h): only times count before and after which it takes about as
///                     long. Other paces are waited for, but no longer than a minute in all; then `at another pace`
///                     stands behind the seconds. 0: all times count
///     check=1         use real data and check the postcondition of the collective; 0: only time it
///
/// Prints a line for each call: the seconds until the last rank is done, with 9 digits. All ranks begin at the same
/// time where they have one clock (MPI_Wtime under SMPI, else that of the kernel if it is one), and otherwise after a
/// barrier.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ayatori/base/text.hpp"
#include "ayatori/executor/executor.hpp"
#include "ayatori/executor/sample_data.hpp"
#include "ayatori/loaded/loaded_algorithm.hpp"
#include "execute_call.hpp"
#include "mpi_carrier.hpp"
#include "own_collectives.hpp"
#ifndef SMPI_SHARED_MALLOC
#include "pace_of_cores.h"
#endif

namespace {

using namespace ayatori;

[[noreturn]] void give_up(const std::string& what) {
  std::fputs(fmt::format("execute: {}\n", what).c_str(), stderr);
#ifdef SMPI_SHARED_MALLOC
  // After its MPI_Abort the simulation ends with status 0. All ranks are one process, which ends here.
  std::_Exit(1);
#else
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::exit(1);
#endif
}

/// Buffers of messages whose data are not used. Under SMPI, where all ranks are one
/// process, the memory is shared among them, and their messages are not copied.
class MessageBuffer {
 public:
#ifdef SMPI_SHARED_MALLOC
  explicit MessageBuffer(std::size_t bytes) : begin_(static_cast<std::byte*>(SMPI_SHARED_MALLOC(bytes))) {}
  ~MessageBuffer() { SMPI_SHARED_FREE(begin_); }
#else
  explicit MessageBuffer(std::size_t bytes) : begin_(new std::byte[bytes]) {}
  ~MessageBuffer() { delete[] begin_; }
#endif
  MessageBuffer(const MessageBuffer&) = delete;
  MessageBuffer& operator=(const MessageBuffer&) = delete;

  [[nodiscard]] std::byte* data() const { return begin_; }

 private:
  std::byte* begin_;
};

#ifdef SMPI_SHARED_MALLOC
double now() { return MPI_Wtime(); }

bool ranks_share_a_clock() { return true; }
#else
/// Of the kernel: what MPI_Wtime says is each process's own.
double now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// Whether one kernel runs all of them, on one host or in namespaces. Collective when it is first called.
bool ranks_share_a_clock() {
  static const bool answer = [] {
    constexpr int id_bytes = 36;
    std::string mine(id_bytes, '\0');
    std::ifstream("/proc/sys/kernel/random/boot_id").read(mine.data(), id_bytes);
    std::string first = mine;
    MPI_Bcast(first.data(), id_bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
    int same = mine == first && mine.front() != '\0' ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return same != 0;
  }();
  return answer;
}
#endif

/// Whether ranks of one clock, and so of one machine, are more than its cores. To count these takes 20 us, once.
bool ranks_share_cores() {
#ifdef SMPI_SHARED_MALLOC
  return true;  // all are one process
#else
  static const bool answer = [] {
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return ranks > sysconf(_SC_NPROCESSORS_ONLN);
  }();
  return answer;
#endif
}

/// Whether ranks are on several nodes. Collective when it is first called.
bool ranks_are_apart() {
#ifdef SMPI_SHARED_MALLOC
  return false;  // what idles there are simulated
#else
  static const bool answer = [] {
    int ranks = 0;
    int here = 0;
    MPI_Comm node = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &here);
    MPI_Comm_free(&node);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return here < ranks;
  }();
  return answer;
#endif
}

#ifdef SMPI_SHARED_MALLOC
/// A simulated sleep ends in time. A simulated clock advances by 10 ns when it is read, and all ranks are scheduled
/// once then: busy waiting takes long.
void wait_until(double time) {
  if (const double left = time - now(); left > 0) usleep(static_cast<unsigned>(left * 1e6));
  while (now() < time) {  // less than a microsecond
  }
}
#else
/// Ranks that share cores give them to each other. They don't sleep, since cores that have idled are slow at first.
void wait_until(double time) {
  while (now() < time) {
    if (ranks_share_cores()) sched_yield();
  }
}
#endif

/// Ranks leave a barrier one after the other; where they share a clock they wait for the last. Returns when they began:
/// on that clock the same for all. Between nodes the network idles before, so long that a token bucket which limits a
/// NIC has filled.
double begin_together() {
  constexpr double idle_seconds = 1e-3;
  if (ranks_are_apart()) wait_until(now() + idle_seconds);
  // Who shares a core with others prepares for long, which is no time that all need to know.
  if (ranks_share_cores()) MPI_Barrier(MPI_COMM_WORLD);
  double enough_for_all_to_know = -now();
  MPI_Barrier(MPI_COMM_WORLD);
  if (!ranks_share_a_clock()) return now();
  enough_for_all_to_know = std::clamp(4 * (enough_for_all_to_know + now()), 20e-6, 10e-3);
  double begin = now() + enough_for_all_to_know;
  MPI_Allreduce(MPI_IN_PLACE, &begin, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  wait_until(begin);
  return begin;
}

/// Whether the cores have this pace now, or any is right (0). Collective.
bool has_pace(double pace) {
#ifdef SMPI_SHARED_MALLOC
  return true;  // simulated ranks have no cores
#else
  return cores_have_pace(pace) != 0;
#endif
}

/// Waits until they have; not as long, if all waiting together would take more than a minute.
void wait_for_pace(double pace) {
  constexpr int polls_of_all_waits = 2000;
  constexpr unsigned microseconds_of_a_poll = 30'000;
  static int rounds = 0;
  for (; rounds < polls_of_all_waits && !has_pace(pace); ++rounds) usleep(microseconds_of_a_poll);
}

/// Does the call once.
using Once = std::function<void()>;

Once executor_of(Executor& executor, std::byte* memory) {
  return [&executor, memory] {
    std::byte* const regions[] = {memory};
    auto executed = executor.start(regions);
    if (executed) executed = executor.finish();
    if (!executed) give_up(executed.error().message);
  };
}

Once own_function_of(const CollectiveCall& call, std::byte* memory) {
  return [&call, memory] {
    if (auto called = call_own_collective(call, memory); !called) give_up(called.error().message);
  };
}

/// How often this process was preempted. Ranks that share cores yield all the time: none.
long interruptions() {
  if (ranks_share_cores()) return 0;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

/// How often a call is executed, and at which pace.
struct Repeats {
  std::uint32_t count = 1;
  double pace = 0;
};

/// Of one execution the time of the slowest rank, and whether another process took the core of one, or let it begin
/// late.
std::pair<double, bool> time_once(const Once& execute_once) {
  const long before = interruptions();
  const double begin = begin_together();
  constexpr double late = 1e-6;
  const bool woke_late = !ranks_share_cores() && now() - begin > late;
  execute_once();
  const double mine[] = {now() - begin, woke_late || interruptions() != before ? 1.0 : 0.0};
  double slowest[] = {0, 0};
  MPI_Allreduce(mine, slowest, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return {slowest[0], slowest[1] != 0};
}

/// What a call took.
struct Timing {
  double seconds = 0;
  bool at_another_pace = false;
};

/// Of executions in a row: all, and those that nothing interrupted.
struct Row {
  std::vector<double> all;
  std::vector<double> uninterrupted;
  bool at_another_pace = false;
};

/// Executions so often in a row, at one pace if it does not take long to wait for it.
Row execute_in_a_row(const Once& execute_once, const Repeats& wanted, const std::function<void()>& prepare) {
  Row row;
  wait_for_pace(wanted.pace);
  // The first one makes buffers and connections, and is slow after the pace was measured, too: some ranks slept.
  for (std::uint32_t i = wanted.count > 1 ? 0 : 1; i <= wanted.count; ++i) {
    prepare();
    const auto [seconds, interrupted] = time_once(execute_once);
    if (i == 0) continue;
    row.all.push_back(seconds);
    if (!interrupted) row.uninterrupted.push_back(seconds);
  }
  row.at_another_pace = !has_pace(wanted.pace);
  return row;
}

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// The median of so many executions; those that nothing disturbed count. It is executed up to ten times as often until
/// these are enough; if they never are, all executions count.
Timing time_of(const Once& execute_once, const Repeats& wanted, const std::function<void()>& prepare) {
  constexpr std::size_t enough = 5;
  constexpr int most_rows = 10;
  std::vector<double> undisturbed;
  std::vector<double> all;
  bool at_another_pace = false;
  for (int i = 0; i == 0 || (wanted.count > 1 && i < most_rows && undisturbed.size() < enough); ++i) {
    const Row row = execute_in_a_row(execute_once, wanted, prepare);
    all.insert(all.end(), row.all.begin(), row.all.end());
    at_another_pace |= row.at_another_pace;
    if (row.at_another_pace) continue;
    undisturbed.insert(undisturbed.end(), row.uninterrupted.begin(), row.uninterrupted.end());
  }
  if (undisturbed.size() >= enough) return {median_of(undisturbed), false};
  return {median_of(all), at_another_pace};
}

/// Ranks enter a millisecond after each other, rank 0 first or last: nobody may leave before the last has entered.
void check_barrier(const Once& execute_once, Rank rank, Rank ranks) {
  if (!ranks_share_a_clock()) give_up("a barrier can be checked only where all ranks share a clock");
  for (const Rank round : {rank, ranks - 1 - rank}) {
    begin_together();
    usleep(round * 1000);
    double last_to_enter = now();
    execute_once();
    double first_to_leave = now();
    MPI_Allreduce(MPI_IN_PLACE, &last_to_enter, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &first_to_leave, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    if (first_to_leave < last_to_enter) give_up("a rank left the barrier before the last had entered it");
  }
}

RankProgram program_of(const Schedule& schedule, Rank rank, bool timing_only) {
  ProgramOptions options;
  options.timing_only = timing_only;
  auto program = RankProgram::compile(schedule, rank, options);
  if (!program) give_up(program.error().message);
  return std::move(*program);
}

Timing time_without_data(const Schedule& schedule, Rank rank, const Repeats& repeats) {
  const RankProgram program = program_of(schedule, rank, true);
  const MessageBuffer buffer(std::max<Bytes>(1, program.max_message_bytes()));
  MpiCarrier carrier(MPI_COMM_WORLD, program);
  Executor executor(program, carrier, nullptr);
  return time_of(executor_of(executor, buffer.data()), repeats, [] {});
}

void copy(const SlotMemory& from, SlotMemory& to) {
  for (Slot slot = 0; slot < to.slot_count(); ++slot) std::ranges::copy(from.slot(slot), to.slot(slot).begin());
}

/// The data of each execution were just written, as those that a program has computed, and as `calibrate` measures it:
/// sample data take 5 ns a byte to make, and after milliseconds other machines of a host have taken its cores' caches.
Timing check_and_time(const Schedule& schedule, Rank rank, SlotMemory& memory, const Once& execute_once,
                      const Repeats& repeats) {
  SlotMemory at_start(schedule, rank);
  fill_with_sample_data(schedule, rank, at_start);
  const Timing timing = time_of(execute_once, repeats, [&] { copy(at_start, memory); });
  if (auto ok = check_sample_data(schedule, rank, memory); !ok) give_up(ok.error().message);
  if (schedule.call().collective == Collective::barrier) check_barrier(execute_once, rank, schedule.call().ranks);
  return timing;
}

Timing time_and_check(const Schedule& schedule, Rank rank, const Repeats& repeats) {
  const RankProgram program = program_of(schedule, rank, false);
  SlotMemory memory(schedule, rank);
  MpiCarrier carrier(MPI_COMM_WORLD, program);
  Executor executor(program, carrier, add_bytes);
  return check_and_time(schedule, rank, memory, executor_of(executor, memory.data()), repeats);
}

/// The MPI's own function, in the memory of a schedule with the same postcondition.
Timing time_own(const ExecuteCall& call, Rank rank, const Repeats& repeats) {
  const auto schedule =
      make_schedule(plainest_algorithm(call.call.collective), call.call, call.placement, call.options);
  if (!schedule) give_up(schedule.error().message);
  if (!call.check) {
    const MessageBuffer buffer(std::max<Bytes>(1, bytes_of_own_collective(call.call)));
    return time_of(own_function_of(call.call, buffer.data()), repeats, [] {});
  }
  SlotMemory memory(**schedule, rank);
  return check_and_time(**schedule, rank, memory, own_function_of(call.call, memory.data()), repeats);
}

Timing execute(const ExecuteCall& call, Rank rank) {
  const Repeats repeats{call.repeats, static_cast<double>(call.pace_ns) * 1e-9};
  if (call.algorithm == "mpi") return time_own(call, rank, repeats);
  const auto schedule = make_named_schedule(call.algorithm, call.call, call.placement, call.options);
  if (!schedule) give_up(schedule.error().message);
  if ((*schedule)->participant_count() > call.call.ranks) give_up("routers take part: only a simulation can do that");
  return call.check ? time_and_check(**schedule, rank, repeats) : time_without_data(**schedule, rank, repeats);
}

/// The calls of the command line: itself, or the lines of the file that it names.
std::vector<std::string> calls_of(int argc, char** argv) {
  if (argc == 2 && argv[1][0] == '@') {
    std::ifstream file(argv[1] + 1);
    if (!file) give_up(fmt::format("cannot read {}", argv[1] + 1));
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }
  return {fmt::format("{}", fmt::join(argv + 1, argv + argc, " "))};
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (const std::string& line : calls_of(argc, argv)) {
    const auto call = parse_execute_call(split(line, ' '), static_cast<Rank>(ranks));
    if (!call) give_up(call.error().message);
    const auto [seconds, at_another_pace] = execute(*call, static_cast<Rank>(rank));
    if (rank == 0) std::puts(fmt::format("{:.9f}{}", seconds, at_another_pace ? " at another pace" : "").c_str());
  }
  MPI_Finalize();
  return 0;
}
