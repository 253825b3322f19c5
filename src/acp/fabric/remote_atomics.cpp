/// \file
/// fi_atomic, fi_fetch_atomic, fi_compare_atomic and their relatives.

#include <rdma/fi_atomic.h>

#include <cstring>

#include "atomics.hpp"
#include "calls.hpp"

namespace ayatori::fabric {

namespace {

struct Asked {
  AtomicForm form = AtomicForm::write;
  const void* operand = nullptr;
  const void* compare = nullptr;
  void* result = nullptr;
  std::size_t count = 0;
  fi_addr_t to = FI_ADDR_UNSPEC;
  std::uint64_t address = 0;
  std::uint64_t key = 0;
  fi_datatype type = FI_UINT64;
  fi_op operation = FI_ATOMIC_READ;
  void* context = nullptr;
  bool never_reported = false;  ///< fi_inject_atomic
};

ssize_t start(fid_ep* endpoint, const Asked& asked, std::uint64_t flags) {
  Port& port = port_of(endpoint);
  if ((flags & ~(transmit_call_flags & ~FI_REMOTE_CQ_DATA)) != 0) return -FI_EBADFLAGS;
  const std::size_t most = max_count(asked.type, asked.operation, asked.form);
  if (most == 0) return -FI_EOPNOTSUPP;
  if (asked.count == 0 || asked.count > most) return -FI_EINVAL;
  const Node::Lock lock(port.node);
  if (!port.enabled) return -FI_EOPBADSTATE;
  const auto to = port.address_of(asked.to);
  if (!to) return -FI_EADDRNOTAVAIL;
  AtomicRequest request{.operation = asked.operation,
                        .type = asked.type,
                        .count = static_cast<std::uint8_t>(asked.count),
                        .fetches = asked.form != AtomicForm::write,
                        .key = asked.key,
                        .address = asked.address};
  const std::size_t size = asked.count * size_of(asked.type);
  if (asked.operand && asked.operation != FI_ATOMIC_READ) std::memcpy(request.operand.data(), asked.operand, size);
  if (asked.compare) std::memcpy(request.compare.data(), asked.compare, size);
  const std::uint64_t kind = FI_ATOMIC | (request.fetches ? FI_READ : FI_WRITE);
  Report report = report_of(port, flags, kind, asked.context);
  report.never = asked.never_reported;
  return port.node.atomic(port, *to, request, asked.result, report);
}

/// What a message names; nothing if it has several pieces.
std::optional<Asked> asked_by(const fi_msg_atomic* message, AtomicForm form) {
  if (message->rma_iov_count != 1 || message->iov_count > 1) return std::nullopt;
  if (message->iov_count == 0 && message->op != FI_ATOMIC_READ) return std::nullopt;
  return Asked{.form = form,
               .operand = message->iov_count == 1 ? message->msg_iov->addr : nullptr,
               .count = message->rma_iov->count,
               .to = message->addr,
               .address = message->rma_iov->addr,
               .key = message->rma_iov->key,
               .type = message->datatype,
               .operation = message->op,
               .context = message->context};
}

// ---- Without a result

ssize_t write(fid_ep* ep, const void* operand, size_t count, void*, fi_addr_t to, uint64_t address, uint64_t key,
              fi_datatype type, fi_op operation, void* context) {
  return start(ep, {AtomicForm::write, operand, nullptr, nullptr, count, to, address, key, type, operation, context},
               transmit_flags_of(ep));
}

ssize_t writev(fid_ep* ep, const fi_ioc* pieces, void** descriptors, size_t count, fi_addr_t to, uint64_t address,
               uint64_t key, fi_datatype type, fi_op operation, void* context) {
  if (count != 1) return -FI_EINVAL;
  return write(ep, pieces->addr, pieces->count, descriptors, to, address, key, type, operation, context);
}

ssize_t writemsg(fid_ep* ep, const fi_msg_atomic* message, uint64_t flags) {
  const auto asked = asked_by(message, AtomicForm::write);
  return asked ? start(ep, *asked, flags) : -FI_EINVAL;
}

ssize_t inject(fid_ep* ep, const void* operand, size_t count, fi_addr_t to, uint64_t address, uint64_t key,
               fi_datatype type, fi_op operation) {
  Asked asked{AtomicForm::write, operand, nullptr, nullptr, count, to, address, key, type, operation, nullptr};
  asked.never_reported = true;
  return start(ep, asked, FI_INJECT);
}

// ---- With the value from before

ssize_t fetch(fid_ep* ep, const void* operand, size_t count, void*, void* result, void*, fi_addr_t to, uint64_t address,
              uint64_t key, fi_datatype type, fi_op operation, void* context) {
  return start(ep, {AtomicForm::fetch, operand, nullptr, result, count, to, address, key, type, operation, context},
               transmit_flags_of(ep));
}

ssize_t fetchv(fid_ep* ep, const fi_ioc* pieces, void**, size_t count, fi_ioc* results, void**, size_t result_count,
               fi_addr_t to, uint64_t address, uint64_t key, fi_datatype type, fi_op operation, void* context) {
  if (count > 1 || result_count != 1) return -FI_EINVAL;
  const void* const operand = count == 1 ? pieces->addr : nullptr;
  return fetch(ep, operand, results->count, nullptr, results->addr, nullptr, to, address, key, type, operation,
               context);
}

ssize_t fetchmsg(fid_ep* ep, const fi_msg_atomic* message, fi_ioc* results, void**, size_t result_count,
                 uint64_t flags) {
  auto asked = asked_by(message, AtomicForm::fetch);
  if (!asked || result_count != 1) return -FI_EINVAL;
  asked->result = results->addr;
  return start(ep, *asked, flags);
}

// ---- Compare and swap

ssize_t compare(fid_ep* ep, const void* operand, size_t count, void*, const void* compared, void*, void* result, void*,
                fi_addr_t to, uint64_t address, uint64_t key, fi_datatype type, fi_op operation, void* context) {
  return start(ep, {AtomicForm::compare, operand, compared, result, count, to, address, key, type, operation, context},
               transmit_flags_of(ep));
}

ssize_t comparev(fid_ep* ep, const fi_ioc* pieces, void**, size_t count, const fi_ioc* compared, void**,
                 size_t compare_count, fi_ioc* results, void**, size_t result_count, fi_addr_t to, uint64_t address,
                 uint64_t key, fi_datatype type, fi_op operation, void* context) {
  if (count != 1 || compare_count != 1 || result_count != 1) return -FI_EINVAL;
  return compare(ep, pieces->addr, pieces->count, nullptr, compared->addr, nullptr, results->addr, nullptr, to, address,
                 key, type, operation, context);
}

ssize_t comparemsg(fid_ep* ep, const fi_msg_atomic* message, const fi_ioc* compared, void**, size_t compare_count,
                   fi_ioc* results, void**, size_t result_count, uint64_t flags) {
  auto asked = asked_by(message, AtomicForm::compare);
  if (!asked || compare_count != 1 || result_count != 1) return -FI_EINVAL;
  asked->compare = compared->addr;
  asked->result = results->addr;
  return start(ep, *asked, flags);
}

// ---- What is offered

template <AtomicForm Form>
int is_valid(fid_ep*, fi_datatype type, fi_op operation, size_t* count) {
  const std::size_t most = max_count(type, operation, Form);
  if (most == 0) return -FI_EOPNOTSUPP;
  if (count) *count = most;
  return 0;
}

}  // namespace

fi_ops_atomic* remote_atomic_functions() {
  static fi_ops_atomic functions{sizeof(fi_ops_atomic),
                                 write,
                                 writev,
                                 writemsg,
                                 inject,
                                 fetch,
                                 fetchv,
                                 fetchmsg,
                                 compare,
                                 comparev,
                                 comparemsg,
                                 is_valid<AtomicForm::write>,
                                 is_valid<AtomicForm::fetch>,
                                 is_valid<AtomicForm::compare>};
  return &functions;
}

}  // namespace ayatori::fabric
