/// \file
/// What the transport calls a Node for.

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "info.hpp"
#include "node.hpp"
#include "port.hpp"
#include "provider.hpp"

namespace ayatori::fabric {

using transport::OperationResult;
using transport::PeerId;
using transport::RemoteRange;
using transport::Token;

namespace {

constexpr std::size_t max_message_bytes = max_frame_header + max_short_message;

/// Whether the program gets a completion of it.
bool is_awaited(const Operation& operation) { return operation.port && operation.kind != Operation::Kind::probe; }

}  // namespace

/// One line, for tests and for who wonders where messages went.
void Node::report_statistics() const {
  if (!reports_statistics_) return;
  fmt::print(stderr,
             "ayatori-fi: rank {}: {} messages sent, {} of them long, {} received, {} unexpected; {} writes, {} reads, "
             "{} atomics; {} packets without a message; transport {} bytes, address vectors {} bytes\n",
             setup_.placement.rank, statistics_.messages, statistics_.long_messages, statistics_.received,
             statistics_.unexpected, statistics_.writes, statistics_.reads, statistics_.atomics,
             endpoint_->statistics().control_packets, statistics_.transport_bytes, statistics_.address_bytes);
}

// ---- Messages

/// The transport bounds how many messages are partly here.
std::byte* Node::reserve(PeerId, Bytes size, transport::Urgency) {
  return size <= std::max<std::size_t>(max_message_bytes, wire_->datagram_bytes()) ? new (std::nothrow) std::byte[size]
                                                                                   : nullptr;
}

void Node::release(std::byte* reserved) { delete[] reserved; }

void Node::deliver(PeerId from, std::span<const std::byte> message, std::byte* reserved) {
  std::unique_ptr<std::byte[]> memory(reserved);  // NOLINT(modernize-avoid-c-arrays)
  const auto frame = read_frame(message);
  if (!frame) return;
  if (frame->kind == FrameKind::received) return take_answer(from, frame->operation);
  Port* const port = port_of(frame->to);
  if (!port) return;
  if (frame->kind == FrameKind::written) return port->report_written(*frame, from);
  port->arrived({.from = {from, frame->from}, .frame = *frame, .memory = std::move(memory)});
}

void Node::take_answer(PeerId from, OperationId id) {
  const Operation* const operation = operations_.find(id);
  if (operation && operation->peer.rank == from) settle(id, Operation::answered);
}

void Node::acknowledged(Token token) { settle(token, Operation::carried); }

void Node::failed(Token token) {
  const Operation* const operation = operations_.find(token);
  failure_is_seen_ |= operation && is_awaited(*operation);
  finish(token, FI_EHOSTDOWN);
}

void Node::lost(PeerId peer, transport::Time since) {
  lost_.insert(peer);
  bool is_seen = std::exchange(failure_is_seen_, false);
  std::vector<OperationId> ended;
  operations_.visit([&](OperationId id, const Operation& operation) {
    if (operation.peer.rank != peer) return;
    ended.push_back(id);
    is_seen |= is_awaited(operation);
  });
  for (const OperationId id : ended) finish(id, FI_EHOSTDOWN);
  for (Port* port : ports_) {
    if (port) is_seen |= port->fail_receives(peer);
  }
  if (is_seen) {
    const std::chrono::duration<double> silence = driver_->now() - since;
    complain(fmt::format("rank {} has lost rank {}: it was silent for {:.1f} s", setup_.placement.rank, peer,
                         silence.count()));
  }
}

// ---- Memory

std::optional<std::span<std::byte>> Node::memory_at(transport::RemoteAddress at, Bytes size,
                                                    std::uint64_t access) const {
  const Port* const port = port_of(endpoint_in(at.offset));
  if (!port) return std::nullopt;
  return port->domain.memory_at(at.key, offset_in(at.offset), size, access);
}

bool Node::write(PeerId, const RemoteRange& range, std::span<const std::byte> bytes) {
  const auto memory = memory_at({range.key, range.offset}, bytes.size(), FI_REMOTE_WRITE);
  if (memory) std::memcpy(memory->data(), bytes.data(), bytes.size());
  return memory.has_value();
}

std::optional<std::span<const std::byte>> Node::read(PeerId from, const RemoteRange& range) {
  if (endpoint_in(range.offset) != no_endpoint) return memory_at({range.key, range.offset}, range.size, FI_REMOTE_READ);
  const Operation* const operation = operations_.find(range.key);
  const std::uint64_t offset = offset_in(range.offset);
  if (!operation || operation->kind != Operation::Kind::long_message || operation->peer.rank != from)
    return std::nullopt;
  if (offset > operation->bytes.size() || range.size > operation->bytes.size() - offset) return std::nullopt;
  return operation->bytes.subspan(offset, range.size);
}

void Node::completed(Token token) { settle(token, Operation::carried); }

void Node::refused(Token token) { finish(token, FI_EACCES); }

// ---- Atomics

/// The first byte of a result is 1 if it was carried out. What is no request asks whether this process lives.
OperationResult Node::operate(PeerId, std::span<const std::byte> request) {
  OperationResult result;
  result.size = 1;
  const auto asked = decode_atomic(request);
  if (!asked) return result;
  const std::uint64_t access = asked->operation == FI_ATOMIC_READ ? FI_REMOTE_READ : FI_REMOTE_WRITE;
  const auto memory = memory_at({asked->key, asked->address}, asked->count * size_of(asked->type), access);
  const auto before = memory ? carry_out(*asked, *memory) : std::nullopt;
  if (!before) return result;
  result.bytes.front() = std::byte{1};
  std::ranges::copy(*before, result.bytes.begin() + 1);
  result.size += before->size();
  return result;
}

void Node::returned(Token token, std::span<const std::byte> result) {
  Operation* const operation = operations_.find(token);
  if (!operation || operation->kind != Operation::Kind::atomic) return finish(token, 0);
  if (result.size() != 1 + max_atomic_bytes || result.front() != std::byte{1}) return finish(token, FI_EACCES);
  if (operation->result) std::memcpy(operation->result, result.data() + 1, operation->result_size);
  finish(token, 0);
}

}  // namespace ayatori::fabric
