#include "process.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "ayatori/base/time_slices.hpp"
#include "ayatori/driver/clock.hpp"
#include "ayatori/joining/network.hpp"
#include "ayatori/shm/private_folder.hpp"
#include "configuration.hpp"
#include "neighbour_copy.hpp"

namespace ayatori::acp {

using namespace std::chrono_literals;

namespace {

/// How long a caller that waits spins, and how long it then yields before it sleeps. The process that it waits for may
/// need this core.
constexpr Duration max_spin = 2us;
constexpr Duration max_yield = 1ms;
constexpr Duration max_sleep = 100ms;

/// A yield that takes so long has let another program run: the core is shared. For a while callers do not spin: they
/// yield as long as others run meanwhile, whose datagrams then wake nobody and are received together. Where nobody
/// does, a core that goes idle has to be woken by another one, which takes both longer than what is waited for often
/// does: they go on for a while before they sleep.
constexpr Duration shared_core_yield = 10us;
constexpr Duration shared_core_time = 10ms;
constexpr Duration max_yield_in_vain = 60us;

/// A yield that takes so long went to a program that computes, not to one that communicates and yields alternately. For
/// a while callers sleep at once: the scheduler prefers those that wake up to those that have yielded.
constexpr Duration taken_core_yield = 500us;
constexpr Duration taken_core_time = 100ms;
constexpr Duration max_shared_sleep = 1ms;  // if other threads call, too: they may take what arrives

/// A program that polls and finds nothing behaves like a caller that waits, except that it gets its answer soon. It
/// does nothing else if its polls are not further apart than this. It spins for longer than an answer within the host
/// takes.
constexpr Duration max_between_polls = 20us;
constexpr Duration max_poll_spin = 10us;
constexpr Duration max_poll_sleep = 100us;

/// A call that waits for nothing makes a round if the last one was so long ago. Of calls that come closely one after
/// the other, only one in so many reads the clock.
constexpr Duration max_unserved = 20us;
constexpr std::uint32_t max_calls_unserved = 16;

/// The progress thread takes over when no thread has called for so long, and polls for so long before it sleeps. Each
/// check whether a thread has called takes the core from a thread of the program for a moment, so it checks half as
/// often each time, up to the longest, as long as somebody has.
constexpr Duration idle_before_takeover = 500us;
constexpr Duration max_before_takeover = 2ms;
constexpr Duration spin_before_sleep = 50us;

/// A thread that yields to a program that computes gets its core back only after the scheduler's time slice. If that
/// happened to the progress thread, it does not yield for a while, as long as messages arrive.
constexpr Duration long_yield = 100us;
constexpr Duration stay_after_long_yield = 10ms;

/// How long this process still answers peers whose last acknowledgement was lost.
constexpr Duration linger = 500ms;

/// How long an address is waited for: a peer that is in acp_reset may still have it.
constexpr Duration address_timeout = 10s;

}  // namespace

// ---- Beginning

Result<std::unique_ptr<Process>> Process::start(Setup setup) {
  auto process = std::unique_ptr<Process>(new Process(std::move(setup)));
  if (auto opened = process->open(); !opened) return Failure(opened.error());
  if (auto met = process->sync(); !met) return Failure(met.error());
  process->starter_.forget_name();
  return process;
}

Result<> Process::make_wire() {
  auto made = open_wire(setup_);
  if (!made) return Failure(made.error());
  wire_ = std::move(made->wire);
  lookup_ = made->lookup;
  return {};
}

Result<> Process::open() {
  wake_event_ = Descriptor(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!wake_event_.is_open()) return refused("no eventfd can be made", errno);
  if (shares_memory(setup_)) wires::remove_stale_folders();
  const Time limit = clock_.now() + address_timeout;
  auto wire = make_wire();
  while (!wire && wire.error().code == EADDRINUSE && clock_.now() < limit) {
    wires::pause(1ms);
    wire = make_wire();
  }
  if (!wire) return wire;
  if (setup_.launcher && !setup_.launcher->stays()) {
    setup_.launcher->leave();
    setup_.launcher.reset();
  }

  onesided::Settings settings = memory_settings(setup_, wire_->datagram_bytes());
  settings.rdma = wire_->rdma();
  auto memory = GlobalMemory::make(settings);
  if (!memory) return Failure(memory.error());
  memory_ = std::move(*memory);
  driver_.emplace(memory_->endpoint(), *wire_, clock_);
  if (auto made = make_starter_memory(); !made) return made;
  if (setup_.progress_thread) progress_thread_ = std::thread([this] { run_progress_thread(); });
  return {};
}

Result<> Process::make_starter_memory() {
  const launch::Placement& placement = setup_.placement;
  const Bytes max_bytes = memory_->space().max_bytes() - page;
  if (setup_.starter_bytes > max_bytes) {
    return fail("{} bytes of starter memory are more than a process can have: {}", setup_.starter_bytes, max_bytes);
  }
  const Bytes each = starter_bytes_of_each(setup_);
  const bool shared = shares_memory(setup_);
  const Rank first = shared ? placement.first_on_host : placement.rank;
  const std::uint32_t count = shared ? placement.ranks_on_host : 1;
  auto starter = StarterMemory::make(shm_options(setup_).folder, first, placement.rank - first, count, each,
                                     onesided::Memory::neighbour_bytes);
  if (!starter) return Failure(starter.error());
  starter_ = std::move(*starter);
  memory_->memory().share({.first = first,
                           .count = count,
                           .start = starter_.all().data(),
                           .each = each,
                           .neighbours = shared ? starter_.more().data() : nullptr},
                          identity_of_process());
  if (shared) memory_->memory().use(copy_of_neighbour());
  const auto key = memory_->memory().add(starter_.own().data(), each);
  if (!key) return Failure(key.error());
  starter_key_ = *key;
  return {};
}

// ---- Ending

Result<> Process::sync(bool last) {
  Lock lock(*this);
  if (memory_->loss()) return Failure(*memory_->loss());
  memory_->start_barrier(clock_.now(), last);
  wait(lock, [this] { return memory_->barrier_done() || memory_->loss(); });
  if (memory_->barrier_done()) return {};
  return Failure(*memory_->loss());
}

Result<> Process::finish() {
  wait_until([](const GlobalMemory& memory) { return memory.idle() || memory.loss(); });
  const auto met = sync(true);
  Lock lock(*this);
  const Time end = clock_.now() + (met ? linger : Duration::zero());
  // Repeated, since late packets open flows once more.
  wait(lock, [&] {
    memory_->endpoint().close_idle(clock_.now());
    return memory_->endpoint().fully_closed() || clock_.now() > end;
  });
  return met;
}

Result<std::optional<Directory>> Process::directory_of(Rank rank) {
  if (!lookup_ || rank == setup_.placement.rank || (setup_.launcher && setup_.launcher->stays())) {
    return renewed_directory(setup_, rank);
  }
  Directory made;
  Lock lock(*this);
  const Time end = clock_.now() + setup_.give_up_after;
  const auto find = [&](Rank wanted) -> const wires::Card* {
    const wires::Card* found = wanted == setup_.placement.rank ? &setup_.directory->own : nullptr;
    wait(lock, [&] { return (found = found ? found : lookup_->find(wanted)) || clock_.now() > end; });
    return found;
  };
  std::vector<Rank> missing = wires::fingers_of(rank, setup_.placement.procs);
  missing.insert(missing.begin(), rank);
  for (const Rank wanted : missing) {
    const wires::Card* card = find(wanted);
    if (!card) return with_code(fail("rank {} is lost: it does not answer", wanted), EHOSTDOWN);
    if (wanted == rank) {
      made.own = *card;
    } else {
      made.fingers.push_back({wanted, *card});
    }
  }
  return made;
}

void Process::withdraw() {
  wire_->withdraw();
  if (shares_memory(setup_)) wires::remove_if_over(shm_options(setup_).folder);
}

void Process::disown() {
  wire_->disown();
  starter_.disown();
  wake_event_ = Descriptor();
}

Process::~Process() {
  closing_ = true;
  if (progress_thread_.joinable()) {
    wake_progress_thread();
    progress_thread_.join();
  }
  starter_.forget_name();
  if (wire_) withdraw();
}

// ---- The lock

Process::Lock::Lock(Process& process) : process_(process) { lock(); }
Process::Lock::~Lock() { unlock(); }

void Process::Lock::lock() {
  if (!process_.mutex_.try_lock()) {
    ++process_.lock_waiters_;
    process_.mutex_.lock();
    --process_.lock_waiters_;
  }
  process_.calls_.store(process_.calls_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  process_.several_threads_ |= std::this_thread::get_id() != process_.first_caller_;
  process_.wake_up();
  // It sleeps on descriptors that are not armed any more.
  if (std::exchange(process_.progress_thread_asleep_, false)) process_.wake_progress_thread();
}

void Process::Lock::unlock() { process_.mutex_.unlock(); }

/// After a round the next call reads the clock again, so that calls which come rarely all make rounds.
void Process::serve_if_due() {
  const bool due = clock_.now() - driver_->now() >= max_unserved;
  calls_before_clock_ = due ? 1 : max_calls_unserved;
  if (due) round();
}

bool Process::round() {
  const bool anything = driver_->progress();
  if (!memory_->progress(driver_->now())) return anything;
  driver_->progress();
  return true;
}

/// Spins, yields or sleeps, according to how long nothing has happened since `since`.
void Process::idle(Lock& lock, Time since) {
  const Time now = driver_->now();
  const bool shared = now < core_shared_until_;
  if (now - since < max_spin && !shared) return;
  const bool alone = shared && yielded_in_vain_;
  if (now - since >= (alone ? max_yield_in_vain : max_yield) || now < core_taken_until_) {
    yielded_in_vain_ = false;
    return sleep(lock, several_threads_ ? max_shared_sleep : max_sleep);
  }
  yield(lock);
}

/// After a poll. On a core that a program which computes has taken, a short sleep costs less than a yield.
void Process::stand_back(Lock& lock) {
  const Time now = driver_->now();
  if (now - last_poll_ > max_between_polls) polls_in_vain_since_ = now;
  const Duration in_vain = now - polls_in_vain_since_;
  if (in_vain > Duration::zero() && now < core_taken_until_) {
    sleep(lock, max_poll_sleep);
  } else if (in_vain > (now < core_shared_until_ ? Duration::zero() : max_poll_spin)) {
    yield(lock);
  }
  last_poll_ = clock_.now();
}

void Process::yield(Lock& lock) {
  lock.unlock();
  const Time before = clock_.now();
  std::this_thread::yield();
  const Time after = clock_.now();
  lock.lock();
  yielded_in_vain_ = after - before <= shared_core_yield;
  if (!yielded_in_vain_) core_shared_until_ = after + shared_core_time;
  if (after - before > taken_core_yield) core_taken_until_ = after + taken_core_time;
}

// ---- Sleeping

void Process::wake_progress_thread() const {
  const std::uint64_t once = 1;
  (void)!write(wake_event_.number(), &once, sizeof once);
}

void Process::wake_up() {
  if (std::exchange(armed_, false)) wire_->woken();
}

/// Arms the descriptors that become ready when something arrives, and adds them to `polled`. Returns how long the sleep
/// may last; 0 if there is something to do first. To be called after a round() that found nothing, since packets that
/// wait to be sent make no descriptor ready.
Duration Process::prepare_to_sleep(Duration timeout, std::vector<pollfd>& polled) {
  const Time deadline = std::min(memory_->endpoint().next_deadline(), memory_->next_deadline());
  if (deadline != transport::never) timeout = std::min(timeout, deadline - clock_.now());
  if (timeout <= Duration::zero()) return Duration::zero();
  armed_ = true;
  timeout = wire_->prepare_to_sleep(timeout);
  if (timeout <= Duration::zero()) wake_up();
  wire_->add_descriptors(polled);
  return timeout;
}

/// Other threads may call meanwhile. A datagram that arrives ends the sleep, unless another thread has taken it.
void Process::sleep(Lock& lock, Duration timeout) {
  std::vector<pollfd> polled;
  timeout = prepare_to_sleep(timeout, polled);
  if (timeout <= Duration::zero()) return;
  lock.unlock();
  wires::poll_for(polled, timeout);
  lock.lock();
}

// ---- The progress thread

void Process::run_progress_thread() {
  request_short_time_slices();
  std::vector<pollfd> polled{{wake_event_.number(), POLLIN, 0}};
  for (Duration pause = idle_before_takeover; !closing_;) {
    const std::uint64_t calls = calls_.load(std::memory_order_relaxed);
    wires::poll_for(polled, pause);
    std::uint64_t count = 0;
    (void)!read(wake_event_.number(), &count, sizeof count);
    const bool called = calls_.load(std::memory_order_relaxed) != calls;
    pause = called ? std::min(2 * pause, max_before_takeover) : idle_before_takeover;
    while (!closing_ && waiters_ == 0 && calls_.load(std::memory_order_relaxed) == calls) progress_until_idle();
  }
}

/// Serves peers until nothing has arrived for a while, then sleeps once. Returns if a caller waits, whose wake-ups must
/// not be taken from it.
void Process::progress_until_idle() {
  std::vector<pollfd> polled{{wake_event_.number(), POLLIN, 0}};
  Duration timeout = max_sleep;
  Time stays_until{};
  for (Time since = clock_.now();; stays_until = yield(stays_until)) {
    const std::lock_guard lock(mutex_);
    if (lock_waiters_ > 0 || waiters_ > 0) return;
    wake_up();
    if (round()) {
      since = driver_->now();
    } else if (driver_->now() - since >= spin_before_sleep) {
      timeout = prepare_to_sleep(timeout, polled);
      if (timeout <= Duration::zero()) return;
      progress_thread_asleep_ = true;
      break;
    }
  }
  wires::poll_for(polled, timeout);
  const std::lock_guard lock(mutex_);
  progress_thread_asleep_ = false;
}

/// Yields the core, unless it is before `stays_until`. Returns the next such time.
Time Process::yield(Time stays_until) {
  const Time before = clock_.now();
  if (before < stays_until) return stays_until;
  std::this_thread::yield();
  const Time after = clock_.now();
  return after - before > long_yield ? after + stay_after_long_yield : Time{};
}

}  // namespace ayatori::acp
