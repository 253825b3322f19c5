// How a process listens for others of its job, and gets rid of strangers.

#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "process_sockets_state.hpp"

namespace ayatori {

namespace {

/// A process of the job greets at once; a segment that was lost comes again within a few seconds.
constexpr std::uint32_t max_seconds_without_greeting = 10;

/// So many may be connected that have not greeted; the one that has waited longest makes room.
constexpr std::ptrdiff_t max_without_greeting = 256;

/// The port that the kernel chooses at the first address may be in use at another one.
constexpr int max_ports = 16;

bool has_not_greeted(const IncomingLink& link) { return link.process() == no_id; }

}  // namespace

Result<> ProcessSockets::State::listen() {
  events = Descriptor(epoll_create1(EPOLL_CLOEXEC));
  alarm = Descriptor(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
  std::vector<std::uint32_t> addresses = options.addresses;
  if (addresses.empty()) addresses.push_back(htonl(INADDR_LOOPBACK));
  bool listening = events.is_open() && alarm.is_open();
  for (int port_number = 0; listening && listeners.empty() && port_number < max_ports; ++port_number) {
    listening = listen_at(addresses) || errno == EADDRINUSE;
  }
  if (listeners.empty()) {
    const int code = errno;
    return with_code(with_cause(fail("no connections of other processes can be taken"), std::strerror(code)), code);
  }
  watch_listeners(true);
  return {};
}

/// False and errno if one of them can't be had; there are no listeners then.
bool ProcessSockets::State::listen_at(const std::vector<std::uint32_t>& addresses) {
  port = 0;
  for (const std::uint32_t ip : addresses) {
    Descriptor made(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    sockaddr_in own{};
    own.sin_family = AF_INET;
    own.sin_addr.s_addr = ip;
    own.sin_port = htons(port);
    auto* const address = reinterpret_cast<sockaddr*>(&own);
    socklen_t length = sizeof own;
    if (!made.is_open() || bind(made.number(), address, length) != 0 || ::listen(made.number(), SOMAXCONN) != 0 ||
        getsockname(made.number(), address, &length) != 0) {
      const int code = errno;
      listeners.clear();
      errno = code;
      return false;
    }
    port = ntohs(own.sin_port);
    listeners.push_back(std::move(made));
  }
  return true;
}

void ProcessSockets::State::watch_listeners(bool on) {
  listens = on;
  for (Descriptor& one : listeners) watch(one.number(), on ? std::uint32_t{EPOLLIN} : 0, &one, true);
}

bool ProcessSockets::State::admits(const SocketGreeting& greeting) {
  const auto expected = proof_of_greeting(key, greeting, self);
  return equal_in_constant_time(expected, greeting.proof) && serials[greeting.process].take(greeting.serial);
}

/// Where the system has no descriptors left, connections wait in its queue for another second. To look at once again
/// would be to look all the time.
void ProcessSockets::State::accept_all(const Descriptor& listener) {
  while (true) {
    Descriptor taken(accept4(listener.number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!taken.is_open()) {
      const bool is_scarce = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
      if (errno == ECONNABORTED || errno == EINTR) continue;
      if (is_scarce) watch_listeners(false);
      break;
    }
    if (std::ranges::count_if(incoming, has_not_greeted) >= max_without_greeting) {
      forget(*std::ranges::find_if(incoming, has_not_greeted));
    }
    IncomingLink& link =
        incoming.emplace_back(std::move(taken), [this](const SocketGreeting& greeting) { return admits(greeting); });
    watch(link.descriptor(), EPOLLIN, &link, true);
  }
  set_alarm(!listens || std::ranges::any_of(incoming, has_not_greeted));
}

void ProcessSockets::State::set_alarm(bool on) {
  if (std::exchange(alarm_is_on, on) == on) return;
  itimerspec times{};
  times.it_value.tv_sec = times.it_interval.tv_sec = on ? 1 : 0;
  timerfd_settime(alarm.number(), 0, &times, nullptr);
  watch(alarm.number(), on ? std::uint32_t{EPOLLIN} : 0, &alarm, true);
}

void ProcessSockets::State::on_second() {
  std::uint64_t seconds = 0;
  if (read(alarm.number(), &seconds, sizeof seconds) != static_cast<ssize_t>(sizeof seconds)) return;
  std::erase_if(incoming, [&](IncomingLink& link) {
    link.waited_seconds += static_cast<std::uint32_t>(std::min<std::uint64_t>(seconds, max_seconds_without_greeting));
    return has_not_greeted(link) && link.waited_seconds >= max_seconds_without_greeting;
  });
  if (!listens) watch_listeners(true);
  set_alarm(std::ranges::any_of(incoming, has_not_greeted));
}

}  // namespace ayatori
