#include "process.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "ayatori/combined/combined_wire.hpp"
#include "ayatori/shm/shm_wire.hpp"
#include "ayatori/udp/udp_wire.hpp"

namespace ayatori::acp {

using namespace std::chrono_literals;
using wires::PollableWire;
using wires::ShmWire;
using wires::UdpAddresses;
using wires::UdpWire;

namespace {

/// How long a caller that waits spins, then yields, before it sleeps. The one that it waits for may have no other core.
constexpr Duration spinning = 2us;
constexpr Duration yielding = 1ms;
constexpr Duration longest_sleep = 100ms;
constexpr Duration shared_sleep = 1ms;  // where other threads call, which may take what arrives

/// How long nobody calls before the progress thread takes over, and how long it then looks before it sleeps.
constexpr Duration aside = 500us;
constexpr Duration serving = 50us;

/// Who yields to a program that computes gets its core back only after the scheduler's slice. A progress thread to
/// which that happened stays on its core for a while, as long as messages come.
constexpr Duration long_yield = 100us;
constexpr Duration staying = 10ms;

/// Peers whose last acknowledgement was lost ask again; for how long they find somebody.
constexpr Duration lingering = 500ms;

/// A peer that resets may still have the address that is ours now.
constexpr Duration patience_for_addresses = 10s;

constexpr Bytes page = 4096;

/// What crosses any network unfragmented, and what a host's own does best with.
constexpr std::uint32_t network_datagram = 1470;
constexpr std::uint32_t loopback_datagram = 16'384;

/// Jobs on one host must not share addresses: each has its own of 127/8.
std::uint32_t loopback_of(std::uint64_t key) {
  const auto low = static_cast<std::uint32_t>(key ^ key >> 22 ^ key >> 44) & 0x3F'FFFF;
  return 127U << 24 | low << 2 | 2U;
}

}  // namespace

// ---- Beginning

Result<std::unique_ptr<Process>> Process::start(const Setup& setup) {
  auto process = std::unique_ptr<Process>(new Process(setup));
  if (auto opened = process->open(); !opened) return Failure(opened.error());
  if (auto met = process->sync(); !met) return Failure(met.error());
  process->starter_.forget_name();
  return process;
}

Result<std::unique_ptr<PollableWire>> Process::make_wire() const {
  const launch::Placement& placement = setup_.placement;
  const bool one_host = placement.ranks_per_host == placement.procs;
  if (!one_host && !setup_.first_host) {
    return with_hint(fail("the job has several hosts, and nobody says where they are"),
                     "ACP_FIRST_HOST=ADDRESS names the host of rank 0; the others must have the addresses after it");
  }
  if (!one_host && setup_.wires == WireChoice::shm) return fail("shared memory does not reach other hosts");
  std::unique_ptr<PollableWire> near;
  std::unique_ptr<PollableWire> far;
  if (setup_.wires != WireChoice::udp) {
    auto made = ShmWire::make({.self = placement.rank,
                               .key = placement.job_key,
                               .mappings = std::clamp(placement.ranks_per_host, 32U, 1024U)});
    if (!made) return Failure(made.error());
    if (one_host) return std::move(*made);
    near = std::move(*made);
  }
  const UdpAddresses addresses{.first_host = setup_.first_host.value_or(loopback_of(placement.job_key)),
                               .ranks_per_host = placement.ranks_per_host};
  auto made = UdpWire::make({.addresses = addresses,
                             .self = placement.rank,
                             .datagram_bytes = one_host ? loopback_datagram : network_datagram});
  if (!made) return Failure(made.error());
  if (!near) return std::move(*made);
  far = std::move(*made);
  auto both = wires::CombinedWire::make(std::move(near), std::move(far), [addresses, own = placement.rank](Rank rank) {
    return addresses.host_of(rank) == addresses.host_of(own);
  });
  if (!both) return Failure(both.error());
  return std::move(*both);
}

Result<> Process::open() {
  nudge_ = wires::Descriptor(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!nudge_.open()) return wires::refused("no eventfd can be made", errno);
  const Time limit = clock_.now() + patience_for_addresses;
  auto wire = make_wire();
  while (!wire && wire.error().code == EADDRINUSE && clock_.now() < limit) {
    std::this_thread::sleep_for(1ms);
    wire = make_wire();
  }
  if (!wire) return Failure(wire.error());
  wire_ = std::move(*wire);

  const launch::Placement& placement = setup_.placement;
  onesided::Settings settings;
  settings.identity = {.self = placement.rank, .key = placement.job_key, .seed = placement.job_key + placement.rank};
  settings.procs = placement.procs;
  settings.endpoint.datagram_bytes = static_cast<std::uint32_t>(wire_->datagram_bytes());
  settings.endpoint.give_up_after = setup_.give_up_after;
  auto memory = GlobalMemory::make(settings);
  if (!memory) return Failure(memory.error());
  memory_ = std::move(*memory);
  driver_.emplace(memory_->endpoint(), *wire_, clock_);
  if (auto made = make_starter_memory(); !made) return made;
  if (setup_.progress_thread) server_ = std::thread([this] { serve(); });
  return {};
}

Result<> Process::make_starter_memory() {
  const launch::Placement& placement = setup_.placement;
  const Bytes most = memory_->space().max_bytes();
  if (setup_.starter_bytes > most - page) {
    return fail("{} bytes of starter memory are more than a process can have: {}", setup_.starter_bytes, most - page);
  }
  // Everybody's starts at a page's begin: atomics need their words aligned.
  const Bytes each = (setup_.starter_bytes + page - 1) / page * page;
  // Over UDP alone processes behave as if they were on hosts of their own.
  const bool shared = setup_.wires != WireChoice::udp;
  const std::uint32_t per_host = shared ? placement.ranks_per_host : 1;
  auto starter = StarterMemory::make(placement.job_key, placement.rank % per_host, per_host, each);
  if (!starter) return Failure(starter.error());
  starter_ = std::move(*starter);
  const Rank first = placement.rank - placement.rank % per_host;
  memory_->memory().map(first, std::min(per_host, placement.procs - first), starter_.all().data(), each);
  const auto key = memory_->memory().add(starter_.own().data(), each);
  if (!key) return Failure(key.error());
  starter_key_ = *key;
  return {};
}

// ---- Ending

Result<> Process::sync() {
  Turn turn(*this);
  if (memory_->loss()) return Failure(*memory_->loss());
  memory_->start_barrier(clock_.now());
  wait(turn, [this] { return memory_->barrier_done() || memory_->loss(); });
  if (memory_->barrier_done()) return {};
  return Failure(*memory_->loss());
}

Result<> Process::finish() {
  wait_until([](const GlobalMemory& memory) { return memory.idle() || memory.loss(); });
  const auto met = sync();
  Turn turn(*this);
  const Time end = clock_.now() + (met ? lingering : Duration::zero());
  // Again and again: what comes late opens flows once more.
  wait(turn, [&] {
    memory_->endpoint().close_idle(clock_.now());
    return memory_->endpoint().quiet() || clock_.now() > end;
  });
  return met;
}

void Process::disown() {
  wire_->disown();
  nudge_ = wires::Descriptor();
}

Process::~Process() {
  ending_ = true;
  if (!server_.joinable()) return;
  nudge();
  server_.join();
}

// ---- Turns

Process::Turn::Turn(Process& process) : process_(process) { resume(); }
Process::Turn::~Turn() { pause(); }

void Process::Turn::resume() {
  if (!process_.mutex_.try_lock()) {
    ++process_.wanting_;
    process_.mutex_.lock();
    --process_.wanting_;
  }
  process_.turns_.store(process_.turns_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  process_.several_threads_ |= std::this_thread::get_id() != process_.first_caller_;
  process_.wake_up();
  // Nobody rings for it any more.
  if (std::exchange(process_.server_asleep_, false)) process_.nudge();
}

void Process::Turn::pause() { process_.mutex_.unlock(); }

bool Process::round() {
  const bool anything = driver_->progress();
  if (!memory_->progress(driver_->now())) return anything;
  driver_->progress();
  return true;
}

/// What to do while there is nothing to do.
void Process::idle(Turn& turn, Time since) {
  const Duration waited = driver_->now() - since;
  if (waited < spinning) return;
  if (waited >= yielding) return sleep(turn, several_threads_ ? shared_sleep : longest_sleep);
  turn.pause();
  std::this_thread::yield();
  turn.resume();
}

// ---- Sleeping

namespace {

void poll_for(std::vector<pollfd>& polled, Duration longest) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(longest);
  const timespec timeout{seconds.count(), (longest - seconds).count()};
  ppoll(polled.data(), polled.size(), &timeout, nullptr);
}

}  // namespace

void Process::nudge() const {
  const std::uint64_t once = 1;
  (void)!write(nudge_.number(), &once, sizeof once);
}

void Process::wake_up() {
  if (std::exchange(armed_, false)) wire_->woken();
}

/// Makes what arrives from now on ring, and adds what will be ringing. Returns how long the sleep may last; 0:
/// something is to be done first. To be called after a round() that found nothing: what waits to be sent rings for
/// nobody.
Duration Process::prepare_to_sleep(Duration longest, std::vector<pollfd>& polled) {
  const Time deadline = std::min(memory_->endpoint().next_deadline(), memory_->next_deadline());
  if (deadline != transport::never) longest = std::min(longest, deadline - clock_.now());
  if (longest <= Duration::zero()) return Duration::zero();
  armed_ = true;
  longest = wire_->prepare_to_sleep(longest);
  if (longest <= Duration::zero()) wake_up();
  wire_->add_descriptors(polled);
  return longest;
}

/// Whoever sleeps lets others have their turns; what arrives wakes it, unless somebody else has taken it.
void Process::sleep(Turn& turn, Duration longest) {
  std::vector<pollfd> polled;
  longest = prepare_to_sleep(longest, polled);
  if (longest <= Duration::zero()) return;
  turn.pause();
  poll_for(polled, longest);
  turn.resume();
}

// ---- The progress thread

void Process::serve() {
  std::vector<pollfd> bell{{nudge_.number(), POLLIN, 0}};
  while (!ending_) {
    const std::uint64_t turns = turns_.load(std::memory_order_relaxed);
    poll_for(bell, aside);
    std::uint64_t rung = 0;
    (void)!read(nudge_.number(), &rung, sizeof rung);
    while (!ending_ && waiters_ == 0 && turns_.load(std::memory_order_relaxed) == turns) take_over();
  }
}

/// Serves peers until nothing comes for a while, then sleeps once. A caller that waits is left alone: what rings for it
/// must not be taken away.
void Process::take_over() {
  std::vector<pollfd> polled{{nudge_.number(), POLLIN, 0}};
  Duration longest = longest_sleep;
  Time stays_until{};
  for (Time since = clock_.now();; stays_until = yield(stays_until)) {
    const std::lock_guard lock(mutex_);
    if (wanting_ > 0 || waiters_ > 0) return;
    wake_up();
    if (round()) {
      since = driver_->now();
    } else if (driver_->now() - since >= serving) {
      longest = prepare_to_sleep(longest, polled);
      if (longest <= Duration::zero()) return;
      server_asleep_ = true;
      break;
    }
  }
  poll_for(polled, longest);
  const std::lock_guard lock(mutex_);
  server_asleep_ = false;
}

/// Lets others run, but not before `stays_until`. Returns the next such time.
Time Process::yield(Time stays_until) {
  const Time before = clock_.now();
  if (before < stays_until) return stays_until;
  std::this_thread::yield();
  const Time after = clock_.now();
  return after - before > long_yield ? after + staying : Time{};
}

}  // namespace ayatori::acp
