/// \file
/// fi_read, fi_write and their relatives.

#include <rdma/fi_rma.h>

#include "calls.hpp"

namespace ayatori::fabric {

namespace {

/// A read or a write of one piece of memory.
struct Accessed {
  Memory local{};
  fi_addr_t peer = FI_ADDR_UNSPEC;
  std::uint64_t address = 0;
  std::uint64_t key = 0;
  bool has_data = false;
  std::uint64_t data = 0;
  void* context = nullptr;
  bool never_reported = false;
};

ssize_t access(fid_ep* endpoint, bool writes, const Accessed& accessed, std::uint64_t flags) {
  Port& port = port_of(endpoint);
  if ((flags & ~transmit_call_flags) != 0) return -FI_EBADFLAGS;
  if ((flags & FI_INJECT) != 0 && accessed.local.bytes.size() > max_short_message) return -FI_EMSGSIZE;
  const Node::Lock lock(port.node);
  if (!port.enabled) return -FI_EOPBADSTATE;
  const auto to = port.address_of(accessed.peer);
  if (!to) return -FI_EADDRNOTAVAIL;
  Node::Access asked{.to = *to,
                     .at = {accessed.key, accessed.address},
                     .local = accessed.local.bytes,
                     .pieces = accessed.local.pieces,
                     .report = report_of(port, flags, FI_RMA | (writes ? FI_WRITE : FI_READ), accessed.context),
                     .inject = (flags & FI_INJECT) != 0,
                     .has_data = accessed.has_data,
                     .data = accessed.data};
  asked.report.never = accessed.never_reported;
  return writes ? port.node.write(port, asked) : port.node.read(port, asked);
}

/// What a message names; nothing if these are too many pieces, or several of the peer's.
std::optional<Accessed> accessed_by(const fi_msg_rma* message, std::uint64_t flags, bool writes) {
  const auto local = (writes ? bytes_of : memory_of)(message->msg_iov, message->iov_count);
  if (!local || message->rma_iov_count != 1 || message->rma_iov->len != local->bytes.size()) return std::nullopt;
  return Accessed{.local = *local,
                  .peer = message->addr,
                  .address = message->rma_iov->addr,
                  .key = message->rma_iov->key,
                  .has_data = (flags & FI_REMOTE_CQ_DATA) != 0,
                  .data = message->data,
                  .context = message->context};
}

ssize_t read(fid_ep* ep, void* into, size_t size, void*, fi_addr_t from, uint64_t address, uint64_t key,
             void* context) {
  return access(ep, false,
                {.local = bytes_at(into, size), .peer = from, .address = address, .key = key, .context = context},
                transmit_flags_of(ep));
}

ssize_t readv(fid_ep* ep, const iovec* pieces, void**, size_t count, fi_addr_t from, uint64_t address, uint64_t key,
              void* context) {
  const auto local = memory_of(pieces, count);
  if (!local) return -FI_EINVAL;
  return access(ep, false, {.local = *local, .peer = from, .address = address, .key = key, .context = context},
                transmit_flags_of(ep));
}

ssize_t readmsg(fid_ep* ep, const fi_msg_rma* message, uint64_t flags) {
  const auto accessed = accessed_by(message, flags, false);
  return accessed ? access(ep, false, *accessed, flags) : -FI_EINVAL;
}

ssize_t write(fid_ep* ep, const void* bytes, size_t size, void*, fi_addr_t to, uint64_t address, uint64_t key,
              void* context) {
  return access(ep, true,
                {.local = bytes_at(bytes, size), .peer = to, .address = address, .key = key, .context = context},
                transmit_flags_of(ep));
}

ssize_t writev(fid_ep* ep, const iovec* pieces, void**, size_t count, fi_addr_t to, uint64_t address, uint64_t key,
               void* context) {
  const auto local = bytes_of(pieces, count);
  if (!local) return -FI_EINVAL;
  return access(ep, true, {.local = *local, .peer = to, .address = address, .key = key, .context = context},
                transmit_flags_of(ep));
}

ssize_t writemsg(fid_ep* ep, const fi_msg_rma* message, uint64_t flags) {
  const auto accessed = accessed_by(message, flags, true);
  return accessed ? access(ep, true, *accessed, flags) : -FI_EINVAL;
}

ssize_t inject(fid_ep* ep, const void* bytes, size_t size, fi_addr_t to, uint64_t address, uint64_t key) {
  return access(ep, true,
                {.local = bytes_at(bytes, size), .peer = to, .address = address, .key = key, .never_reported = true},
                FI_INJECT);
}

ssize_t writedata(fid_ep* ep, const void* bytes, size_t size, void*, uint64_t data, fi_addr_t to, uint64_t address,
                  uint64_t key, void* context) {
  return access(ep, true,
                {.local = bytes_at(bytes, size),
                 .peer = to,
                 .address = address,
                 .key = key,
                 .has_data = true,
                 .data = data,
                 .context = context},
                transmit_flags_of(ep));
}

ssize_t injectdata(fid_ep* ep, const void* bytes, size_t size, uint64_t data, fi_addr_t to, uint64_t address,
                   uint64_t key) {
  return access(ep, true,
                {.local = bytes_at(bytes, size),
                 .peer = to,
                 .address = address,
                 .key = key,
                 .has_data = true,
                 .data = data,
                 .never_reported = true},
                FI_INJECT);
}

}  // namespace

fi_ops_rma* remote_memory_functions() {
  static fi_ops_rma functions{sizeof(fi_ops_rma), read,   readv,     readmsg,   write, writev,
                              writemsg,           inject, writedata, injectdata};
  return &functions;
}

}  // namespace ayatori::fabric
