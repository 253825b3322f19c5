// The basic layer of src/acp/include/acp.h.

#include <fmt/core.h>

#include <cerrno>
#include <cstdlib>

#include "acp.h"
#include "library.hpp"

namespace ayatori::acp {

namespace {

using onesided::Atomic;
using onesided::AtomicOperation;
using onesided::GlobalAddress;
using onesided::Handle;
using onesided::Location;

Handle order_of(acp_handle_t order, const GlobalMemory& memory) {
  const auto handle = static_cast<std::uint64_t>(order);
  return handle == ACP_HANDLE_ALL || handle == ACP_HANDLE_CONT ? memory.latest() : handle;
}

/// The last operation to wait for; nothing if there is none.
std::optional<Handle> covered(acp_handle_t handle, const GlobalMemory& memory) {
  const Handle last = order_of(handle, memory);
  if (last == 0 || last > memory.latest()) return std::nullopt;
  return last;
}

acp_handle_t start(const AtomicOperation& operation, acp_handle_t order) {
  return with_process<acp_handle_t>(ACP_HANDLE_NULL, [&](Process& process) {
    const auto done = process.query([&](GlobalMemory& memory) { return memory.apply_directly(operation); });
    if (done) return Result<acp_handle_t>(static_cast<acp_handle_t>(*done));
    return process.start_operation([&](GlobalMemory& memory, Time now) -> Result<acp_handle_t> {
      const auto handle = memory.apply(now, operation, order_of(order, memory));
      if (!handle) return Failure(handle.error());
      return static_cast<acp_handle_t>(*handle);
    });
  });
}

acp_handle_t start(Atomic kind, std::uint8_t size, acp_ga_t dst, acp_ga_t src, std::uint64_t operand,
                   acp_handle_t order) {
  return start({.kind = kind, .size = size, .dst = dst, .src = src, .operand = operand}, order);
}

Result<Location> locate(const GlobalMemory& memory, acp_ga_t ga) {
  const auto location = memory.space().find(ga);
  if (!location) return fail("{:#x} is not a global address", ga);
  return *location;
}

}  // namespace

}  // namespace ayatori::acp

using namespace ayatori;
using namespace ayatori::acp;

extern "C" {

const char* acp_error_message(void) { return last_message(); }

int acp_init(int* /*argc*/, char*** /*argv*/) {
  return guarded(-1, [] { return open_library(); });
}

int acp_finalize(void) {
  return guarded(-1, [] { return close_library(); });
}

int acp_reset(int rank) {
  return guarded(-1, [&] { return reopen_library(rank); });
}

void acp_abort(const char* str) {
  fmt::print(stderr, "acp_abort: {}{}{}\n", str ? str : "", str && *last_message() ? ": " : "", last_message());
  std::abort();
}

int acp_sync(void) {
  return with_process(-1, [](Process& process) -> Result<int> {
    if (auto met = process.sync(); !met) return Failure(met.error());
    return 0;
  });
}

int acp_rank(void) {
  return with_process(
      -1, [](const Process& process) -> Result<int> { return static_cast<int>(process.setup().placement.rank); });
}

int acp_procs(void) {
  return with_process(
      -1, [](const Process& process) -> Result<int> { return static_cast<int>(process.setup().placement.procs); });
}

acp_ga_t acp_query_starter_ga(int rank) {
  return with_process<acp_ga_t>(ACP_GA_NULL, [&](Process& process) {
    return process.query([&](GlobalMemory& memory) -> Result<acp_ga_t> {
      if (rank < 0 || static_cast<Rank>(rank) >= memory.space().procs()) return fail("there is no rank {}", rank);
      return memory.space().of({.rank = static_cast<Rank>(rank)});
    });
  });
}

acp_atkey_t acp_register_memory(void* addr, size_t size, int color) {
  return with_process<acp_atkey_t>(ACP_ATKEY_NULL, [&](Process& process) {
    return process.query([&](GlobalMemory& memory) -> Result<acp_atkey_t> {
      if (color != 0) return fail("there is no color {}, only 0", color);
      if (!addr) return fail("addr is NULL");
      return memory.memory().add(static_cast<std::byte*>(addr), size);
    });
  });
}

int acp_unregister_memory(acp_atkey_t atkey) {
  return with_process(-1, [&](Process& process) {
    return process.query([&](GlobalMemory& memory) -> Result<int> {
      if (atkey == process.starter_key()) return fail("starter memory can't be unregistered");
      if (!memory.memory().remove(atkey)) return fail("there is no registration {:#x}", atkey);
      return 0;
    });
  });
}

acp_ga_t acp_query_ga(acp_atkey_t atkey, void* addr) {
  return with_process<acp_ga_t>(ACP_GA_NULL, [&](Process& process) {
    return process.query([&](GlobalMemory& memory) -> Result<acp_ga_t> {
      const auto ga = memory.memory().address_of(atkey, static_cast<const std::byte*>(addr));
      if (!ga) return fail("{} does not belong to the registration {:#x}", addr, atkey);
      return *ga;
    });
  });
}

void* acp_query_address(acp_ga_t ga) {
  return with_process<void*>(nullptr, [&](Process& process) {
    return process.query([&](GlobalMemory& memory) -> Result<void*> {
      const auto location = locate(memory, ga);
      if (!location) return Failure(location.error());
      std::byte* address = memory.memory().find(*location, 1);
      if (!address) return fail("{:#x} is not in registered memory of this process", ga);
      return static_cast<void*>(address);
    });
  });
}

int acp_query_rank(acp_ga_t ga) {
  return with_process(-1, [&](Process& process) {
    return process.query([&](GlobalMemory& memory) -> Result<int> {
      const auto location = locate(memory, ga);
      if (!location) return Failure(location.error());
      return static_cast<int>(location->rank);
    });
  });
}

int acp_query_color(acp_ga_t ga) { return acp_query_rank(ga) < 0 ? -1 : 0; }
int acp_colors(void) { return 1; }

acp_handle_t acp_copy(acp_ga_t dst, acp_ga_t src, size_t size, acp_handle_t order) {
  return with_process<acp_handle_t>(ACP_HANDLE_NULL, [&](Process& process) {
    const auto done = process.query([&](GlobalMemory& memory) { return memory.copy_directly(dst, src, size); });
    if (done) return Result<acp_handle_t>(static_cast<acp_handle_t>(*done));
    return process.start_operation([&](GlobalMemory& memory, Time now) -> Result<acp_handle_t> {
      const auto handle = memory.copy(now, dst, src, size, order_of(order, memory));
      if (!handle) return Failure(handle.error());
      return static_cast<acp_handle_t>(*handle);
    });
  });
}

acp_handle_t acp_cas4(acp_ga_t dst, acp_ga_t src, uint32_t oldval, uint32_t newval, acp_handle_t order) {
  return start({Atomic::compare_swap, 4, dst, src, newval, oldval}, order);
}
acp_handle_t acp_cas8(acp_ga_t dst, acp_ga_t src, uint64_t oldval, uint64_t newval, acp_handle_t order) {
  return start({Atomic::compare_swap, 8, dst, src, newval, oldval}, order);
}
acp_handle_t acp_swap4(acp_ga_t dst, acp_ga_t src, uint32_t value, acp_handle_t order) {
  return start(Atomic::swap, 4, dst, src, value, order);
}
acp_handle_t acp_swap8(acp_ga_t dst, acp_ga_t src, uint64_t value, acp_handle_t order) {
  return start(Atomic::swap, 8, dst, src, value, order);
}
acp_handle_t acp_add4(acp_ga_t dst, acp_ga_t src, uint32_t value, acp_handle_t order) {
  return start(Atomic::add, 4, dst, src, value, order);
}
acp_handle_t acp_add8(acp_ga_t dst, acp_ga_t src, uint64_t value, acp_handle_t order) {
  return start(Atomic::add, 8, dst, src, value, order);
}
acp_handle_t acp_xor4(acp_ga_t dst, acp_ga_t src, uint32_t value, acp_handle_t order) {
  return start(Atomic::exclusive_or, 4, dst, src, value, order);
}
acp_handle_t acp_xor8(acp_ga_t dst, acp_ga_t src, uint64_t value, acp_handle_t order) {
  return start(Atomic::exclusive_or, 8, dst, src, value, order);
}
acp_handle_t acp_or4(acp_ga_t dst, acp_ga_t src, uint32_t value, acp_handle_t order) {
  return start(Atomic::inclusive_or, 4, dst, src, value, order);
}
acp_handle_t acp_or8(acp_ga_t dst, acp_ga_t src, uint64_t value, acp_handle_t order) {
  return start(Atomic::inclusive_or, 8, dst, src, value, order);
}
acp_handle_t acp_and4(acp_ga_t dst, acp_ga_t src, uint32_t value, acp_handle_t order) {
  return start(Atomic::conjunction, 4, dst, src, value, order);
}
acp_handle_t acp_and8(acp_ga_t dst, acp_ga_t src, uint64_t value, acp_handle_t order) {
  return start(Atomic::conjunction, 8, dst, src, value, order);
}

int acp_complete(acp_handle_t handle) {
  return with_process(-1, [&](Process& process) -> Result<int> {
    std::optional<Handle> last;
    std::optional<Error> failure;
    process.wait_until([&](GlobalMemory& memory) {
      if (!last) last = covered(handle, memory).value_or(0);
      if (!memory.completed(*last)) return false;
      failure = memory.take_failure(*last);
      return true;
    });
    if (failure) return Failure(std::move(*failure));
    return 0;
  });
}

int acp_inquire(acp_handle_t handle) {
  return with_process(0, [&](Process& process) {
    return process.poll([&](const GlobalMemory& memory) -> Result<int> {
      const auto last = covered(handle, memory);
      return last && !memory.completed(*last) ? 1 : 0;
    });
  });
}

}  // extern "C"
