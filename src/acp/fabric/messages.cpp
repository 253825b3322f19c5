/// \file
/// fi_send, fi_recv, fi_tsend, fi_trecv and their relatives.

#include <rdma/fi_tagged.h>

#include "calls.hpp"

namespace ayatori::fabric {

namespace {

/// Of calls with a tag, `tagged`.
struct Sent {
  Memory memory{};
  fi_addr_t to = FI_ADDR_UNSPEC;
  bool tagged = false;
  std::uint64_t tag = 0;
  bool has_data = false;
  std::uint64_t data = 0;
  void* context = nullptr;
  bool never_reported = false;  ///< fi_inject
};

ssize_t send(fid_ep* endpoint, const Sent& sent, std::uint64_t flags) {
  Port& port = port_of(endpoint);
  if ((flags & ~transmit_call_flags) != 0) return -FI_EBADFLAGS;
  if ((flags & FI_INJECT) != 0 && sent.memory.bytes.size() > max_short_message) return -FI_EMSGSIZE;
  if (sent.memory.bytes.size() > max_message) return -FI_EMSGSIZE;
  const Node::Lock lock(port.node);
  if (!port.enabled) return -FI_EOPBADSTATE;
  const auto to = port.address_of(sent.to);
  if (!to) return -FI_EADDRNOTAVAIL;
  const std::uint64_t kind = (sent.tagged ? FI_TAGGED : FI_MSG) | FI_SEND;
  Node::Message message{.to = *to, .report = report_of(port, flags, kind, sent.context), .pieces = sent.memory.pieces};
  message.report.never = sent.never_reported;
  message.frame = {.kind = sent.tagged ? FrameKind::tagged : FrameKind::message,
                   .has_data = sent.has_data,
                   .wants_answer = (flags & FI_DELIVERY_COMPLETE) != 0,
                   .to = to->endpoint,
                   .from = port.number,
                   .tag = sent.tag,
                   .data = sent.data,
                   .payload = sent.memory.bytes};
  return port.node.send(port, message);
}

ssize_t receive(fid_ep* endpoint, const Receive& wanted, fi_addr_t from, std::uint64_t flags) {
  constexpr std::uint64_t special = FI_PEEK | FI_CLAIM | FI_DISCARD;
  const std::uint64_t for_many = wanted.tagged ? 0 : FI_MULTI_RECV;
  Port& port = port_of(endpoint);
  if ((flags & ~(special | FI_COMPLETION | FI_MORE | for_many)) != 0) return -FI_EBADFLAGS;
  const Node::Lock lock(port.node);
  if (!port.enabled) return -FI_EOPBADSTATE;
  Receive whole = wanted;
  whole.reports = !port.selective_receive || (flags & FI_COMPLETION) != 0;
  if (from != FI_ADDR_UNSPEC && (port.caps & FI_DIRECTED_RECV) != 0) {
    whole.from = port.address_of(from);
    if (!whole.from) return -FI_EADDRNOTAVAIL;
  }
  if ((flags & special) != 0) {
    port.node.round();  // whoever looks again and again is to see what arrives
    port.receive_specially(whole, flags);
  } else if ((flags & for_many) != 0) {
    if (whole.pieces) return -FI_EINVAL;
    port.receive_many(whole);
  } else {
    port.receive(whole);
  }
  port.node.start_now();
  return 0;
}

std::uint64_t receive_flags(fid_ep* endpoint) { return port_of(endpoint).receive_flags; }
/// A buffer for many messages is for those without tags.
std::uint64_t tagged_receive_flags(fid_ep* endpoint) { return receive_flags(endpoint) & ~FI_MULTI_RECV; }

// ---- Without tags

/// Everything that is received without a tag is taken: the tag of such messages is 0.
ssize_t recv(fid_ep* ep, void* buffer, size_t size, void*, fi_addr_t from, void* context) {
  return receive(ep, {.buffer = bytes_at(buffer, size).bytes, .context = context}, from, receive_flags(ep));
}

ssize_t recvv(fid_ep* ep, const iovec* pieces, void**, size_t count, fi_addr_t from, void* context) {
  const auto buffer = memory_of(pieces, count);
  if (!buffer) return -FI_EINVAL;
  return receive(ep, {.buffer = buffer->bytes, .context = context, .pieces = buffer->pieces}, from, receive_flags(ep));
}

ssize_t recvmsg(fid_ep* ep, const fi_msg* message, uint64_t flags) {
  const auto buffer = memory_of(message->msg_iov, message->iov_count);
  if (!buffer) return -FI_EINVAL;
  return receive(ep, {.buffer = buffer->bytes, .context = message->context, .pieces = buffer->pieces}, message->addr,
                 flags);
}

ssize_t send(fid_ep* ep, const void* bytes, size_t size, void*, fi_addr_t to, void* context) {
  return send(ep, {.memory = bytes_at(bytes, size), .to = to, .context = context}, transmit_flags_of(ep));
}

ssize_t sendv(fid_ep* ep, const iovec* pieces, void**, size_t count, fi_addr_t to, void* context) {
  const auto bytes = bytes_of(pieces, count);
  if (!bytes) return -FI_EINVAL;
  return send(ep, {.memory = *bytes, .to = to, .context = context}, transmit_flags_of(ep));
}

ssize_t sendmsg(fid_ep* ep, const fi_msg* message, uint64_t flags) {
  const auto bytes = bytes_of(message->msg_iov, message->iov_count);
  if (!bytes) return -FI_EINVAL;
  return send(ep,
              {.memory = *bytes,
               .to = message->addr,
               .has_data = (flags & FI_REMOTE_CQ_DATA) != 0,
               .data = message->data,
               .context = message->context},
              flags);
}

ssize_t inject(fid_ep* ep, const void* bytes, size_t size, fi_addr_t to) {
  return send(ep, {.memory = bytes_at(bytes, size), .to = to, .never_reported = true}, FI_INJECT);
}

ssize_t senddata(fid_ep* ep, const void* bytes, size_t size, void*, uint64_t data, fi_addr_t to, void* context) {
  return send(ep, {.memory = bytes_at(bytes, size), .to = to, .has_data = true, .data = data, .context = context},
              transmit_flags_of(ep));
}

ssize_t injectdata(fid_ep* ep, const void* bytes, size_t size, uint64_t data, fi_addr_t to) {
  return send(ep, {.memory = bytes_at(bytes, size), .to = to, .has_data = true, .data = data, .never_reported = true},
              FI_INJECT);
}

// ---- With tags

ssize_t trecv(fid_ep* ep, void* buffer, size_t size, void*, fi_addr_t from, uint64_t tag, uint64_t ignore,
              void* context) {
  return receive(
      ep, {.tag = tag, .ignore = ignore, .buffer = bytes_at(buffer, size).bytes, .context = context, .tagged = true},
      from, tagged_receive_flags(ep));
}

ssize_t trecvv(fid_ep* ep, const iovec* pieces, void**, size_t count, fi_addr_t from, uint64_t tag, uint64_t ignore,
               void* context) {
  const auto buffer = memory_of(pieces, count);
  if (!buffer) return -FI_EINVAL;
  return receive(ep,
                 {.tag = tag,
                  .ignore = ignore,
                  .buffer = buffer->bytes,
                  .context = context,
                  .tagged = true,
                  .pieces = buffer->pieces},
                 from, tagged_receive_flags(ep));
}

ssize_t trecvmsg(fid_ep* ep, const fi_msg_tagged* message, uint64_t flags) {
  const auto buffer = memory_of(message->msg_iov, message->iov_count);
  if (!buffer) return -FI_EINVAL;
  return receive(ep,
                 {.tag = message->tag,
                  .ignore = message->ignore,
                  .buffer = buffer->bytes,
                  .context = message->context,
                  .tagged = true,
                  .pieces = buffer->pieces},
                 message->addr, flags);
}

ssize_t tsend(fid_ep* ep, const void* bytes, size_t size, void*, fi_addr_t to, uint64_t tag, void* context) {
  return send(ep, {.memory = bytes_at(bytes, size), .to = to, .tagged = true, .tag = tag, .context = context},
              transmit_flags_of(ep));
}

ssize_t tsendv(fid_ep* ep, const iovec* pieces, void**, size_t count, fi_addr_t to, uint64_t tag, void* context) {
  const auto bytes = bytes_of(pieces, count);
  if (!bytes) return -FI_EINVAL;
  return send(ep, {.memory = *bytes, .to = to, .tagged = true, .tag = tag, .context = context}, transmit_flags_of(ep));
}

ssize_t tsendmsg(fid_ep* ep, const fi_msg_tagged* message, uint64_t flags) {
  const auto bytes = bytes_of(message->msg_iov, message->iov_count);
  if (!bytes) return -FI_EINVAL;
  return send(ep,
              {.memory = *bytes,
               .to = message->addr,
               .tagged = true,
               .tag = message->tag,
               .has_data = (flags & FI_REMOTE_CQ_DATA) != 0,
               .data = message->data,
               .context = message->context},
              flags);
}

ssize_t tinject(fid_ep* ep, const void* bytes, size_t size, fi_addr_t to, uint64_t tag) {
  return send(ep, {.memory = bytes_at(bytes, size), .to = to, .tagged = true, .tag = tag, .never_reported = true},
              FI_INJECT);
}

ssize_t tsenddata(fid_ep* ep, const void* bytes, size_t size, void*, uint64_t data, fi_addr_t to, uint64_t tag,
                  void* context) {
  return send(ep,
              {.memory = bytes_at(bytes, size),
               .to = to,
               .tagged = true,
               .tag = tag,
               .has_data = true,
               .data = data,
               .context = context},
              transmit_flags_of(ep));
}

ssize_t tinjectdata(fid_ep* ep, const void* bytes, size_t size, uint64_t data, fi_addr_t to, uint64_t tag) {
  return send(ep,
              {.memory = bytes_at(bytes, size),
               .to = to,
               .tagged = true,
               .tag = tag,
               .has_data = true,
               .data = data,
               .never_reported = true},
              FI_INJECT);
}

}  // namespace

fi_ops_msg* message_functions() {
  static fi_ops_msg functions{sizeof(fi_ops_msg), recv,      recvv, recvmsg, send, sendv, sendmsg, inject,
                              senddata,           injectdata};
  return &functions;
}

fi_ops_tagged* tagged_functions() {
  static fi_ops_tagged functions{
      sizeof(fi_ops_tagged), trecv, trecvv, trecvmsg, tsend, tsendv, tsendmsg, tinject, tsenddata, tinjectdata};
  return &functions;
}

}  // namespace ayatori::fabric
