#include "node.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "ayatori/base/heap.hpp"
#include "ayatori/joining/variables.hpp"
#include "ayatori/shm/private_folder.hpp"
#include "info.hpp"
#include "loader.hpp"
#include "port.hpp"
#include "provider.hpp"

namespace ayatori::fabric {

using namespace std::chrono_literals;
using transport::Duration;
using transport::Time;

namespace {

/// How long this process still answers peers whose last acknowledgement was lost, and how long it waits for its own.
constexpr Duration linger = 500ms;

/// A call that waits makes so many rounds before it sleeps, so long at a time.
constexpr Duration max_spin = 50us;
constexpr Duration max_sleep = 10ms;

/// Between two rounds, the first operations to a peer leave at once: say of a barrier, and of the exchange after it.
/// They do so as long as these are few altogether: a cell of a grid has 26 neighbours.
constexpr std::ptrdiff_t max_pushed_to_peer = 2;
constexpr std::size_t max_pushed = 64;

/// Of the others, one in so many leaves at once, together with those before.
constexpr std::uint32_t max_unpushed = 8;

/// How often a peer that is waited for is asked whether it lives.
constexpr Duration watch_interval = 1s;

std::mutex joining;
/// Owned. Not destroyed with what is static here: libfabric says when it ends, perhaps later (fi_provider::cleanup).
Node* the_node = nullptr;

}  // namespace

// ---- Joining

Result<Node*> Node::join() {
  const std::lock_guard lock(joining);
  if (the_node) return the_node;
  auto made = std::unique_ptr<Node>(new Node);
  if (auto opened = made->open(); !opened) return Failure(opened.error());
  return the_node = made.release();
}

void Node::leave() {
  const std::lock_guard lock(joining);
  Node* const node = std::exchange(the_node, nullptr);
  // A forked child that ends runs the exit handlers, too. The shared memory and the thread are its parent's.
  if (node && node->process_ == getpid()) delete node;
}

Result<> Node::open() {
  int wanted = 0;
  reports_statistics_ = loader().get_parameter(&provider(), "statistics", &wanted) == 0 && wanted != 0;
  if (auto read = acp::read_job_setup(setup_); !read) return read;
  auto launcher = acp::read_launcher();
  if (!launcher) return Failure(launcher.error());
  setup_.launcher = std::move(*launcher);
  setup_.placement = setup_.launcher->placement;
  acp::warn_without_tags(setup_);
  if (acp::shares_memory(setup_)) wires::remove_stale_folders();
  auto wire = acp::open_wire(setup_);
  if (!wire) return Failure(wire.error());
  wire_ = std::move(wire->wire);
  if (!setup_.launcher->stays()) setup_.launcher->leave();
  const Bytes before = heap_in_use();
  auto endpoint = transport::Endpoint::make({.self = setup_.placement.rank,
                                             .key = setup_.placement.job_key,
                                             .seed = acp::seed_of(setup_.placement),
                                             .procs = setup_.placement.procs},
                                            acp::endpoint_options(setup_, wire_->datagram_bytes()), *this);
  if (!endpoint) return Failure(endpoint.error());
  endpoint_ = std::move(*endpoint);
  if (reports_statistics_) {
    endpoint_->take_all_memory();  // which the first put would take later
    statistics_.transport_bytes = heap_in_use() - before;
  }
  driver_.emplace(*endpoint_, *wire_, clock_);
  return {};
}

Node::~Node() {
  end_thread();
  if (!wire_) return;
  report_statistics();
  wire_->withdraw();
  if (acp::shares_memory(setup_)) wires::remove_if_over(acp::shm_options(setup_).folder);
}

void Node::acquire() {
  mutex_.lock();
  calls_ = calls_ + 1;
  if (std::exchange(armed_, false)) wire_->woken();
  // It sleeps on descriptors that are not armed any more.
  if (std::exchange(thread_sleeps_, false)) wake_thread();
}

EndpointNumber Node::attach(Port& port) {
  const auto free = std::ranges::find(ports_, nullptr);
  const auto number = static_cast<EndpointNumber>(free - ports_.begin());
  if (free == ports_.end()) {
    ports_.push_back(&port);
  } else {
    *free = &port;
  }
  return number;
}

void Node::detach(Port& port) {
  const Time end = clock_.now() + linger;
  const auto busy = [&] {
    bool found = false;
    operations_.visit([&](OperationId, const Operation& operation) {
      found |= operation.port == &port || operation.kind == Operation::Kind::notice;
    });
    return found;
  };
  while (busy() && clock_.now() < end) round();
  operations_.visit([&](OperationId, Operation& operation) {
    if (operation.port == &port) operation.port = nullptr;
  });
  ports_.at(port.number) = nullptr;
  if (std::ranges::all_of(ports_, [](const Port* other) { return other == nullptr; })) close_flows();
}

/// Repeated, since late packets open flows once more.
void Node::close_flows() {
  const Time end = clock_.now() + linger;
  while (!endpoint_->fully_closed() && clock_.now() < end) {
    endpoint_->close_idle(clock_.now());
    round();
  }
}

Port* Node::port_of(EndpointNumber number) const { return number < ports_.size() ? ports_[number] : nullptr; }

// ---- Progress

bool Node::round() {
  const bool anything = driver_->progress();
  pushed_to_.clear();
  unpushed_ = 0;
  if (driver_->now() >= next_watch_) watch();
  if (waiting_.empty()) return anything;
  start_waiting();
  return true;
}

/// A program that has sent to its neighbours may compute for long. In a stream to one peer, operations share packets.
void Node::push_now_and_then(Rank peer) {
  const bool first = pushed_to_.size() < max_pushed && std::ranges::count(pushed_to_, peer) < max_pushed_to_peer;
  if (first) pushed_to_.push_back(peer);
  if (first || ++unpushed_ % max_unpushed == 0) driver_->send_waiting();
}

/// From now on a datagram that arrives makes one of the descriptors ready. How long the sleep may last.
Duration Node::prepare_to_sleep(Duration longest, std::vector<pollfd>& polled) {
  const Time deadline = std::min(endpoint_->next_deadline(), next_watch_);
  if (deadline != transport::never) longest = std::min(longest, deadline - clock_.now());
  armed_ = true;
  longest = wire_->prepare_to_sleep(longest);
  wire_->add_descriptors(polled);
  return longest;
}

bool Node::wait(const std::function<bool()>& done, int timeout_in_ms) {
  const Time start = clock_.now();
  const Time end = timeout_in_ms < 0 ? transport::never : start + timeout_in_ms * 1ms;
  for (Time since = start; !done();) {
    const Time now = clock_.now();
    if (now >= end) return false;
    if (round()) {
      since = now;
    } else if (now - since > max_spin) {
      std::vector<pollfd> polled;
      const Duration longest = end == transport::never ? max_sleep : std::min(max_sleep, end - now);
      const Duration timeout = prepare_to_sleep(longest, polled);
      mutex_.unlock();
      if (timeout > Duration::zero()) wires::poll_for(polled, timeout);
      acquire();
    }
  }
  return true;
}

/// Whoever waits for a peer that is gone would wait for ever: nothing that is sent to it fails.
void Node::watch() {
  next_watch_ = driver_->now() + watch_interval;
  std::vector<Rank> awaited;
  for (Port* port : ports_) {
    if (!port) continue;
    port->messages.add_awaited(awaited);
    port->tagged_messages.add_awaited(awaited);
  }
  std::vector<Rank> probed{setup_.placement.rank};
  operations_.visit([&](OperationId, const Operation& operation) {
    if (operation.missing == Operation::answered) awaited.push_back(operation.peer.rank);
    if (operation.kind == Operation::Kind::probe) probed.push_back(operation.peer.rank);
  });
  std::ranges::sort(awaited);
  const auto repeated = std::ranges::unique(awaited);
  awaited.erase(repeated.begin(), repeated.end());
  for (const Rank rank : awaited) {
    if (std::ranges::find(probed, rank) != probed.end() || is_lost(rank)) continue;
    Operation probe{.kind = Operation::Kind::probe, .peer = {.rank = rank}};
    probe.memory = std::make_unique<std::byte[]>(1);  // NOLINT(modernize-avoid-c-arrays)
    probe.memory_size = 1;
    waiting_.push_back(operations_.take(std::move(probe)));
  }
}

// ---- What a call starts

int Node::send(Port& port, const Message& message) {
  if (is_lost(message.to.rank)) return -FI_EHOSTDOWN;
  if (operations_.full()) return -FI_EAGAIN;
  const bool is_long = message.frame.payload.size() > max_short_message;
  ++statistics_.messages;
  if (message.to.rank == setup_.placement.rank) {
    arrive_at_self(port, message);
    return 0;
  }
  Frame frame = message.frame;
  Operation operation{.kind = Operation::Kind::message, .port = &port, .peer = message.to, .report = message.report};
  if (is_long) {
    frame.kind = frame.is_tagged() ? FrameKind::long_tagged : FrameKind::long_message;
    operation.kind = Operation::Kind::long_message;
    operation.bytes = frame.payload;
    operation.pieces = message.pieces;
    frame.size = frame.payload.size();
    frame.payload = {};
  }
  if (is_long || frame.wants_answer) operation.missing |= Operation::answered;
  const OperationId id = operations_.take(std::move(operation));
  frame.operation = id;
  compose(*operations_.find(id), frame);
  const int begun = begin(id);
  if (begun == 0 && is_long) ++statistics_.long_messages;
  if (begun != 0) --statistics_.messages;
  return begun;
}

/// Its header and its short bytes become one message of the transport.
void Node::compose(Operation& operation, const Frame& frame) {
  FrameHeader header;
  const std::size_t size = write_header(frame, header);
  operation.memory_size = size + frame.payload.size();
  // NOLINTNEXTLINE(modernize-avoid-c-arrays)
  operation.memory = std::make_unique_for_overwrite<std::byte[]>(operation.memory_size);
  std::memcpy(operation.memory.get(), header.data(), size);
  if (!frame.payload.empty()) std::memcpy(operation.memory.get() + size, frame.payload.data(), frame.payload.size());
}

/// Starts an operation of a program, or gives it back.
int Node::begin(OperationId id) {
  if (must_wait(id)) return 0;
  if (!start(id)) {
    start_next(*operations_.find(id));
    (void)operations_.give_back(id);
    return -FI_EAGAIN;
  }
  Operation& operation = *operations_.find(id);
  if (operation.report.at_once && operation.kind == Operation::Kind::message) {
    operation.port->report(operation.report, 0);
    operation.port = nullptr;
  }
  push_now_and_then(operation.peer.rank);
  return 0;
}

/// False: there is no room now.
bool Node::start(OperationId id) {
  Operation& operation = *operations_.find(id);
  const Rank to = operation.peer.rank;
  const Time now = driver_->now();
  const std::span<const std::byte> memory(operation.memory.get(), operation.memory_size);
  const std::uint64_t offset = operation.at.offset;
  switch (operation.kind) {
    case Operation::Kind::message:
    case Operation::Kind::long_message:
    case Operation::Kind::notice:
      return endpoint_->send(now, to, memory, id);
    case Operation::Kind::atomic:
    case Operation::Kind::probe:
      return endpoint_->call(now, to, memory, id);
    case Operation::Kind::write:
      return endpoint_->put(now, to, {operation.at.key, offset}, operation.bytes, id);
    case Operation::Kind::read:
    case Operation::Kind::fetch:
      return endpoint_->get(now, to, {operation.at.key, offset}, operation.into, id);
  }
  return false;
}

void Node::start_waiting() {
  for (std::size_t left = waiting_.size(); left > 0; --left) {
    const OperationId id = waiting_.front();
    waiting_.pop_front();
    if (operations_.find(id) && !start(id)) waiting_.push_back(id);
  }
  driver_->send_waiting();
}

/// For what peers are sent in answer: it waits for room.
void Node::post(Operation operation, const Frame& frame) {
  compose(operation, frame);
  waiting_.push_back(operations_.take(std::move(operation)));
}

void Node::arrive_at_self(Port& from, const Message& message) {
  Frame frame = message.frame;
  if (frame.wants_answer) {
    frame.operation = operations_.take({.kind = Operation::Kind::message,
                                        .missing = Operation::answered,
                                        .port = &from,
                                        .peer = message.to,
                                        .report = message.report});
  }
  Port* const to = port_of(message.to.endpoint);
  // The message first: whoever sees the end of the send may look for the message.
  if (to) to->arrived({.from = {setup_.placement.rank, from.number}, .frame = frame});
  const int error = to ? 0 : FI_ECONNREFUSED;
  if (!frame.wants_answer) return from.report(message.report, error);
  if (error != 0) finish(frame.operation, error);
}

int Node::write(Port& port, const Access& access) {
  if (is_lost(access.to.rank)) return -FI_EHOSTDOWN;
  if (operations_.full()) return -FI_EAGAIN;
  Operation operation{.kind = Operation::Kind::write,
                      .has_data = access.has_data,
                      .port = &port,
                      .peer = access.to,
                      .report = access.report,
                      .data = access.data};
  operation.at = {access.at.key, remote_offset(access.to.endpoint, access.at.offset)};
  operation.bytes = access.local;
  operation.pieces = access.pieces;
  ++statistics_.writes;
  if (access.local.empty() || access.to.rank == setup_.placement.rank) {
    finish_at_once(std::move(operation));
    return 0;
  }
  if (access.inject) {
    operation.memory_size = access.local.size();
    // NOLINTNEXTLINE(modernize-avoid-c-arrays)
    operation.memory = std::make_unique_for_overwrite<std::byte[]>(operation.memory_size);
    std::ranges::copy(access.local, operation.memory.get());
    operation.bytes = {operation.memory.get(), operation.memory_size};
  }
  const int begun = begin(operations_.take(std::move(operation)));
  if (begun != 0) --statistics_.writes;
  return begun;
}

int Node::read(Port& port, const Access& access) {
  if (is_lost(access.to.rank)) return -FI_EHOSTDOWN;
  if (operations_.full()) return -FI_EAGAIN;
  Operation operation{.kind = Operation::Kind::read, .port = &port, .peer = access.to, .report = access.report};
  operation.at = {access.at.key, remote_offset(access.to.endpoint, access.at.offset)};
  operation.into = access.local;
  operation.pieces = access.pieces;
  ++statistics_.reads;
  if (access.local.empty() || access.to.rank == setup_.placement.rank) {
    finish_at_once(std::move(operation));
    return 0;
  }
  const int begun = begin(operations_.take(std::move(operation)));
  if (begun != 0) --statistics_.reads;
  return begun;
}

/// Of nothing, or of this process's own memory.
void Node::finish_at_once(Operation operation) {
  const bool writes = operation.kind == Operation::Kind::write;
  const std::size_t size = writes ? operation.bytes.size() : operation.into.size();
  int error = 0;
  if (size > 0) {
    const auto memory = memory_at(operation.at, size, writes ? FI_REMOTE_WRITE : FI_REMOTE_READ);
    if (!memory) {
      error = FI_EACCES;
    } else if (writes) {
      std::memmove(memory->data(), operation.bytes.data(), size);
    } else {
      std::memmove(operation.into.data(), memory->data(), size);
    }
  }
  finish(operations_.take(std::move(operation)), error);
}

int Node::atomic(Port& port, Address to, AtomicRequest request, void* result, const Report& report) {
  if (is_lost(to.rank)) return -FI_EHOSTDOWN;
  if (operations_.full()) return -FI_EAGAIN;
  request.address = remote_offset(to.endpoint, request.address);
  const auto bytes = encode(request);
  Operation operation{.kind = Operation::Kind::atomic, .port = &port, .peer = to, .report = report};
  operation.result = request.fetches ? result : nullptr;
  operation.result_size = request.count * size_of(request.type);
  operation.memory = std::make_unique_for_overwrite<std::byte[]>(bytes.size());  // NOLINT(modernize-avoid-c-arrays)
  operation.memory_size = bytes.size();
  std::ranges::copy(bytes, operation.memory.get());
  ++statistics_.atomics;
  const OperationId id = operations_.take(std::move(operation));
  if (to.rank == setup_.placement.rank) {
    const auto done = operate(to.rank, bytes);
    returned(id, std::span(done.bytes).first(done.size));
    return 0;
  }
  const int begun = begin(id);
  if (begun != 0) --statistics_.atomics;
  return begun;
}

}  // namespace ayatori::fabric
