#pragma once
/// \file
/// What libacp takes of memory in each process of a job, before there is one. Whatever has tables or buffers is made,
/// for as many processes as the job would have, and the allocator is asked (base/heap.hpp): no size is known twice.

#include <string_view>

#include "ayatori/base/error.hpp"
#include "ayatori/base/ids.hpp"

namespace ayatori::acp {

/// Of one process, in bytes.
struct MemoryUse {
  Bytes tables = 0;               ///< of global memory and the transport
  Bytes provider = 0;             ///< of the transport alone, which the provider of libfabric has instead of `tables`
  Bytes wires = 0;                ///< rings, trains and buffers, and what wires keep of peers
  Bytes starter = 0;              ///< starter memory, which is the program's
  Bytes waiting = 0;              ///< at most, in the kernel: datagrams that have arrived over UDP
  std::uint32_t queue_pairs = 0;  ///< at most, of an adapter; what they take depends on it
};

/// `wires`: a value of ACP_WIRES; everything else is libacp's default. Ranks per host: at most `procs`.
/// Errors: no such wires, or they don't reach all hosts; a library of an adapter that can't be loaded or does not tell
/// what it takes; an allocator that does not count.
[[nodiscard]] Result<MemoryUse> memory_use(std::string_view wires, Rank procs, std::uint32_t ranks_per_host);

}  // namespace ayatori::acp
