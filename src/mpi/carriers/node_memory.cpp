#include "ayatori/carriers/node_memory.hpp"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bit>
#include <cerrno>

#include "node_memory_state.hpp"

namespace ayatori {

namespace {

constexpr std::uint32_t pauses_between_calls = 16;   ///< of while_waiting, which may take a microsecond
constexpr std::uint32_t sleeps_between_checks = 64;  ///< for peers that have ended: some tens of milliseconds

/// Says on which cores this process may run.
void add_cores(SegmentHead& head) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof cores, &cores) != 0) return;
  for (std::size_t core = 0; core < max_cores; ++core) {
    if (CPU_ISSET(core, &cores)) head.cores[core / 64].fetch_or(std::uint64_t{1} << core % 64);
  }
}

std::uint32_t count_cores(const SegmentHead& head) {
  std::uint32_t count = 0;
  for (const auto& word : head.cores) count += static_cast<std::uint32_t>(std::popcount(word.load()));
  return count;
}

/// Also true of a process that nobody has waited for yet (a zombie).
bool has_ended(pid_t process) {
  const auto handle = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
  if (handle < 0) return errno == ESRCH;
  pollfd ended{handle, POLLIN, 0};
  const bool answer = poll(&ended, 1, 0) > 0;
  close(handle);
  return answer;
}

}  // namespace

NodeMemory::State::State(std::shared_ptr<NodeSegment> node_segment, Rank own_rank, Options own_options)
    : segment(std::move(node_segment)),
      view(segment->memory(), segment->ranks()),
      self(own_rank),
      options(std::move(own_options)),
      sender(view, self, options.eager_limit),
      receiver(view, self, options.read_peers) {
  RankInfo& info = view.info(self);
  info.head_address = reinterpret_cast<std::uint64_t>(segment->memory());
  info.process.store(getpid(), std::memory_order_release);
  add_cores(view.head());
  view.head().joined.fetch_add(1);
}

bool NodeMemory::State::oversubscribed() {
  if (!all_joined_) {
    all_joined_ = view.head().joined.load() >= view.shape().ranks;
    oversubscribed_ = view.shape().ranks > count_cores(view.head());
  }
  return oversubscribed_;
}

Result<> NodeMemory::State::pause(Backoff& backoff, Rank awaited) {
  if (options.while_waiting && ++pauses_ % pauses_between_calls == 0) options.while_waiting();
  if (backoff.wait(oversubscribed()) != Backoff::Step::slept) return {};
  return ++sleeps_ % sleeps_between_checks == 0 ? check_for_ended_peers(awaited) : Result<>();
}

/// Messages that a peer sent before it ended are still there: they were polled for since.
Result<> NodeMemory::State::check_for_ended_peers(Rank awaited) {
  Result<> result;
  const auto check = [&](Rank peer) {
    const pid_t process = view.info(peer).process.load(std::memory_order_acquire);
    if (process != 0 && result && has_ended(process)) {
      result = fail("process {}, rank {} on this node, has ended and is waited for", process, peer);
    }
  };
  sender.visit_awaited(check);
  receiver.visit_awaited(check);
  if (awaited != no_id) check(awaited);
  if (result) return {};
  progress();
  return result;
}

NodeMemory::NodeMemory(std::unique_ptr<State> state) : state_(std::move(state)) {}
NodeMemory::~NodeMemory() = default;

Result<std::unique_ptr<NodeMemory>> NodeMemory::make(std::shared_ptr<NodeSegment> segment, Rank self, Options options) {
  if (segment == nullptr) return fail("no memory is shared on this node");
  if (self >= segment->ranks()) return fail("rank {} of {} on this node (they count from 0)", self, segment->ranks());
  auto state = std::make_unique<State>(std::move(segment), self, std::move(options));
  return std::unique_ptr<NodeMemory>(new NodeMemory(std::move(state)));
}

Rank NodeMemory::self() const { return state_->self; }
Rank NodeMemory::ranks() const { return state_->segment->ranks(); }
bool NodeMemory::oversubscribed() const { return state_->oversubscribed(); }

}  // namespace ayatori
