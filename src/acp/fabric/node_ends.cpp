/// \file
/// How the operations of a Node end, and what waits for that.

#include <algorithm>
#include <cstring>

#include "node.hpp"
#include "port.hpp"

namespace ayatori::fabric {

/// Reads, writes and atomics of an ordered port wait until those before, at the same peer, are carried out.
bool Node::must_wait(OperationId id) {
  const Operation& operation = *operations_.find(id);
  if (!operation.is_access() || !operation.port->ordered) return false;
  std::deque<OperationId>& queue = in_order_[operation.peer.rank];
  queue.push_back(id);
  return queue.size() > 1;
}

/// The next access after this one, at the same peer.
void Node::start_next(const Operation& ended) {
  const auto found = ended.is_access() ? in_order_.find(ended.peer.rank) : in_order_.end();
  if (found == in_order_.end()) return;
  std::deque<OperationId>& queue = found->second;
  const OperationId first = queue.front();
  std::erase_if(queue, [&](OperationId id) { return !operations_.find(id) || operations_.find(id) == &ended; });
  if (queue.empty()) {
    in_order_.erase(found);
  } else if (queue.front() != first) {
    waiting_.push_back(queue.front());
  }
}

void Node::settle(OperationId id, Operation::Part part) {
  Operation* const operation = operations_.find(id);
  if (!operation) return;
  operation->missing &= static_cast<std::uint8_t>(~part);
  if (operation->missing == 0) finish(id, 0);
}

void Node::finish(OperationId id, int error) {
  if (!operations_.find(id)) return;
  Operation ended = operations_.give_back(id);
  start_next(ended);
  if (ended.kind == Operation::Kind::read && ended.pieces && error == 0) ended.pieces->scatter(ended.into.size());
  if (ended.kind == Operation::Kind::fetch) {
    if (ended.port) ended.port->report_receive(ended.receive, ended.arrival, error);
    if (error == 0) answer(ended.arrival);
    return;
  }
  if (ended.kind == Operation::Kind::write && ended.has_data && error == 0) return tell_written(std::move(ended));
  if (ended.port && ended.kind != Operation::Kind::probe) ended.port->report(ended.report, error);
}

/// A write is carried out; the peer gets a completion of it.
void Node::tell_written(Operation write) {
  const Frame frame{.kind = FrameKind::written,
                    .has_data = true,
                    .to = write.peer.endpoint,
                    .from = write.port ? write.port->number : no_endpoint,
                    .data = write.data,
                    .size = write.bytes.size()};
  write.kind = Operation::Kind::notice;
  write.missing = Operation::carried;
  if (write.peer.rank != setup_.placement.rank) return post(std::move(write), frame);
  if (Port* const to = port_of(frame.to)) to->report_written(frame, write.peer.rank);
  if (write.port) write.port->report(write.report, 0);
}

/// The bytes of a message are where they belong. Its sender waits for that, if they were many or if it asked for it.
void Node::answer(const Arrival& arrival) {
  const Frame& frame = arrival.frame;
  if (!frame.is_long() && !frame.wants_answer) return;
  if (arrival.from.rank == setup_.placement.rank) return settle(frame.operation, Operation::answered);
  Operation operation{.kind = Operation::Kind::notice, .peer = arrival.from};
  post(std::move(operation),
       {.kind = FrameKind::received, .to = frame.from, .from = frame.to, .operation = frame.operation});
}

void Node::receive(Port& port, const Receive& receive, Arrival arrival) {
  ++statistics_.received;
  const std::size_t size = std::min<std::uint64_t>(arrival.size(), receive.buffer.size());
  if (!arrival.frame.is_long() || size == 0) {
    if (size > 0) std::memcpy(receive.buffer.data(), arrival.frame.payload.data(), size);
    port.report_receive(receive, arrival, 0);
    return answer(arrival);
  }
  Operation operation{.kind = Operation::Kind::fetch, .port = &port, .peer = arrival.from};
  operation.at = {arrival.frame.operation, remote_offset(no_endpoint, 0)};
  operation.into = receive.buffer.first(size);
  operation.receive = receive;
  operation.arrival = std::move(arrival);
  waiting_.push_back(operations_.take(std::move(operation)));
}

void Node::discard(Port& port, const Receive& receive, Arrival arrival) {
  Receive seen = receive;
  seen.buffer = {static_cast<std::byte*>(nullptr), arrival.size()};
  seen.pieces.reset();
  port.report_receive(seen, arrival, 0);
  answer(arrival);
}

}  // namespace ayatori::fabric
