#include "ayatori/carriers/process_sockets.hpp"

#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <span>

#include "process_sockets_state.hpp"

namespace ayatori {

namespace {

constexpr int max_events = 64;

}  // namespace

ProcessSockets::ProcessSockets(std::unique_ptr<State> state) : state_(std::move(state)) {}
ProcessSockets::~ProcessSockets() = default;

Result<std::unique_ptr<ProcessSockets>> ProcessSockets::listen(Rank self, SocketOptions options) {
  auto state = std::make_unique<State>(self, std::move(options));
  if (auto listens = state->listen(); !listens) return Failure(listens.error());
  return std::unique_ptr<ProcessSockets>(new ProcessSockets(std::move(state)));
}

std::uint16_t ProcessSockets::port() const { return state_->port; }

void ProcessSockets::set_peers(std::vector<SocketPeer> peers) {
  state_->outgoing.clear();
  state_->by_size.clear();
  for (Rank process = 0; process < peers.size(); ++process) {
    auto& links = state_->outgoing.emplace_back();
    for (SocketPath& path : peers[process].paths) links.push_back({process, OutgoingLink(std::move(path))});
    state_->by_size.push_back(std::move(peers[process].by_size));
  }
  state_->open_links.resize(peers.size());
  state_->has_ended.resize(peers.size());
  state_->serials.resize(peers.size());
}

const std::vector<std::uint32_t>& ProcessSockets::State::paths_of(Rank to, Bytes bytes) const {
  const auto later = std::ranges::upper_bound(by_size[to], bytes, {}, &SocketPeer::From::bytes);
  return std::prev(later)->paths;
}

void ProcessSockets::State::watch(int descriptor, std::uint32_t wanted, void* what, bool is_new) const {
  epoll_event event{};
  event.events = wanted;
  event.data.ptr = what;
  const int operation = wanted == 0 ? EPOLL_CTL_DEL : is_new ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
  epoll_ctl(events.number(), operation, descriptor, &event);
}

void ProcessSockets::State::begin_execution(SocketExecution& execution, std::uint64_t context, bool keeps_early) {
  end_execution(execution);
  execution.context = context;
  execution.inbox = &inboxes.begin(context, keeps_early);
  execution.sent.resize(outgoing.size());
  for (auto& numbers : execution.sent) std::ranges::fill(numbers, 0U);
}

void ProcessSockets::State::end_execution(SocketExecution& execution) {
  if (execution.inbox != nullptr) inboxes.end(execution.context);
  execution.inbox = nullptr;
}

std::uint32_t ProcessSockets::State::new_send(const Send& send) {
  if (free_sends.empty()) {
    free_sends.push_back(static_cast<std::uint32_t>(sends.size()));
    sends.emplace_back();
  }
  const std::uint32_t number = free_sends.back();
  free_sends.pop_back();
  sends[number] = send;
  return number;
}

/// What was under way may be in memory that is somebody else's soon.
Result<> ProcessSockets::State::remember(Result<> done) {
  if (!done) broken = done.error();
  return done;
}

Result<> ProcessSockets::State::post_send(SocketExecution& execution, Rank to, RequestId request,
                                          const CarriedMessage& message) {
  if (broken) return Failure(*broken);
  return remember(send(execution, to, request, message));
}

Result<> ProcessSockets::State::send(SocketExecution& execution, Rank to, RequestId request,
                                     const CarriedMessage& message) {
  if (by_size[to].empty()) return fail("no network leads to process {}", to);
  const auto& paths = paths_of(to, message.bytes);
  auto& numbers = execution.sent[to];
  if (numbers.size() <= message.stream) numbers.resize(message.stream + 1);
  const std::size_t parts = paths.size();
  FragmentHeader header{execution.context, message.stream, numbers[message.stream]++, message.bytes, 0, 0};
  const std::uint32_t number = new_send({execution.inbox, request, static_cast<std::uint32_t>(parts)});
  for (std::size_t part = 0; part < parts; ++part) {
    header.offset += header.bytes;
    header.bytes = message.bytes / parts + (part < message.bytes % parts ? 1 : 0);
    Outgoing& path = outgoing[to][paths[part]];
    if (!path.link.is_open()) {
      SocketGreeting greeting{.process = self, .serial = ++connected, .proof = {}};
      greeting.proof = proof_of_greeting(key, greeting, to);
      if (auto begun = path.link.connect(greeting); !begun) return begun;
      watch(path.link.descriptor(), EPOLLOUT, &path, true);
      path.link.waits_for_buffer = true;
    }
    const bool was_idle = path.link.is_idle();
    path.link.add({header, message, number});
    if (!was_idle) continue;
    if (auto advanced = advance(path); !advanced) return advanced;
  }
  return {};
}

/// Sends on one connection, and notes which sends are over.
Result<> ProcessSockets::State::advance(Outgoing& one) {
  left.clear();
  if (auto done = one.link.send_some(left); !done) return done;
  for (const std::uint32_t number : left) {
    if (--sends[number].fragments > 0) continue;
    sends[number].inbox->completions().add(sends[number].request);
    free_sends.push_back(number);
  }
  if (one.link.is_idle() == one.link.waits_for_buffer) {
    const bool is_new = !one.link.waits_for_buffer;
    one.link.waits_for_buffer = is_new;
    watch(one.link.descriptor(), is_new ? std::uint32_t{EPOLLOUT} : 0, &one, is_new);
  }
  return {};
}

Result<> ProcessSockets::State::post_receive(SocketExecution& execution, Rank from, RequestId request,
                                             const CarriedMessage& message) {
  if (broken) return Failure(*broken);
  execution.inbox->post(from, request, message);
  return {};
}

Result<> ProcessSockets::State::receive(IncomingLink& link) {
  const bool was_known = link.process() != no_id;
  const auto outcome = link.receive_some(inboxes, static_cast<Rank>(outgoing.size()));
  if (!outcome) return Failure(outcome.error());
  if (!was_known && link.process() != no_id) ++open_links[link.process()];
  const bool is_blocked = *outcome == IncomingLink::Outcome::blocked;
  if (is_blocked != link.is_blocked) {
    watch(link.descriptor(), is_blocked ? 0 : std::uint32_t{EPOLLIN}, &link, true);
    link.is_blocked = is_blocked;
    is_blocked ? ++blocked : --blocked;
  }
  if (*outcome != IncomingLink::Outcome::ended && *outcome != IncomingLink::Outcome::refused) return {};
  if (link.process() != no_id) {
    --open_links[link.process()];
    has_ended[link.process()] = true;
  }
  forget(link);
  return {};
}

void ProcessSockets::State::forget(IncomingLink& link) {
  incoming.remove_if([&](const IncomingLink& one) { return &one == &link; });
}

/// What was blocked may have been asked for since.
Result<> ProcessSockets::State::retry_blocked() {
  if (blocked == 0) return {};
  for (auto link = incoming.begin(); link != incoming.end();) {
    IncomingLink& one = *link++;
    if (!one.is_blocked) continue;
    if (auto received = receive(one); !received) return received;
  }
  return {};
}

Result<> ProcessSockets::State::progress(SocketExecution& execution, int milliseconds) {
  if (broken) return Failure(*broken);
  return remember(check(execution.inbox->completions(), milliseconds));
}

Result<> ProcessSockets::State::check(const Completions& awaited, int milliseconds) {
  if (auto retried = retry_blocked(); !retried) return retried;
  std::array<epoll_event, max_events> happened;
  const int timeout = awaited.empty() ? milliseconds : 0;
  const int count = epoll_wait(events.number(), happened.data(), max_events, timeout);
  const std::span<const epoll_event> all(happened.data(), static_cast<std::size_t>(std::max(count, 0)));
  const auto is_ours = [&](const void* what) {
    return what == &alarm || std::ranges::any_of(listeners, [&](const Descriptor& one) { return &one == what; });
  };
  for (const epoll_event& event : all) {
    if (is_ours(event.data.ptr)) continue;
    // An outgoing connection is polled for buffer space only, and an incoming one never.
    const bool is_outgoing = std::ranges::none_of(incoming, [&](const auto& one) { return &one == event.data.ptr; });
    auto done = is_outgoing ? advance(*static_cast<Outgoing*>(event.data.ptr))
                            : receive(*static_cast<IncomingLink*>(event.data.ptr));
    if (!done) return done;
  }
  // These close connections, of which the events above may be.
  for (const epoll_event& event : all) {
    if (event.data.ptr == &alarm) {
      on_second();
    } else if (is_ours(event.data.ptr)) {
      accept_all(*static_cast<Descriptor*>(event.data.ptr));
    }
  }
  return {};
}

Result<> ProcessSockets::State::check_for_ended(const SocketExecution& execution) const {
  Rank ended = no_id;
  execution.inbox->visit_awaited([&](Rank process) {
    if (has_ended[process] && open_links[process] == 0) ended = process;
  });
  if (ended != no_id) return fail("process {} has ended before it sent what is awaited", ended);
  return {};
}

}  // namespace ayatori
