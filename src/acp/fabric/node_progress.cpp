/// \file
/// Progress without calls (FI_PROGRESS_AUTO): a thread that stands back while the program calls.

#include <sys/eventfd.h>
#include <unistd.h>

#include <csignal>
#include <system_error>

#include "node.hpp"

namespace ayatori::fabric {

using namespace std::chrono_literals;
using transport::Duration;
using transport::Time;

namespace {

/// The thread takes over when no other one has called for so long, and polls for so long before it sleeps.
constexpr Duration before_takeover = 1ms;
constexpr Duration spin_before_sleep = 50us;
constexpr Duration max_thread_sleep = 100ms;

}  // namespace

Result<> Node::make_progress_by_itself() {
  if (thread_.joinable()) return {};
  wake_event_ = Descriptor(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!wake_event_.is_open()) return ayatori::refused("no eventfd can be made", errno);
  // The program's signals are for its own threads.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::error_code error;
  try {
    thread_ = std::thread([this] { run_thread(); });
  } catch (const std::system_error& refusal) {
    error = refusal.code();
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error) return ayatori::refused("no thread can be made", error.value());
  return {};
}

void Node::end_thread() {
  if (!thread_.joinable()) return;
  closing_ = true;
  wake_thread();
  thread_.join();
}

void Node::wake_thread() const {
  const std::uint64_t once = 1;
  (void)!::write(wake_event_.number(), &once, sizeof once);
}

void Node::run_thread() {
  std::vector<pollfd> event{{wake_event_.number(), POLLIN, 0}};
  while (!closing_) {
    const std::uint64_t calls = calls_;
    wires::poll_for(event, before_takeover);
    std::uint64_t count = 0;
    (void)!::read(wake_event_.number(), &count, sizeof count);
    while (!closing_ && calls_ == calls) serve_until_idle();
  }
}

/// Until nothing happens for a while; then sleeps once.
void Node::serve_until_idle() {
  std::vector<pollfd> polled{{wake_event_.number(), POLLIN, 0}};
  const std::uint64_t calls = calls_;
  Duration timeout = max_thread_sleep;
  for (Time since = clock_.now();; std::this_thread::yield()) {
    const std::lock_guard lock(mutex_);
    if (closing_ || calls_ != calls) return;
    if (std::exchange(armed_, false)) wire_->woken();
    if (round()) {
      since = driver_->now();
    } else if (driver_->now() - since >= spin_before_sleep) {
      timeout = prepare_to_sleep(max_thread_sleep, polled);
      if (timeout <= Duration::zero()) return;
      thread_sleeps_ = true;
      break;
    }
  }
  wires::poll_for(polled, timeout);
  const std::lock_guard lock(mutex_);
  thread_sleeps_ = false;
}

}  // namespace ayatori::fabric
