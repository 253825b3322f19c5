#pragma once
/// \file
/// Copies between the memory of this process and that of another one of this host, by the kernel
/// (process_vm_readv(2)): one copy, in which the other process takes no part.

#include "ayatori/onesided/memory.hpp"

namespace ayatori::acp {

/// Names this process to others of this host: its number, and when it started. The number alone may be another
/// process's soon.
[[nodiscard]] std::uint64_t identity_of_process();

/// The kernel allows it between processes of one user, unless the system restricts it (Yama's ptrace_scope,
/// containers). After the first refusal it is not tried again. Nothing is copied from or to a process that has ended.
[[nodiscard]] onesided::Memory::NeighbourCopy copy_of_neighbour();

}  // namespace ayatori::acp
