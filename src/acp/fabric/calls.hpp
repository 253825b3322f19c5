#pragma once
/// \file
/// What the functions of an endpoint have in common: flags, addresses, and the lock.

#include <rdma/fi_errno.h>
#include <sys/uio.h>

#include "info.hpp"
#include "node.hpp"
#include "port.hpp"

namespace ayatori::fabric {

/// Flags that calls may have; all others are refused.
inline constexpr std::uint64_t transmit_call_flags = FI_COMPLETION | FI_INJECT | FI_MORE | FI_INJECT_COMPLETE |
                                                     FI_TRANSMIT_COMPLETE | FI_DELIVERY_COMPLETE | FI_REMOTE_CQ_DATA;

inline Memory bytes_at(const void* memory, std::size_t size) {
  return {.bytes = {static_cast<std::byte*>(const_cast<void*>(memory)), size}};
}

inline std::uint64_t transmit_flags_of(fid_ep* endpoint) { return port_of(endpoint).transmit_flags; }

/// How the end of a call with these flags is reported.
inline Report report_of(const Port& port, std::uint64_t flags, std::uint64_t kind, void* context) {
  return {.context = context,
          .flags = kind,
          .silent = port.selective_transmit && (flags & FI_COMPLETION) == 0,
          .at_once = (flags & FI_INJECT_COMPLETE) != 0};
}

}  // namespace ayatori::fabric
